// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** The keys of single characters, read from the key function when a page of them is first needed. */
final class CodePointKeyTable {

  /** No key, or a long one: ask the key function. */
  static final long UNKNOWN = 0;

  private static final int ASCII = 0x80;
  private static final byte NOT_ASCII = -1;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;

  /** Spaces at the end may not count, so characters are asked for with one behind them. */
  private static final UTF8String END = UTF8String.fromString("x");

  private final Function<UTF8String, byte[]> keyOf;
  private final byte[] endKey;

  /**
   * Keys of at most four bytes, then their length. Threads that race write the same, and what one
   * of them does not see yet is unknown to it.
   */
  private final long[][] pages = new long[Character.MAX_CODE_POINT + 1 >>> PAGE_BITS][];

  /** The one byte of an ASCII character's key, or a negative number. */
  final byte[] ascii = new byte[ASCII];

  /** Whether ASCII just becomes lower case, which is sooner done than looked up. */
  final boolean lowersAscii;

  CodePointKeyTable(Function<UTF8String, byte[]> keyOf) {
    this.keyOf = keyOf;
    this.endKey = keyOf.apply(END);
    for (int c = 0; c < ASCII; c++) {
      long key = key(c);
      ascii[c] = (int) key == 1 && key >= 0 ? (byte) (key >>> 56) : NOT_ASCII;
    }
    this.lowersAscii = Platform.unaligned()
        && IntStream.range(0, ASCII).allMatch(c -> ascii[c] == Character.toLowerCase(c));
  }

  long key(int codePoint) {
    long[] page = pages[codePoint >>> PAGE_BITS];
    if (page == null) page = pages[codePoint >>> PAGE_BITS] = filled(codePoint & -PAGE);
    return page[codePoint & PAGE - 1];
  }

  private long[] filled(int start) {
    long[] page = new long[PAGE];
    for (int i = 0; i < PAGE; i++) {
      boolean isSurrogate = start + i <= Character.MAX_VALUE
          && Character.isSurrogate((char) (start + i));
      page[i] = isSurrogate ? UNKNOWN : read(start + i);
    }
    return page;
  }

  private long read(int codePoint) {
    UTF8String text = UTF8String.fromString(Character.toString(codePoint));
    byte[] key = keyOf.apply(UTF8String.concat(text, END));
    int length = key.length - endKey.length;
    boolean isKnown = length > 0 && length <= Integer.BYTES
        && Arrays.equals(key, length, key.length, endKey, 0, endKey.length);
    if (!isKnown) return UNKNOWN;
    long bytes = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes = bytes << Byte.SIZE | (i < length ? key[i] & 0xFF : 0);
    }
    return bytes << 32 | length;
  }
}
