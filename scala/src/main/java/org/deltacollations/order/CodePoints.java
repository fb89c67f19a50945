// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.order;

import org.apache.spark.unsafe.types.UTF8String;

/** Reads well-formed UTF-8 a character at a time, and says what is not well-formed. */
final class CodePoints {

  static final int UNREADABLE = -1;

  private CodePoints() {}

  /** The character that starts at {@code at}. */
  static int at(UTF8String string, int at) {
    int first = string.getByte(at);
    if (first >= 0) return first;
    if (first >= (byte) 0xE0 || first < (byte) 0xC2 || at + 1 == string.numBytes()) {
      return longAt(string, at, first);
    }
    int second = string.getByte(at + 1);
    return isContinuation(second) ? (first & 0x1F) << 6 | second & 0x3F : UNREADABLE;
  }

  private static int longAt(UTF8String string, int at, int first) {
    int width = first < (byte) 0xE0 ? 1 : first < (byte) 0xF0 ? 3 : 4;
    if (width == 1 || string.numBytes() - at < width) return UNREADABLE;
    int point = first & 0x7F >> width;
    for (int i = 1; i < width; i++) {
      int part = string.getByte(at + i);
      if (!isContinuation(part)) return UNREADABLE;
      point = point << 6 | part & 0x3F;
    }
    return isScalar(point) && width(point) == width ? point : UNREADABLE;
  }

  /** The character that ends at {@code end}. */
  static int before(UTF8String string, int end) {
    int start = end - 1;
    while (start > 0 && isContinuation(string.getByte(start))) start--;
    int point = at(string, start);
    return point >= 0 && start + width(point) == end ? point : UNREADABLE;
  }

  static int width(int codePoint) {
    return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  /** How many characters start in a part of well-formed UTF-8. */
  static int count(UTF8String string, int from, int end) {
    int count = 0;
    for (int at = from; at < end; at++) {
      if (!isContinuation(string.getByte(at))) count++;
    }
    return count;
  }

  private static boolean isContinuation(int part) {
    return (part & 0xC0) == 0x80;
  }

  private static boolean isScalar(int point) {
    return point <= Character.MAX_CODE_POINT
        && (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE);
  }
}
