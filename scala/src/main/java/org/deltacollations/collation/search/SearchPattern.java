// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search;

import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

import org.deltacollations.collation.unicode.Utf8;

/** A compiled pattern: its elements, and the bytes of a text that cannot start a match. */
final class SearchPattern {

  /**
   * Kinds of bytes in a text. An ASCII byte is skipped if it is context-independent and starts no
   * match. A byte is a lead if it is the first of two-byte code points that are all
   * context-independent, and a trail if no two-byte code point with this second byte starts a
   * match. All other bytes are candidates. {@code TRAIL} is {@code LEAD << 1}, so shifting the kind
   * of a byte gives the expected kind of the next one.
   */
  private static final byte SKIPPED = 0;
  private static final byte LEAD = 1;
  private static final byte TRAIL = 2;
  private static final byte CANDIDATE = 4;

  private static final int ASCII = 0x80;

  /** For eight bytes at a time. Upper and lower case of an ASCII letter differ in one bit. */
  private static final long EACH_BYTE = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x80 * EACH_BYTE;
  private static final int CASE_BIT = 0x20;
  private static final int DELETE = 0x7F;

  /** There is more than one printable ASCII candidate, ignoring case. */
  private static final int SEVERAL = -1;

  /** The kinds for a pattern that was used once, for which computing a table does not pay off. */
  private static final byte[] ALL_CANDIDATES = new byte[1 << Byte.SIZE];

  static {
    Arrays.fill(ALL_CANDIDATES, CANDIDATE);
  }

  /** The elements of the pattern. The array may be longer than {@link #size}. */
  int[] elements;

  /** The number of elements, or 0 if the pattern is unsupported and needs the fallback. */
  int size;

  private final UTF8String source;
  private final UTF8String literal;
  private byte[] kinds = ALL_CANDIDATES;
  private int asciiCandidate = SEVERAL;

  /** Compiles the first {@code end} bytes of {@code source}. */
  SearchPattern(UTF8String source, int end, SearchElements table) {
    this.literal = ownsItsBytes(source) ? source : null;
    this.source = copy(source);
    this.size = compile(source, end, table) ? size : 0;
  }

  /** Adds all elements. Returns false at the first code point that is not context-independent. */
  private boolean compile(UTF8String source, int end, SearchElements table) {
    elements = new int[end];
    int at = 0;
    while (at < end) {
      int point = Utf8.at(source, at);
      int token = table.token(point);
      if (!table.isContextIndependent(source, at, point, token)) return false;
      if (SearchElements.isExpansion(token)) add(table.expansion(point));
      else add(SearchElements.singleElement(token));
      at += Utf8.width(point);
    }
    return true;
  }

  private void add(int... more) {
    int newSize = size + more.length;
    if (newSize > elements.length) elements = Arrays.copyOf(elements, 2 * newSize);
    System.arraycopy(more, 0, elements, size, more.length);
    size = newSize;
  }

  /** Spark reuses the bytes of rows, but not those of literals, which fill their array. */
  private static boolean ownsItsBytes(UTF8String source) {
    return source.getBaseObject() instanceof byte[] bytes && bytes.length == source.numBytes();
  }

  /** Copies a string, faster than {@code UTF8String.copy} if it is short. */
  private static UTF8String copy(UTF8String source) {
    if (!(source.getBaseObject() instanceof byte[] row)) return source.copy();
    int from = (int) (source.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
    return UTF8String.fromBytes(Arrays.copyOfRange(row, from, from + source.numBytes()));
  }

  private static byte[] kinds(int first, SearchElements table) {
    byte[] kinds = new byte[1 << Byte.SIZE];
    for (int c = 0; c < ASCII; c++) {
      int token = table.token(c);
      kinds[c] = token != first && SearchElements.isSimple(token) ? SKIPPED : CANDIDATE;
    }
    Arrays.fill(kinds, ASCII, kinds.length, CANDIDATE);
    long trails = table.twoByteIndex().trailsOf(first);
    for (int trail = 0; trail < Long.SIZE; trail++) {
      if ((trails >>> trail & 1) == 0) kinds[0x80 + trail] = TRAIL;
    }
    int leads = table.twoByteIndex().leads();
    for (int lead = 2; lead < Integer.SIZE; lead++) {
      if ((leads >>> lead & 1) == 0) kinds[0xC0 + lead] = LEAD;
    }
    return kinds;
  }

  /**
   * Returns the only candidate among printable ASCII characters with its case bit set, 0 if there
   * is none, or {@link #SEVERAL}.
   */
  private static int asciiCandidate(byte[] kinds) {
    int candidate = 0;
    for (int c = ' '; c < DELETE; c++) {
      if (kinds[c] == SKIPPED) continue;
      if (candidate != 0 && candidate != (c | CASE_BIT)) return SEVERAL;
      candidate = c | CASE_BIT;
    }
    return candidate;
  }

  boolean isCompiledFrom(UTF8String pattern) {
    return pattern == literal || source.equals(pattern);
  }

  boolean isUnsupported() {
    return size == 0;
  }

  /** Computes the table of byte kinds, which pays off when a pattern is used again. */
  void prepareForReuse(SearchElements table) {
    if (kinds != ALL_CANDIDATES || isUnsupported()) return;
    kinds = kinds(elements[0], table);
    asciiCandidate = Platform.unaligned() ? asciiCandidate(kinds) : SEVERAL;
  }

  /**
   * Returns the offset of the next code point that may start a match, depend on its context, or be
   * malformed.
   */
  int nextCandidate(UTF8String text, int from, int end) {
    int previous = SKIPPED;
    for (int at = from; at < end; at++) {
      int kind = kinds[text.getByte(at) & 0xFF];
      if ((kind & ~LEAD) != previous << 1) return at - previous;
      previous = kind & LEAD;
    }
    return end - previous;
  }

  /** Like {@link #nextCandidate}, but faster if the text starts with ASCII without a candidate. */
  int firstCandidate(UTF8String text, int from, int end) {
    return nextCandidate(text, asciiCandidate == SEVERAL ? from : skipAscii(text, from, end), end);
  }

  /** Skips eight bytes at a time while all are printable ASCII and none is a candidate. */
  private int skipAscii(UTF8String text, int from, int end) {
    long candidates = asciiCandidate * EACH_BYTE;
    int at = from;
    while (at + Long.BYTES <= end) {
      long eight = Platform.getLong(text.getBaseObject(), text.getBaseOffset() + at);
      long difference = (eight | CASE_BIT * EACH_BYTE) ^ candidates;
      long found = difference - EACH_BYTE & ~difference | eight - ' ' * EACH_BYTE & ~eight;
      if (((found | eight | eight + EACH_BYTE) & HIGH_BITS) != 0) return at;
      at += Long.BYTES;
    }
    return at;
  }
}
