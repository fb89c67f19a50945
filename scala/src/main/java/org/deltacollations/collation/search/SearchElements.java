// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.CollationElementIterator;
import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;

import org.deltacollations.collation.segment.ContractionPairs;
import org.deltacollations.collation.unicode.Utf8;

/**
 * Maps code points to the elements that a search compares. Each code point has one element or an
 * expansion of several. An element is a number, the same for all that match.
 *
 * <p>For a collator, an element represents one primary weight and all weights up to the next
 * primary, reduced to the levels that a search compares. These are the levels of the collator's
 * strength: a search ignores the case level, the case-first setting and backward secondaries. No
 * primary weight is a prefix of another, so two strings have the same weights if and only if they
 * have the same elements.
 *
 * <p>A code point is unsupported if its elements depend on adjacent code points, if its first
 * element has no primary weight, or if it does not always start and end a grapheme cluster, since a
 * match does not start inside one.
 */
final class SearchElements {

  /** The token of an unsupported code point. All other tokens are positive. */
  static final int UNSUPPORTED = -1;

  /** Flag in the token of a code point whose elements may depend on the previous code point. */
  private static final int DEPENDS_ON_PREVIOUS = 1 << 28;

  /** Flag in the token of a code point with several elements. */
  private static final int EXPANSION = 1 << 29;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;

  private static final int[] UNKNOWN = {};

  /**
   * Excludes Hangul jamo and regional indicators, which form grapheme clusters with their
   * neighbors, and marks, which combine with the previous or next code point. Also excludes
   * noncharacters: ICU reads one of them as the end of the text, and another one starts
   * contractions with letters.
   */
  private static final UnicodeSet CONTEXT_INDEPENDENT = new UnicodeSet(
      "[[:lccc=0:]&[[:GCB=XX:][:GCB=CN:][:GCB=CR:][:GCB=LF:][:GCB=LV:][:GCB=LVT:]]]")
      .removeAll(new UnicodeSet("[:NChar:]")).freeze();

  /**
   * The tokens of consecutive code points, and the elements of expansions. The arrays are complete
   * before a page is created, and record fields are final, so pages are published safely.
   */
  private record Page(int[] tokens, int[][] expansions) {}

  /**
   * Bit sets about the code points that have two bytes in UTF-8.
   *
   * @param leads lead bytes of code points that are unsupported or depend on the previous one
   * @param trails by element, the trail bytes of code points that start with this element
   */
  record TwoByteIndex(int leads, long[] trails) {

    long trailsOf(int element) {
      return element < trails.length ? trails[element] : 0;
    }
  }

  private final IntFunction<int[]> elementsOf;

  private final ContractionPairs contractions;
  private final BitSet dependsOnPrevious = new BitSet();

  private final Page[] pages = new Page[(Character.MAX_CODE_POINT + 1) / PAGE];

  /** The tokens of the first page, which contains most characters. */
  private final int[] latin;

  /** Computed on first use. Racing threads compute equal values. */
  private volatile TwoByteIndex twoByteIndex;

  private SearchElements(IntFunction<int[]> elementsOf, ContractionPairs contractions) {
    this.elementsOf = elementsOf;
    this.contractions = contractions;
    dependsOnPrevious.set('\n');
    contractions.forEach((first, second) -> {
      boolean areSupported =
          CONTEXT_INDEPENDENT.contains(first) && CONTEXT_INDEPENDENT.contains(second);
      if (areSupported) dependsOnPrevious.set(second);
    });
    this.latin = page(0).tokens;
  }

  /**
   * Creates elements that match if {@code lowerCase} is equal. Negative results are unsupported.
   */
  static SearchElements ofCodePoints(IntUnaryOperator lowerCase) {
    return new SearchElements(point -> {
      int lower = lowerCase.applyAsInt(point);
      return lower < 0 ? UNKNOWN : new int[] {lower + 1};
    }, new ContractionPairs());
  }

  static SearchElements ofCollator(RuleBasedCollator collator) {
    boolean isSupported = collator.getStrength() <= RuleBasedCollator.TERTIARY
        && !collator.isAlternateHandlingShifted() && !collator.getNumericCollation();
    if (!isSupported) return none();
    return new SearchElements(new CollatorElements(collator), new ContractionPairs(collator));
  }

  /** Creates a table in which all code points are unsupported. */
  static SearchElements none() {
    return new SearchElements(point -> UNKNOWN, new ContractionPairs());
  }

  /** Returns the element of a simple code point, a token with flags, or {@link #UNSUPPORTED}. */
  int token(int codePoint) {
    if (codePoint >= PAGE) return page(codePoint).tokens[codePoint & PAGE - 1];
    return codePoint == Utf8.MALFORMED ? UNSUPPORTED : latin[codePoint];
  }

