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

import org.deltacollations.collation.sortkey.ContractionPairs;
import org.deltacollations.collation.unicode.Utf8;

/**
 * What a search compares: each character as one element or a few. An element is a number, the same
 * for all that match.
 *
 * <p>For a collator it stands for one primary weight with all that follows up to the next, cut to
 * the levels that a search compares. Those are the levels of the strength alone: a search knows
 * neither a case level, nor which case comes first, nor that accents count from the end. No primary
 * weight begins with another, so two texts have the same weights if and only if they have the same
 * elements.
 *
 * <p>A character is opaque if its elements are not known without its neighbours, if it begins with
 * something other than a primary weight, or if it does not always begin and end what a user sees as
 * one character, since a match does not start inside one.
 */
final class SearchElements {

  /** The token of a character of which nothing is known. All other tokens are positive. */
  static final int OPAQUE = -1;

  /** Marks the token of a character that may be joined to the one before it. */
  private static final int CONTINUES = 1 << 28;

  /** Marks the token of a character with several elements. */
  private static final int MANY = 1 << 29;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;

  private static final int[] UNKNOWN = {};

  /**
   * Hangul letters and flags join their neighbours, marks join what precedes or follows them. Of the
   * points that are no characters ICU reads one as the end of the text, and one begins a contraction
   * with every letter.
   */
  private static final UnicodeSet STAND_ALONE = new UnicodeSet(
      "[[:lccc=0:]&[[:GCB=XX:][:GCB=CN:][:GCB=CR:][:GCB=LF:][:GCB=LV:][:GCB=LVT:]]]")
      .removeAll(new UnicodeSet("[:NChar:]")).freeze();

  /**
   * The tokens of some characters in a row, and the elements of those that have several. All is
   * written before the page is made, so threads may race for it.
   */
  private record Page(int[] tokens, int[][] several) {}

  /** Bits for the first bytes of characters that may not stand alone, and for second bytes. */
  record TwoBytes(int leads, long[] trails) {

    /** Bits for the second bytes of characters that begin with an element. */
    long trailsOf(int element) {
      return element < trails.length ? trails[element] : 0;
    }
  }

  private final IntFunction<int[]> elementsOf;

  /** A contraction shows between two neighbours. */
  private final ContractionPairs joined;
  private final BitSet continuing = new BitSet();

  private final Page[] pages = new Page[(Character.MAX_CODE_POINT + 1) / PAGE];

  /** The tokens of the first page, which most characters are on. */
  private final int[] latin;

  /** Made when first asked for; threads that race make the same. */
  private volatile TwoBytes twoBytes;

  private SearchElements(IntFunction<int[]> elementsOf, ContractionPairs joined) {
    this.elementsOf = elementsOf;
    this.joined = joined;
    continuing.set('\n');
    joined.forEach((before, point) -> {
      boolean neitherIsOpaque = STAND_ALONE.contains(before) && STAND_ALONE.contains(point);
      if (neitherIsOpaque) continuing.set(point);
    });
    this.latin = page(0).tokens;
  }

  /** Of characters that match if {@code lowerCase} says the same; below 0 it says nothing. */
  static SearchElements ofLetters(IntUnaryOperator lowerCase) {
    return new SearchElements(point -> {
      int lower = lowerCase.applyAsInt(point);
      return lower < 0 ? UNKNOWN : new int[] {lower + 1};
    }, new ContractionPairs());
  }

  static SearchElements ofCollator(RuleBasedCollator collator) {
    boolean understood = collator.getStrength() <= RuleBasedCollator.TERTIARY
        && !collator.isAlternateHandlingShifted() && !collator.getNumericCollation();
    return understood ? new SearchElements(new Weights(collator), new ContractionPairs(collator)) : none();
  }

  static SearchElements none() {
    return new SearchElements(point -> UNKNOWN, new ContractionPairs());
  }

  /** The only element of a character, or else {@link #OPAQUE} or a token that is not plain. */
  int token(int codePoint) {
    if (codePoint >= PAGE) return page(codePoint).tokens[codePoint & PAGE - 1];
    return codePoint == Utf8.MALFORMED ? OPAQUE : latin[codePoint];
  }

  /** Whether the elements of the character at {@code at} are known, given the one before it. */
  boolean standsAlone(UTF8String text, int at, int codePoint, int token) {
    if (token == OPAQUE) return false;
    if ((token & CONTINUES) == 0 || at == 0) return true;
    int before = Utf8.before(text, at);
    if (before == Utf8.MALFORMED) return false;
    boolean endsALine = before == '\r' && codePoint == '\n';
    return !endsALine && !joined.contains(before, codePoint);
  }

