// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.segment;

import java.util.Arrays;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;

import org.deltacollations.collation.unicode.Utf8;

/**
 * Splits strings into segments: the collation elements of a segment do not depend on the code
 * points before and after it. Most segments are a single code point.
 *
 * <p>Two adjacent code points can be part of a contraction only if some contraction contains this
 * pair, or if the second is a combining mark, since marks between the parts of a contraction are
 * skipped. Marks also change places when a collator normalizes a string. So a segment continues
 * with every such code point.
 */
public final class Segments {

  /** A mark that is reordered by normalization. */
  private static final byte MARK = 1;

  /** Not a mark, but its decomposition ends with one. */
  private static final byte ENDS_WITH_MARK = 2;

  private static final byte STARTS_CONTRACTION = 4;
  private static final byte CONTINUES_CONTRACTION = 8;

  /** Belongs to the segment of the previous code point, which can be any. */
  private static final byte JOINS_ANY = 16;

  private static final byte MAY_JOIN_NEXT = MARK | ENDS_WITH_MARK | STARTS_CONTRACTION;
  private static final byte MAY_JOIN_PREVIOUS = MARK | CONTINUES_CONTRACTION | JOINS_ANY;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final byte[] NO_FLAGS = new byte[PAGE];

  private static final Segments UNICODE = new Segments();

  private final ContractionPairs pairs;

  /** Flags by code point, in pages, most of which are shared by all collators. */
  private final byte[][] flags;

  private Segments() {
    pairs = new ContractionPairs();
    flags = new byte[Character.MAX_CODE_POINT + 1 >>> PAGE_BITS][];
    Arrays.fill(flags, NO_FLAGS);
    add("[:^lccc=0:]", MARK);
    add("[[:^tccc=0:]&[:lccc=0:]]", ENDS_WITH_MARK);
  }

  private Segments(ContractionPairs pairs) {
    this.pairs = pairs;
    this.flags = UNICODE.flags.clone();
    pairs.forEach((first, second) -> {
      add(first, STARTS_CONTRACTION);
      add(second, CONTINUES_CONTRACTION);
    });
  }

  /**
   * Creates the segments for sort keys. A mark whose elements cannot depend on the previous code
   * point is a segment of its own, so that there are few different segments.
   */
  public static Segments forKeys(ContractionPairs pairs) {
    return new Segments(pairs);
  }

  /**
   * Creates the segments for searches, which do not separate a mark or a Hangul jamo from the
   * previous code point, nor a line feed from a carriage return.
   */
  public static Segments forSearch(RuleBasedCollator collator) {
    ContractionPairs pairs = new ContractionPairs(collator);
    pairs.add('\r', '\n');
    Segments segments = new Segments(pairs);
    segments.add("[[:^lccc=0:][:hst=V:][:hst=T:]]", JOINS_ANY);
    return segments;
  }

  /** Creates segments of a single code point each. */
  public static Segments ofCodePoints() {
    Segments segments = new Segments(new ContractionPairs());
    Arrays.fill(segments.flags, NO_FLAGS);
    return segments;
  }

  private void add(String pattern, byte flag) {
    UnicodeSet points = new UnicodeSet(pattern);
    for (UnicodeSet.EntryRange range : points.ranges()) {
      for (int point = range.codepoint; point <= range.codepointEnd; point++) {
        add(point, flag);
      }
    }
  }

  private void add(int codePoint, byte flag) {
    int page = codePoint >>> PAGE_BITS;
    if (flags[page] == NO_FLAGS || UNICODE != null && flags[page] == UNICODE.flags[page]) {
      flags[page] = flags[page].clone();
    }
    flags[page][codePoint & PAGE - 1] |= flag;
  }

  private int flags(int codePoint) {
    return flags[codePoint >>> PAGE_BITS][codePoint & PAGE - 1];
  }

  /** Returns whether a code point is a mark that is reordered by normalization. */
  public static boolean isMark(int codePoint) {
    return (UNICODE.flags(codePoint) & MARK) != 0;
  }

  /** Returns whether some code point belongs to the same segment if it follows this one. */
  public boolean mayJoinNext(int codePoint) {
    return (flags(codePoint) & MAY_JOIN_NEXT) != 0;
  }

  /** Returns whether this code point may belong to the same segment as the one before it. */
  public boolean mayJoinPrevious(int codePoint) {
    return (flags(codePoint) & MAY_JOIN_PREVIOUS) != 0;
  }

  /** Returns whether two adjacent code points belong to the same segment. */
  public boolean areJoined(int first, int second) {
    int flags = flags(second);
    if ((flags & MAY_JOIN_PREVIOUS) == 0) return false;
    if ((flags & JOINS_ANY) != 0) return true;
    int flagsOfFirst = flags(first) & MAY_JOIN_NEXT;
    if (flagsOfFirst == 0) return false;
    return (flags & MARK) != 0
        || (flagsOfFirst & STARTS_CONTRACTION) != 0 && pairs.contains(first, second);
  }

  /** Returns the start of the segment of the well-formed code point {@code first} at {@code at}. */
  public int start(UTF8String string, int at, int first) {
    int start = at;
    int point = first;
    while (start > 0 && mayJoinPrevious(point)) {
      int previous = Utf8.before(string, start);
      if (previous == Utf8.MALFORMED || !areJoined(previous, point)) break;
      start -= Utf8.width(previous);
      point = previous;
    }
    return start;
  }

  /** Returns the end of the segment of the code point {@code last}, which ends at {@code at}. */
  public int end(UTF8String string, int last, int at, int end) {
    long start = string.getBaseOffset();
    return (int) (end(last, string.getBaseObject(), start + at, start + end) - start);
  }

  /** Returns the end of the segment of the code point {@code last}, which ends at {@code at}. */
  public long end(int last, Object base, long at, long end) {
    int previous = last;
    long next = at;
    while (next < end) {
      int point = Utf8.codePoint(base, next, end);
      if (point == Utf8.MALFORMED || !areJoined(previous, point)) return next;
      previous = point;
      next += Utf8.width(point);
    }
    return next;
  }
}
