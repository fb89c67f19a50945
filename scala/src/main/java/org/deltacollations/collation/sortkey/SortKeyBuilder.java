// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import org.apache.spark.unsafe.types.UTF8String;

/** Builds one sort key at a time in reusable buffers. Not thread-safe. */
abstract class SortKeyBuilder {

  /** Lower than all weights. The end of a key is a zero byte. */
  static final byte LEVEL_SEPARATOR_BYTE = 1;

  static final int PREFIX_LENGTH = Long.BYTES;

  /**
   * Larger buffers are released, so that one long string does not occupy memory for a whole task.
   */
  static final int MAX_RETAINED_CAPACITY = 1 << 13;

  /**
   * Writes the key of {@code string}. Returns false if the tables do not determine the key; the
   * contents of the builder are then undefined.
   */
  abstract boolean write(UTF8String string);

  /**
   * Writes at least the first {@link #PREFIX_LENGTH} primary weight bytes of a key, or all if there are
   * fewer. Returns false if the tables do not determine them.
   */
  abstract boolean writePrefix(UTF8String string);

  /** Returns the first bytes written last as {@link #prefix(byte[], int)} does. */
  abstract long prefix();

  /**
   * Returns the first bytes of a key up to the end of its primary weights as an unsigned big-endian
   * number, with zeros for missing bytes. Prefixes are in the order of the keys, but equal prefixes say
   * nothing.
   */
  static long prefix(byte[] key, int length) {
    long prefix = 0;
    int end = Math.min(length, PREFIX_LENGTH);
    int at = 0;
    while (at < end && (key[at] & 0xFF) > LEVEL_SEPARATOR_BYTE) {
      prefix = prefix << Byte.SIZE | key[at++] & 0xFF;
    }
    return at == 0 ? 0 : prefix << Byte.SIZE * (PREFIX_LENGTH - at);
  }

  /** Returns a copy of the key written last. */
  abstract byte[] key();

  /**
   * Compares the keys written last by this builder and by another one of the same collation, as
   * unsigned bytes.
   */
  abstract int compareTo(SortKeyBuilder other);

  /** Releases buffers that only a long string needs. */
  abstract void release();

  /**
   * Compares two strings as their keys would compare, without building keys. Returns
   * {@link PrimaryWeightComparator#UNDECIDED} if that is not possible.
   */
  abstract int compare(UTF8String left, UTF8String right);
}
