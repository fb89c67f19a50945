// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import org.apache.spark.unsafe.types.UTF8String;

/** Builds one sort key at a time in reusable buffers. Not thread-safe. */
abstract class SortKeyBuilder {

  /**
   * Larger buffers are released, so that one long string does not occupy memory for a whole task.
   */
  static final int MAX_RETAINED_CAPACITY = 1 << 13;

  /**
   * Writes the key of {@code string}. Returns false if the tables do not determine the key; the
   * contents of the builder are then undefined.
   */
  abstract boolean write(UTF8String string);

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
