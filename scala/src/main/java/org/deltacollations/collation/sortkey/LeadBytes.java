// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

/**
 * How a collator writes the first byte of a primary weight: some move whole scripts, and a byte that
 * many characters share is left out when it repeats. Learnt from characters of one such weight.
 */
final class LeadBytes {

  private static final int SEEN = 0x200;
  private static final int COMPRESSIBLE = 0x100;

  /** By the byte before scripts are moved. Threads that race write what the keys of both prove. */
  private final int[] known = new int[1 << Byte.SIZE];

  void learn(int primary, int lead, boolean compressible) {
    known[primary >>> 24] = SEEN | lead | (compressible ? COMPRESSIBLE : 0);
  }

  boolean knows(int primary) {
    return known[primary >>> 24] != 0;
  }

  int moved(int primary) {
    return known[primary >>> 24] << 24 | primary & 0xFFFFFF;
  }

  boolean isCompressible(int primary) {
    return (known[primary >>> 24] & COMPRESSIBLE) != 0;
  }
}
