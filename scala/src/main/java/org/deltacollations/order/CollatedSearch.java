// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.order;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.UTF8StringBuilder;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;

/**
 * Finds a pattern in a text as Spark does, but from tables of characters, where Spark decodes both
 * and makes a new search for each pair.
 *
 * <p>A match is a run of the pattern's elements that begins and ends between two characters of the
 * text. It is certain if all characters up to the one that follows it are known to stand alone, and
 * there is certainly none if that holds up to the end. Otherwise the text is left to Spark.
 */
public final class CollatedSearch {

  /** What Spark itself finds, which is the answer wherever the tables do not prove one. */
  public interface Truth {
    boolean contains(UTF8String text, UTF8String pattern);

    boolean startsWith(UTF8String text, UTF8String pattern);

    boolean endsWith(UTF8String text, UTF8String pattern);

    int indexOf(UTF8String text, UTF8String pattern, int start);

    UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement);
  }

  private static final int NONE = -1;
  private static final int UNKNOWN = -2;

  private static final int ASCII = 0x80;

  private final SearchElements elements;
  private final int[] ascii;
  private final boolean trimsSpaces;
  private final Truth truth;

  private CollatedSearch(SearchElements elements, boolean trimsSpaces, Truth truth) {
    this.elements = elements;
    this.ascii = IntStream.range(0, ASCII).map(elements::token).toArray();
    this.trimsSpaces = trimsSpaces;
    this.truth = truth;
  }

  /** For a collation of ICU, and whether it ignores spaces at the end. */
  public static CollatedSearch ofCollator(
      RuleBasedCollator collator, boolean trimsSpaces, Truth truth) {
    return new CollatedSearch(SearchElements.ofCollator(collator), trimsSpaces, truth);
  }

  /**
   * For a collation in which characters match if {@code lowerCase} maps them to the same one. It is
   * below 0 for those that become several.
   */
  public static CollatedSearch ofLetters(
      IntUnaryOperator lowerCase, boolean trimsSpaces, Truth truth) {
    return new CollatedSearch(SearchElements.ofLetters(lowerCase), trimsSpaces, truth);
  }

  /** For a collation that Spark searches fast enough. */
  public static CollatedSearch ofTruth(Truth truth) {
    return new CollatedSearch(SearchElements.none(), false, truth);
  }

  /** For one thread. All share the tables. */
  public Searcher searcher() {
    return new Searcher();
  }

  /** A pattern with its elements, of which there are none if the pattern is left to Spark. */
  private static final class Pattern {
    final UTF8String source;
    final UTF8String constant;
    final int[] elements;

    Pattern(UTF8String pattern, int[] elements) {
      this.source = pattern.copy();
      this.constant = hasOwnBytes(pattern) ? pattern : null;
      this.elements = elements;
    }

    /** Bytes that belong to a row may change when the row does, but not those of a literal. */
    private static boolean hasOwnBytes(UTF8String pattern) {
      return pattern.getBaseObject() instanceof byte[] bytes && bytes.length == pattern.numBytes();
    }

    boolean isMadeOf(UTF8String pattern) {
      return pattern == constant || source.equals(pattern);
    }

    boolean isOpaque() {
      return elements.length == 0;
    }
  }

  /** Searches in one thread. Remembers the last pattern, which is mostly that of every row. */
  public final class Searcher {

    private Pattern whole = new Pattern(UTF8String.EMPTY_UTF8, new int[0]);
    private Pattern trimmed = whole;

    /** Where the last match ended. */
    private int matchEnd;

    private Searcher() {}

    public boolean contains(UTF8String text, UTF8String pattern) {
      Pattern wanted = trimmed(pattern);
      int found = wanted.isOpaque() ? UNKNOWN : find(text, 0, trimmedEnd(text), wanted.elements);
      return found == UNKNOWN ? truth.contains(text, pattern) : found != NONE;
    }

    public boolean startsWith(UTF8String text, UTF8String pattern) {
      Pattern wanted = trimmed(pattern);
      int end = wanted.isOpaque() ? UNKNOWN : match(text, 0, trimmedEnd(text), wanted.elements);
      return end == UNKNOWN ? truth.startsWith(text, pattern) : end != NONE;
    }

    public boolean endsWith(UTF8String text, UTF8String pattern) {
      Pattern wanted = trimmed(pattern);
      int start = wanted.isOpaque() ? UNKNOWN : matchBack(text, trimmedEnd(text), wanted.elements);
      return start == UNKNOWN ? truth.endsWith(text, pattern) : start != NONE;
    }

    /** The first match from the character {@code start}, counted in characters, or -1. */
    public int indexOf(UTF8String text, UTF8String pattern, int start) {
      Pattern wanted = trimmed(pattern);
      int from = wanted.isOpaque() || start < 0 ? UNKNOWN : skip(text, start);
      int found = from == UNKNOWN ? UNKNOWN : find(text, from, text.numBytes(), wanted.elements);
      if (found == UNKNOWN) return truth.indexOf(text, pattern, start);
      return found == NONE ? -1 : start + CodePoints.count(text, from, found);
    }

    /** Spaces at the end count here in every collation. */
    public UTF8String replace(UTF8String text, UTF8String search, UTF8String replacement) {
      Pattern wanted = whole(search);
      int found = wanted.isOpaque() ? UNKNOWN : find(text, 0, text.numBytes(), wanted.elements);
      if (found == NONE) return text;
      if (found == UNKNOWN || !replacement.isValid()) {
        return truth.replace(text, search, replacement);
      }
      UTF8StringBuilder replaced = new UTF8StringBuilder(text.numBytes() + replacement.numBytes());
      int kept = 0;
      while (found != NONE) {
        append(replaced, text, kept, found);
        replaced.append(replacement);
        kept = matchEnd;
        found = find(text, kept, text.numBytes(), wanted.elements);
        if (found == UNKNOWN) return truth.replace(text, search, replacement);
      }
      append(replaced, text, kept, text.numBytes());
      return replaced.build();
    }

    private void append(UTF8StringBuilder builder, UTF8String text, int from, int end) {
      builder.appendBytes(text.getBaseObject(), text.getBaseOffset() + from, end - from);
    }

    private Pattern whole(UTF8String pattern) {
      if (!whole.isMadeOf(pattern)) whole = prepared(pattern, pattern.numBytes());
      return whole;
    }

    private Pattern trimmed(UTF8String pattern) {
      if (!trimmed.isMadeOf(pattern)) trimmed = prepared(pattern, trimmedEnd(pattern));
      return trimmed;
    }

    private int trimmedEnd(UTF8String text) {
      int end = text.numBytes();
      if (trimsSpaces) {
        while (end > 0 && text.getByte(end - 1) == ' ') end--;
      }
      return end;
    }

    private Pattern prepared(UTF8String pattern, int end) {
      IntStream.Builder found = IntStream.builder();
      int at = 0;
      while (at < end) {
        int point = CodePoints.at(pattern, at);
        int token = token(point);
        if (!standsAlone(pattern, at, point, token)) return new Pattern(pattern, new int[0]);
        if (SearchElements.isMany(token)) IntStream.of(elements.many(point)).forEach(found);
        else found.add(SearchElements.only(token));
        at += CodePoints.width(point);
      }
      return new Pattern(pattern, found.build().toArray());
    }

    /** Where the first match starts, and sets where it ends. */
    private int find(UTF8String text, int from, int end, int[] wanted) {
      int first = wanted[0];
      int at = from;
      while (at < end) {
        int point = text.getByte(at);
        if (point < 0) point = CodePoints.at(text, at);
        int token = token(point);
        if (!SearchElements.isPlain(token) || token == first) {
          if (!standsAlone(text, at, point, token)) return UNKNOWN;
          matchEnd = match(text, at, end, wanted);
          if (matchEnd != NONE) return matchEnd == UNKNOWN ? UNKNOWN : at;
        }
        at += CodePoints.width(point);
      }
      return NONE;
    }

    /** Where the match ends that starts at {@code at}. */
    private int match(UTF8String text, int at, int end, int[] wanted) {
      int matched = 0;
      while (matched < wanted.length && matched != NONE) {
        if (at == end) return NONE;
        int point = CodePoints.at(text, at);
        int token = token(point);
        if (!standsAlone(text, at, point, token)) return UNKNOWN;
        matched = matchedAfter(point, token, wanted, matched);
        at += CodePoints.width(point);
      }
      if (at < end) {
        int next = CodePoints.at(text, at);
        if (!standsAlone(text, at, next, token(next))) return UNKNOWN;
      }
      return matched == NONE ? NONE : at;
    }

    /** How many elements match with those of one more character. */
    private int matchedAfter(int point, int token, int[] wanted, int matched) {
      if (!SearchElements.isMany(token)) {
        return SearchElements.only(token) == wanted[matched] ? matched + 1 : NONE;
      }
      for (int element : elements.many(point)) {
        if (matched == wanted.length || wanted[matched++] != element) return NONE;
      }
      return matched;
    }

    /** Where the match starts that ends at {@code end}. */
    private int matchBack(UTF8String text, int end, int[] wanted) {
      int at = end;
      int left = wanted.length;
      while (left > 0) {
        if (at == 0) return NONE;
        int point = CodePoints.before(text, at);
        int token = token(point);
        at -= CodePoints.width(point);
        if (!standsAlone(text, at, point, token)) return UNKNOWN;
        left = leftBefore(point, token, wanted, left);
      }
      if (left == NONE || at == 0) return left == NONE ? NONE : at;
      return token(CodePoints.before(text, at)) == SearchElements.OPAQUE ? UNKNOWN : at;
    }

    /** How many elements are left to match before those of one more character. */
    private int leftBefore(int point, int token, int[] wanted, int left) {
      if (!SearchElements.isMany(token)) {
        return SearchElements.only(token) == wanted[left - 1] ? left - 1 : NONE;
      }
      int[] all = elements.many(point);
      for (int i = all.length - 1; i >= 0; i--) {
        if (left == 0 || wanted[--left] != all[i]) return NONE;
      }
      return left;
    }

    /** Where the character {@code count} starts, or the end. */
    private int skip(UTF8String text, int count) {
      int at = 0;
      for (int i = 0; i < count && at < text.numBytes(); i++) {
        int point = CodePoints.at(text, at);
        if (!standsAlone(text, at, point, token(point))) return UNKNOWN;
        at += CodePoints.width(point);
      }
      return at;
    }

    private int token(int point) {
      if (point >= 0 && point < ASCII) return ascii[point];
      return point < 0 ? SearchElements.OPAQUE : elements.token(point);
    }

    /** Whether the elements of a character are known, given the one before it. */
    private boolean standsAlone(UTF8String text, int at, int point, int token) {
      if (token == SearchElements.OPAQUE) return false;
      if (!SearchElements.mayBeJoined(token) || at == 0) return true;
      int before = CodePoints.before(text, at);
      return before != CodePoints.UNREADABLE && !elements.areJoined(before, point);
    }
  }
}
