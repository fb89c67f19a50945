// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.CollationElements.ABSENT;
import static org.deltacollations.collation.sortkey.CollationElements.COMMON;
import static org.deltacollations.collation.sortkey.CollationElements.MAY_JOIN_NEXT;
import static org.deltacollations.collation.sortkey.CollationElements.UNKNOWN;
import static org.deltacollations.collation.sortkey.PrimaryWeightComparator.UNDECIDED;

import org.deltacollations.collation.segment.Segments;
import org.deltacollations.collation.unicode.Utf8;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Compares two strings by their collation elements, as their sort keys would compare, without
 * building keys. Not thread-safe.
 *
 * <p>The first different primary weight decides, else the first different secondary weight, else
 * the first different tertiary weight. The comparison is undecided if all primary weights are equal
 * and the elements of both strings do not align, or if the elements of a segment are unknown.
 */
final class ElementComparator {

  /**
   * Absolute values of results: the stronger level wins, and on the same level the first result.
   */
  private static final int PRIMARY = 3;
  private static final int SECONDARY = 2;
  private static final int TERTIARY = 1;

  /** Not an element: the end of the string. It has no primary weight. */
  private static final long END = 1;

  /** The values of common weights in comparisons with other weights. */
  private static final int COMMON_SECONDARY = 0x0500;
  private static final int COMMON_TERTIARY = 0x0500;
  private static final int COMMON_TERTIARY_UPPER_CASE_FIRST = 0x8500;

  private final CollationElements elements;
  private final Segments segments;
  private final long[] ascii;
  private final int commonTertiary;
  private final Cursor l = new Cursor();
  private final Cursor r = new Cursor();

  ElementComparator(CollationElements elements, long[] ascii) {
    this.elements = elements;
    this.segments = elements.segments();
    this.ascii = ascii;
    this.commonTertiary =
        elements.isUpperCaseFirst() ? COMMON_TERTIARY_UPPER_CASE_FIRST : COMMON_TERTIARY;
  }

  /** Returns the sign of the order, or {@link PrimaryWeightComparator#UNDECIDED}. */
  int compare(UTF8String left, UTF8String right) {
    int start = PrimaryWeightComparator.mismatch(left, right);
    if (start == left.numBytes() && start == right.numBytes()) return 0;
    if (start > 0) {
      int previous = Utf8.before(left, start);
      if (previous == Utf8.MALFORMED) return UNDECIDED;
      boolean isJoined = segments.mayJoinNext(previous)
          && (isJoinedAt(left, start, previous) || isJoinedAt(right, start, previous));
      if (isJoined) start = segments.start(left, start - Utf8.width(previous), previous);
    }
    l.start(left, start);
    r.start(right, start);
    return compareRest();
  }

  private boolean isJoinedAt(UTF8String string, int at, int previous) {
    if (at == string.numBytes()) return false;
    int point = Utf8.at(string, at);
    return point != Utf8.MALFORMED && segments.areJoined(previous, point);
  }

  private int compareRest() {
    int result = 0;
    boolean aligned = true;
    while (true) {
      if (l.isBetweenSegments() && r.isBetweenSegments()) result = skipAscii(result);
      long left = l.next();
      long right = r.next();
      if (left == UNKNOWN || right == UNKNOWN) return UNDECIDED;
      if (left == right) {
        if (left == END) return aligned ? result : UNDECIDED;
        continue;
      }
      if (left >>> 32 == right >>> 32 && left != END && right != END) {
        if (haveSecondaries(left, right)) result = stronger(result, lower(left, right));
        else aligned = false;
        continue;
      }
      if (left >>> 32 == 0 || right >>> 32 == 0) {
        aligned = false;
        while (left >>> 32 == 0 && left != END && left != UNKNOWN) left = l.next();
        while (right >>> 32 == 0 && right != END && right != UNKNOWN) right = r.next();
        if (left == UNKNOWN || right == UNKNOWN) return UNDECIDED;
        if (left >>> 32 == right >>> 32) {
          if (left == END) return UNDECIDED;
          continue;
        }
      }
      return comparePrimaries((int) (left >>> 32), (int) (right >>> 32));
    }
  }

  /** Compares two different primary weights. The end of a string has the weight 0. */
  private static int comparePrimaries(int left, int right) {
    boolean decisive =
        left == 0 || right == 0 || PrimaryWeightComparator.neitherIsPrefix(left, right);
    return decisive ? PRIMARY * Integer.compareUnsigned(left, right) : UNDECIDED;
  }

  private static boolean haveSecondaries(long left, long right) {
    return (int) left >>> 16 != ABSENT && (int) right >>> 16 != ABSENT;
  }

  private static int stronger(int first, int second) {
    return Math.abs(second) > Math.abs(first) ? second : first;
  }

  /**
   * Skips ASCII characters that differ at most in their tertiary weights. The first difference
   * becomes the result unless there is one already. These characters start no contraction with each
   * other, but one that another code point follows may be in a segment with it.
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
      boolean mayJoinNext = ((leftElement | rightElement) & MAY_JOIN_NEXT) != 0;
      if (mayJoinNext && (l.isNonAsciiAt(skipped + 1) || r.isNonAsciiAt(skipped + 1))) break;
      if (difference == 0) difference = tertiaryDifference(leftElement, rightElement);
    }
    l.at += skipped;
    r.at += skipped;
    return difference;
  }

  /** Compares the lower levels of two elements with equal primary weights. */
  private int lower(long left, long right) {
    int leftSecondary = (int) left >>> 16;
    int rightSecondary = (int) right >>> 16;
    if (leftSecondary == rightSecondary) return tertiaryDifference(left, right);
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

  /** A position in the elements of a string, which are read segment by segment. */
  private final class Cursor {
    private Object base;
    private long at;
    private long end;

    /** The elements of the last segment that remain to be read. */
    private long[] source;
    private int index;
    private int limit;

    private void start(UTF8String string, int from) {
      base = string.getBaseObject();
      at = string.getBaseOffset() + from;
      end = string.getBaseOffset() + string.numBytes();
      index = limit = 0;
    }

    private boolean isBetweenSegments() {
      return index == limit;
    }

    private boolean isNonAsciiAt(long offset) {
      return at + offset < end && Platform.getByte(base, at + offset) < 0;
    }

    /** Returns the next element, {@link #END}, or {@link CollationElements#UNKNOWN}. */
    private long next() {
      while (index == limit) {
        if (at == end) return END;
        int point = Utf8.codePoint(base, at, end);
        if (point == Utf8.MALFORMED) return UNKNOWN;
        CollationElements.Page page = elements.page(point);
        long entry = page.entry(point);
        if (entry == UNKNOWN) return UNKNOWN;
        long start = at;
        at += Utf8.width(point);
        boolean mayJoinNext = ((int) entry & MAY_JOIN_NEXT) != 0;
        long segmentEnd = mayJoinNext ? segments.end(point, base, at, end) : at;
        if (segmentEnd > at) {
          at = segmentEnd;
          source = elements.ofSegment(base, start, at);
          if (source == null) return UNKNOWN;
          index = 0;
          limit = source.length;
        } else if (CollationElements.isExpansion(entry)) {
          source = page.expansions;
          index = CollationElements.offset(entry);
          limit = index + CollationElements.count(entry);
        } else {
          return entry & ~MAY_JOIN_NEXT;
        }
      }
      return source[index++];
    }
  }
}
