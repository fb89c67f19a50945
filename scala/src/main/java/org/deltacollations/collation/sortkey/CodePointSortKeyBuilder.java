// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.PrimaryWeightComparator.UNDECIDED;

import org.deltacollations.collation.unicode.Utf8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Builds sort keys that are the concatenated keys of the code points of a string. */
final class CodePointSortKeyBuilder extends SortKeyBuilder {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final int INITIAL_CAPACITY = 128;

  /** Multiplying by this copies a byte to all eight bytes of a long. */
  private static final long EACH_BYTE = 0x0101010101010101L;
  private static final long HIGH_BITS = EACH_BYTE * 0x80;

  private final CodePointKeyTable table;
  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private int length;

  CodePointSortKeyBuilder(CodePointKeyTable table) {
    this.table = table;
  }

  @Override
  boolean write(UTF8String string) {
    Object base = string.getBaseObject();
    long start = string.getBaseOffset();
    long end = start + string.numBytes();
    if (string.numBytes() > bytes.length) bytes = new byte[string.numBytes()];
    long at = start + (table.lowercasesAscii ? writeLowercase(base, start, string.numBytes()) : 0);
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0) break;
      byte key = table.ascii[first];
      if (key < 0) break;
      bytes[(int) (at - start)] = key;
    }
    length = (int) (at - start);
    while (at < end) {
      int point = Utf8.codePoint(base, at, end);
      long key = key(point);
      if (key == CodePointKeyTable.UNKNOWN) return false;
      append(key);
      at += Utf8.width(point);
    }
    return true;
  }

  @Override
  boolean writePrefix(UTF8String string) {
    Object base = string.getBaseObject();
    long at = string.getBaseOffset();
    long end = at + string.numBytes();
    length = 0;
    while (at < end && length < PREFIX_LENGTH) {
      int first = Platform.getByte(base, at);
      if (first >= 0 && table.ascii[first] >= 0) {
        bytes[length++] = table.ascii[first];
        at++;
        continue;
      }
      int point = Utf8.codePoint(base, at, end);
      long key = key(point);
      if (key == CodePointKeyTable.UNKNOWN) return false;
      append(key);
      at += Utf8.width(point);
    }
    return true;
  }

  @Override
  long prefix() {
    return prefix(bytes, length);
  }

  /**
   * Writes leading ASCII in lower case, eight bytes at a time, and returns the number of bytes
   * written.
   */
  private int writeLowercase(Object base, long start, int count) {
    int written = 0;
    for (; written + Long.BYTES <= count; written += Long.BYTES) {
      long eight = Platform.getLong(base, start + written);
      if ((eight & HIGH_BITS) != 0) break;
      long fromA = eight + EACH_BYTE * (0x80 - 'A');
      long aboveZ = eight + EACH_BYTE * (0x7F - 'Z');
      long uppercase = fromA & ~aboveZ & HIGH_BITS;
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + written, eight | uppercase >>> 2);
    }
    return written;
  }

  private void append(long key) {
    if (length + Integer.BYTES > bytes.length) bytes = Arrays.copyOf(bytes, 2 * length + 8);
    INT.set(bytes, length, (int) (key >>> 32));
    length += (int) key;
  }

  @Override
  byte[] key() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  void release() {
    if (bytes.length > MAX_RETAINED_CAPACITY) bytes = new byte[INITIAL_CAPACITY];
  }

  @Override
  int compareTo(SortKeyBuilder that) {
    CodePointSortKeyBuilder other = (CodePointSortKeyBuilder) that;
    return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
  }

  @Override
  int compare(UTF8String left, UTF8String right) {
    int shorter = Math.min(left.numBytes(), right.numBytes());
    int at = PrimaryWeightComparator.mismatch(left, right);
    if (at == left.numBytes() && at == right.numBytes()) return 0;
    if (PrimaryWeightComparator.isUnsupportedBefore(left, at)) return UNDECIDED;
    for (; at < shorter; at++) {
      int leftByte = left.getByte(at);
      int rightByte = right.getByte(at);
      if ((leftByte | rightByte) < 0) break;
      int leftKey = table.ascii[leftByte];
      int rightKey = table.ascii[rightByte];
      if ((leftKey | rightKey) < 0) break;
      if (leftKey != rightKey) return leftKey - rightKey;
    }
    return compareFrom(left, right, at);
  }

  private int compareFrom(UTF8String left, UTF8String right, int start) {
    long l = left.getBaseOffset() + start;
    long r = right.getBaseOffset() + start;
    long leftEnd = left.getBaseOffset() + left.numBytes();
    long rightEnd = right.getBaseOffset() + right.numBytes();
    while (l < leftEnd && r < rightEnd) {
      int leftPoint = Utf8.codePoint(left.getBaseObject(), l, leftEnd);
      int rightPoint = Utf8.codePoint(right.getBaseObject(), r, rightEnd);
      long leftKey = key(leftPoint);
      long rightKey = leftPoint == rightPoint ? leftKey : key(rightPoint);
      if (leftKey == CodePointKeyTable.UNKNOWN || leftKey != rightKey) {
        return compareKeys(leftKey, rightKey);
      }
      l += Utf8.width(leftPoint);
      r += Utf8.width(rightPoint);
    }
    if (l < leftEnd) return isKnown(left.getBaseObject(), l, leftEnd) ? 1 : UNDECIDED;
    if (r < rightEnd) return isKnown(right.getBaseObject(), r, rightEnd) ? -1 : UNDECIDED;
    return 0;
  }

  private long key(int codePoint) {
    return codePoint == Utf8.MALFORMED ? CodePointKeyTable.UNKNOWN : table.key(codePoint);
  }

  private boolean isKnown(Object base, long at, long end) {
    return key(Utf8.codePoint(base, at, end)) != CodePointKeyTable.UNKNOWN;
  }

  /** Compares two keys. Undecided if one is unknown or a prefix of the other. */
  private static int compareKeys(long left, long right) {
    int first = Long.numberOfLeadingZeros(left ^ right) / Byte.SIZE;
    boolean decisive = first < Math.min((int) left, (int) right);
    return decisive ? Long.compareUnsigned(left, right) : UNDECIDED;
  }
}
