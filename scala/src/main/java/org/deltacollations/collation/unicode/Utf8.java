// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.unicode;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Decodes code points from well-formed UTF-8. Malformed bytes are left to Spark, which repairs
 * them.
 */
public final class Utf8 {

  public static final int MALFORMED = -1;

  private Utf8() {}

  /** Returns the code point that starts at {@code at}, or {@link #MALFORMED}. */
  public static int codePoint(Object base, long at, long end) {
    int first = Platform.getByte(base, at);
    if (first >= 0) return first;
    long rest = end - at - 1;
    if (first >= (byte) 0xC2 && first < (byte) 0xE0 && rest >= 1) {
      int second = Platform.getByte(base, at + 1);
      return isContinuation(second) ? (first & 0x1F) << 6 | second & 0x3F : MALFORMED;
    }
    if (first >= (byte) 0xE0 && first < (byte) 0xF0 && rest >= 2) {
      int second = Platform.getByte(base, at + 1);
      int third = Platform.getByte(base, at + 2);
      int point = (first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F;
      boolean wellFormed = isContinuation(second) && isContinuation(third)
          && width(point) == 3 && !Character.isSurrogate((char) point);
      return wellFormed ? point : MALFORMED;
    }
    return first >= (byte) 0xF0 && rest >= 3 ? supplementary(base, at) : MALFORMED;
  }

  /** Returns the code point that starts at byte {@code at} of a string, or {@link #MALFORMED}. */
  public static int at(UTF8String string, int at) {
    long start = string.getBaseOffset();
    return codePoint(string.getBaseObject(), start + at, start + string.numBytes());
  }

  /** Returns the code point that ends before byte {@code end}, or {@link #MALFORMED}. */
  public static int before(UTF8String string, int end) {
    int start = end - 1;
    while (start > 0 && isContinuation(string.getByte(start))) start--;
    int point = at(string, start);
    return point >= 0 && start + width(point) == end ? point : MALFORMED;
  }

  /** Returns the number of code points that start in a range of well-formed UTF-8. */
  public static int count(UTF8String string, int from, int end) {
    int count = 0;
    for (int at = from; at < end; at++) {
      if (!isContinuation(string.getByte(at))) count++;
    }
    return count;
  }

  private static int supplementary(Object base, long at) {
    int point = Platform.getByte(base, at) & 0x0F;
    for (int i = 1; i < 4; i++) {
      int next = Platform.getByte(base, at + i);
      if (!isContinuation(next)) return MALFORMED;
      point = point << 6 | next & 0x3F;
    }
    boolean wellFormed = width(point) == 4 && point <= Character.MAX_CODE_POINT;
    return wellFormed ? point : MALFORMED;
  }

  /** Returns whether a byte is not the first one of a code point. */
  public static boolean isContinuation(int value) {
    return (value & 0xC0) == 0x80;
  }

  /** Returns the number of bytes of a code point in UTF-8. */
  public static int width(int codePoint) {
    if (codePoint < 0x80) return 1;
    if (codePoint < 0x800) return 2;
    return codePoint < Character.MIN_SUPPLEMENTARY_CODE_POINT ? 3 : 4;
  }
}
