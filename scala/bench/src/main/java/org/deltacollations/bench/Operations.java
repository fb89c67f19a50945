// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.bench;

import org.apache.spark.SparkException;
import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.unsafe.types.UTF8String;

import org.deltacollations.collation.SparkSearch;
import org.deltacollations.collation.SparkSortKeys;
import org.deltacollations.collation.search.CollatedSearch;
import org.deltacollations.collation.sortkey.SortKeys;

/** The operations that are measured. */
interface Operations {

  boolean areEqual(UTF8String left, UTF8String right);

  int compare(UTF8String left, UTF8String right);

  byte[] key(UTF8String value);

  boolean contains(UTF8String value, UTF8String pattern);

  boolean startsWith(UTF8String value, UTF8String pattern);

  boolean endsWith(UTF8String value, UTF8String pattern);

  int locate(UTF8String value, UTF8String pattern);

  /** A hash that is the same for strings that are equal under the collation. */
  default long hash(UTF8String value) {
    return UTF8String.fromBytes(key(value)).hashCode();
  }

  /** Returns the operations of Spark, of this project, or of strings without a collation. */
  static Operations of(String code, String collation) throws SparkException {
    return switch (code) {
      case "ours" -> new ProjectOperations(collation);
      case "spark" -> new SparkOperations(collation);
      case "bytes" -> new BinaryOperations();
      default -> throw new IllegalArgumentException(code);
    };
  }

  /** Spark's code. */
  final class SparkOperations implements Operations {
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
    public byte[] key(UTF8String value) {
      return spark.sortKeyFunction.apply(value);
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

    @Override
    public int locate(UTF8String value, UTF8String pattern) {
      return CollationSupport.StringLocate.exec(value, pattern, 0, id);
    }
  }

  /** This project's code. */
  final class ProjectOperations implements Operations {
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
    public byte[] key(UTF8String value) {
      return keys.key(value);
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

    @Override
    public int locate(UTF8String value, UTF8String pattern) {
      return search.indexOf(value, pattern, 0);
    }
  }

  /** The code that Spark runs for strings without a collation. */
  final class BinaryOperations implements Operations {

    @Override
    public boolean areEqual(UTF8String left, UTF8String right) {
      return left.equals(right);
    }

    @Override
    public int compare(UTF8String left, UTF8String right) {
      return left.compareTo(right);
    }

    @Override
    public byte[] key(UTF8String value) {
      return value.copy().getBytes();
    }

    @Override
    public boolean contains(UTF8String value, UTF8String pattern) {
      return value.contains(pattern);
    }

    @Override
    public boolean startsWith(UTF8String value, UTF8String pattern) {
      return value.startsWith(pattern);
    }

    @Override
    public boolean endsWith(UTF8String value, UTF8String pattern) {
      return value.endsWith(pattern);
    }

    @Override
    public int locate(UTF8String value, UTF8String pattern) {
      return value.indexOf(pattern, 0);
    }
  }
}
