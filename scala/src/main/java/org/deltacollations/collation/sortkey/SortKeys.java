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

import org.deltacollations.collation.segment.ContractionPairs;

/**
 * Computes the sort keys of a collation. Strings compare as their keys do, as unsigned bytes. The
 * keys are byte-identical to Spark's, so keys from both can be mixed.
 *
 * <p>Spark decodes every string and calls the collator for each character. This class builds most
 * keys directly from UTF-8, with tables read from the same collator. Spark's own function is the
 * fallback if the tables cannot guarantee the result, be it for a single combining mark or for a
 * whole collation.
 */
public final class SortKeys {

  /**
   * Longer strings use the fallback. A key may be many times as long as its string, and buffers
   * double, so they would exceed the maximum size of an array.
   */
  private static final int MAX_STRING_LENGTH = 1 << 24;

  /** After this many failures in a row, only one of {@code RETRY_MASK + 1} strings is attempted. */
  private static final int MAX_FAILURES = 16;
  private static final int RETRY_MASK = 0x3F;

  private final UnaryOperator<UTF8String> trim;
  private final Function<UTF8String, byte[]> keyOf;
  private final Comparator<UTF8String> comparator;
  private final PrimaryWeightComparator primaryComparator;
  private final Supplier<Supplier<SortKeyBuilder>> createBuilders;

  /** Creates builders that share tables. Racing threads create equivalent tables. */
  private volatile Supplier<SortKeyBuilder> builders;

  private SortKeys(
      UnaryOperator<UTF8String> trim,
      Function<UTF8String, byte[]> keyOf,
      Comparator<UTF8String> comparator,
      PrimaryWeightComparator primaryComparator,
      Supplier<Supplier<SortKeyBuilder>> createBuilders) {
    this.trim = trim;
    this.keyOf = keyOf;
    this.comparator = comparator;
    this.primaryComparator = primaryComparator;
    this.createBuilders = createBuilders;
  }

  /**
   * Creates the keys of a collation that applies {@code trim} and then {@code collator}.
   *
   * @param keyOf Spark's sort key function, which defines the result and is the fallback
   * @param comparator must agree with the keys; it is faster than building and comparing two keys
   */
  public static SortKeys ofCollator(
      RuleBasedCollator collator,
      UnaryOperator<UTF8String> trim,
      Function<UTF8String, byte[]> keyOf,
      Comparator<UTF8String> comparator) {
    ContractionPairs pairs = new ContractionPairs(collator);
    PrimaryWeightComparator primary = PrimaryWeightComparator.ofCollator(collator, pairs, trim);
    return new SortKeys(trim, keyOf, comparator, primary, () -> {
      if (!CollationElements.supports(collator)) return () -> new NoTables(primary);
      CollationElements elements = new CollationElements(collator, pairs);
      AsciiElements ascii = new AsciiElements(elements);
      return () -> new ElementSortKeyBuilder(elements, ascii);
    });
  }

  /**
   * Creates the keys of a collation that applies {@code trim} and then concatenates the keys of
   * single code points, such as UTF8_LCASE.
   */
  public static SortKeys ofCodePoints(
      UnaryOperator<UTF8String> trim, Function<UTF8String, byte[]> keyOf) {
    PrimaryWeightComparator primary = PrimaryWeightComparator.ofKeys(keyOf);
    return new SortKeys(trim, keyOf, byKeys(keyOf), primary, () -> {
      CodePointKeyTable table = new CodePointKeyTable(keyOf);
      return () -> new CodePointSortKeyBuilder(table);
    });
  }

  private static Comparator<UTF8String> byKeys(Function<UTF8String, byte[]> keyOf) {
    return (left, right) -> Arrays.compareUnsigned(keyOf.apply(left), keyOf.apply(right));
  }

  /** Returns a comparator that decides most comparisons without keys. */
  public PrimaryWeightComparator primaryComparator() {
    return primaryComparator;
  }

  /** Returns a new writer for one task. All writers share the tables, which are filled lazily. */
  public Writer writer() {
    if (builders == null) builders = verified(createBuilders.get());
    return new Writer(builders.get(), builders.get());
  }

