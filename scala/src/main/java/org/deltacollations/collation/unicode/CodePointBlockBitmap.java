// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode;

import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A bitmap of the code points in a column, in blocks of 16: bit n is set if there is a code point
 * from U+(n * 16) to U+(n * 16 + 15). ASCII needs one byte, and the bitmap grows only if necessary.
 *
 * <p>Bitmaps are modified in place, since {@link #add} is called for every value that is written.
 */
public final class CodePointBlockBitmap {

  /** A block is identified by a code point without its lowest four bits. */
  public static final int BLOCK_BITS = 4;

  /** The code point by which Spark and Java replace malformed UTF-8. */
  private static final int REPLACEMENT = 0xFFFD;

  private static final long NON_ASCII_BITS = 0x8080808080808080L;

  /** Lengths that suffice for ASCII, two bytes in UTF-8, the BMP, and all code points. */
  private static final int[] LENGTHS = {1, 16, Character.MIN_SUPPLEMENTARY_CODE_POINT >> 7,
      Character.MAX_CODE_POINT + 1 >> 7};

  private CodePointBlockBitmap() {}

  /** Adds the code points of {@code value} to {@code target}, which may be null. */
  public static byte[] add(byte[] target, UTF8String value) {
    byte[] bitmap = target == null ? new byte[LENGTHS[0]] : target;
    Object base = value.getBaseObject();
    long at = value.getBaseOffset();
    long end = at + value.numBytes();
    int ascii = 0;
    while (at < end) {
      if (end - at >= Long.BYTES) {
        long word = Platform.getLong(base, at);
        if ((word & NON_ASCII_BITS) == 0) {
          ascii |= asciiBlocks(word);
          at += Long.BYTES;
          continue;
        }
      }
      int point = Utf8.codePoint(base, at, end);
      if (point >= 0 && point < 0x80) {
        ascii |= 1 << (point >> BLOCK_BITS);
        at++;
      } else if (point == Utf8.MALFORMED) {
        // Spark replaces some malformed sequences as a whole. Counting each byte sets the same bit.
        bitmap = set(bitmap, REPLACEMENT);
        at++;
      } else {
        bitmap = set(bitmap, point);
        at += Utf8.width(point);
      }
    }
    bitmap[0] |= (byte) ascii;
    return bitmap;
  }

  /**
   * Adds {@code other} to {@code target}. Either may be null, and {@code other} is not modified.
   */
  public static byte[] merge(byte[] target, byte[] other) {
    if (other == null) return target;
    if (target == null) return other.clone();
    byte[] bitmap = target.length < other.length ? Arrays.copyOf(target, other.length) : target;
    for (int i = 0; i < other.length; i++) bitmap[i] |= other[i];
    return bitmap;
  }

  /** Returns the blocks of eight ASCII characters. */
  private static int asciiBlocks(long word) {
    int blocks = 0;
    for (int shift = BLOCK_BITS; shift < Long.SIZE; shift += Byte.SIZE) {
      blocks |= 1 << ((int) (word >>> shift) & 7);
    }
    return blocks;
  }

  private static byte[] set(byte[] bitmap, int point) {
    int block = point >> BLOCK_BITS;
    int index = block >> 3;
    byte[] result = index < bitmap.length ? bitmap : grow(bitmap, index);
    result[index] |= (byte) (1 << (block & 7));
    return result;
  }

  private static byte[] grow(byte[] bitmap, int index) {
    int length = Arrays.stream(LENGTHS).filter(enough -> enough > index).findFirst().getAsInt();
    return Arrays.copyOf(bitmap, length);
  }
}
