// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import org.apache.spark.unsafe.types.UTF8String;

/** Where a key is put together. Reused from string to string, by one thread. */
abstract class SortKeyBuilder {

  /** So much of each buffer is kept: a long string must not cost a task memory ever after. */
  static final int MOST_KEPT = 1 << 13;

  /** Makes the key, or says that it cannot be made with certainty. Then the draft means nothing. */
  abstract boolean write(UTF8String text);

  /** A copy of the key last written. */
  abstract byte[] key();

  /** The order of the keys last written, by unsigned bytes. Both drafts are of one collation. */
  abstract int compareTo(SortKeyBuilder other);

  /** Gives back the memory that only a long string needs. */
  abstract void release();

  /** The order of the keys of two strings, or {@link PrimaryWeightComparator#UNDECIDED}, without keys. */
  abstract int compare(UTF8String left, UTF8String right);
}
