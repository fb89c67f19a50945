// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.order;

import java.util.Arrays;
import java.util.function.Function;

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

    /** Keys of at most four bytes, then their length. Threads that race write the same. */
    private final long[][] pages = new long[Character.MAX_CODE_POINT + 1 >>> PAGE_BITS][];

    /** The one byte of an ASCII character's key, or -1. */
    private final byte[] ascii = new byte[ASCII];

    Letters(Function<UTF8String, byte[]> keyOf) {
      this.keyOf = keyOf;
      this.endKey = keyOf.apply(END);
      for (int c = 0; c < ASCII; c++) {
        long key = key(c);
        ascii[c] = (int) key == 1 && key >= 0 ? (byte) (key >>> 56) : NOT_ASCII;
      }
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

  private static final long UNKNOWN = 0;
  private static final int ASCII = 0x80;
  private static final byte NOT_ASCII = -1;

  private final Letters letters;
  private byte[] bytes = new byte[128];
  private int length;

  LetterKeys(Letters letters) {
    this.letters = letters;
  }

  @Override
  boolean write(UTF8String text) {
    Object base = text.getBaseObject();
    long start = text.getBaseOffset();
    long end = start + text.numBytes();
    makeRoom(text.numBytes());
    long at = start;
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

  private void makeRoom(int expected) {
    boolean tooLong = bytes.length > MOST_KEPT && expected < MOST_KEPT;
    if (expected > bytes.length || tooLong) bytes = new byte[Math.max(expected, 128)];
  }

  private void append(long key) {
    if (length + Integer.BYTES > bytes.length) bytes = Arrays.copyOf(bytes, 2 * length + 8);
    int more = (int) key;
    for (int i = 0; i < more; i++) bytes[length++] = (byte) (key >>> 56 - Byte.SIZE * i);
  }

  @Override
  byte[] key() {
    return Arrays.copyOf(bytes, length);
  }

  @Override
  int compareTo(KeyDraft draft) {
    LetterKeys other = (LetterKeys) draft;
    return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
  }
}
