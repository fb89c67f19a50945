// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search;

import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

import org.deltacollations.collation.unicode.Utf8;

/** What is searched for: its elements, and which bytes of a text need no closer look. */
final class SearchPattern {

  /**
   * What a byte can be. Passed is a character that stands alone and starts no match. Of a character
   * of two bytes that stands alone the first is a lead, and the second is a trail if no match starts
   * with any such character. A trail is twice a lead, so that a shift says what must follow. All else
   * is a candidate, be it the first byte or the second.
   */
  private static final byte PASSED = 0;
  private static final byte LEAD = 1;
  private static final byte TRAIL = 2;
  private static final byte CANDIDATE = 4;

  private static final int ASCII = 0x80;

  /** Bits and bytes of eight characters at once. Upper and lower case of ASCII differ in one bit. */
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH = 0x80 * EACH;
  private static final int CASE = 0x20;
  private static final int DELETE = 0x7F;

  /** More than one candidate in ASCII, even without case. */
  private static final int MANY = -1;

  /** Of a pattern that is not known to come again, for which no table pays. */
  private static final byte[] ALL_CANDIDATES = new byte[1 << Byte.SIZE];

  static {
    Arrays.fill(ALL_CANDIDATES, CANDIDATE);
  }

  /** The elements in order, and how many they are: none if the pattern is left to Spark. */
  int[] elements;
  int size;

  private final UTF8String source;
  private final UTF8String constant;
  private byte[] kinds = ALL_CANDIDATES;
  private int candidate = MANY;

  /** The first {@code end} bytes of {@code source}. */
  SearchPattern(UTF8String source, int end, SearchElements known) {
    this.constant = hasOwnBytes(source) ? source : null;
    this.source = copy(source);
    this.size = read(source, end, known) ? size : 0;
  }

  /** Whether all characters stand alone. Adds their elements up to the first that does not. */
  private boolean read(UTF8String source, int end, SearchElements known) {
    elements = new int[end];
    int at = 0;
    while (at < end) {
      int point = Utf8.at(source, at);
      int token = known.token(point);
      if (!known.standsAlone(source, at, point, token)) return false;
      if (SearchElements.isMany(token)) add(known.many(point));
      else add(SearchElements.only(token));
      at += Utf8.width(point);
    }
    return true;
  }

  private void add(int... more) {
    int wanted = size + more.length;
    if (wanted > elements.length) elements = Arrays.copyOf(elements, 2 * wanted);
    System.arraycopy(more, 0, elements, size, more.length);
    size = wanted;
  }

  /** Bytes that belong to a row may change when the row does, but not those of a literal. */
  private static boolean hasOwnBytes(UTF8String source) {
    return source.getBaseObject() instanceof byte[] bytes && bytes.length == source.numBytes();
  }

  /** Copies a few bytes sooner than what Spark has for any number of them. */
  private static UTF8String copy(UTF8String source) {
    if (!(source.getBaseObject() instanceof byte[] row)) return source.copy();
    int from = (int) (source.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
    return UTF8String.fromBytes(Arrays.copyOfRange(row, from, from + source.numBytes()));
  }

  private static byte[] kinds(int first, SearchElements known) {
    byte[] kinds = new byte[1 << Byte.SIZE];
    for (int c = 0; c < ASCII; c++) {
      int token = known.token(c);
      kinds[c] = token != first && SearchElements.isPlain(token) ? PASSED : CANDIDATE;
    }
    Arrays.fill(kinds, ASCII, kinds.length, CANDIDATE);
    long trails = known.twoBytes().trailsOf(first);
    for (int trail = 0; trail < Long.SIZE; trail++) {
      if ((trails >>> trail & 1) == 0) kinds[0x80 + trail] = TRAIL;
    }
    int leads = known.twoBytes().leads();
    for (int lead = 2; lead < Integer.SIZE; lead++) {
      if ((leads >>> lead & 1) == 0) kinds[0xC0 + lead] = LEAD;
    }
    return kinds;
  }

  /** The only candidate among what can be printed in ASCII, without its case, or 0 if none is. */
  private static int onlyCandidate(byte[] kinds) {
    int only = 0;
    for (int c = ' '; c < DELETE; c++) {
      if (kinds[c] == PASSED) continue;
      if (only != 0 && only != (c | CASE)) return MANY;
      only = c | CASE;
    }
    return only;
  }

  boolean isMadeOf(UTF8String pattern) {
    return pattern == constant || source.equals(pattern);
  }

  boolean isOpaque() {
    return size == 0;
  }

  /** Prepares for more texts, since the pattern has come again. */
  void expectMore(SearchElements known) {
    if (kinds != ALL_CANDIDATES || isOpaque()) return;
    kinds = kinds(elements[0], known);
    candidate = Platform.unaligned() ? onlyCandidate(kinds) : MANY;
  }

  /** Where the next character starts that may start a match, be joined, or be malformed. */
  int next(UTF8String text, int from, int end) {
    int before = PASSED;
    for (int at = from; at < end; at++) {
      int kind = kinds[text.getByte(at) & 0xFF];
      if ((kind & ~LEAD) != before << 1) return at - before;
      before = kind & LEAD;
    }
    return end - before;
  }

  /** The same, but sooner if much of the text is ASCII without a candidate. */
  int first(UTF8String text, int from, int end) {
    return next(text, candidate == MANY ? from : passedByEight(text, from, end), end);
  }

  /** Passes eight bytes at a time, as long as all can be printed and none is a candidate. */
  private int passedByEight(UTF8String text, int from, int end) {
    long wanted = candidate * EACH;
    int at = from;
    while (at + Long.BYTES <= end) {
      long eight = Platform.getLong(text.getBaseObject(), text.getBaseOffset() + at);
      long differing = (eight | CASE * EACH) ^ wanted;
      long found = differing - EACH & ~differing | eight - ' ' * EACH & ~eight;
      if (((found | eight | eight + EACH) & HIGH) != 0) return at;
      at += Long.BYTES;
    }
    return at;
  }
}
