// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;
import java.util.BitSet;

import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;

/**
 * Two characters that stand next to each other in some contraction of a collator. A text without
 * such a pair holds no contraction, except across combining marks.
 */
public final class ContractionPairs {

  private static final long FREE = -1;
  private static final int ASCII = 0x80;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** A hash table, half empty at least. */
  private long[] slots = emptySlots(64);
  private int size;

  private final BitSet firsts = new BitSet();

  /** A bit for each pair of ASCII characters, since most text is of these. */
  private final long[] ascii = new long[ASCII * ASCII / Long.SIZE];

  /** None at all. */
  public ContractionPairs() {}

  /** Those that depend on the character before them are contractions as well. */
  public ContractionPairs(RuleBasedCollator collator) {
    UnicodeSet contractions = new UnicodeSet();
    try {
      collator.getContractionsAndExpansions(contractions, null, true);
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
    for (String contraction : contractions.strings()) {
      int[] points = contraction.codePoints().toArray();
      for (int i = 1; i < points.length; i++) add(points[i - 1], points[i]);
    }
  }

  private static long[] emptySlots(int count) {
    long[] slots = new long[count];
    Arrays.fill(slots, FREE);
    return slots;
  }

  private void add(int first, int second) {
    firsts.set(first);
    if ((first | second) < ASCII) ascii[bit(first, second) >>> 6] |= 1L << bit(first, second);
    long pair = pair(first, second);
    int slot = slotOf(pair);
    if (slots[slot] == pair) return;
    slots[slot] = pair;
    size++;
    if (size * 2 > slots.length) grow();
  }

  private void grow() {
    long[] before = slots;
    slots = emptySlots(before.length * 2);
    for (long pair : before) if (pair != FREE) slots[slotOf(pair)] = pair;
  }

  public boolean contains(int first, int second) {
    if ((first | second) < ASCII) {
      return (ascii[bit(first, second) >>> 6] >>> bit(first, second) & 1) != 0;
    }
    long pair = pair(first, second);
    return slots[slotOf(pair)] == pair;
  }

  public void forEach(PairConsumer consumer) {
    for (long pair : slots) if (pair != FREE) consumer.accept((int) (pair >>> 32), (int) pair);
  }

  public interface PairConsumer {
    void accept(int first, int second);
  }

  /** Whether some pair begins with this character. */
  boolean beginWith(int first) {
    return firsts.get(first);
  }

  /** Whether some pair of ASCII characters begins with this one. */
  boolean beginAsciiWith(int first) {
    return (ascii[bit(first, 0) >>> 6] | ascii[bit(first, Long.SIZE) >>> 6]) != 0;
  }

  private static int bit(int first, int second) {
    return first * ASCII + second;
  }

  private static long pair(int first, int second) {
    return (long) first << 32 | second;
  }

  private int slotOf(long pair) {
    int mask = slots.length - 1;
    int slot = (int) (pair * SPREAD >>> 40) & mask;
    while (slots[slot] != FREE && slots[slot] != pair) slot = slot + 1 & mask;
    return slot;
  }
}
