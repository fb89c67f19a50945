// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import com.ibm.icu.text.CollationElementIterator;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.text.RawCollationKey;
import com.ibm.icu.text.RuleBasedCollator;

/** Reads elements of single characters from a collator, and its keys. Not thread-safe. */
final class ElementReader {

  static final long[] NO_ELEMENTS = {};

  /** As many as a place has room to count. */
  private static final int MOST_ELEMENTS = 0xFF;

  private static final Normalizer2 PARTS = Normalizer2.getNFKDInstance();

  /** Weights of ICU: the common one, and that which separates merged strings. */
  private static final int COMMON_WEIGHT = 0x0500;
  private static final int SEPARATOR = 0x02;

  private static final int LEVEL_ENDS = 1;

  private static final int CASE = 0xC000;
  private static final int TERTIARY = 0x3F3F;

  private final RuleBasedCollator collator;
  private final LeadBytes leads;
  private final CollationElementIterator iterator;
  private final RawCollationKey key = new RawCollationKey(64);
  private final long[] read = new long[MOST_ELEMENTS];
  private final boolean secondaries;
  private final boolean tertiaries;
  private final boolean capitalsFirst;
  private final boolean movesScripts;

  ElementReader(RuleBasedCollator collator, LeadBytes leads) {
    this.collator = collator;
    this.leads = leads;
    this.iterator = collator.getCollationElementIterator("");
    this.secondaries = collator.getStrength() >= Collator.SECONDARY;
    this.tertiaries = collator.getStrength() >= Collator.TERTIARY;
    this.capitalsFirst = collator.isUpperCaseFirst();
    this.movesScripts = collator.getReorderCodes().length > 0;
  }

  /** The collator's key; valid until the next is asked for. */
  RawCollationKey key(String text) {
    return collator.getRawCollationKey(text, key);
  }

  /** Empty if the character has no primary weight in front, or more elements than expected. */
  long[] elements(int codePoint) {
    int count = read(codePoint);
    if (count < 1 || primary(read[0]) == 0) return NO_ELEMENTS;
    if (primaries(count) == 1) learnFromItself(codePoint);
    else if (!knowsLeads(count)) learnFromParts(codePoint, count);
    return knowsLeads(count) ? asWritten(count) : NO_ELEMENTS;
  }

  /** Joins what the iterator gives in halves: the second half of an element is marked as such. */
  private int read(int codePoint) {
    iterator.setText(Character.toString(codePoint));
    int count = 0;
    for (int next; (next = iterator.next()) != CollationElementIterator.NULLORDER; ) {
      if (next == CollationElementIterator.IGNORABLE) continue;
      if ((next & 0xC0) == 0xC0 && count > 0) read[count - 1] |= secondHalf(next);
      else if (count == MOST_ELEMENTS) return 0;
      else read[count++] = firstHalf(next);
    }
    return count;
  }

  private static long firstHalf(int half) {
    return (half & 0xFFFF0000L) << 32 | (half & 0xFF00L) << 16 | (half & 0xFFL) << 8;
  }

  private static long secondHalf(int half) {
    return (half & 0xFFFF0000L) << 16 | (half & 0xFF00L) << 8 | half & 0x3FL;
  }

  private static int primary(long element) {
    return (int) (element >>> 32);
  }

  private static int secondary(long element) {
    return (int) element >>> 16;
  }

  private int primaries(int count) {
    int found = 0;
    for (int i = 0; i < count; i++) if (primary(read[i]) != 0) found++;
    return found;
  }

  private boolean knowsLeads(int count) {
    for (int i = 0; i < count; i++) {
      int primary = primary(read[i]);
      if (primary != 0 && !leads.knows(primary)) return false;
    }
    return true;
  }

  /** Two scripts that share a first byte may be moved apart, so there each character is asked. */
  private void learnFromItself(int codePoint) {
    int primary = primary(read[0]);
    if (movesScripts || !leads.knows(primary)) learn(codePoint, primary);
  }

  /** What has several primary weights is made of characters that have one each, mostly. */
  private void learnFromParts(int codePoint, int count) {
    long[] whole = Arrays.copyOf(read, count);
    PARTS.normalize(Character.toString(codePoint)).codePoints().forEach(part -> {
      int found = read(part);
      if (primaries(found) == 1 && primary(read[0]) != 0) learn(part, primary(read[0]));
    });
    System.arraycopy(whole, 0, read, 0, count);
  }

  /**
   * The key of a character twice shows both how its first byte is written and if it repeats. In
   * between is a character without weight, which keeps the two from being a contraction.
   */
  private void learn(int codePoint, int primary) {
    String once = Character.toString(codePoint);
    RawCollationKey twice = key(once + "\0" + once);
    int end = 0;
    while (end < twice.size && (twice.bytes[end] & 0xFF) > LEVEL_ENDS) end++;
    int width = ElementSortKeyBuilder.width(primary);
    boolean isCompressible = end == 2 * width - 1;
    if (isCompressible || end == 2 * width) {
      leads.learn(primary, twice.bytes[0] & 0xFF, isCompressible);
    }
  }

  private long[] asWritten(int count) {
    long[] elements = new long[count];
    int written = 0;
    for (int i = 0; i < count; i++) {
      if (primary(read[i]) != 0 && primary(read[i]) >>> 24 <= SEPARATOR) return NO_ELEMENTS;
      if (isWritten(read[i])) elements[written++] = asWritten(read[i]);
    }
    return Arrays.copyOf(elements, written);
  }

  /** Whether an element has a weight on a level that the keys have. */
  private boolean isWritten(long element) {
    return primary(element) != 0 || secondaries && secondary(element) != 0 || tertiaries;
  }

  private long asWritten(long element) {
    int primary = primary(element);
    int moved = primary == 0 ? 0 : leads.moved(primary);
    int mark = leads.isCompressible(primary) ? CollationElements.COMPRESSIBLE : 0;
    return (long) moved << 32
        | (long) writtenSecondary(secondary(element)) << 16
        | writtenTertiary((int) element & 0xFFFF, secondary(element))
        | mark;
  }

  private int writtenSecondary(int weight) {
    if (!secondaries || weight == COMMON_WEIGHT) return CollationElements.COMMON;
    return weight == 0 ? CollationElements.ABSENT : weight;
  }

  /** Above the common weight there is room for the bytes of runs. */
  private int writtenTertiary(int weight, int secondary) {
    if (!tertiaries) return CollationElements.COMMON;
    if (capitalsFirst) return writtenCapitalsFirst(weight, secondary);
    int plain = weight & TERTIARY;
    if (plain == COMMON_WEIGHT) return CollationElements.COMMON;
    return plain > COMMON_WEIGHT ? plain + 0xC000 : plain;
  }

  /** Inverts the case of what has a primary or secondary weight. */
  private static int writtenCapitalsFirst(int weight, int secondary) {
    if (weight == COMMON_WEIGHT) return CollationElements.COMMON;
    if (secondary == 0) return weight + 0x4000 & 0xFFFF;
    int inverted = weight ^ CASE;
    return inverted < 0xC500 ? inverted - 0x4000 : inverted;
  }
}
