// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.ColumnNodeToExpressionConverter$;
import org.apache.spark.sql.classic.ExpressionUtils;

/**
 * Converts columns to expressions and back by private members of Spark. Scala compiles them to
 * public methods, so Java can access them.
 */
public final class ColumnConversions {

  private ColumnConversions() {}

  public static Column of(Expression expression) {
    return ExpressionUtils.column(expression);
  }

  public static Expression expression(Column column) {
    return ColumnNodeToExpressionConverter$.MODULE$.apply(column.node());
  }
}
