// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.bench;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.apache.spark.SparkException;
import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.unsafe.types.UTF8String;

import org.deltacollations.collation.SparkSearch;
import org.deltacollations.collation.SparkSortKeys;
import org.deltacollations.collation.search.CollatedSearch;
import org.deltacollations.collation.sortkey.SortKeys;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Runs the cases of Spark's own {@code CollationBenchmark} with Spark's code and with this
 * project's.
 *
 * <p>Every operation takes one or two of 1024 strings of about twenty characters. Results are
 * nanoseconds per operation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CollationBenchmark {

  private static final int STRINGS = 1024;
  private static final String ASCII = "an ba co den el fri gor han is jon ka lu mar nor ol per";
  private static final String EUROPEAN = "an bä co dén el fri gör han is jon ka lú mar nor øl per";

  @Param({"UTF8_LCASE", "UNICODE", "UNICODE_CI"})
  public String collation;

  @Param({"ascii", "european"})
  public String text;

  @Param({"spark", "ours"})
  public String code;

  private final UTF8String[] strings = new UTF8String[STRINGS];
  private UTF8String pattern;
  private Operations operations;

  /** The operations that are measured. */
  interface Operations {
    boolean areEqual(UTF8String left, UTF8String right);

    int compare(UTF8String left, UTF8String right);

    long hash(UTF8String value);

    boolean contains(UTF8String value, UTF8String pattern);

    boolean startsWith(UTF8String value, UTF8String pattern);

    boolean endsWith(UTF8String value, UTF8String pattern);
  }

  /** Generates the strings. */
  @Setup
  public void setup() throws SparkException {
    String[] parts = (text.equals("ascii") ? ASCII : EUROPEAN).split(" ");
    Random random = new Random(1);
    for (int i = 0; i < STRINGS; i++) {
      StringBuilder builder = new StringBuilder();
      for (int part = 0; part < 6; part++) builder.append(parts[random.nextInt(parts.length)]);
      String string = builder.append(random.nextInt(100)).toString();
      strings[i] = UTF8String.fromString(random.nextBoolean() ? string : string.toUpperCase());
    }
    pattern = UTF8String.fromString(parts[1] + parts[2]);
    operations =
        code.equals("ours") ? new ProjectOperations(collation) : new SparkOperations(collation);
  }

  /** Compares with {@code =}. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int equal() {
    int found = 0;
    for (int i = 0; i < STRINGS; i++) {
      if (operations.areEqual(strings[i], strings[(i + 1) % STRINGS])) found++;
    }
    return found;
  }

  /** Compares with {@code <}. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int compare() {
    int sum = 0;
    for (int i = 0; i < STRINGS; i++) {
      sum += operations.compare(strings[i], strings[(i + 1) % STRINGS]);
    }
    return sum;
  }

  /** A hash that is the same for strings that are equal under the collation. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public long hash() {
    long sum = 0;
    for (UTF8String string : strings) sum += operations.hash(string);
    return sum;
  }

  /** Searches a pattern that few strings contain. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int contains() {
    int found = 0;
    for (UTF8String string : strings) if (operations.contains(string, pattern)) found++;
    return found;
  }

  /** Searches the pattern at the start. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int startsWith() {
    int found = 0;
    for (UTF8String string : strings) if (operations.startsWith(string, pattern)) found++;
    return found;
  }

  /** Searches the pattern at the end. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int endsWith() {
    int found = 0;
    for (UTF8String string : strings) if (operations.endsWith(string, pattern)) found++;
    return found;
  }

  private static final class SparkOperations implements Operations {
    private final int id;
    private final CollationFactory.Collation spark;

    SparkOperations(String name) throws SparkException {
      id = CollationFactory.collationNameToId(name);
      spark = CollationFactory.fetchCollation(id);
    }

    @Override
    public boolean areEqual(UTF8String left, UTF8String right) {
      return spark.equalsFunction.apply(left, right);
    }

    @Override
    public int compare(UTF8String left, UTF8String right) {
      return spark.comparator.compare(left, right);
    }

    @Override
    public long hash(UTF8String value) {
      return UTF8String.fromBytes(spark.sortKeyFunction.apply(value)).hashCode();
    }

    @Override
    public boolean contains(UTF8String value, UTF8String pattern) {
      return CollationSupport.Contains.exec(value, pattern, id);
    }

    @Override
    public boolean startsWith(UTF8String value, UTF8String pattern) {
      return CollationSupport.StartsWith.exec(value, pattern, id);
    }

    @Override
    public boolean endsWith(UTF8String value, UTF8String pattern) {
      return CollationSupport.EndsWith.exec(value, pattern, id);
    }
  }

  private static final class ProjectOperations implements Operations {
    private final SortKeys.Writer keys;
    private final CollatedSearch.Searcher search;

    ProjectOperations(String name) {
      keys = new SparkSortKeys(name).writer();
      search = new SparkSearch(name).searcher();
    }

    @Override
    public boolean areEqual(UTF8String left, UTF8String right) {
      return keys.areEqual(left, right);
    }

    @Override
    public int compare(UTF8String left, UTF8String right) {
      return keys.compare(left, right);
    }

    @Override
    public long hash(UTF8String value) {
      return UTF8String.fromBytes(keys.key(value)).hashCode();
    }

    @Override
    public boolean contains(UTF8String value, UTF8String pattern) {
      return search.contains(value, pattern);
    }

    @Override
    public boolean startsWith(UTF8String value, UTF8String pattern) {
      return search.startsWith(value, pattern);
    }

    @Override
    public boolean endsWith(UTF8String value, UTF8String pattern) {
      return search.endsWith(value, pattern);
    }
  }
}
