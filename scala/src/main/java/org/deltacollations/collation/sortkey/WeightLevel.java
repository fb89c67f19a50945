// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

/**
 * One level of a sort key below the first. Its most common weight is never written itself: a run of
 * it becomes few bytes, which count up if a lower weight or the end follows and down if a higher one
 * does. So a run sorts where the weights it stands for would.
 */
final class WeightLevel {

  private static final int SHORT = 64;
  private static final int WEIGHT = Short.BYTES;

  /** The bytes that stand for one common weight, before a lower weight and before a higher one. */
  private final int low;
  private final int high;

  /** The byte in the middle stands for the longest run that has a byte of its own. */
  private final int longest;

  private byte[] bytes = new byte[SHORT];
  private int length;

  private WeightLevel(int low, int high) {
    this.low = low;
    this.high = high;
    this.longest = (high - low) / 2 + 1;
  }

  static WeightLevel secondary() {
    return new WeightLevel(0x05, 0x45);
  }

  static WeightLevel tertiary() {
    return new WeightLevel(0x05, 0xC5);
  }

  /** Where capital letters come first, their weights are below the common one. */
  static WeightLevel tertiaryOfCapitalsFirst() {
    return new WeightLevel(0x85, 0xC5);
  }

  void clear() {
    length = 0;
  }

  void release(int mostKept) {
    if (bytes.length > mostKept) bytes = new byte[SHORT];
  }

  /** A weight of one byte or, if the lower one is not 0, two, after a run of common ones. */
  void append(int weight, int common) {
    makeRoom(common);
    if (common > 0) appendRun(common, weight < low << Byte.SIZE);
    bytes[length++] = (byte) (weight >>> Byte.SIZE);
    if ((weight & 0xFF) != 0) bytes[length++] = (byte) weight;
  }

  void end(int common) {
    makeRoom(common);
    if (common > 0) appendRun(common, true);
  }

  private void appendRun(int common, boolean lowerFollows) {
    int more = common - 1;
    for (; more >= longest; more -= longest) bytes[length++] = (byte) (low + longest - 1);
    bytes[length++] = (byte) (lowerFollows ? low + more : high - more);
  }

  private void makeRoom(int common) {
    int needed = length + common / longest + 1 + WEIGHT;
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
