// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping;

import java.lang.reflect.Method;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.delta.stats.DataSkippingPredicate;
import org.apache.spark.sql.delta.stats.DataSkippingReaderBase;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Set$;

/**
 * Gives access to members of Delta's data skipping that are protected or private in Scala only.
 *
 * <p>Predicates are passed as {@code Object}: a signature with Delta's class would load it too early.
 */
final class DataSkippingAccess {

  private DataSkippingAccess() {}

  /** Returns a predicate that handles files without statistics by itself. */
  static Object predicate(Column filter) {
    return new DataSkippingPredicate(filter, Set$.MODULE$.empty());
  }

  static Column filter(Object predicate) {
    return ((DataSkippingPredicate) predicate).expr();
  }

  /** Returns whether a file has all statistics that Delta's own part of the filter uses. */
  static Column hasStats(DataSkippingReaderBase files, Object predicate) {
    return files.verifyStatsForFilter(((DataSkippingPredicate) predicate).referencedStats());
  }

  /** Returns a statistic of a column, or a null literal. The path of the column is in reverse order. */
  static Column statistic(DataSkippingReaderBase files, String name, Seq<String> column) {
    return files.getStatsColumnOrNullLiteral(name, column);
  }

  /** Returns the files with parsed statistics, as Delta does before it caches them. */
  @SuppressWarnings("unchecked")
  static Dataset<Row> parsedFiles(Object files) throws ReflectiveOperationException {
    Method parse = DataSkippingReaderBase.class.getDeclaredMethod("withStatsInternal0");
    parse.setAccessible(true);
    return (Dataset<Row>) parse.invoke(files);
  }
}
