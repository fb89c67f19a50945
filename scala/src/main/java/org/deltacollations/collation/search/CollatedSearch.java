// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search;

import java.util.function.IntUnaryOperator;

import org.apache.spark.unsafe.UTF8StringBuilder;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;

import org.deltacollations.collation.unicode.Utf8;

/**
 * Finds a pattern in a text as Spark does, but from tables of characters, where Spark decodes both
 * and makes a new search for each pair.
 *
 * <p>A match is a run of the pattern's elements that begins and ends between two characters of the
 * text. It is certain if all characters up to the one that follows it are known to stand alone, and
 * there is certainly none if that holds up to the end. Otherwise the text is left to Spark.
 */
public final class CollatedSearch {

  /** The ways to search a text; here, and by Spark wherever the tables prove no answer. */
  public interface Operations {
    boolean contains(UTF8String text, UTF8String pattern);

    boolean startsWith(UTF8String text, UTF8String pattern);

    boolean endsWith(UTF8String text, UTF8String pattern);

    int indexOf(UTF8String text, UTF8String pattern, int start);

    UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement);
  }

  private static final int NONE = -1;
  private static final int UNKNOWN = -2;

  /** After so many texts that were left to Spark, only one of some is tried. */
  private static final int MANY_IN_A_ROW = 20;
  private static final int TRIED = 32;

  private final SearchElements elements;
  private final boolean trimsSpaces;
  private final Operations truth;

  private CollatedSearch(SearchElements elements, boolean trimsSpaces, Operations truth) {
    this.elements = elements;
    this.trimsSpaces = trimsSpaces;
    this.truth = truth;
  }

  /** For a collation of ICU, and whether it ignores spaces at the end. */
  public static CollatedSearch ofCollator(
      RuleBasedCollator collator, boolean trimsSpaces, Operations truth) {
    return new CollatedSearch(SearchElements.ofCollator(collator), trimsSpaces, truth);
  }

  /**
   * For a collation in which characters match if {@code lowerCase} maps them to the same one. It is
   * below 0 for those that become several.
   */
  public static CollatedSearch ofLetters(
      IntUnaryOperator lowerCase, boolean trimsSpaces, Operations truth) {
    return new CollatedSearch(SearchElements.ofLetters(lowerCase), trimsSpaces, truth);
  }

  /** For a collation that Spark searches fast enough. */
  public static CollatedSearch ofTruth(Operations truth) {
    return new CollatedSearch(SearchElements.none(), false, truth);
  }

  /** For one thread. All share the tables. */
  public Searcher searcher() {
    return new Searcher();
  }

  /** Searches in one thread. Remembers the last pattern, which is mostly that of every row. */
  public final class Searcher implements Operations {

    private final SearchPattern nothing = new SearchPattern(UTF8String.EMPTY_UTF8, 0, elements);
    private SearchPattern whole = nothing;
    private SearchPattern trimmed = nothing;

    /** How many texts in a row were left to Spark. */
    private int leftInARow;

    /** Where the last match ended, or what was known of it. */
    private int matchEnd;

    private Searcher() {}

    @Override
    public boolean contains(UTF8String text, UTF8String pattern) {
      SearchPattern wanted = trimmed(pattern);
      int found = wanted.isOpaque() ? UNKNOWN : find(text, 0, trimmedEnd(text), wanted);
      return isLeft(found) ? truth.contains(text, pattern) : found != NONE;
    }

    @Override
    public boolean startsWith(UTF8String text, UTF8String pattern) {
      SearchPattern wanted = trimmed(pattern);
      int end = wanted.isOpaque() ? UNKNOWN : matchStart(text, trimmedEnd(text), wanted);
      return isLeft(end) ? truth.startsWith(text, pattern) : end != NONE;
    }

    @Override
    public boolean endsWith(UTF8String text, UTF8String pattern) {
      SearchPattern wanted = trimmed(pattern);
      int start = wanted.isOpaque() ? UNKNOWN : matchBack(text, trimmedEnd(text), wanted);
      return isLeft(start) ? truth.endsWith(text, pattern) : start != NONE;
    }

    /** The first match from the character {@code start}, counted in characters, or -1. */
    @Override
    public int indexOf(UTF8String text, UTF8String pattern, int start) {
      SearchPattern wanted = trimmed(pattern);
      int from = wanted.isOpaque() || start < 0 ? UNKNOWN : skip(text, start);
      int found = from == UNKNOWN ? UNKNOWN : find(text, from, text.numBytes(), wanted);
      if (isLeft(found)) return truth.indexOf(text, pattern, start);
      return found == NONE ? -1 : start + Utf8.count(text, from, found);
    }

    /** Spaces at the end count here in every collation. */
    @Override
    public UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement) {
      SearchPattern wanted = whole(search);
      int found = wanted.isOpaque() ? UNKNOWN : find(text, 0, text.numBytes(), wanted);
      if (isLeft(found) || found != NONE && !replacement.isValid()) {
        return truth.replace(text, search, replacement);
      }
      if (found == NONE) return text;
      UTF8StringBuilder replaced = new UTF8StringBuilder(text.numBytes() + replacement.numBytes());
      int kept = 0;
      while (found != NONE) {
        append(replaced, text, kept, found);
        replaced.append(replacement);
        kept = matchEnd;
        found = find(text, kept, text.numBytes(), wanted);
        if (found == UNKNOWN) return truth.replace(text, search, replacement);
      }
      append(replaced, text, kept, text.numBytes());
      return replaced.build();
    }

    private void append(UTF8StringBuilder builder, UTF8String text, int from, int end) {
      builder.appendBytes(text.getBaseObject(), text.getBaseOffset() + from, end - from);
    }

    private boolean isLeft(int found) {
      leftInARow = found == UNKNOWN ? leftInARow + 1 : 0;
      return found == UNKNOWN;
    }

    /** In a language that is always left to Spark it costs too much to try each text. */
    private boolean isResting() {
      return leftInARow > MANY_IN_A_ROW && leftInARow % TRIED != 0;
    }

    private SearchPattern whole(UTF8String pattern) {
      if (isResting()) return nothing;
      if (whole.isMadeOf(pattern)) whole.expectMore(elements);
      else whole = new SearchPattern(pattern, pattern.numBytes(), elements);
      return whole;
    }

    private SearchPattern trimmed(UTF8String pattern) {
      if (isResting()) return nothing;
      if (trimmed.isMadeOf(pattern)) trimmed.expectMore(elements);
      else trimmed = new SearchPattern(pattern, trimmedEnd(pattern), elements);
      return trimmed;
    }

    private int trimmedEnd(UTF8String text) {
      int end = text.numBytes();
      if (trimsSpaces) {
        while (end > 0 && text.getByte(end - 1) == ' ') end--;
      }
      return end;
    }

    /** Where the first match starts, and sets where it ends. */
    private int find(UTF8String text, int from, int end, SearchPattern wanted) {
      int first = wanted.elements[0];
      int at = wanted.first(text, from, end);
      while (at < end) {
        int point = Utf8.at(text, at);
        int token = elements.token(point);
        if (!SearchElements.isPlain(token) || token == first) {
          if (!elements.standsAlone(text, at, point, token)) return UNKNOWN;
          int found = match(text, at, end, wanted);
          if (found != NONE) return found == UNKNOWN ? UNKNOWN : at;
        }
        at = wanted.next(text, at + Utf8.width(point), end);
      }
      return NONE;
    }

    /** Where the match ends that starts the text. The next may change a character that differs. */
    private int matchStart(UTF8String text, int end, SearchPattern wanted) {
      int found = match(text, 0, end, wanted);
      return found == NONE && !standsAlone(text, matchEnd, end) ? UNKNOWN : found;
    }

    /** Where the match ends that starts at {@code at}. */
    private int match(UTF8String text, int at, int end, SearchPattern wanted) {
      int matched = 0;
      matchEnd = at;
      while (matched < wanted.size) {
        if (matched == NONE || matchEnd == end) return NONE;
        int point = Utf8.at(text, matchEnd);
        int token = elements.token(point);
        if (!elements.standsAlone(text, matchEnd, point, token)) return UNKNOWN;
        matched = matchedAfter(point, token, wanted, matched);
        matchEnd += Utf8.width(point);
      }
      return standsAlone(text, matchEnd, end) ? matchEnd : UNKNOWN;
    }

    /** Whether the character at {@code at}, if there is one, leaves the one before it alone. */
    private boolean standsAlone(UTF8String text, int at, int end) {
      if (at == end) return true;
      int point = Utf8.at(text, at);
      return elements.standsAlone(text, at, point, elements.token(point));
    }

    /** How many elements match with those of one more character. */
    private int matchedAfter(int point, int token, SearchPattern wanted, int matched) {
      if (!SearchElements.isMany(token)) {
        return SearchElements.only(token) == wanted.elements[matched] ? matched + 1 : NONE;
      }
      for (int element : elements.many(point)) {
        if (matched == wanted.size || wanted.elements[matched++] != element) return NONE;
      }
      return matched;
    }

    /** Where the match starts that ends at {@code end}. */
    private int matchBack(UTF8String text, int end, SearchPattern wanted) {
      int at = end;
      int left = wanted.size;
      while (left > 0) {
        if (at == 0) return NONE;
        int point = Utf8.before(text, at);
        int token = elements.token(point);
        at -= Utf8.width(point);
        if (!elements.standsAlone(text, at, point, token)) return UNKNOWN;
        left = leftBefore(point, token, wanted, left);
      }
      int before = at == 0 ? 0 : elements.token(Utf8.before(text, at));
      if (before == SearchElements.OPAQUE) return UNKNOWN;
      return left == NONE ? NONE : at;
    }

    /** How many elements are left to match before those of one more character. */
    private int leftBefore(int point, int token, SearchPattern wanted, int left) {
      if (!SearchElements.isMany(token)) {
        return SearchElements.only(token) == wanted.elements[left - 1] ? left - 1 : NONE;
      }
      int[] all = elements.many(point);
      for (int i = all.length - 1; i >= 0; i--) {
        if (left == 0 || wanted.elements[--left] != all[i]) return NONE;
      }
      return left;
    }

    /** Where the character {@code count} starts, or the end. */
    private int skip(UTF8String text, int count) {
      int at = 0;
      for (int i = 0; i < count && at < text.numBytes(); i++) {
        int point = Utf8.at(text, at);
        if (!elements.standsAlone(text, at, point, elements.token(point))) return UNKNOWN;
        at += Utf8.width(point);
      }
      return at;
    }
  }
}
