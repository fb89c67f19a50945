// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RuleBasedCollator;

import org.deltacollations.collation.segment.ContractionPairs;
import org.deltacollations.collation.segment.SegmentTable;
import org.deltacollations.collation.segment.Segments;

/**
 * Collation elements of single code points and of segments of several code points, in a form from
 * which sort keys are written directly.
 *
 * <p>An element has a 32-bit primary weight in its upper half, as it appears in a sort key,
 * followed by a secondary and a tertiary weight of 16 bits each. Two bits of the tertiary weight
 * are unused and serve as flags. If a code point does not have exactly one element with a primary
 * weight, its entry is the offset and the number of its elements.
 *
 * <p>Pages and segments are read from the collator on first use, and each entry is verified: a key
 * built from its elements must equal the collator's key byte for byte. Otherwise it is unknown, and
 * the collator handles every string that contains it.
 */
final class CollationElements {

  /** The code point has no verified elements: use the collator instead. */
  static final long UNKNOWN = 0;

  /** The common weight of a level. */
  static final int COMMON = 0;

  /** The element has no weight on a level. All other weights are higher. */
  static final int ABSENT = 1;

  static final int TERTIARY_MASK = 0xFF3F;

  /** Flag: the lead byte is omitted after a primary weight with the same lead byte. */
  static final int COMPRESSIBLE = 0x80;

  /** Flag: the code point may be followed by another one in the same segment. */
  static final int MAY_JOIN_NEXT = 0x40;

  private static final int PAGE_BITS = 8;
  static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = Character.MAX_CODE_POINT + 1 >>> PAGE_BITS;

  /** Layout of the entry of an expansion, which is not 0: the number of elements has eight bits. */
  private static final int EXPANSION = 1;
  private static final int COUNT_SHIFT = 8;
  private static final int OFFSET_SHIFT = 16;

  /** The elements of 256 code points. */
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

    long[] elements(long entry) {
      if (!isExpansion(entry)) return new long[] {entry};
      return Arrays.copyOfRange(expansions, offset(entry), offset(entry) + count(entry));
    }
  }

  private final RuleBasedCollator collator;
  private final LeadBytes leadBytes = new LeadBytes();
  private final ContractionPairs pairs;
  private final Segments segments;
  private final SegmentTable<long[]> segmentElements;

  /** Without locks: racing threads write equal pages. */
  private final Page[] pages = new Page[PAGES];

  CollationElements(RuleBasedCollator collator, ContractionPairs pairs) {
    this.collator = collator;
    this.pairs = pairs;
    this.segments = Segments.forKeys(pairs);
    this.segmentElements = new SegmentTable<>(this::readSegment);
  }

  /** Creates a table with a single page, which is not verified yet. */
  private CollationElements(CollationElements verified, Page page, int start) {
    this.collator = verified.collator;
    this.pairs = verified.pairs;
    this.segments = verified.segments;
    this.segmentElements = verified.segmentElements;
    this.pages[start >>> PAGE_BITS] = page;
  }

  /** Returns whether the collator has no settings that affect more than single elements. */
  static boolean supports(RuleBasedCollator collator) {
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

  boolean isUpperCaseFirst() {
    return collator.isUpperCaseFirst();
  }

  ContractionPairs pairs() {
    return pairs;
  }

  Segments segments() {
    return segments;
  }

  /** Returns the elements of a segment of several code points, or null if they are unknown. */
  long[] ofSegment(Object base, long at, long end) {
    return segmentElements.get(base, at, end);
  }

  Page page(int codePoint) {
    Page page = pages[codePoint >>> PAGE_BITS];
    return page != null ? page : (pages[codePoint >>> PAGE_BITS] = verifiedPage(codePoint & -PAGE));
  }

  static boolean isExpansion(long entry) {
    return entry >>> 32 == 0;
  }

  /** Returns the index of the first element of an expansion in {@link Page#expansions}. */
  static int offset(long entry) {
    return (int) entry >>> OFFSET_SHIFT;
  }

  /** Returns the number of elements of an expansion. */
  static int count(long entry) {
    return (int) entry >>> COUNT_SHIFT & 0xFF;
  }

  private Page verifiedPage(int start) {
    ElementReader reader = new ElementReader(collator, leadBytes);
    Page page = readPage(reader, start);
    CollationElements unverified = new CollationElements(this, page, start);
    long[] entries = new ElementVerifier(unverified, reader).verifiedEntries(start);
    return new Page(entries, page.expansions);
  }

  private long[] readSegment(String segment) {
    ElementReader reader = new ElementReader(collator, leadBytes);
    long[] elements = reader.elements(segment);
    boolean isVerified =
        elements != null && new ElementVerifier(this, reader).matchesCollator(segment, elements);
    return isVerified ? elements : null;
  }

  private Page readPage(ElementReader reader, int start) {
    long[] entries = new long[PAGE];
    long[] expansions = new long[PAGE];
    int used = 0;
    for (int i = 0; i < PAGE; i++) {
      if (!isSupported(start + i)) continue;
      long[] elements = reader.elements(Character.toString(start + i));
      if (elements == null) continue;
      int flag = segments.mayJoinNext(start + i) ? MAY_JOIN_NEXT : 0;
      if (elements.length == 1 && !isExpansion(elements[0])) {
        entries[i] = elements[0] | flag;
        continue;
      }
      if (used + elements.length > expansions.length) {
        expansions = Arrays.copyOf(expansions, 2 * (used + elements.length));
      }
      System.arraycopy(elements, 0, expansions, used, elements.length);
      entries[i] = (long) used << OFFSET_SHIFT | elements.length << COUNT_SHIFT | flag | EXPANSION;
      used += elements.length;
    }
    return new Page(entries, Arrays.copyOf(expansions, used));
  }

  /** Excludes unassigned code points, which may become combining in a later Unicode version. */
  private static boolean isSupported(int codePoint) {
    return UCharacter.isDefined(codePoint)
        && UCharacter.getType(codePoint) != UCharacter.SURROGATE;
  }
}
