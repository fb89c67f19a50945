// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{
  BinaryOrder,
  CollatedString,
  CollationOrder,
  SparkCollations,
  SparkOrder,
  UnconstrainedString
}
import org.deltacollations.delta.skipping.BoundsPredicate._
import org.deltacollations.protocol.{CollationId, ColumnBounds}

/** From the predicates people write to what can be asked of bounds; nothing, if in doubt. */
object SkippingPredicateBuilder {

  /**
   * The condition that every row has to meet for which `predicate` is true.
   *
   * Conjunctions, disjunctions and most negations are Delta's; it asks for their parts one by one.
   */
  def of(predicate: Expression): Option[CollatedSkippingPredicate] = predicate match {
    case EqualTo(Compared(column), Constant(value)) => column.anyOf(Seq(value))
    case EqualTo(Constant(value), Compared(column)) => column.anyOf(Seq(value))
    case EqualNullSafe(Compared(column), Constant(value)) => column.anyOf(Seq(value))
    case EqualNullSafe(Constant(value), Compared(column)) => column.anyOf(Seq(value))
    case LessThan(Compared(column), Constant(value)) => column.below(value, inclusive = false)
    case LessThan(Constant(value), Compared(column)) => column.above(value, inclusive = false)
    case LessThanOrEqual(Compared(column), Constant(value)) => column.below(value, inclusive = true)
    case LessThanOrEqual(Constant(value), Compared(column)) => column.above(value, inclusive = true)
    case GreaterThan(Compared(column), Constant(value)) => column.above(value, inclusive = false)
    case GreaterThan(Constant(value), Compared(column)) => column.below(value, inclusive = false)
    case GreaterThanOrEqual(Compared(column), Constant(value)) =>
      column.above(value, inclusive = true)
    case GreaterThanOrEqual(Constant(value), Compared(column)) =>
      column.below(value, inclusive = true)
    case StartsWith(Compared(column), Constant(value)) => column.startingWith(value)
    case In(Compared(column), Constants(values)) => column.anyOf(values.flatten)
    case InSet(Compared(column), Values(values)) => column.anyOf(values.flatten)
    case Not(EqualTo(Compared(column), Constant(value))) => column.noneOf(Seq(Some(value)))
    case Not(EqualTo(Constant(value), Compared(column))) => column.noneOf(Seq(Some(value)))
    case Not(In(Compared(column), Constants(values))) => column.noneOf(values)
    case Not(InSet(Compared(column), Values(values))) => column.noneOf(values)
    case _ => None
  }

  /** More ways back from upper case than these are not worth the search. */
  private val MostSources = 256

  /** A column on one side of a comparison, under the collation the comparison is made in. */
  final private case class Compared(
      column: Seq[String],
      collation: CollationId,
      order: CollationOrder,
      isUpper: Boolean
  ) {

    def anyOf(values: Seq[UTF8String]): Option[CollatedSkippingPredicate] = {
      val sources: Seq[Option[Seq[UTF8String]]] = values.map { value =>
        if (!isUpper) Some(Seq(value))
        else
          UpperCasePreimage.sources(value.toString, MostSources).map(_.map(UTF8String.fromString))
      }
      if (values.isEmpty || sources.exists(_.isEmpty)) None
      else Some(condition(AnyOf(sources.flatMap(_.get), order)))
    }

    /** A null among them makes the predicate unknown for every row, which is Spark's to find out. */
    def noneOf(values: Seq[Option[UTF8String]]): Option[CollatedSkippingPredicate] =
      plain(Option.when(values.forall(_.isDefined))(NoneOf(values.flatten)))

    def below(value: UTF8String, inclusive: Boolean): Option[CollatedSkippingPredicate] =
      plain(Some(Below(Limit(value, inclusive))))

    def above(value: UTF8String, inclusive: Boolean): Option[CollatedSkippingPredicate] =
      plain(Some(Above(Limit(value, inclusive))))

    def startingWith(value: UTF8String): Option[CollatedSkippingPredicate] =
      plain(order.letters(value).map(_ => StartingWith(value)))

    private def plain(test: Option[BoundsPredicate]): Option[CollatedSkippingPredicate] =
      test.filterNot(_ => isUpper).map(condition)

    private def condition(test: BoundsPredicate): CollatedSkippingPredicate =
      CollatedSkippingPredicate(column, collation, order, test)
  }

  private object Compared {

    def unapply(side: Expression): Option[Compared] = (side, side.dataType) match {
      // Delta has seen it as it is, and knows what to do with it.
      case (Column(_), BinaryString()) => None
      case (Recollated(column), BinaryString()) =>
        Some(Compared(column, ColumnBounds.Binary, BinaryOrder, isUpper = false))
      case (Recollated(column), CollatedString(string)) => collated(column, string)
      case (Lower(InLowerCase(column)), CollatedString(string)) => collated(column, string)
      case (Upper(InLowerCase(column)), CollatedString(string)) =>
        collated(column, string).map(_.copy(isUpper = true))
      case _ => None
    }

    /** Where an order breaks the laws, its smallest and largest string say nothing of the others. */
    private def collated(column: Seq[String], string: StringType): Option[Compared] = {
      val id = SparkCollations.versionedId(string)
      val order = SparkOrder(id.name)
      Option.when(order.isTotal)(Compared(column, id, order, isUpper = false))
    }
  }

  private object BinaryString {

    def unapply(dataType: DataType): Boolean = dataType match {
      case string: StringType => string.collationId == CollationFactory.UTF8_BINARY_COLLATION_ID
      case _ => false
    }
  }

  /** A column that is compared by UTF8_LCASE, to which lower case makes no difference. */
  private object InLowerCase {

    def unapply(side: Expression): Option[Seq[String]] = side.dataType match {
      case string: StringType
          if CollationFactory.fetchCollation(string.collationId).isUtf8LcaseType =>
        Recollated.unapply(side)
      case _ => None
    }
  }

  /** A string column, with any change of collation on top: those leave its bytes alone. */
  private object Recollated {

    def unapply(side: Expression): Option[Seq[String]] = side match {
      case Collate(inner, _) => unapply(inner)
      case Cast(inner, UnconstrainedString(), _, _)
          if UnconstrainedString.unapply(inner.dataType) => unapply(inner)
      case Column(path) if UnconstrainedString.unapply(side.dataType) => Some(path)
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

  /** A string that is the same for every row. */
  private object Constant {

    def unapply(side: Expression): Option[UTF8String] = side.dataType match {
      case UnconstrainedString() if side.foldable && side.deterministic =>
        Try(side.eval()).toOption.collect { case value: UTF8String => value }
      case _ => None
    }
  }

  /** Each a string or null. */
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
