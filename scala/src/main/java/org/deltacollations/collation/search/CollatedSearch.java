// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.search;

import java.util.function.IntUnaryOperator;

import org.apache.spark.unsafe.UTF8StringBuilder;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;

import org.deltacollations.collation.unicode.Utf8;

/**
 * Finds a pattern in a text with the same result as Spark, but from tables of code points. Spark
 * decodes both strings and creates a new ICU {@code StringSearch} for each pair of them.
 *
 * <p>A match is a sequence of the pattern's elements that starts and ends at code point boundaries
 * of the text. It is certain if all code points up to the one after the match are
 * context-independent. The absence of a match is certain if all code points of the text are. In all
 * other cases the search falls back to Spark.
 */
public final class CollatedSearch {

  /** The search operations, implemented here and by Spark as the fallback. */
  public interface Operations {
    boolean contains(UTF8String text, UTF8String pattern);

    boolean startsWith(UTF8String text, UTF8String pattern);

    boolean endsWith(UTF8String text, UTF8String pattern);

    int indexOf(UTF8String text, UTF8String pattern, int start);

    UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement);
  }

  private static final int NOT_FOUND = -1;
  private static final int UNKNOWN = -2;

  /** After more fallbacks in a row, only one of {@code RETRY_INTERVAL} texts is attempted. */
  private static final int MAX_FALLBACKS = 20;
  private static final int RETRY_INTERVAL = 32;

  private final SearchElements elements;
  private final boolean trimsSpaces;
  private final Operations fallback;

  private CollatedSearch(SearchElements elements, boolean trimsSpaces, Operations fallback) {
    this.elements = elements;
    this.trimsSpaces = trimsSpaces;
    this.fallback = fallback;
  }

  /** Creates a search for an ICU collation that may ignore trailing spaces. */
  public static CollatedSearch ofCollator(
      RuleBasedCollator collator, boolean trimsSpaces, Operations fallback) {
    return new CollatedSearch(SearchElements.ofCollator(collator), trimsSpaces, fallback);
  }

  /**
   * Creates a search for a collation in which code points match if {@code lowerCase} maps them to
   * the same code point. It returns a negative number if the lower case is more than one code
   * point.
   */
  public static CollatedSearch ofCodePoints(
      IntUnaryOperator lowerCase, boolean trimsSpaces, Operations fallback) {
    return new CollatedSearch(SearchElements.ofCodePoints(lowerCase), trimsSpaces, fallback);
  }

  /** Creates a search that always falls back, for collations that Spark searches fast enough. */
  public static CollatedSearch ofFallback(Operations fallback) {
    return new CollatedSearch(SearchElements.none(), false, fallback);
  }

  /** Returns a new searcher for one thread. All searchers share the tables. */
  public Searcher searcher() {
    return new Searcher();
  }

  /**
   * Searches texts and caches the last pattern, which is usually the same for every row. Not
   * thread-safe.
   */
  public final class Searcher implements Operations {

    private final SearchPattern unsupported = new SearchPattern(UTF8String.EMPTY_UTF8, 0, elements);
    private SearchPattern untrimmed = unsupported;
    private SearchPattern trimmed = unsupported;

    private int consecutiveFallbacks;

    /** The end of the last match, or the position where it failed. */
    private int matchEnd;

    private Searcher() {}

    @Override
    public boolean contains(UTF8String text, UTF8String pattern) {
      SearchPattern compiled = trimmed(pattern);
      int found = compiled.isUnsupported() ? UNKNOWN : find(text, 0, trimmedEnd(text), compiled);
      return needsFallback(found) ? fallback.contains(text, pattern) : found != NOT_FOUND;
    }

    @Override
    public boolean startsWith(UTF8String text, UTF8String pattern) {
      SearchPattern compiled = trimmed(pattern);
      int end = compiled.isUnsupported() ? UNKNOWN : matchPrefix(text, trimmedEnd(text), compiled);
      return needsFallback(end) ? fallback.startsWith(text, pattern) : end != NOT_FOUND;
    }

    @Override
    public boolean endsWith(UTF8String text, UTF8String pattern) {
      SearchPattern compiled = trimmed(pattern);
      int start =
          compiled.isUnsupported() ? UNKNOWN : matchSuffix(text, trimmedEnd(text), compiled);
      return needsFallback(start) ? fallback.endsWith(text, pattern) : start != NOT_FOUND;
    }

    /** Returns the first match at or after {@code start} in code points, or -1. */
    @Override
    public int indexOf(UTF8String text, UTF8String pattern, int start) {
      SearchPattern compiled = trimmed(pattern);
      int from = compiled.isUnsupported() || start < 0 ? UNKNOWN : skip(text, start);
      int found = from == UNKNOWN ? UNKNOWN : find(text, from, text.numBytes(), compiled);
      if (needsFallback(found)) return fallback.indexOf(text, pattern, start);
      return found == NOT_FOUND ? -1 : start + Utf8.count(text, from, found);
    }

    /** Replaces all matches. Trailing spaces are significant here in every collation. */
    @Override
    public UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement) {
      SearchPattern compiled = untrimmed(search);
      int found = compiled.isUnsupported() ? UNKNOWN : find(text, 0, text.numBytes(), compiled);
      if (needsFallback(found) || found != NOT_FOUND && !replacement.isValid()) {
        return fallback.replace(text, search, replacement);
      }
      if (found == NOT_FOUND) return text;
      UTF8StringBuilder result = new UTF8StringBuilder(text.numBytes() + replacement.numBytes());
      int copied = 0;
      while (found != NOT_FOUND) {
        append(result, text, copied, found);
        result.append(replacement);
        copied = matchEnd;
        found = find(text, copied, text.numBytes(), compiled);
        if (found == UNKNOWN) return fallback.replace(text, search, replacement);
      }
      append(result, text, copied, text.numBytes());
      return result.build();
    }

    private void append(UTF8StringBuilder builder, UTF8String text, int from, int end) {
      builder.appendBytes(text.getBaseObject(), text.getBaseOffset() + from, end - from);
    }

    private boolean needsFallback(int found) {
      consecutiveFallbacks = found == UNKNOWN ? consecutiveFallbacks + 1 : 0;
      return found == UNKNOWN;
    }

    /** Attempting every text costs too much in a script that always needs the fallback. */
    private boolean skipsAttempt() {
      return consecutiveFallbacks > MAX_FALLBACKS && consecutiveFallbacks % RETRY_INTERVAL != 0;
    }

    private SearchPattern untrimmed(UTF8String pattern) {
      if (skipsAttempt()) return unsupported;
      if (untrimmed.isCompiledFrom(pattern)) untrimmed.prepareForReuse(elements);
      else untrimmed = new SearchPattern(pattern, pattern.numBytes(), elements);
      return untrimmed;
    }

    private SearchPattern trimmed(UTF8String pattern) {
      if (skipsAttempt()) return unsupported;
      if (trimmed.isCompiledFrom(pattern)) trimmed.prepareForReuse(elements);
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

    /** Returns the start of the first match and sets {@link #matchEnd}. */
    private int find(UTF8String text, int from, int end, SearchPattern pattern) {
      int first = pattern.elements[0];
      int at = pattern.firstCandidate(text, from, end);
      while (at < end) {
        int point = Utf8.at(text, at);
        int token = elements.token(point);
        if (!SearchElements.isSimple(token) || token == first) {
          if (!elements.isContextIndependent(text, at, point, token)) return UNKNOWN;
          int found = match(text, at, end, pattern);
          if (found != NOT_FOUND) return found == UNKNOWN ? UNKNOWN : at;
        }
        at = pattern.nextCandidate(text, at + Utf8.width(point), end);
      }
      return NOT_FOUND;
    }

    /**
     * Returns the end of the match at the start of the text. If a code point differs, the next one
     * must be context-independent, since it could change the elements of the former.
     */
    private int matchPrefix(UTF8String text, int end, SearchPattern pattern) {
      int found = match(text, 0, end, pattern);
      return found == NOT_FOUND && !isContextIndependent(text, matchEnd, end) ? UNKNOWN : found;
    }

    /** Returns the end of the match that starts at {@code at}. */
    private int match(UTF8String text, int at, int end, SearchPattern pattern) {
      int matched = 0;
      matchEnd = at;
      while (matched < pattern.size) {
        if (matched == NOT_FOUND || matchEnd == end) return NOT_FOUND;
        int point = Utf8.at(text, matchEnd);
        int token = elements.token(point);
        if (!elements.isContextIndependent(text, matchEnd, point, token)) return UNKNOWN;
        matched = matchForward(point, token, pattern, matched);
        matchEnd += Utf8.width(point);
      }
      return isContextIndependent(text, matchEnd, end) ? matchEnd : UNKNOWN;
    }

    /**
     * Returns whether the text ends at {@code at} or has a context-independent code point there.
     */
    private boolean isContextIndependent(UTF8String text, int at, int end) {
      if (at == end) return true;
      int point = Utf8.at(text, at);
      return elements.isContextIndependent(text, at, point, elements.token(point));
    }

    /** Returns the number of elements that match, including those of one more code point. */
    private int matchForward(int point, int token, SearchPattern pattern, int matched) {
      if (!SearchElements.isExpansion(token)) {
        return SearchElements.singleElement(token) == pattern.elements[matched]
            ? matched + 1 : NOT_FOUND;
      }
      for (int element : elements.expansion(point)) {
        if (matched == pattern.size || pattern.elements[matched++] != element) return NOT_FOUND;
      }
      return matched;
    }

    /** Returns the start of the match that ends at {@code end}. */
    private int matchSuffix(UTF8String text, int end, SearchPattern pattern) {
      int at = end;
      int remaining = pattern.size;
      while (remaining > 0) {
        if (at == 0) return NOT_FOUND;
        int point = Utf8.before(text, at);
        int token = elements.token(point);
        at -= Utf8.width(point);
        if (!elements.isContextIndependent(text, at, point, token)) return UNKNOWN;
        remaining = matchBackward(point, token, pattern, remaining);
      }
      int before = at == 0 ? 0 : elements.token(Utf8.before(text, at));
      if (before == SearchElements.UNSUPPORTED) return UNKNOWN;
      return remaining == NOT_FOUND ? NOT_FOUND : at;
    }

    /** Returns the number of elements that remain to be matched before those of one code point. */
    private int matchBackward(int point, int token, SearchPattern pattern, int remaining) {
      if (!SearchElements.isExpansion(token)) {
        return SearchElements.singleElement(token) == pattern.elements[remaining - 1]
            ? remaining - 1 : NOT_FOUND;
      }
      int[] expansion = elements.expansion(point);
      for (int i = expansion.length - 1; i >= 0; i--) {
        if (remaining == 0 || pattern.elements[--remaining] != expansion[i]) return NOT_FOUND;
      }
      return remaining;
    }

    /** Returns the offset after {@code count} code points, or the end of the text. */
    private int skip(UTF8String text, int count) {
      int at = 0;
      for (int i = 0; i < count && at < text.numBytes(); i++) {
        int point = Utf8.at(text, at);
        if (!elements.isContextIndependent(text, at, point, elements.token(point))) return UNKNOWN;
        at += Utf8.width(point);
      }
      return at;
    }
  }
}
