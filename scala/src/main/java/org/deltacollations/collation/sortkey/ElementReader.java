// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import com.ibm.icu.text.CollationElementIterator;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.text.RawCollationKey;
import com.ibm.icu.text.RuleBasedCollator;

/** Reads collation elements and sort keys from a collator. Not thread-safe. */
final class ElementReader {

  /** The entry of an expansion in {@link CollationElements} counts its elements in eight bits. */
  private static final int MAX_ELEMENTS = 0xFF;

  private static final Normalizer2 NFKD = Normalizer2.getNFKDInstance();

  /** Constants of ICU's sort keys. */
  private static final int COMMON_WEIGHT = 0x0500;
  private static final int LEVEL_SEPARATOR_BYTE = 0x01;
  private static final int MERGE_SEPARATOR_BYTE = 0x02;
  private static final int CASE_MASK = 0xC000;
  private static final int ONLY_TERTIARY_MASK = 0x3F3F;

  private final RuleBasedCollator collator;
  private final LeadBytes leadBytes;
  private final CollationElementIterator iterator;
  private final RawCollationKey key = new RawCollationKey(64);
  private final long[] buffer = new long[MAX_ELEMENTS];
  private final boolean hasSecondaries;
  private final boolean hasTertiaries;
  private final boolean isUpperCaseFirst;
  private final boolean reordersScripts;

  ElementReader(RuleBasedCollator collator, LeadBytes leadBytes) {
    this.collator = collator;
    this.leadBytes = leadBytes;
    this.iterator = collator.getCollationElementIterator("");
    this.hasSecondaries = collator.getStrength() >= Collator.SECONDARY;
    this.hasTertiaries = collator.getStrength() >= Collator.TERTIARY;
    this.isUpperCaseFirst = collator.isUpperCaseFirst();
    this.reordersScripts = collator.getReorderCodes().length > 0;
  }

  /** Returns the collator's key, which is valid until the next call. */
  RawCollationKey key(String string) {
    return collator.getRawCollationKey(string, key);
  }

  /**
   * Returns the elements of a segment, or null if it has too many elements or if one of its lead
   * bytes is unknown.
   */
  long[] elements(String segment) {
    int count = read(segment);
    if (count > MAX_ELEMENTS) return null;
    if (countPrimaries(count) == 1) learnFromItself(segment, count);
    else if (!areLeadBytesKnown(count)) learnFromParts(segment, count);
    return areLeadBytesKnown(count) ? encode(count) : null;
  }

  /**
   * Reads elements into the buffer and returns their number, or a higher one if there are too many.
   * The iterator splits long elements in two halves and marks the second half as a continuation.
   */
  private int read(String string) {
    iterator.setText(string);
    int count = 0;
    for (int next; (next = iterator.next()) != CollationElementIterator.NULLORDER; ) {
      if (next == CollationElementIterator.IGNORABLE) continue;
      if ((next & 0xC0) == 0xC0 && count > 0) buffer[count - 1] |= secondHalf(next);
      else if (count == MAX_ELEMENTS) return MAX_ELEMENTS + 1;
      else buffer[count++] = firstHalf(next);
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

  private int countPrimaries(int count) {
    int primaries = 0;
    for (int i = 0; i < count; i++) if (primary(buffer[i]) != 0) primaries++;
    return primaries;
  }

  private boolean areLeadBytesKnown(int count) {
    for (int i = 0; i < count; i++) {
      int primary = primary(buffer[i]);
      if (primary != 0 && !leadBytes.isKnown(primary)) return false;
    }
    return true;
  }

  /**
   * Script reordering may move two scripts with the same lead byte apart, so with reordering every
   * segment is checked.
   */
  private void learnFromItself(String segment, int count) {
    int primary = firstPrimary(count);
    if (reordersScripts || !leadBytes.isKnown(primary)) learn(segment, primary);
  }

  private int firstPrimary(int count) {
    for (int i = 0; i < count; i++) if (primary(buffer[i]) != 0) return primary(buffer[i]);
    return 0;
  }

  /** The parts of a segment, after decomposition, usually have one primary weight each. */
  private void learnFromParts(String segment, int count) {
    long[] saved = Arrays.copyOf(buffer, count);
    NFKD.normalize(segment).codePoints().mapToObj(Character::toString).forEach(part -> {
      int partCount = read(part);
      if (partCount <= MAX_ELEMENTS && countPrimaries(partCount) == 1) {
        learn(part, firstPrimary(partCount));
      }
    });
    System.arraycopy(saved, 0, buffer, 0, count);
  }

  /**
   * Reads the lead byte, and whether it is compressible, from the key of the repeated segment. A
   * completely ignorable character in between prevents a contraction.
   */
  private void learn(String segment, int primary) {
    RawCollationKey twice = key(segment + "\0" + segment);
    int end = 0;
    while (end < twice.size && (twice.bytes[end] & 0xFF) > LEVEL_SEPARATOR_BYTE) end++;
    int width = ElementSortKeyBuilder.width(primary);
    boolean isCompressible = end == 2 * width - 1;
    if (isCompressible || end == 2 * width) {
      leadBytes.learn(primary, twice.bytes[0] & 0xFF, isCompressible);
    }
  }

  /** Converts elements to the form of {@link CollationElements}. */
  private long[] encode(int count) {
    long[] elements = new long[count];
    int size = 0;
    for (int i = 0; i < count; i++) {
      int primary = primary(buffer[i]);
      if (primary != 0 && primary >>> 24 <= MERGE_SEPARATOR_BYTE) return null;
      if (hasWeight(buffer[i])) elements[size++] = encode(buffer[i]);
    }
    return Arrays.copyOf(elements, size);
  }

  /** Returns whether an element has a weight on a level of the collator's strength. */
  private boolean hasWeight(long element) {
    return primary(element) != 0 || hasSecondaries && secondary(element) != 0 || hasTertiaries;
  }

  private long encode(long element) {
    int primary = primary(element);
    int reordered = primary == 0 ? 0 : leadBytes.reordered(primary);
    int flag = leadBytes.isCompressible(primary) ? CollationElements.COMPRESSIBLE : 0;
    return (long) reordered << 32
        | (long) encodeSecondary(secondary(element)) << 16
        | encodeTertiary((int) element & 0xFFFF, secondary(element))
        | flag;
  }

  private int encodeSecondary(int weight) {
    if (!hasSecondaries || weight == COMMON_WEIGHT) return CollationElements.COMMON;
    return weight == 0 ? CollationElements.ABSENT : weight;
  }

  /**
   * Moves weights above the common weight up: the bytes in between encode runs of common weights.
   */
  private int encodeTertiary(int weight, int secondary) {
    if (!hasTertiaries) return CollationElements.COMMON;
    if (isUpperCaseFirst) return encodeUpperCaseFirst(weight, secondary);
    int tertiary = weight & ONLY_TERTIARY_MASK;
    if (tertiary == COMMON_WEIGHT) return CollationElements.COMMON;
    return tertiary > COMMON_WEIGHT ? tertiary + 0xC000 : tertiary;
  }

  /** Inverts the case bits of elements that have a primary or secondary weight. */
  private static int encodeUpperCaseFirst(int weight, int secondary) {
    if (weight == COMMON_WEIGHT) return CollationElements.COMMON;
    if (secondary == 0) return weight + 0x4000 & 0xFFFF;
    int inverted = weight ^ CASE_MASK;
    return inverted < 0xC500 ? inverted - 0x4000 : inverted;
  }
}
