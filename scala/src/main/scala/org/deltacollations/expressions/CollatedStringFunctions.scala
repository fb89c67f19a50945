// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  BinaryExpression,
  Expression,
  Predicate,
  TernaryExpression
}
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.SparkSearch
import org.deltacollations.collation.search.CollatedSearch

/** Searches in a collated string. Every task has its own searcher. */
sealed trait CollatedStringFunction extends Expression {

  def search: SparkSearch

  override def nullIntolerant: Boolean = true

  override protected def stringArgs: Iterator[Any] = children.iterator

  @transient protected lazy val searcher: CollatedSearch#Searcher = search.searcher()

  /** Adds a searcher to the generated code and returns the name of its variable. */
  protected def searcher(ctx: CodegenContext): String = {
    val searchReference = ctx.addReferenceObj("search", search, classOf[SparkSearch].getName)
    val searcherClass = classOf[CollatedSearch#Searcher].getCanonicalName
    ctx.addMutableState(searcherClass, "searcher", name => s"$name = $searchReference.searcher();")
  }
}

/** Computes `contains`, `startswith` or `endswith` of a collated string. */
final case class CollatedStringPredicate(
    left: Expression,
    right: Expression,
    position: MatchPosition,
    search: SparkSearch
) extends BinaryExpression
    with Predicate
    with CollatedStringFunction {

  override def prettyName: String = s"collated_${position.method.toLowerCase}"

  override protected def nullSafeEval(text: Any, pattern: Any): Any =
    position.matches(searcher, text.asInstanceOf[UTF8String], pattern.asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val searcherName = searcher(ctx)
    defineCodeGen(ctx, ev, (text, pattern) => s"$searcherName.${position.method}($text, $pattern)")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedStringPredicate =
    copy(left = newLeft, right = newRight)
}

/**
 * The position at which a string must contain a pattern.
 *
 * @param method
 *   the name of the searcher's method, for generated code
 * @param matches
 *   calls the same method
 */
sealed abstract class MatchPosition(
    val method: String,
    val matches: (CollatedSearch#Searcher, UTF8String, UTF8String) => Boolean
) extends Serializable

object MatchPosition {
  case object Anywhere extends MatchPosition("contains", _.contains(_, _))
  case object Start extends MatchPosition("startsWith", _.startsWith(_, _))
  case object End extends MatchPosition("endsWith", _.endsWith(_, _))
}

/**
 * Computes `instr` or `locate`: the 1-based position of the first occurrence of `right` in a
 * collated string that begins at `start` or later, or 0.
 */
final case class CollatedLocate(
    left: Expression,
    right: Expression,
    start: Int,
    search: SparkSearch
) extends BinaryExpression
    with CollatedStringFunction {

  override def dataType: DataType = IntegerType

  override def prettyName: String = "collated_locate"

  override protected def nullSafeEval(text: Any, pattern: Any): Any =
    searcher
      .indexOf(text.asInstanceOf[UTF8String], pattern.asInstanceOf[UTF8String], start - 1) + 1

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val searcherName = searcher(ctx)
    defineCodeGen(
      ctx,
      ev,
      (text, pattern) => s"$searcherName.indexOf($text, $pattern, ${start - 1}) + 1"
    )
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedLocate = copy(left = newLeft, right = newRight)
}

/** Computes `replace`: a collated string with all occurrences of `second` replaced by `third`. */
final case class CollatedReplace(
    first: Expression,
    second: Expression,
    third: Expression,
    search: SparkSearch
) extends TernaryExpression
    with CollatedStringFunction {

  override def dataType: DataType = first.dataType

  override def prettyName: String = "collated_replace"

  override protected def nullSafeEval(text: Any, pattern: Any, replacement: Any): Any =
    searcher.replace(
      text.asInstanceOf[UTF8String],
      pattern.asInstanceOf[UTF8String],
      replacement.asInstanceOf[UTF8String]
    )

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val searcherName = searcher(ctx)
    defineCodeGen(
      ctx,
      ev,
      (text, pattern, replacement) => s"$searcherName.replace($text, $pattern, $replacement)"
    )
  }

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression
  ): CollatedReplace = copy(first = newFirst, second = newSecond, third = newThird)
}