  /**
   * Returns whether the elements of the code point at {@code at} do not depend on the previous one.
   */
  boolean isContextIndependent(UTF8String text, int at, int codePoint, int token) {
    if (token == UNSUPPORTED) return false;
    if ((token & DEPENDS_ON_PREVIOUS) == 0 || at == 0) return true;
    int previous = Utf8.before(text, at);
    if (previous == Utf8.MALFORMED) return false;
    boolean isCrLf = previous == '\r' && codePoint == '\n';
    return !isCrLf && !contractions.contains(previous, codePoint);
  }

  /** Returns whether a token is a single element that never depends on the previous code point. */
  static boolean isSimple(int token) {
    return token > UNSUPPORTED && token < DEPENDS_ON_PREVIOUS;
  }

  static boolean isExpansion(int token) {
    return (token & EXPANSION) != 0;
  }

  /** Returns the element of a token that is not an expansion. */
  static int singleElement(int token) {
    return token & DEPENDS_ON_PREVIOUS - 1;
  }

  /** Returns the elements of a code point whose token is an expansion. */
  int[] expansion(int codePoint) {
    return page(codePoint).expansions[codePoint & PAGE - 1];
  }

  TwoByteIndex twoByteIndex() {
    TwoByteIndex index = twoByteIndex;
    if (index == null) index = twoByteIndex = computeTwoByteIndex();
    return index;
  }

  private TwoByteIndex computeTwoByteIndex() {
    int leads = 0;
    long[] trails = {};
    for (int point = 0x80; point < 0x800; point++) {
      int token = token(point);
      if (token == UNSUPPORTED || (token & DEPENDS_ON_PREVIOUS) != 0) leads |= 1 << (point >>> 6);
      else {
        int first = isExpansion(token) ? expansion(point)[0] : token;
        if (first >= trails.length) trails = Arrays.copyOf(trails, 2 * first);
        trails[first] |= 1L << point;
      }
    }
    return new TwoByteIndex(leads, trails);
  }

  private Page page(int codePoint) {
    Page page = pages[codePoint >>> PAGE_BITS];
    return page != null ? page : computePage(codePoint >>> PAGE_BITS);
  }

  private synchronized Page computePage(int number) {
    int[] tokens = new int[PAGE];
    int[][] expansions = new int[PAGE][];
    for (int i = 0; i < PAGE; i++) {
      int codePoint = number * PAGE + i;
      int[] elements = elementsOf.apply(codePoint);
      tokens[i] = token(codePoint, elements);
      if (elements.length > 1) expansions[i] = elements;
    }
    return pages[number] = new Page(tokens, expansions);
  }

  private int token(int codePoint, int[] elements) {
    if (elements.length == 0) return UNSUPPORTED;
    int token = elements.length == 1 ? elements[0] : EXPANSION;
    return dependsOnPrevious.get(codePoint) ? token | DEPENDS_ON_PREVIOUS : token;
  }

  /** Reads the elements of single code points from a collator and numbers them in order of use. */
  private static final class CollatorElements implements IntFunction<int[]> {
    private static final int CONTINUATION = 0xC0;

    private final CollationElementIterator iterator;
    private final int mask;
    private final Map<IntBuffer, Integer> numbers = new HashMap<>();

    CollatorElements(RuleBasedCollator collator) {
      iterator = collator.getCollationElementIterator("");
      mask = switch (collator.getStrength()) {
        case RuleBasedCollator.PRIMARY -> 0xFFFF0000;
        case RuleBasedCollator.SECONDARY -> 0xFFFFFF00;
        default -> 0xFFFFFFFF;
      };
    }

    @Override
    public int[] apply(int codePoint) {
      boolean isSupported = CONTEXT_INDEPENDENT.contains(codePoint)
          && Normalizer2.getNFDInstance().hasBoundaryBefore(codePoint);
      return isSupported ? elements(weights(Character.toString(codePoint))) : UNKNOWN;
    }

    private List<Integer> weights(String string) {
      List<Integer> weights = new ArrayList<>();
      iterator.setText(string);
      for (int w = iterator.next(); w != CollationElementIterator.NULLORDER; w = iterator.next()) {
        weights.add(w);
      }
      return weights;
    }

    private int[] elements(List<Integer> weights) {
      List<Integer> elements = new ArrayList<>();
      int start = 0;
      for (int end = 1; end <= weights.size(); end++) {
        if (end < weights.size() && !isPrimary(weights.get(end))) continue;
        if (!isPrimary(weights.get(start))) return UNKNOWN;
        elements.add(number(weights.subList(start, end)));
        start = end;
      }
      return elements.stream().mapToInt(Integer::intValue).toArray();
    }

    private static boolean isPrimary(int weight) {
      return CollationElementIterator.primaryOrder(weight) != 0
          && (weight & CONTINUATION) != CONTINUATION;
    }

    private int number(List<Integer> weights) {
      int[] compared = weights.stream().mapToInt(w -> w & mask).filter(w -> w != 0).toArray();
      return numbers.computeIfAbsent(IntBuffer.wrap(compared), key -> numbers.size() + 1);
    }
  }
}
