// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.segment;

import java.util.Arrays;
import java.util.BitSet;

import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;

/**
 * Pairs of code points that are adjacent in some contraction of a collator. A string without such a
 * pair contains no contraction, except for discontiguous ones, which have combining marks in
 * between.
 */
public final class ContractionPairs {

  private static final long EMPTY = -1;
  private static final int ASCII = 0x80;
  private static final long HASH_MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** An open-addressing hash table with a load factor of at most one half. */
  private long[] slots = newSlots(64);
  private int size;

  private final BitSet firsts = new BitSet();

  /** One bit for each pair of ASCII characters. A fast path, since most strings are ASCII. */
  private final long[] ascii = new long[ASCII * ASCII / Long.SIZE];

  /** Creates an empty set. */
  public ContractionPairs() {}

  /**
   * Reads all contractions of {@code collator}, including prefixes (context before a character).
   */
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

  private static long[] newSlots(int count) {
    long[] slots = new long[count];
    Arrays.fill(slots, EMPTY);
    return slots;
  }

  void add(int first, int second) {
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
    long[] previous = slots;
    slots = newSlots(previous.length * 2);
    for (long pair : previous) if (pair != EMPTY) slots[slotOf(pair)] = pair;
  }

  public boolean contains(int first, int second) {
    if ((first | second) < ASCII) {
      return (ascii[bit(first, second) >>> 6] >>> bit(first, second) & 1) != 0;
    }
    long pair = pair(first, second);
    return slots[slotOf(pair)] == pair;
  }

  public void forEach(PairConsumer consumer) {
    for (long pair : slots) if (pair != EMPTY) consumer.accept((int) (pair >>> 32), (int) pair);
  }

  public interface PairConsumer {
    void accept(int first, int second);
  }

  /** Returns whether some pair starts with this code point. */
  public boolean startsPair(int first) {
    return firsts.get(first);
  }

  /** Returns whether some pair of ASCII characters starts with this one. */
  public boolean startsAsciiPair(int first) {
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
    int slot = (int) (pair * HASH_MULTIPLIER >>> 40) & mask;
    while (slots[slot] != EMPTY && slots[slot] != pair) slot = slot + 1 & mask;
    return slot;
  }
}