  /**
   * Compares the keys of samples with Spark's. The format of sort keys is not part of ICU's API and
   * may change.
   */
  private Supplier<SortKeyBuilder> verified(Supplier<SortKeyBuilder> candidate) {
    SortKeyBuilder builder = candidate.get();
    Stream<String> runs = Arrays.stream(RUN_LENGTHS).boxed()
        .flatMap(run -> Stream.of("", "A", "é", "1-a ").map(end -> "a".repeat(run) + end));
    boolean agree = Stream.concat(runs, MIXED_SCRIPTS.stream())
        .map(UTF8String::fromString)
        .allMatch(sample -> !builder.write(trim.apply(sample))
            || Arrays.equals(builder.key(), keyOf.apply(sample)));
    return agree ? candidate : () -> new NoTables(primaryComparator);
  }

  /** Lengths around the longest runs of common weights that are written as one or two bytes. */
  private static final int[] RUN_LENGTHS = {0, 1, 2, 32, 33, 34, 66, 67, 96, 97, 98, 99, 194, 195};

  /** Lower and higher primary weights next to ones with a compressible lead byte. */
  private static final List<String> MIXED_SCRIPTS = List.of("яя1яaя", "я一яω");

  /** Writes no keys. Used if the tables do not reproduce the keys of a collation. */
  private static final class NoTables extends SortKeyBuilder {

    private final PrimaryWeightComparator primaryComparator;

    private NoTables(PrimaryWeightComparator primaryComparator) {
      this.primaryComparator = primaryComparator;
    }

    @Override
    boolean write(UTF8String string) {
      return false;
    }

    @Override
    boolean writePrefix(UTF8String string) {
      return false;
    }

    @Override
    long prefix() {
      throw new IllegalStateException();
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
      return primaryComparator.compare(left, right);
    }
  }

  /** Computes and compares keys in its own buffers. Not thread-safe. */
  public final class Writer {

    private final SortKeyBuilder left;
    private final SortKeyBuilder right;

    /** Failures in a row. A column that always fails should not pay for an attempt per string. */
    private int failures;

    private Writer(SortKeyBuilder left, SortKeyBuilder right) {
      this.left = left;
      this.right = right;
    }

    /** Returns the sort key in a new array. */
    public byte[] key(UTF8String value) {
      boolean written = write(left, trim.apply(value));
      byte[] key = written ? left.key() : keyOf.apply(value);
      left.release();
      return key;
    }

    /**
     * Returns a number that is at most as high for a lower key, if compared as an unsigned one: the first
     * primary weights. Much faster than a key.
     */
    public long prefix(UTF8String value) {
      boolean written = isWorthAnAttempt() && left.writePrefix(trim.apply(value));
      count(written);
      if (written) return left.prefix();
      byte[] key = keyOf.apply(value);
      return SortKeyBuilder.prefix(key, key.length);
    }

    private boolean write(SortKeyBuilder builder, UTF8String string) {
      boolean written = isWorthAnAttempt() && string.numBytes() <= MAX_STRING_LENGTH
          && builder.write(string);
      count(written);
      return written;
    }

    private boolean isWorthAnAttempt() {
      return failures < MAX_FAILURES || (failures & RETRY_MASK) == 0;
    }

    private void count(boolean written) {
      failures = written ? 0 : failures + 1;
    }

    /** Compares two strings as their keys compare as unsigned bytes. */
    public int compare(UTF8String a, UTF8String b) {
      int sign = primaryComparator.compareFirstLatin(a, b);
      if (sign != PrimaryWeightComparator.UNDECIDED) return sign;
      UTF8String trimmedA = trim.apply(a);
      UTF8String trimmedB = trim.apply(b);
      sign = left.compare(trimmedA, trimmedB);
      if (sign != PrimaryWeightComparator.UNDECIDED) return sign;
      boolean written = write(left, trimmedA) && write(right, trimmedB);
      int order = written ? left.compareTo(right) : comparator.compare(a, b);
      left.release();
      right.release();
      return order;
    }

    /** Returns whether two strings have the same key. */
    public boolean areEqual(UTF8String a, UTF8String b) {
      return compare(a, b) == 0;
    }
  }
}
