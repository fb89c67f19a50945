// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.bench;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.apache.spark.SparkException;
import org.apache.spark.unsafe.types.UTF8String;

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
    operations = Operations.of(code, collation);
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
}
