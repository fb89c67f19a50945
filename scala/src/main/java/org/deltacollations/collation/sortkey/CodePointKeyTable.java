// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Caches the sort keys of single code points. Pages are filled by the key function on first use.
 */
final class CodePointKeyTable {

  /** The code point has no key or a key that is too long: call the key function instead. */
  static final long UNKNOWN = 0;

  private static final int ASCII = 0x80;
  private static final byte NOT_ASCII = -1;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;

  /** Appended to every code point, since the key function may trim trailing spaces. */
  private static final UTF8String SUFFIX = UTF8String.fromString("x");

  private final Function<UTF8String, byte[]> keyOf;
  private final byte[] suffixKey;

  /**
   * Keys of at most four bytes in the upper half, their length in the lower half. Without locks:
   * racing threads write the same values, and a value that is not visible yet reads as unknown.
   */
  private final long[][] pages = new long[Character.MAX_CODE_POINT + 1 >>> PAGE_BITS][];

  /** The key of an ASCII character if it is one ASCII byte, else a negative number. */
  final byte[] ascii = new byte[ASCII];

  /** Whether the key of ASCII is its lower case, which is faster to compute than to look up. */
  final boolean lowercasesAscii;

  CodePointKeyTable(Function<UTF8String, byte[]> keyOf) {
    this.keyOf = keyOf;
    this.suffixKey = keyOf.apply(SUFFIX);
    for (int c = 0; c < ASCII; c++) {
      long key = key(c);
      ascii[c] = (int) key == 1 && key >= 0 ? (byte) (key >>> 56) : NOT_ASCII;
    }
    this.lowercasesAscii = Platform.unaligned()
        && IntStream.range(0, ASCII).allMatch(c -> ascii[c] == Character.toLowerCase(c));
  }

  long key(int codePoint) {
    long[] page = pages[codePoint >>> PAGE_BITS];
    if (page == null) page = pages[codePoint >>> PAGE_BITS] = computePage(codePoint & -PAGE);
    return page[codePoint & PAGE - 1];
  }

  private long[] computePage(int start) {
    long[] page = new long[PAGE];
    for (int i = 0; i < PAGE; i++) {
      boolean isSurrogate = start + i <= Character.MAX_VALUE
          && Character.isSurrogate((char) (start + i));
      page[i] = isSurrogate ? UNKNOWN : computeKey(start + i);
    }
    return page;
  }

  private long computeKey(int codePoint) {
    UTF8String string = UTF8String.fromString(Character.toString(codePoint));
    byte[] key = keyOf.apply(UTF8String.concat(string, SUFFIX));
    int length = key.length - suffixKey.length;
    boolean isSupported = length > 0 && length <= Integer.BYTES
        && Arrays.equals(key, length, key.length, suffixKey, 0, suffixKey.length);
    if (!isSupported) return UNKNOWN;
    long bytes = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes = bytes << Byte.SIZE | (i < length ? key[i] & 0xFF : 0);
    }
    return bytes << 32 | length;
  }
}
