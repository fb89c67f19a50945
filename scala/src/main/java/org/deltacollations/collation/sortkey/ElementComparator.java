// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.CollationElements.ABSENT;
import static org.deltacollations.collation.sortkey.CollationElements.COMMON;
import static org.deltacollations.collation.sortkey.CollationElements.GOES_ON;
import static org.deltacollations.collation.sortkey.CollationElements.UNKNOWN;
import static org.deltacollations.collation.sortkey.PrimaryWeightComparator.UNDECIDED;

import org.deltacollations.collation.unicode.Utf8;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Compares two strings by their elements, as their keys would compare, without keys. Not
 * thread-safe.
 *
 * <p>Element by element, the first different primary weight decides, else the first different
 * secondary one, else the first different tertiary one. Where the elements of both strings cannot be
 * paired, or one is not known for certain, nothing is decided.
 */
final class ElementComparator {

  /** The signs of differences, by level: a higher level wins, and on one level the first. */
  private static final int PRIMARY = 3;
  private static final int SECONDARY = 2;
  private static final int TERTIARY = 1;

  /** No sign: from here on only primary weights can still be paired. */
  private static final int UNPAIRED = UNDECIDED + 1;

  /** The weights that stand for the common ones here, where they are compared with others. */
  private static final int COMMON_SECONDARY = 0x0500;
  private static final int COMMON_TERTIARY = 0x0500;
  private static final int COMMON_AFTER_CAPITALS = 0x8500;

  private static final int NOTHING = -1;

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
    this.commonTertiary = elements.capitalsComeFirst() ? COMMON_AFTER_CAPITALS : COMMON_TERTIARY;
  }

  /** The sign of the order, or {@link PrimaryWeightComparator#UNDECIDED}. */
  int compare(UTF8String left, UTF8String right) {
    int same = PrimaryWeightComparator.firstOtherCharacter(left, right);
    if (same == left.numBytes() && same == right.numBytes()) return 0;
    if (PrimaryWeightComparator.isBrokenBefore(left, same)) return UNDECIDED;
    int before = PrimaryWeightComparator.codePointBefore(left, same);
    l.start(left, same, before);
    r.start(right, same, before);
    return compareRest();
  }

  private int compareRest() {
    int found = 0;
    boolean paired = true;
    while (true) {
      if (l.before == NOTHING && r.before == NOTHING) found = skipAscii(found);
      if (l.isAtEnd() || r.isAtEnd()) break;
      if (!l.next() || !r.next()) return UNDECIDED;
      if (l.point == r.point) continue;
      int difference = difference();
      if (difference == UNDECIDED) return UNDECIDED;
      if (Math.abs(difference) == PRIMARY) {
        return l.isComplete() && r.isComplete() ? difference : UNDECIDED;
      }
      if (difference == UNPAIRED) paired = false;
      else found = stronger(found, difference);
    }
    if (!l.isAtEnd()) return l.next() && l.isComplete() ? PRIMARY : UNDECIDED;
    if (!r.isAtEnd()) return r.next() && r.isComplete() ? -PRIMARY : UNDECIDED;
    return paired ? found : UNDECIDED;
  }

  private static int stronger(int first, int second) {
    return Math.abs(second) > Math.abs(first) ? second : first;
  }

  /**
   * Skips characters that agree but for a tertiary weight, of which the first is a difference unless
   * there was one. None joins another, so only what follows the last of them may depend on it.
   */
  private int skipAscii(int found) {
    long most = Math.min(l.end - l.at, r.end - r.at);
    long skipped = 0;
    int difference = found;
    for (; skipped < most; skipped++) {
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

  /** How the characters that both cursors have read differ. */
  private int difference() {
    int paired = Math.min(l.count(), r.count());
    int found = 0;
    for (int i = 0; i < paired; i++) {
      int difference = difference(l.element(i), r.element(i));
      if (difference == UNDECIDED) return UNDECIDED;
      found = stronger(found, difference);
      if (Math.abs(found) == PRIMARY) return found;
    }
    if (l.count() == r.count()) return found;
    return l.hasPrimaryFrom(paired) || r.hasPrimaryFrom(paired) ? UNDECIDED : UNPAIRED;
  }

  private int difference(long left, long right) {
    int leftPrimary = (int) (left >>> 32);
    int rightPrimary = (int) (right >>> 32);
    if (leftPrimary != rightPrimary) {
      boolean decisive = leftPrimary != 0 && rightPrimary != 0
          && PrimaryWeightComparator.differInside(leftPrimary, rightPrimary);
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
    int leftTertiary = (int) left & CollationElements.TERTIARY;
    int rightTertiary = (int) right & CollationElements.TERTIARY;
    return TERTIARY * compare(leftTertiary, rightTertiary, commonTertiary);
  }

  private static int compare(int left, int right, int common) {
    return Integer.compare(left == COMMON ? common : left, right == COMMON ? common : right);
  }

  /** A place in a string, behind the character that was read last. */
  private final class Cursor {
    private Object base;
    private long at;
    private long end;

    /** The last character if it may make a contraction with the next. */
    private int before;

    private int point;
    private long entry;
    private CollationElements.Page page;

    private void start(UTF8String text, int from, int codePointBefore) {
      base = text.getBaseObject();
      at = text.getBaseOffset() + from;
      end = text.getBaseOffset() + text.numBytes();
      before = codePointBefore != NOTHING && pairs.beginWith(codePointBefore)
          ? codePointBefore : NOTHING;
    }

    private boolean isAtEnd() {
      return at == end;
    }

    private void skip(long asciiBytes) {
      if (asciiBytes == 0) return;
      at += asciiBytes;
      int last = Platform.getByte(base, at - 1);
      before = (ascii[last] & GOES_ON) != 0 ? last : NOTHING;
    }

    /** Reads a character whose elements are known, unless what follows changes them. */
    private boolean next() {
      point = Utf8.codePoint(base, at, end);
      if (point == Utf8.MALFORMED) return false;
      page = elements.page(point);
      entry = page.entry(point);
      if (entry == UNKNOWN || before != NOTHING && pairs.contains(before, point)) return false;
      at += Utf8.width(point);
      before = ((int) entry & GOES_ON) != 0 ? point : NOTHING;
      return true;
    }

    private int count() {
      return CollationElements.isExpansion(entry) ? CollationElements.count(entry) : 1;
    }

    private long element(int i) {
      return CollationElements.isExpansion(entry)
          ? page.expansions[CollationElements.place(entry) + i] : entry;
    }

    private boolean hasPrimaryFrom(int start) {
      for (int i = start; i < count(); i++) if (element(i) >>> 32 != 0) return true;
      return false;
    }

    /** Whether what follows leaves the character alone. */
    private boolean isComplete() {
      if (at == end) return true;
      int after = Utf8.codePoint(base, at, end);
      return after != Utf8.MALFORMED
          && elements.page(after).entry(after) != UNKNOWN
          && (before == NOTHING || !pairs.contains(before, after));
    }
  }
}
