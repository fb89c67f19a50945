// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{
  CoarserCollations,
  CollatedString,
  SparkCollations,
  UnconstrainedString
}
import org.deltacollations.delta.skipping.BoundsPredicate._
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative
import org.deltacollations.protocol.ColumnBounds

/** Translates a predicate of a query into one on the bounds of files; into nothing if in doubt. */
object SkippingPredicateBuilder {

  /**
   * Returns a condition that holds for every row for which `predicate` is true.
   *
   * Delta handles conjunctions, disjunctions and most negations, and calls this for their operands.
   */
  def of(predicate: Expression): Option[CollatedSkippingPredicate] = predicate match {
    case EqualTo(CollatedOperand(column), Constant(value)) => column.anyOf(Seq(value))
    case EqualTo(Constant(value), CollatedOperand(column)) => column.anyOf(Seq(value))
    case EqualNullSafe(CollatedOperand(column), Constant(value)) => column.anyOf(Seq(value))
    case EqualNullSafe(Constant(value), CollatedOperand(column)) => column.anyOf(Seq(value))
    case LessThan(CollatedOperand(column), Constant(value)) =>
      column.below(value, inclusive = false)
    case LessThan(Constant(value), CollatedOperand(column)) =>
      column.above(value, inclusive = false)
    case LessThanOrEqual(CollatedOperand(column), Constant(value)) =>
      column.below(value, inclusive = true)
    case LessThanOrEqual(Constant(value), CollatedOperand(column)) =>
      column.above(value, inclusive = true)
    case GreaterThan(CollatedOperand(column), Constant(value)) =>
      column.above(value, inclusive = false)
    case GreaterThan(Constant(value), CollatedOperand(column)) =>
      column.below(value, inclusive = false)
    case GreaterThanOrEqual(CollatedOperand(column), Constant(value)) =>
      column.above(value, inclusive = true)
    case GreaterThanOrEqual(Constant(value), CollatedOperand(column)) =>
      column.below(value, inclusive = true)
    case StartsWith(CollatedOperand(column), Constant(value)) => column.startingWith(value)
    case In(CollatedOperand(column), Constants(values)) => column.anyOf(values.flatten)
    case InSet(CollatedOperand(column), Values(values)) => column.anyOf(values.flatten)
    case Not(EqualTo(CollatedOperand(column), Constant(value))) => column.noneOf(Seq(Some(value)))
    case Not(EqualTo(Constant(value), CollatedOperand(column))) => column.noneOf(Seq(Some(value)))
    case Not(In(CollatedOperand(column), Constants(values))) => column.noneOf(values)
    case Not(InSet(CollatedOperand(column), Values(values))) => column.noneOf(values)
    case _ => None
  }

  /** The maximum number of preimages under `upper` that are worth comparing. */
  private val MaxPreimages = 256

  /**
   * A column on one side of a comparison.
   *
   * @param compared
   *   the name of the collation of the comparison
   * @param own
   *   this collation, if it is a total order: under any other, the minimum is not a lower bound
   * @param coarser
   *   the collations under which equal strings are equal too, and smaller strings are not greater
   * @param equal
   *   further collations under which equal strings are equal too
   */
  final private case class CollatedOperand(
      column: Seq[String],
      compared: String,
      own: Option[BoundsCollation],
      coarser: Seq[BoundsCollation] = Nil,
      equal: Seq[BoundsCollation] = Nil,
      isUpper: Boolean = false
  ) {

    def anyOf(values: Seq[UTF8String]): Option[CollatedSkippingPredicate] = {
      val preimages: Seq[Option[Seq[UTF8String]]] = values.map { value =>
        if (!isUpper) Some(Seq(value))
        else
          UpperCasePreimage.preimages(value.toString, MaxPreimages)
            .map(_.map(UTF8String.fromString))
      }
      if (values.isEmpty || preimages.exists(_.isEmpty)) None
      else
        condition((own ++ coarser ++ equal).map { collation =>
          collation.where(AnyOf(preimages.flatMap(_.get), collation.order))
        })
    }

    /** A NULL in the list makes the predicate NULL for every row, so it is left to Spark. */
    def noneOf(values: Seq[Option[UTF8String]]): Option[CollatedSkippingPredicate] =
      unlessUpper(own.filter(_ => values.forall(_.isDefined))
        .map(_.where(NoneOf(values.flatten))).toSeq)

    def below(value: UTF8String, inclusive: Boolean): Option[CollatedSkippingPredicate] =
      compared(inclusive)(inclusive => Below(Limit(value, inclusive)))

    def above(value: UTF8String, inclusive: Boolean): Option[CollatedSkippingPredicate] =
      compared(inclusive)(inclusive => Above(Limit(value, inclusive)))

    /** Under a coarser collation, a smaller string may be equal. */
    private def compared(inclusive: Boolean)(
        predicate: Boolean => BoundsPredicate
    ): Option[CollatedSkippingPredicate] =
      unlessUpper(own.map(_.where(predicate(inclusive))).toSeq ++
        coarser.map(_.where(predicate(true))))

    /** Strings with a prefix are adjacent under the coarsest collation, for which all bounds hold. */
    def startingWith(value: UTF8String): Option[CollatedSkippingPredicate] = {
      val coarsest = coarser.lastOption.orElse(own).map(_.order)
      unlessUpper(for {
        order <- coarsest.toSeq
        key <- order.prefixKey(value).toSeq
        collation <- own ++ coarser
      } yield Alternative(collation.id, order, StartingWith(value, key)))
    }

    private def unlessUpper(alternatives: Seq[Alternative]): Option[CollatedSkippingPredicate] =
      if (isUpper) None else condition(alternatives)

    private def condition(alternatives: Iterable[Alternative]): Option[CollatedSkippingPredicate] =
      Option.when(alternatives.nonEmpty)(
        CollatedSkippingPredicate(column, compared, alternatives.toSeq)
      )
  }

