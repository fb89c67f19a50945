// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness;

import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Hex;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.StringType;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;

/** A wrong optimizer rule that compares collated strings by their bytes. Tests must detect it. */
public final class ByteEquality extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return (LogicalPlan) plan.transformAllExpressions(new Rewrite());
    }

    private static final class Rewrite extends AbstractPartialFunction<Expression, Expression> {

        @Override
        public boolean isDefinedAt(Expression each) {
            return each instanceof EqualTo
                    && isCollated(((EqualTo) each).left())
                    && isCollated(((EqualTo) each).right());
        }

        @Override
        @SuppressWarnings("unchecked")
        public <A extends Expression, B> B applyOrElse(A each, Function1<A, B> otherwise) {
            if (!isDefinedAt(each)) {
                return otherwise.apply(each);
            }
            EqualTo equality = (EqualTo) each;
            return (B) new EqualTo(new Hex(equality.left()), new Hex(equality.right()));
        }

        private static boolean isCollated(Expression each) {
            // Hex keeps the collation, and the optimizer applies the rule until nothing changes.
            return !(each instanceof Hex)
                    && each.dataType() instanceof StringType
                    && ((StringType) each.dataType()).collationId() != 0;
        }
    }
}
