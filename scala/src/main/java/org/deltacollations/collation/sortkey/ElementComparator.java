// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.CollationElements.ABSENT;
import static org.deltacollations.collation.sortkey.CollationElements.COMMON;
import static org.deltacollations.collation.sortkey.CollationElements.STARTS_CONTRACTION;
import static org.deltacollations.collation.sortkey.CollationElements.UNKNOWN;
import static org.deltacollations.collation.sortkey.PrimaryWeightComparator.UNDECIDED;

import org.deltacollations.collation.unicode.Utf8;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Compares two strings by their collation elements, as their sort keys would compare, without
 * building keys. Not thread-safe.
 *
 * <p>The first different primary weight decides, else the first different secondary weight, else
 * the first different tertiary weight. The comparison is undecided if the elements of both strings
 * do not align, or if the elements of a code point are unknown.
 */
final class ElementComparator {

  /**
   * Absolute values of results: the stronger level wins, and on the same level the first result.
   */
  private static final int PRIMARY = 3;
  private static final int SECONDARY = 2;
  private static final int TERTIARY = 1;

  /** Not a result: only primary weights align from here on. */
  private static final int UNALIGNED = UNDECIDED + 1;

  /** The values of common weights in comparisons with other weights. */
  private static final int COMMON_SECONDARY = 0x0500;
  private static final int COMMON_TERTIARY = 0x0500;
  private static final int COMMON_TERTIARY_UPPER_CASE_FIRST = 0x8500;

  private static final int NONE = -1;

  private final CollationElements elements;
  private final ContractionPairs pairs;
  private final long[] ascii;
  private final int commonTertiary;
  private final Cursor l = new Cursor();
  private final Cursor r = new Cursor();

  ElementComparator(CollationElements elements, long[] ascii) {
    this.elements = elements;
    this.pairs = elements.pairs();
    this.ascii = ascii;
    this.commonTertiary =
        elements.isUpperCaseFirst() ? COMMON_TERTIARY_UPPER_CASE_FIRST : COMMON_TERTIARY;
  }

  /** Returns the sign of the order, or {@link PrimaryWeightComparator#UNDECIDED}. */
  int compare(UTF8String left, UTF8String right) {
    int start = PrimaryWeightComparator.mismatch(left, right);
    if (start == left.numBytes() && start == right.numBytes()) return 0;
    if (PrimaryWeightComparator.isUnsupportedBefore(left, start)) return UNDECIDED;
    int previous = PrimaryWeightComparator.codePointBefore(left, start);
    l.start(left, start, previous);
    r.start(right, start, previous);
    return compareRest();
  }

  private int compareRest() {
    int result = 0;
    boolean aligned = true;
    while (true) {
      if (l.contractionStart == NONE && r.contractionStart == NONE) result = skipAscii(result);
      if (l.isAtEnd() || r.isAtEnd()) break;
      if (!l.next() || !r.next()) return UNDECIDED;
      if (l.point == r.point) continue;
      int difference = difference();
      if (difference == UNDECIDED) return UNDECIDED;
      if (Math.abs(difference) == PRIMARY) {
        return l.isUnaffectedByNext() && r.isUnaffectedByNext() ? difference : UNDECIDED;
      }
      if (difference == UNALIGNED) aligned = false;
      else result = stronger(result, difference);
    }
    if (!l.isAtEnd()) return l.next() && l.isUnaffectedByNext() ? PRIMARY : UNDECIDED;
    if (!r.isAtEnd()) return r.next() && r.isUnaffectedByNext() ? -PRIMARY : UNDECIDED;
    return aligned ? result : UNDECIDED;
  }

  private static int stronger(int first, int second) {
    return Math.abs(second) > Math.abs(first) ? second : first;
  }

  /**
   * Skips ASCII characters that differ at most in their tertiary weights. The first difference
   * becomes the result unless there is one already. These characters start no contraction with each
   * other, so only the code point after the last one may depend on them.
   */
  private int skipAscii(int result) {
    long max = Math.min(l.end - l.at, r.end - r.at);
    long skipped = 0;
    int difference = result;
    for (; skipped < max; skipped++) {
      int left = Platform.getByte(l.base, l.at + skipped);
      int right = Platform.getByte(r.base, r.at + skipped);
      if ((left | right) < 0) break;
      long leftElement = ascii[left];
      long rightElement = ascii[right];
      if (leftElement == UNKNOWN || (leftElement ^ rightElement) >>> 16 != 0) break;
      if (difference == 0) difference = tertiaryDifference(leftElement, rightElement);
    }
    l.skip(skipped);
    r.skip(skipped);
    return difference;
  }

