// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
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

  /** Buffers double, and a key may be many times as long as its string: no array holds that. */
  private static final int LONGEST = 1 << 24;

  /** After so many failures, one string of {@code SELDOM + 1} is tried. */
  private static final int MANY = 16;
  private static final int SELDOM = 0x3F;

  private final UnaryOperator<UTF8String> trimmed;
  private final Function<UTF8String, byte[]> keyOf;
  private final Comparator<UTF8String> comparator;
  private final PrimaryWeightComparator firstDifference;
  private final Supplier<Supplier<SortKeyBuilder>> tables;

  /** Makes drafts that share tables. Threads that race make tables that are as good. */
  private volatile Supplier<SortKeyBuilder> drafts;

  private SortKeys(
      UnaryOperator<UTF8String> trimmed,
      Function<UTF8String, byte[]> keyOf,
      Comparator<UTF8String> comparator,
      PrimaryWeightComparator firstDifference,
      Supplier<Supplier<SortKeyBuilder>> tables) {
    this.trimmed = trimmed;
    this.keyOf = keyOf;
    this.comparator = comparator;
    this.firstDifference = firstDifference;
    this.tables = tables;
  }

  /**
   * For an order by {@code collator}, after {@code trimmed} has cut what does not count.
   *
   * @param keyOf Spark's own sort key of a string, the truth and the fallback
   * @param comparator is known to agree with the keys: it needs less time than two keys to tell two
   *     strings apart
   */
  public static SortKeys ofCollator(
      RuleBasedCollator collator,
      UnaryOperator<UTF8String> trimmed,
      Function<UTF8String, byte[]> keyOf,
      Comparator<UTF8String> comparator) {
    ContractionPairs pairs = new ContractionPairs(collator);
    PrimaryWeightComparator first = PrimaryWeightComparator.ofCollator(collator, pairs, trimmed);
    return new SortKeys(trimmed, keyOf, comparator, first, () -> {
      if (!CollationElements.understand(collator)) return () -> new NoKeys(first);
      CollationElements elements = new CollationElements(collator, pairs);
      AsciiElements ascii = new AsciiElements(elements);
      return () -> new ElementSortKeyBuilder(elements, ascii);
    });
  }

  /** For an order whose key is made one character at a time, after {@code trimmed}. */
  public static SortKeys ofLetters(
      UnaryOperator<UTF8String> trimmed, Function<UTF8String, byte[]> keyOf) {
    PrimaryWeightComparator first = PrimaryWeightComparator.ofKeys(keyOf);
    return new SortKeys(trimmed, keyOf, byKeys(keyOf), first, () -> {
      CodePointKeyTable letters = new CodePointKeyTable(keyOf);
      return () -> new CodePointSortKeyBuilder(letters);
    });
  }

  private static Comparator<UTF8String> byKeys(Function<UTF8String, byte[]> keyOf) {
    return (left, right) -> Arrays.compareUnsigned(keyOf.apply(left), keyOf.apply(right));
  }

  /** Decides most comparisons without keys. */
  public PrimaryWeightComparator firstDifference() {
    return firstDifference;
  }

  /** Not thread-safe: one for each task. The tables behind it are shared and lazily filled. */
  public Writer writer() {
    if (drafts == null) drafts = proven(tables.get());
    return new Writer(drafts.get(), drafts.get());
  }

  /** The form of keys is not part of what a collator promises, so samples of each part are tried. */
  private Supplier<SortKeyBuilder> proven(Supplier<SortKeyBuilder> made) {
    SortKeyBuilder draft = made.get();
    Stream<String> runs = Arrays.stream(RUNS).boxed()
        .flatMap(run -> Stream.of("", "A", "é", "1-a ").map(end -> "a".repeat(run) + end));
    boolean agree = Stream.concat(runs, SCRIPTS.stream())
        .map(UTF8String::fromString)
        .allMatch(text ->
            !draft.write(trimmed.apply(text)) || Arrays.equals(draft.key(), keyOf.apply(text)));
    return agree ? made : () -> new NoKeys(firstDifference);
  }

  /** Around the longest runs of common weights that one or two bytes can count. */
  private static final int[] RUNS = {0, 1, 2, 32, 33, 34, 66, 67, 96, 97, 98, 99, 194, 195};

  /** Lower and higher weights next to some that leave out their first byte. */
  private static final List<String> SCRIPTS = List.of("яя1яaя", "я一яω");

  /** Writes no key, where nothing is known of how keys are made. */
  private static final class NoKeys extends SortKeyBuilder {

    private final PrimaryWeightComparator firstDifference;

    private NoKeys(PrimaryWeightComparator firstDifference) {
      this.firstDifference = firstDifference;
    }

    @Override
    boolean write(UTF8String text) {
      return false;
    }

    @Override
    byte[] key() {
      throw new IllegalStateException();
    }

    @Override
    int compareTo(SortKeyBuilder other) {
      throw new IllegalStateException();
    }

    @Override
    void release() {}

    @Override
    int compare(UTF8String left, UTF8String right) {
      return firstDifference.compare(left, right);
    }
  }

  /** Makes and compares keys in memory of its own. */
  public final class Writer {

    private final SortKeyBuilder left;
    private final SortKeyBuilder right;

    /** In a row. A column of a script that always fails should not pay for every try. */
    private int failures;

    private Writer(SortKeyBuilder left, SortKeyBuilder right) {
      this.left = left;
      this.right = right;
    }

    /** Returns the sort key in a new array. */
    public byte[] key(UTF8String value) {
      boolean written = write(left, trimmed.apply(value));
      byte[] key = written ? left.key() : keyOf.apply(value);
      left.release();
      return key;
    }

    private boolean write(SortKeyBuilder draft, UTF8String text) {
      boolean worthATry = failures < MANY || (failures & SELDOM) == 0;
      boolean written = worthATry && text.numBytes() <= LONGEST && draft.write(text);
      failures = written ? 0 : failures + 1;
      return written;
    }

    /** The order of the keys by unsigned bytes. */
    public int compare(UTF8String a, UTF8String b) {
      int decided = firstDifference.byFirstLetter(a, b);
      if (decided != PrimaryWeightComparator.UNDECIDED) return decided;
      UTF8String shortA = trimmed.apply(a);
      UTF8String shortB = trimmed.apply(b);
      decided = left.compare(shortA, shortB);
      if (decided != PrimaryWeightComparator.UNDECIDED) return decided;
      boolean written = write(left, shortA) && write(right, shortB);
      int order = written ? left.compareTo(right) : comparator.compare(a, b);
      left.release();
      right.release();
      return order;
    }

    /** Whether the keys are the same. */
    public boolean areEqual(UTF8String a, UTF8String b) {
      return compare(a, b) == 0;
    }
  }
}
