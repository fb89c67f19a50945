// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Writes keys that are the keys of their characters in a row. */
final class LetterKeys extends KeyDraft {

  /** What each character becomes, read from the key function when a page of it is first needed. */
  static final class Letters {

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

    /** The one byte of an ASCII character's key, or -1. */
    private final byte[] ascii = new byte[ASCII];

    /** Whether ASCII just becomes lower case, which is done sooner than looked up. */
    private final boolean areLowered;

    Letters(Function<UTF8String, byte[]> keyOf) {
      this.keyOf = keyOf;
      this.endKey = keyOf.apply(END);
      for (int c = 0; c < ASCII; c++) {
        long key = key(c);
        ascii[c] = (int) key == 1 && key >= 0 ? (byte) (key >>> 56) : NOT_ASCII;
      }
      this.areLowered = Platform.unaligned()
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

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final long UNKNOWN = 0;
  private static final int SHORT = 128;
  private static final int ASCII = 0x80;
  private static final byte NOT_ASCII = -1;
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH_BITS = EACH * 0x80;

  private final Letters letters;
  private byte[] bytes = new byte[SHORT];
  private int length;

  LetterKeys(Letters letters) {
    this.letters = letters;
  }

  @Override
  boolean write(UTF8String text) {
    Object base = text.getBaseObject();
    long start = text.getBaseOffset();
    long end = start + text.numBytes();
    if (text.numBytes() > bytes.length) bytes = new byte[text.numBytes()];
    long at = start + (letters.areLowered ? writeLowered(base, start, text.numBytes()) : 0);
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
      long key = point == Utf8.MALFORMED ? UNKNOWN : letters.key(point);
      if (key == UNKNOWN) return false;
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
  int compareTo(KeyDraft draft) {
    LetterKeys other = (LetterKeys) draft;
    return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
  }

  @Override
  int compare(UTF8String left, UTF8String right) {
    int shorter = Math.min(left.numBytes(), right.numBytes());
    int same = FirstDifference.firstOther(left, right, shorter);
    if (same == left.numBytes() && same == right.numBytes()) return 0;
    while (same > 0
        && (FirstDifference.isInside(left, same) || FirstDifference.isInside(right, same))) {
      same--;
    }
    if (FirstDifference.isBrokenBefore(left, same)) return FirstDifference.UNDECIDED;
    for (; same < shorter; same++) {
      int leftByte = left.getByte(same);
      int rightByte = right.getByte(same);
      if ((leftByte | rightByte) < 0) break;
      int leftLetter = letters.ascii[leftByte];
      int rightLetter = letters.ascii[rightByte];
      if ((leftLetter | rightLetter) < 0) break;
      if (leftLetter != rightLetter) return leftLetter - rightLetter;
    }
    return compareFrom(left, right, same);
  }

  private int compareFrom(UTF8String left, UTF8String right, int start) {
    long l = left.getBaseOffset() + start;
    long r = right.getBaseOffset() + start;
    long leftEnd = left.getBaseOffset() + left.numBytes();
    long rightEnd = right.getBaseOffset() + right.numBytes();
    while (l < leftEnd && r < rightEnd) {
      int leftPoint = Utf8.codePoint(left.getBaseObject(), l, leftEnd);
      int rightPoint = Utf8.codePoint(right.getBaseObject(), r, rightEnd);
      if (leftPoint == Utf8.MALFORMED || rightPoint == Utf8.MALFORMED) {
        return FirstDifference.UNDECIDED;
      }
      if (leftPoint != rightPoint) {
        long leftKey = letters.key(leftPoint);
        long rightKey = letters.key(rightPoint);
        if (leftKey != rightKey) return compareKeys(leftKey, rightKey);
        if (leftKey == UNKNOWN) return FirstDifference.UNDECIDED;
      }
      l += Utf8.width(leftPoint);
      r += Utf8.width(rightPoint);
    }
    return Long.compare(leftEnd - l, rightEnd - r);
  }

  /** Of two keys of which one begins with the other, nothing is known. */
  private static int compareKeys(long left, long right) {
    int first = Long.numberOfLeadingZeros(left ^ right) / Byte.SIZE;
    boolean decisive = first < Math.min((int) left, (int) right);
    return decisive ? Long.compareUnsigned(left, right) : FirstDifference.UNDECIDED;
  }
}
