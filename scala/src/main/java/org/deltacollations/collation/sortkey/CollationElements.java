// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RuleBasedCollator;

/**
 * What each character adds to the sort keys of a collator, as numbers to write keys from.
 *
 * <p>An element has a primary weight in its upper half, as the key has it, then a secondary weight
 * and a tertiary one of 16 bits each. The tertiary one leaves two bits free for marks. A character
 * that has several elements holds the place of them instead.
 *
 * <p>Pages are read from the collator when first needed. No character is trusted: a key made of its
 * elements must be the collator's, byte for byte, else the character is unknown and every string
 * that has it is left to the collator. So is one that combines with what stands before it.
 */
final class CollationElements {

  /** No element: ask the collator. */
  static final long UNKNOWN = 0;

  /** The weight that most characters have on a level, and none at all. Real ones are higher. */
  static final int COMMON = 0;
  static final int ABSENT = 1;

  /** The bits of the tertiary weight. */
  static final int TERTIARY = 0xFF3F;

  /** The first byte is left out after a primary weight that begins with the same. */
  static final int COMPRESSIBLE = 0x80;

  /** The character may make a contraction with the next. */
  static final int GOES_ON = 0x40;

  private static final int PAGE_BITS = 8;
  static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = Character.MAX_CODE_POINT + 1 >>> PAGE_BITS;

  /** The end of an entry that holds the place of elements: their number in eight bits. */
  private static final int COUNT_SHIFT = 8;
  private static final int PLACE_SHIFT = 16;

  /** The elements of 256 characters. */
  static final class Page {
    final long[] entries;
    final long[] expansions;

    private Page(long[] entries, long[] expansions) {
      this.entries = entries;
      this.expansions = expansions;
    }

    long entry(int codePoint) {
      return entries[codePoint & PAGE - 1];
    }
  }

  private final RuleBasedCollator collator;
  private final LeadBytes leads = new LeadBytes();
  private final ContractionPairs pairs;

  /** Threads that race write the same. */
  private final Page[] pages = new Page[PAGES];

  CollationElements(RuleBasedCollator collator, ContractionPairs pairs) {
    this.collator = collator;
    this.pairs = pairs;
  }

  /** Whether keys are made as here: the settings change more than single elements. */
  static boolean understand(RuleBasedCollator collator) {
    int strength = collator.getStrength();
    return strength <= Collator.TERTIARY
        && !(strength > Collator.PRIMARY && collator.isFrenchCollation())
        && !(strength > Collator.SECONDARY && collator.isLowerCaseFirst())
        && !collator.isCaseLevel()
        && !collator.isAlternateHandlingShifted()
        && !collator.getNumericCollation();
  }

  int strength() {
    return collator.getStrength();
  }

  boolean capitalsComeFirst() {
    return collator.isUpperCaseFirst();
  }

  ContractionPairs pairs() {
    return pairs;
  }

  Page page(int codePoint) {
    Page page = pages[codePoint >>> PAGE_BITS];
    return page != null ? page : (pages[codePoint >>> PAGE_BITS] = filled(codePoint & -PAGE));
  }

  /** Whether an entry holds the place of several elements. */
  static boolean isExpansion(long entry) {
    return entry >>> 32 == 0;
  }

  static int place(long entry) {
    return (int) entry >>> PLACE_SHIFT;
  }

  static int count(long entry) {
    return (int) entry >>> COUNT_SHIFT & 0xFF;
  }

  private Page filled(int start) {
    ElementReader reader = new ElementReader(collator, leads);
    Page read = read(reader, start);
    CollationElements untrusted = new CollationElements(collator, pairs);
    untrusted.pages[start >>> PAGE_BITS] = read;
    return new Page(new ElementVerifier(untrusted, reader).trusted(start), read.expansions);
  }

  private Page read(ElementReader reader, int start) {
    long[] entries = new long[PAGE];
    long[] expansions = new long[PAGE];
    int used = 0;
    for (int i = 0; i < PAGE; i++) {
      if (!standsAlone(start + i)) continue;
      long[] elements = reader.elements(start + i);
      int goesOn = pairs.beginWith(start + i) ? GOES_ON : 0;
      if (elements.length == 1) entries[i] = elements[0] | goesOn;
      if (elements.length <= 1) continue;
      if (used + elements.length > expansions.length) {
        expansions = Arrays.copyOf(expansions, 2 * (used + elements.length));
      }
      System.arraycopy(elements, 0, expansions, used, elements.length);
      entries[i] = (long) used << PLACE_SHIFT | elements.length << COUNT_SHIFT | goesOn;
      used += elements.length;
    }
    return new Page(entries, Arrays.copyOf(expansions, used));
  }

  /** Marks are reordered and change what they follow; unassigned characters may yet become marks. */
  private static boolean standsAlone(int codePoint) {
    return UCharacter.isDefined(codePoint)
        && UCharacter.getType(codePoint) != UCharacter.SURROGATE
        && !PrimaryWeightComparator.MARKS.contains(codePoint);
  }
}
