// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.order;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;

/**
 * Binary keys of a collation: strings compare as their keys do by bytes. They are the very bytes
 * that Spark makes, so keys made here and keys made there mix.
 *
 * <p>Spark decodes each string and asks the collator for each character. Here most keys are written
 * straight from UTF-8, by tables that were read from the same collator. Whatever the tables do not
 * prove, from one character that combines to a whole collation, is left to Spark's own function.
 */
public final class SortKeys {

  private final UnaryOperator<UTF8String> trimmed;
  private final Function<UTF8String, byte[]> keyOf;
  private final FirstDifference firstDifference;
  private final Supplier<Supplier<KeyDraft>> tables;

  /** Makes drafts that share tables. Threads that race make tables that are as good. */
  private volatile Supplier<KeyDraft> drafts;

  private SortKeys(
      UnaryOperator<UTF8String> trimmed,
      Function<UTF8String, byte[]> keyOf,
      FirstDifference firstDifference,
      Supplier<Supplier<KeyDraft>> tables) {
    this.trimmed = trimmed;
    this.keyOf = keyOf;
    this.firstDifference = firstDifference;
    this.tables = tables;
  }

  /**
   * For an order by {@code collator}, after {@code trimmed} has cut what does not count.
   *
   * @param keyOf Spark's own sort key of a string, the truth and the fallback
   */
  public static SortKeys ofCollator(
      RuleBasedCollator collator,
      UnaryOperator<UTF8String> trimmed,
      Function<UTF8String, byte[]> keyOf) {
    return new SortKeys(trimmed, keyOf, FirstDifference.ofCollator(collator, trimmed), () -> {
      if (!CollationElements.understand(collator)) return NoKeys::new;
      CollationElements elements = new CollationElements(collator);
      int[] letters = ElementKeys.letters(elements);
      return () -> new ElementKeys(elements, letters);
    });
  }

  /** For an order whose key is made one character at a time, after {@code trimmed}. */
  public static SortKeys ofLetters(
      UnaryOperator<UTF8String> trimmed, Function<UTF8String, byte[]> keyOf) {
    return new SortKeys(trimmed, keyOf, FirstDifference.ofKeys(keyOf), () -> {
      LetterKeys.Letters letters = new LetterKeys.Letters(keyOf);
      return () -> new LetterKeys(letters);
    });
  }

  /** Decides most comparisons without keys. */
  public FirstDifference firstDifference() {
    return firstDifference;
  }

  /** Not thread-safe: one for each task. The tables behind it are shared and lazily filled. */
  public Writer writer() {
    if (drafts == null) drafts = proven(tables.get());
    return new Writer(drafts.get(), drafts.get());
  }

  /** All runs of common weights that have a byte of their own, and what may stand around them. */
  private Supplier<KeyDraft> proven(Supplier<KeyDraft> made) {
    KeyDraft draft = made.get();
    boolean agree = Stream.of("", "a", "A", "é", "aA ", "1-a")
        .flatMap(end -> Stream.iterate("", text -> text + "a").limit(LONGEST_RUN)
            .map(run -> UTF8String.fromString(run + end)))
        .allMatch(text ->
            !draft.write(trimmed.apply(text)) || Arrays.equals(draft.key(), keyOf.apply(text)));
    return agree ? made : NoKeys::new;
  }

  private static final int LONGEST_RUN = 200;

  /** Writes no key, where nothing is known of how keys are made. */
  private static final class NoKeys extends KeyDraft {

    @Override
    boolean write(UTF8String text) {
      return false;
    }

    @Override
    byte[] key() {
      throw new IllegalStateException();
    }

    @Override
    int compareTo(KeyDraft other) {
      throw new IllegalStateException();
    }
  }

  /** Makes and compares keys in memory of its own. */
  public final class Writer {

    private final KeyDraft left;
    private final KeyDraft right;

    private Writer(KeyDraft left, KeyDraft right) {
      this.left = left;
      this.right = right;
    }

    /** A fresh string that holds the key's bytes. */
    public UTF8String key(UTF8String value) {
      return UTF8String.fromBytes(bytes(value));
    }

    private byte[] bytes(UTF8String value) {
      return left.write(trimmed.apply(value)) ? left.key() : keyOf.apply(value);
    }

    /** The order of the keys by unsigned bytes. */
    public int compare(UTF8String a, UTF8String b) {
      int decided = firstDifference.compare(a, b);
      return decided != FirstDifference.UNDECIDED ? decided : compareKeys(a, b);
    }

    private int compareKeys(UTF8String a, UTF8String b) {
      boolean written = left.write(trimmed.apply(a)) && right.write(trimmed.apply(b));
      return written
          ? left.compareTo(right)
          : Arrays.compareUnsigned(keyOf.apply(a), keyOf.apply(b));
    }

    /** Whether the keys are the same. */
    public boolean areEqual(UTF8String a, UTF8String b) {
      return compare(a, b) == 0;
    }
  }
}
