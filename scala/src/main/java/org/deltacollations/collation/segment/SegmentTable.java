// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.segment;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

import org.apache.spark.unsafe.Platform;

/**
 * Caches a value for each segment of several code points. Texts contain few different ones, and
 * they are short. A segment has no value if it is too long, or if all slots that it may use are
 * taken.
 *
 * <p>Without locks: threads that race compute equal values, and at worst one of them is lost.
 *
 * @param <V> an immutable value
 */
public final class SegmentTable<V> {

  private static final int MAX_LENGTH = 3 * Long.BYTES;
  private static final int SLOT_BITS = 14;
  private static final int MAX_PROBES = 16;

  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  /** A segment of up to 24 bytes. Final fields are published safely. */
  private record Entry<V>(long first, long second, long third, int length, V value) {
    boolean is(long first, long second, long third, int length) {
      return this.first == first && this.second == second && this.third == third
          && this.length == length;
    }
  }

  private final Function<String, V> compute;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private final Entry<V>[] slots = new Entry[1 << SLOT_BITS];

  /** @param compute returns the value of a segment, or null if it has none */
  public SegmentTable(Function<String, V> compute) {
    this.compute = compute;
  }

  /** Returns the value of the well-formed bytes from {@code at} to {@code end}, or null. */
  public V get(Object base, long at, long end) {
    int length = (int) (end - at);
    if (length > MAX_LENGTH) return null;
    long first = word(base, at, Math.min(length, Long.BYTES));
    long second = word(base, at + 8, Math.min(length - 8, Long.BYTES));
    long third = word(base, at + 16, length - 16);
    long hash = ((first * MULTIPLIER + second) * MULTIPLIER + third) * MULTIPLIER;
    int slot = (int) (hash >>> Long.SIZE - SLOT_BITS);
    for (int i = 0; i < MAX_PROBES; i++) {
      Entry<V> entry = slots[slot];
      if (entry == null) {
        V value = compute.apply(string(base, at, length));
        slots[slot] = new Entry<>(first, second, third, length, value);
        return value;
      }
      if (entry.is(first, second, third, length)) return entry.value;
      slot = slot + 1 & slots.length - 1;
    }
    return null;
  }

  private static long word(Object base, long at, int count) {
    long word = 0;
    for (int i = 0; i < count; i++) {
      word = word << Byte.SIZE | Platform.getByte(base, at + i) & 0xFF;
    }
    return word;
  }

  private static String string(Object base, long at, int length) {
    byte[] bytes = new byte[length];
    Platform.copyMemory(base, at, bytes, Platform.BYTE_ARRAY_OFFSET, length);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
