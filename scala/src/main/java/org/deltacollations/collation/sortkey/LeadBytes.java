// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

/**
 * Records how a collator writes the lead byte of a primary weight. Script reordering replaces it,
 * and a compressible one is omitted when it repeats. Both are learned from the keys of code points
 * that have a single primary weight.
 */
final class LeadBytes {

  private static final int KNOWN = 0x200;
  private static final int COMPRESSIBLE = 0x100;

  /**
   * Indexed by the lead byte before reordering. Without locks: racing threads write values that the
   * collator's keys prove.
   */
  private final int[] entries = new int[1 << Byte.SIZE];

  void learn(int primary, int lead, boolean compressible) {
    entries[primary >>> 24] = KNOWN | lead | (compressible ? COMPRESSIBLE : 0);
  }

  boolean isKnown(int primary) {
    return entries[primary >>> 24] != 0;
  }

  /** Returns the primary weight with its reordered lead byte. */
  int reordered(int primary) {
    return entries[primary >>> 24] << 24 | primary & 0xFFFFFF;
  }

  boolean isCompressible(int primary) {
    return (entries[primary >>> 24] & COMPRESSIBLE) != 0;
  }
}