  private object CollatedOperand {

    def unapply(side: Expression): Option[CollatedOperand] = (side, side.dataType) match {
      // Delta itself skips by UTF8_BINARY columns.
      case (Column(_), BinaryString()) => None
      case (ColumnUnderCasts(column, declared), BinaryString()) => Some(binary(column, declared))
      case (ColumnUnderCasts(column, _), CollatedString(string)) => Some(collated(column, string))
      case (Lower(LowercaseColumn(column)), CollatedString(string)) =>
        Some(collated(column, string))
      case (Upper(LowercaseColumn(column)), CollatedString(string)) =>
        Some(collated(column, string).copy(isUpper = true))
      case _ => None
    }

    private def collated(column: Seq[String], string: StringType): CollatedOperand =
      CollatedOperand(
        column,
        CollatedString.nameOf(string),
        BoundsCollation.own(string),
        BoundsCollation.coarser(string)
      )

    /** Strings with the same bytes are equal in every collation, also in that of the column. */
    private def binary(column: Seq[String], declared: StringType): CollatedOperand =
      CollatedOperand(
        column,
        ColumnBounds.Binary.name,
        Some(BoundsCollation.Binary),
        equal = CollatedString.unapply(declared).flatMap(CoarserCollations.forStatistics)
          .map(BoundsCollation(_)).toSeq
      )
  }

  private object BinaryString {

    def unapply(dataType: DataType): Boolean = dataType match {
      case string: StringType => SparkCollations.isUtf8Binary(string)
      case _ => false
    }
  }

  /** A column that is compared by UTF8_LCASE, under which `lower` does not change a string. */
  private object LowercaseColumn {

    def unapply(side: Expression): Option[Seq[String]] = side.dataType match {
      case string: StringType if SparkCollations.isUtf8Lcase(string) =>
        ColumnUnderCasts.unapply(side).map { case (column, _) => column }
      case _ => None
    }
  }

  /**
   * A string column with its type, possibly under casts to other collations, which do not change its
   * bytes.
   */
  private object ColumnUnderCasts {

    def unapply(side: Expression): Option[(Seq[String], StringType)] =
      (side, side.dataType) match {
        case (Collate(inner, _), _) => unapply(inner)
        case (Cast(inner, UnconstrainedString(), _, _), _)
            if UnconstrainedString.unapply(inner.dataType) => unapply(inner)
        case (Column(path), string: StringType) if UnconstrainedString.unapply(string) =>
          Some(path -> string)
        case _ => None
      }
  }

  private object Column {

    def unapply(side: Expression): Option[Seq[String]] = side match {
      case attribute: Attribute => Some(Seq(attribute.name))
      case field @ GetStructField(Column(parents), ordinal, _) =>
        Some(parents :+ field.childSchema(ordinal).name)
      case _ => None
    }
  }

  /** A constant string. */
  private object Constant {

    def unapply(side: Expression): Option[UTF8String] = side.dataType match {
      case UnconstrainedString() if side.foldable && side.deterministic =>
        Try(side.eval()).toOption.collect { case value: UTF8String => value }
      case _ => None
    }
  }

  /** Constant strings and NULLs. */
  private object Constants {

    def unapply(sides: Seq[Expression]): Option[Seq[Option[UTF8String]]] =
      if (sides.forall(side => side.foldable && side.deterministic))
        Try(sides.map(_.eval())).toOption.flatMap(Values.unapply)
      else None
  }

  private object Values {

    def unapply(values: Iterable[Any]): Option[Seq[Option[UTF8String]]] = {
      val strings = values.toSeq.collect {
        case value: UTF8String => Some(value)
        case null => None
      }
      Option.when(strings.size == values.size)(strings)
    }
  }
}
