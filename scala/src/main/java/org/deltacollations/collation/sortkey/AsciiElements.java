// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.CollationElements.GOES_ON;

import java.util.Arrays;

/** ASCII characters that have one element each and join no other, since most text is of these. */
final class AsciiElements {

  /** As if ASCII were like everything else. */
  static final AsciiElements NONE = new AsciiElements();

  static final int SIZE = 0x80;

  /** The end of a letter: how many bytes its weight has, or that it is not as simple as that. */
  static final int LETTER_WIDTH = 0x3;
  static final int NO_LETTER = 0x80;

  /** Elements, or {@link CollationElements#UNKNOWN}. */
  final long[] elements = new long[SIZE];

  /** Primary weights of at most three bytes, of characters that have nothing else. */
  final int[] letters = new int[SIZE];

  private AsciiElements() {
    Arrays.fill(letters, NO_LETTER);
  }

  AsciiElements(CollationElements all) {
    this();
    for (int c = 0; c < SIZE; c++) {
      long entry = all.page(c).entry(c);
      if (CollationElements.isExpansion(entry) || all.pairs().beginAsciiWith(c)) continue;
      elements[c] = entry;
      int primary = (int) (entry >>> 32);
      int rest = (int) entry;
      boolean isLetter = (primary & 0xFF) == 0 && (rest & ~GOES_ON) == 0;
      if (isLetter) letters[c] = primary | rest | ElementSortKeyBuilder.width(primary);
    }
  }
}
