// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.CollationElements.MAY_JOIN_NEXT;

import java.util.Arrays;

/**
 * Collation elements of the ASCII characters that have exactly one element and start no contraction
 * of ASCII characters. A fast path, since most strings consist of such characters.
 */
final class AsciiElements {

  /** An empty table, which disables the fast path. */
  static final AsciiElements NONE = new AsciiElements();

  static final int SIZE = 0x80;

  /** The number of bytes of the weight, in the last byte of {@link #simplePrimaries}. */
  static final int WIDTH_MASK = 0x3;

  /** Flag in the last byte of {@link #simplePrimaries} of a character that is not simple. */
  static final int NOT_SIMPLE = 0x80;

  /** Elements, or {@link CollationElements#UNKNOWN}. */
  final long[] elements = new long[SIZE];

  /**
   * Primary weights of simple characters. A character is simple if its primary weight has at most
   * three bytes and is not compressible, and its secondary and tertiary weights are common.
   */
  final int[] simplePrimaries = new int[SIZE];

  private AsciiElements() {
    Arrays.fill(simplePrimaries, NOT_SIMPLE);
  }

  AsciiElements(CollationElements all) {
    this();
    for (int c = 0; c < SIZE; c++) {
      long entry = all.page(c).entry(c);
      if (CollationElements.isExpansion(entry) || all.pairs().startsAsciiPair(c)) continue;
      elements[c] = entry;
      int primary = (int) (entry >>> 32);
      int lower = (int) entry;
      boolean isSimple = (primary & 0xFF) == 0 && (lower & ~MAY_JOIN_NEXT) == 0;
      if (isSimple) simplePrimaries[c] = primary | lower | ElementSortKeyBuilder.width(primary);
    }
  }
}
