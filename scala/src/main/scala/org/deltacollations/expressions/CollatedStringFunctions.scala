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

/** What the searches of this file share; a searcher is made for every task. */
sealed trait CollatedStringFunction extends Expression {

  def search: SparkSearch

  override def nullIntolerant: Boolean = true

  override protected def stringArgs: Iterator[Any] = children.iterator

  @transient protected lazy val searcher: CollatedSearch#Searcher = search.searcher()

  protected def searcher(ctx: CodegenContext): String = {
    val source = ctx.addReferenceObj("search", search, classOf[SparkSearch].getName)
    val kind = classOf[CollatedSearch#Searcher].getCanonicalName
    ctx.addMutableState(kind, "searcher", name => s"$name = $source.searcher();")
  }
}

/** Whether a collated string has `right` in it, at its start or at its end. */
final case class CollatedStringPredicate(
    left: Expression,
    right: Expression,
    place: MatchPosition,
    search: SparkSearch
) extends BinaryExpression
    with Predicate
    with CollatedStringFunction {

  override def prettyName: String = s"collated_${place.method.toLowerCase}"

  override protected def nullSafeEval(text: Any, pattern: Any): Any =
    place.find(searcher, text.asInstanceOf[UTF8String], pattern.asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val found = searcher(ctx)
    defineCodeGen(ctx, ev, (text, pattern) => s"$found.${place.method}($text, $pattern)")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedStringPredicate =
    copy(left = newLeft, right = newRight)
}

/** Where a pattern is looked for. `method` is that of a searcher. */
sealed abstract class MatchPosition(
    val method: String,
    val find: (CollatedSearch#Searcher, UTF8String, UTF8String) => Boolean
) extends Serializable

object MatchPosition {
  case object Anywhere extends MatchPosition("contains", _.contains(_, _))
  case object Start extends MatchPosition("startsWith", _.startsWith(_, _))
  case object End extends MatchPosition("endsWith", _.endsWith(_, _))
}

/** The position of `right` in a collated string, counted from 1, from `start` on; 0 if it is not there. */
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
    val found = searcher(ctx)
    defineCodeGen(ctx, ev, (text, pattern) => s"$found.indexOf($text, $pattern, ${start - 1}) + 1")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): CollatedLocate = copy(left = newLeft, right = newRight)
}

/** A collated string with all that is equal to `second` replaced by `third`. */
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
    val found = searcher(ctx)
    defineCodeGen(
      ctx,
      ev,
      (text, pattern, replacement) => s"$found.replace($text, $pattern, $replacement)"
    )
  }

  override protected def withNewChildrenInternal(
      newFirst: Expression,
      newSecond: Expression,
      newThird: Expression
  ): CollatedReplace = copy(first = newFirst, second = newSecond, third = newThird)
}
