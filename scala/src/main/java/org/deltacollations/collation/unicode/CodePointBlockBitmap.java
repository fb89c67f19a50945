// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode;

import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Which characters were seen, in blocks of 16: bit n is set once there was one of U+(n * 16) and
 * the 15 after it. The bits of ASCII are the first byte, and there are more only if need be.
 *
 * <p>An array is changed in place, for this is done for every value that is written.
 */
public final class CodePointBlockBitmap {

  /** The bits of a code point that do not tell its block. */
  public static final int BLOCK_BITS = 4;

  /** What Spark and Java make of bytes that are no UTF-8. */
  private static final int REPLACEMENT = 0xFFFD;

  private static final long NOT_ASCII = 0x8080808080808080L;

  /** Enough for all of two bytes in UTF-8, then for all that there is. */
  private static final int[] LENGTHS = {1, 16, Character.MIN_SUPPLEMENTARY_CODE_POINT >> 7,
      Character.MAX_CODE_POINT + 1 >> 7};

  private CodePointBlockBitmap() {}

  /** {@code seen}, which may be null, with the characters of {@code value}. */
  public static byte[] including(byte[] seen, UTF8String value) {
    byte[] bitmap = seen == null ? new byte[LENGTHS[0]] : seen;
    Object base = value.getBaseObject();
    long at = value.getBaseOffset();
    long end = at + value.numBytes();
    int ascii = 0;
    while (at < end) {
      if (end - at >= Long.BYTES) {
        long word = Platform.getLong(base, at);
        if ((word & NOT_ASCII) == 0) {
          ascii |= blocks(word);
          at += Long.BYTES;
          continue;
        }
      }
      int point = Utf8.codePoint(base, at, end);
      if (point >= 0 && point < 0x80) {
        ascii |= 1 << (point >> BLOCK_BITS);
        at++;
      } else if (point == Utf8.MALFORMED) {
        // Where a part of several bytes is one replacement, each of its bytes is one here.
        bitmap = with(bitmap, REPLACEMENT);
        at++;
      } else {
        bitmap = with(bitmap, point);
        at += Utf8.width(point);
      }
    }
    bitmap[0] |= (byte) ascii;
    return bitmap;
  }

  /** {@code seen} with all of {@code more}; either may be null, and {@code more} stays as it is. */
  public static byte[] merged(byte[] seen, byte[] more) {
    if (more == null) return seen;
    if (seen == null) return more.clone();
    byte[] bitmap = seen.length < more.length ? Arrays.copyOf(seen, more.length) : seen;
    for (int i = 0; i < more.length; i++) bitmap[i] |= more[i];
    return bitmap;
  }

  /** The blocks of eight characters of ASCII. */
  private static int blocks(long word) {
    int blocks = 0;
    for (int shift = BLOCK_BITS; shift < Long.SIZE; shift += Byte.SIZE) {
      blocks |= 1 << ((int) (word >>> shift) & 7);
    }
    return blocks;
  }

  private static byte[] with(byte[] bitmap, int point) {
    int block = point >> BLOCK_BITS;
    int index = block >> 3;
    byte[] grown = index < bitmap.length ? bitmap : grown(bitmap, index);
    grown[index] |= (byte) (1 << (block & 7));
    return grown;
  }

  private static byte[] grown(byte[] bitmap, int index) {
    int length = Arrays.stream(LENGTHS).filter(enough -> enough > index).findFirst().getAsInt();
    return Arrays.copyOf(bitmap, length);
  }
}
