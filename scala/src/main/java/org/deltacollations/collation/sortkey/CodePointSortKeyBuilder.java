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

/** Writes keys that are the keys of their characters in a row. */
final class CodePointSortKeyBuilder extends SortKeyBuilder {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final int SHORT = 128;
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH_BITS = EACH * 0x80;

  private final CodePointKeyTable letters;
  private byte[] bytes = new byte[SHORT];
  private int length;

  CodePointSortKeyBuilder(CodePointKeyTable letters) {
    this.letters = letters;
  }

  @Override
  boolean write(UTF8String text) {
    Object base = text.getBaseObject();
    long start = text.getBaseOffset();
    long end = start + text.numBytes();
    if (text.numBytes() > bytes.length) bytes = new byte[text.numBytes()];
    long at = start + (letters.lowersAscii ? writeLowered(base, start, text.numBytes()) : 0);
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0) break;
      byte lower = letters.ascii[first];
      if (lower < 0) break;
      bytes[(int) (at - start)] = lower;
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

  /** Lowers ASCII, eight characters at once, and says how many. */
  private int writeLowered(Object base, long start, int count) {
    int done = 0;
    for (; done + Long.BYTES <= count; done += Long.BYTES) {
      long eight = Platform.getLong(base, start + done);
      if ((eight & HIGH_BITS) != 0) break;
      long fromA = eight + EACH * (0x80 - 'A');
      long aboveZ = eight + EACH * (0x7F - 'Z');
      long capitals = fromA & ~aboveZ & HIGH_BITS;
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + done, eight | capitals >>> 2);
    }
    return done;
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
    if (bytes.length > MOST_KEPT) bytes = new byte[SHORT];
  }

  @Override
  int compareTo(SortKeyBuilder draft) {
    CodePointSortKeyBuilder other = (CodePointSortKeyBuilder) draft;
    return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
  }

  @Override
  int compare(UTF8String left, UTF8String right) {
    int shorter = Math.min(left.numBytes(), right.numBytes());
    int at = PrimaryWeightComparator.firstOtherCharacter(left, right);
    if (at == left.numBytes() && at == right.numBytes()) return 0;
    if (PrimaryWeightComparator.isBrokenBefore(left, at)) return UNDECIDED;
    for (; at < shorter; at++) {
      int leftByte = left.getByte(at);
      int rightByte = right.getByte(at);
      if ((leftByte | rightByte) < 0) break;
      int leftLetter = letters.ascii[leftByte];
      int rightLetter = letters.ascii[rightByte];
      if ((leftLetter | rightLetter) < 0) break;
      if (leftLetter != rightLetter) return leftLetter - rightLetter;
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
    return codePoint == Utf8.MALFORMED ? CodePointKeyTable.UNKNOWN : letters.key(codePoint);
  }

  private boolean isKnown(Object base, long at, long end) {
    return key(Utf8.codePoint(base, at, end)) != CodePointKeyTable.UNKNOWN;
  }

  /** Of two keys of which one begins with the other, or is not known, nothing is decided. */
  private static int compareKeys(long left, long right) {
    int first = Long.numberOfLeadingZeros(left ^ right) / Byte.SIZE;
    boolean decisive = first < Math.min((int) left, (int) right);
    return decisive ? Long.compareUnsigned(left, right) : UNDECIDED;
  }
}
