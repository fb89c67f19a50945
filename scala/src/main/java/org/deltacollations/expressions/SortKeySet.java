// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.spark.unsafe.types.UTF8String;

import org.deltacollations.collation.sortkey.SortKeys;

/**
 * A set of collated strings. Most strings that are not in the set start with other characters than all
 * strings in it, so that their sort keys are not needed. Not thread-safe.
 */
final class SortKeySet {

  /** Not a prefix of a sort key: the last byte of a prefix is a part of a weight, or 0. */
  private static final long EMPTY = 1;

  /** The golden ratio as a fraction of 2^64, as in Fibonacci hashing. */
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final SortKeys.Writer writer;
  private final Set<UTF8String> keys = new HashSet<>();

  /** A hash table with open addressing, at most a quarter full. */
  private final long[] prefixes;
  private final int shift;

  SortKeySet(SortKeys.Writer writer, List<UTF8String> strings) {
    this.writer = writer;
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(4 * strings.size());
    this.prefixes = new long[1 << bits];
    this.shift = Long.SIZE - bits;
    Arrays.fill(prefixes, EMPTY);
    for (UTF8String string : strings) {
      keys.add(key(string));
      long prefix = writer.prefix(string);
      prefixes[slot(prefix)] = prefix;
    }
  }

  boolean contains(UTF8String string) {
    long prefix = writer.prefix(string);
    return prefixes[slot(prefix)] == prefix && keys.contains(key(string));
  }

  /** Returns the slot with the prefix, or the empty slot for it. */
  private int slot(long prefix) {
    int slot = (int) (prefix * MULTIPLIER >>> shift);
    while (prefixes[slot] != prefix && prefixes[slot] != EMPTY) {
      slot = slot + 1 & prefixes.length - 1;
    }
    return slot;
  }

  private UTF8String key(UTF8String string) {
    return UTF8String.fromBytes(writer.key(string));
  }
}
