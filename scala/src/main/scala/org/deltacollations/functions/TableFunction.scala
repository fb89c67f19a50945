// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.errors.CollationsErrors

/** Declares table functions whose arguments are string literals. */
object TableFunction {

  type Description = SparkSessionExtensions#TableFunctionDescription

  /**
   * Describes a table function for `SparkSessionExtensions.injectTableFunction`.
   *
   * @param parameters
   *   the names of all parameters, for `DESCRIBE FUNCTION` and errors
   * @param usage
   *   a sentence that says what the function returns, for `DESCRIBE FUNCTION`
   * @param build
   *   builds the plan for the arguments; it is not defined for wrong numbers of arguments
   */
  def apply(name: String, parameters: String*)(usage: String)(
      build: PartialFunction[Seq[String], LogicalPlan]
  ): Description = {
    val call = parameters.map(parameter => s"'$parameter'").mkString(s"$name(", ", ", ")")
    val none = ""
    val info = new ExpressionInfo(
      getClass.getName,
      null,
      name,
      s"$call - $usage",
      none,
      none,
      none,
      none,
      none,
      none,
      "built-in"
    )
    (
      FunctionIdentifier(name),
      info,
      arguments =>
        UnresolvedFunctionCall { () =>
          val strings = arguments.flatMap(stringValue)
          if (strings.size == arguments.size && build.isDefinedAt(strings)) build(strings)
          else throw CollationsErrors.invalidArgument(name, arguments.map(_.sql), call)
        }
    )
  }

  private def stringValue(argument: Expression): Option[String] = argument.dataType match {
    case _: StringType if argument.foldable =>
      Option(argument.eval()).collect { case value: UTF8String => value.toString }
    case _ => None
  }
}