  /** Returns how the code points that both cursors have read last differ. */
  private int difference() {
    int common = Math.min(l.count(), r.count());
    int result = 0;
    for (int i = 0; i < common; i++) {
      int difference = difference(l.element(i), r.element(i));
      if (difference == UNDECIDED) return UNDECIDED;
      result = stronger(result, difference);
      if (Math.abs(result) == PRIMARY) return result;
    }
    if (l.count() == r.count()) return result;
    return l.hasPrimaryFrom(common) || r.hasPrimaryFrom(common) ? UNDECIDED : UNALIGNED;
  }

  private int difference(long left, long right) {
    int leftPrimary = (int) (left >>> 32);
    int rightPrimary = (int) (right >>> 32);
    if (leftPrimary != rightPrimary) {
      boolean decisive = leftPrimary != 0 && rightPrimary != 0
          && PrimaryWeightComparator.neitherIsPrefix(leftPrimary, rightPrimary);
      int sign = Integer.compareUnsigned(leftPrimary, rightPrimary);
      return decisive ? PRIMARY * sign : UNDECIDED;
    }
    int leftSecondary = (int) left >>> 16;
    int rightSecondary = (int) right >>> 16;
    if (leftSecondary == rightSecondary) return tertiaryDifference(left, right);
    if (leftSecondary == ABSENT || rightSecondary == ABSENT) return UNDECIDED;
    return SECONDARY * compare(leftSecondary, rightSecondary, COMMON_SECONDARY);
  }

  private int tertiaryDifference(long left, long right) {
    int leftTertiary = (int) left & CollationElements.TERTIARY_MASK;
    int rightTertiary = (int) right & CollationElements.TERTIARY_MASK;
    return TERTIARY * compare(leftTertiary, rightTertiary, commonTertiary);
  }

  private static int compare(int left, int right, int common) {
    return Integer.compare(left == COMMON ? common : left, right == COMMON ? common : right);
  }

  /** A position in a string, after the code point that was read last. */
  private final class Cursor {
    private Object base;
    private long at;
    private long end;

    /** The last code point if it may form a contraction with the next one, else {@link #NONE}. */
    private int contractionStart;

    private int point;
    private long entry;
    private CollationElements.Page page;

    private void start(UTF8String string, int from, int previous) {
      base = string.getBaseObject();
      at = string.getBaseOffset() + from;
      end = string.getBaseOffset() + string.numBytes();
      contractionStart = previous != NONE && pairs.startsPair(previous) ? previous : NONE;
    }

    private boolean isAtEnd() {
      return at == end;
    }

    private void skip(long asciiBytes) {
      if (asciiBytes == 0) return;
      at += asciiBytes;
      int last = Platform.getByte(base, at - 1);
      contractionStart = (ascii[last] & STARTS_CONTRACTION) != 0 ? last : NONE;
    }

    /** Reads a code point. Returns false if its elements are unknown or it is in a contraction. */
    private boolean next() {
      point = Utf8.codePoint(base, at, end);
      if (point == Utf8.MALFORMED) return false;
      page = elements.page(point);
      entry = page.entry(point);
      if (entry == UNKNOWN || contractionStart != NONE && pairs.contains(contractionStart, point)) {
        return false;
      }
      at += Utf8.width(point);
      contractionStart = ((int) entry & STARTS_CONTRACTION) != 0 ? point : NONE;
      return true;
    }

    private int count() {
      return CollationElements.isExpansion(entry) ? CollationElements.count(entry) : 1;
    }

    private long element(int i) {
      return CollationElements.isExpansion(entry)
          ? page.expansions[CollationElements.offset(entry) + i] : entry;
    }

    private boolean hasPrimaryFrom(int start) {
      for (int i = start; i < count(); i++) if (element(i) >>> 32 != 0) return true;
      return false;
    }

    /** Returns whether the next code point cannot change the elements of the last one. */
    private boolean isUnaffectedByNext() {
      if (at == end) return true;
      int next = Utf8.codePoint(base, at, end);
      return next != Utf8.MALFORMED
          && elements.page(next).entry(next) != UNKNOWN
          && (contractionStart == NONE || !pairs.contains(contractionStart, next));
    }
  }
}
