// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

/**
 * The secondary or tertiary level of a sort key, compressed as ICU does it. The common weight is
 * never written itself. A run of it is written as few bytes that count upward from the low common
 * byte if a lower weight or the end of the level follows, and downward from the high common byte if
 * a higher weight follows. A run therefore sorts like the weights it replaces.
 */
final class WeightLevel {

  private static final int INITIAL_CAPACITY = 64;
  private static final int MAX_WEIGHT_BYTES = Short.BYTES;

  /** The bytes for a single common weight, before a lower weight and before a higher weight. */
  private final int commonLow;
  private final int commonHigh;

  /** The longest run that is written as one byte, the one in the middle of the range. */
  private final int maxRun;

  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private int length;

  private WeightLevel(int commonLow, int commonHigh) {
    this.commonLow = commonLow;
    this.commonHigh = commonHigh;
    this.maxRun = (commonHigh - commonLow) / 2 + 1;
  }

  static WeightLevel secondary() {
    return new WeightLevel(0x05, 0x45);
  }

  static WeightLevel tertiary() {
    return new WeightLevel(0x05, 0xC5);
  }

  /** With uppercase first, the weights of uppercase letters are below the common weight. */
  static WeightLevel tertiaryUpperCaseFirst() {
    return new WeightLevel(0x85, 0xC5);
  }

  void clear() {
    length = 0;
  }

  void release(int maxRetainedCapacity) {
    if (bytes.length > maxRetainedCapacity) bytes = new byte[INITIAL_CAPACITY];
  }

  /** Appends a run of {@code common} common weights and then a weight of one or two bytes. */
  void append(int weight, int common) {
    ensureCapacity(common);
    if (common > 0) appendRun(common, weight < commonLow << Byte.SIZE);
    bytes[length++] = (byte) (weight >>> Byte.SIZE);
    if ((weight & 0xFF) != 0) bytes[length++] = (byte) weight;
  }

  void end(int common) {
    ensureCapacity(common);
    if (common > 0) appendRun(common, true);
  }

  private void appendRun(int common, boolean lowerFollows) {
    int more = common - 1;
    for (; more >= maxRun; more -= maxRun) bytes[length++] = (byte) (commonLow + maxRun - 1);
    bytes[length++] = (byte) (lowerFollows ? commonLow + more : commonHigh - more);
  }

  private void ensureCapacity(int common) {
    int needed = length + common / maxRun + 1 + MAX_WEIGHT_BYTES;
    if (needed > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * length));
  }

  int length() {
    return length;
  }

  void copyTo(byte[] target, int at) {
    System.arraycopy(bytes, 0, target, at, length);
  }

  int compareTo(WeightLevel other) {
    return Arrays.compareUnsigned(bytes, 0, length, other.bytes, 0, other.length);
  }
}