  /** Whether a token is the only element of a character, whatever comes before it. */
  static boolean isPlain(int token) {
    return token > OPAQUE && token < CONTINUES;
  }

  static boolean isMany(int token) {
    return (token & MANY) != 0;
  }

  /** The element of a token, if it has only one. */
  static int only(int token) {
    return token & CONTINUES - 1;
  }

  /** The elements of a character that has several. */
  int[] many(int codePoint) {
    return page(codePoint).several[codePoint & PAGE - 1];
  }

  /** What is known of characters of two bytes by one of the bytes. */
  TwoBytes twoBytes() {
    TwoBytes known = twoBytes;
    if (known == null) known = twoBytes = madeTwoBytes();
    return known;
  }

  private TwoBytes madeTwoBytes() {
    int leads = 0;
    long[] trails = {};
    for (int point = 0x80; point < 0x800; point++) {
      int token = token(point);
      if (token == OPAQUE || (token & CONTINUES) != 0) leads |= 1 << (point >>> 6);
      else {
        int first = isMany(token) ? many(point)[0] : token;
        if (first >= trails.length) trails = Arrays.copyOf(trails, 2 * first);
        trails[first] |= 1L << point;
      }
    }
    return new TwoBytes(leads, trails);
  }

  private Page page(int codePoint) {
    Page page = pages[codePoint >>> PAGE_BITS];
    return page != null ? page : filled(codePoint >>> PAGE_BITS);
  }

  private synchronized Page filled(int number) {
    int[] tokens = new int[PAGE];
    int[][] several = new int[PAGE][];
    for (int i = 0; i < PAGE; i++) {
      int codePoint = number * PAGE + i;
      int[] elements = elementsOf.apply(codePoint);
      tokens[i] = token(codePoint, elements);
      if (elements.length > 1) several[i] = elements;
    }
    return pages[number] = new Page(tokens, several);
  }

  private int token(int codePoint, int[] elements) {
    if (elements.length == 0) return OPAQUE;
    int token = elements.length == 1 ? elements[0] : MANY;
    return continuing.get(codePoint) ? token | CONTINUES : token;
  }

  /** The elements of single characters in a collator, numbered as they are met. */
  private static final class Weights implements IntFunction<int[]> {
    private static final int CONTINUATION = 0xC0;

    private final CollationElementIterator iterator;
    private final int mask;
    private final Map<IntBuffer, Integer> numbers = new HashMap<>();

    Weights(RuleBasedCollator collator) {
      iterator = collator.getCollationElementIterator("");
      mask = switch (collator.getStrength()) {
        case RuleBasedCollator.PRIMARY -> 0xFFFF0000;
        case RuleBasedCollator.SECONDARY -> 0xFFFFFF00;
        default -> 0xFFFFFFFF;
      };
    }

    @Override
    public int[] apply(int codePoint) {
      boolean standsAlone = STAND_ALONE.contains(codePoint)
          && Normalizer2.getNFDInstance().hasBoundaryBefore(codePoint);
      return standsAlone ? numbered(weights(Character.toString(codePoint))) : UNKNOWN;
    }

    private List<Integer> weights(String character) {
      List<Integer> weights = new ArrayList<>();
      iterator.setText(character);
      for (int w = iterator.next(); w != CollationElementIterator.NULLORDER; w = iterator.next()) {
        weights.add(w);
      }
      return weights;
    }

    private int[] numbered(List<Integer> weights) {
      List<Integer> found = new ArrayList<>();
      int start = 0;
      for (int end = 1; end <= weights.size(); end++) {
        if (end < weights.size() && !isPrimary(weights.get(end))) continue;
        if (!isPrimary(weights.get(start))) return UNKNOWN;
        found.add(number(weights.subList(start, end)));
        start = end;
      }
      return found.stream().mapToInt(Integer::intValue).toArray();
    }

    private static boolean isPrimary(int weight) {
      return CollationElementIterator.primaryOrder(weight) != 0
          && (weight & CONTINUATION) != CONTINUATION;
    }

    private int number(List<Integer> element) {
      int[] compared = element.stream().mapToInt(w -> w & mask).filter(w -> w != 0).toArray();
      return numbers.computeIfAbsent(IntBuffer.wrap(compared), key -> numbers.size() + 1);
    }
  }
}
