// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{BinaryOrder, SparkCollations, SparkOrder}
import org.deltacollations.delta.skipping.BoundsPredicate._
import org.deltacollations.delta.stats.BoundTruncation
import org.deltacollations.testutil.{AgainstSpark, Strings}
import org.scalatest.funsuite.AnyFunSuite

class SkippingPredicateBuilderSuite extends AnyFunSuite {

  private val Seed = 20260301L

  private val collations =
    """UTF8_LCASE UTF8_LCASE_RTRIM UTF8_BINARY_RTRIM UNICODE UNICODE_CI UNICODE_CI_AI UNICODE_RTRIM
      |UNICODE_CI_RTRIM de_CI sv tr_CI hr cs da_CI el_CI_AI UNICODE_AI th th_CI fr_CAN da_AI
      |fr_CAN_CI_RTRIM""".stripMargin.split("\\s").toSeq

  for (collation <- collations)
    test(s"a file with a match is never skipped under $collation") {
      val files = Iterator.tabulate(1500)(number => new File(collation, Seed + number)).toSeq
      assert(files.flatMap(_.lost) === Nil)
      // Otherwise the test would pass by reading everything.
      assert(files.count(_.isSkipped) > 150)
    }

  test("a file with a match is never skipped under any collation of Spark") {
    val files = AgainstSpark.collations.zipWithIndex.flatMap { case (collation, index) =>
      Seq.tabulate(25)(number => new File(collation, Strings.Seed + 25 * index + number))
    }
    assert(files.flatMap(_.lost) === Nil)
    assert(files.count(_.isSkipped) > files.size / 10)
  }

  for (collation <- Seq("UNICODE_CI", "UNICODE_AI", "th"))
    test(s"a maximum that is too small is detected under $collation") {
      val files = Iterator.tabulate(1500)(number => new File(collation, Seed + number))
      assert(files.exists(_.lostBelow(UTF8String.fromString(""))))
    }

  /** A file with some strings, and a random predicate. */
  final private class File(collation: String, seed: Long) {

    private val random = new Random(seed)
    private val strings = new Strings(seed)
    private val string = StringType(collation)
    private val name = AttributeReference("name", string)()

    private val words =
      if (random.nextBoolean()) strings.variants(12).filter(_.isValid)
      else Seq.fill(12)(strings.asciiWord())
    private val rows = words.take(1 + random.nextInt(5)).map(_.makeValid())
    private val predicate = anyPredicate()
    private val condition = SkippingPredicateBuilder.of(predicate)

    private lazy val bounds = for {
      found <- condition.toSeq
      alternative <- found.alternatives
      name = alternative.collation.name
      order = if (name == "UTF8_BINARY") BinaryOrder else SparkOrder(name)
      ordered = rows.sorted(Ordering.comparatorToOrdering(order.compare _))
      prefix = 1 + random.nextInt(6)
      min <- BoundTruncation.truncateMin(ordered.head, prefix, order)
      max <- BoundTruncation.truncateMax(ordered.last, prefix, order)
    } yield (alternative, min, max)

    lazy val isSkipped: Boolean = bounds.exists { case (alternative, min, max) =>
      !alternative.predicate.mayMatch(min, max, alternative.order)
    }

    private lazy val matches = rows.filter { row =>
      predicate.transform { case `name` => Literal(row, string) }.eval() == true
    }

    def lost: Seq[String] =
      if (isSkipped) matches.map(row => s"$row: $predicate, seed $seed") else Nil

    def lostBelow(max: UTF8String): Boolean = bounds.exists { case (alternative, min, _) =>
      matches.nonEmpty && !alternative.predicate.mayMatch(min, max, alternative.order)
    }

    private def value(): Literal = Literal(pick(words), string)

    private def pick[T](choices: Seq[T]): T = choices(random.nextInt(choices.size))

    private def column(): Expression = random.nextInt(6) match {
      case 0 => Collate(Collate(name, ResolvedCollation("UNICODE")), ResolvedCollation(collation))
      case 1 => Lower(name)
      case 2 => Upper(name)
      case _ => name
    }

    private def anyPredicate(): Expression = random.nextInt(12) match {
      case 0 => EqualTo(column(), value())
      case 1 => EqualTo(value(), column())
      case 2 => EqualNullSafe(column(), value())
      case 3 => LessThan(column(), value())
      case 4 => LessThanOrEqual(value(), column())
      case 5 => GreaterThan(column(), value())
      case 6 => GreaterThanOrEqual(value(), column())
      case 7 => In(column(), Seq.fill(1 + random.nextInt(4))(value()))
      case 8 => InSet(column(), Set.fill(1 + random.nextInt(4))(value().value))
      case 9 => Not(EqualTo(column(), value()))
      case 10 => Not(In(column(), Seq.fill(1 + random.nextInt(3))(value())))
      case 11 => StartsWith(column(), value())
    }
  }

  private val people = new StructType()
    .add("name", StringType("UNICODE_CI"))
    .add("nick", StringType("UTF8_LCASE"))
    .add("plain", StringType)
    .add("order", StringType("UNICODE_AI"))
    .add("home", new StructType().add("city", StringType("sv")))

  private val columns = people.fields.map { field =>
    field.name -> AttributeReference(field.name, field.dataType)()
  }.toMap

  private val name = columns("name")

  private def text(value: String, collation: String = "UNICODE_CI"): Literal =
    Literal(UTF8String.fromString(value), StringType(collation))

  /** The column and the collation of the first bounds to evaluate. */
  private def found(predicate: Expression): Option[(String, String)] =
    SkippingPredicateBuilder.of(predicate).map(condition =>
      condition.column.mkString(".") ->
        condition.alternatives.head.collation.unversioned.toString
    )

  /** The collations of all bounds to evaluate. */
  private def all(predicate: Expression): Seq[String] =
    SkippingPredicateBuilder.of(predicate).toSeq.flatMap(_.alternatives).map(_.collation.name)

  test("a condition has the collation of the comparison, not that of the column") {
    val binary = Cast(name, StringType)
    val other = Collate(name, ResolvedCollation("UTF8_LCASE"))

    assert(found(EqualTo(name, text("x"))) === Some("name" -> "icu.UNICODE_CI"))
    assert(found(EqualTo(other, text("x", "UTF8_LCASE"))) === Some("name" -> "spark.UTF8_LCASE"))
    assert(found(EqualTo(binary, text("x", "UTF8_BINARY"))) === Some("name" -> "spark.UTF8_BINARY"))
  }

  test("a condition has the current ICU version") {
    val condition = SkippingPredicateBuilder.of(EqualTo(name, text("x"))).get
    assert(condition.alternatives.head.collation.version ===
      SparkCollations.versionedId(StringType("UNICODE_CI")).version)
  }

  test("a struct field is identified by its path") {
    val city = GetStructField(columns("home"), 0, None)
    assert(found(EqualTo(city, text("x", "sv"))) === Some("home.city" -> "icu.sv"))
  }

  test("constant expressions are values, except those that fail or are NULL") {
    val joined = Concat(Seq(text("x"), text("y")))
    val failing = Cast(Divide(Literal(1.0), Literal(0.0), EvalMode.ANSI), name.dataType)

    assert(found(EqualTo(name, joined)).isDefined)
    assert(found(EqualTo(name, failing)) === None)
    assert(found(EqualTo(name, Literal(null, name.dataType))) === None)
    assert(found(EqualTo(name, columns("name").newInstance())) === None)
  }

  test("a UTF8_BINARY column is left to Delta unless the comparison has a collation") {
    val plain = columns("plain")
    val collated = Collate(plain, ResolvedCollation("UTF8_LCASE"))

    assert(found(EqualTo(plain, text("x", "UTF8_BINARY"))) === None)
    assert(found(EqualTo(collated, text("x", "UTF8_LCASE"))) ===
      Some("plain" -> "spark.UTF8_LCASE"))
  }

  test("a collation that is not a total order yields a condition in a coarser one") {
    val (order, x) = (columns("order"), text("x", "UNICODE_AI"))
    assert(all(EqualTo(order, x)) === Seq("UNICODE_CI_AI"))
    assert(all(Not(EqualTo(order, x))) === Nil)
    assert(SkippingPredicateBuilder.of(LessThan(order, x)).get.alternatives.map(_.predicate) ===
      Seq(Below(Limit(x.value.asInstanceOf[UTF8String], inclusive = true))))
  }

  test("a comparison yields conditions in all coarser collations") {
    assert(all(EqualTo(name, text("x"))) === Seq("UNICODE_CI", "UNICODE_CI_AI"))
    assert(all(Not(EqualTo(name, text("x")))) === Seq("UNICODE_CI"))
    assert(all(EqualTo(columns("nick"), text("x", "UTF8_LCASE"))) === Seq("UTF8_LCASE"))
  }

  test("equality in binary order yields a condition in the collation of the column") {
    val binary = Cast(name, StringType)
    assert(all(EqualTo(binary, text("x", "UTF8_BINARY"))) === Seq("UTF8_BINARY", "UNICODE_CI"))
    assert(all(LessThan(binary, text("x", "UTF8_BINARY"))) === Seq("UTF8_BINARY"))
  }

  test("startswith yields a condition in UTF8_LCASE, or in a collation of primary weights") {
    assert(found(StartsWith(columns("nick"), text("x", "UTF8_LCASE"))).isDefined)
    assert(all(StartsWith(name, text("x"))) === Seq("UNICODE_CI", "UNICODE_CI_AI"))
    assert(all(StartsWith(columns("order"), text("x"))) === Seq("UNICODE_CI_AI"))
    assert(all(StartsWith(Collate(name, ResolvedCollation("UNICODE_CI_RTRIM")), text("x"))) === Nil)
    assert(found(StartsWith(Lower(columns("nick")), text("x", "UTF8_LCASE"))).isDefined)
  }

  test("lower and upper yield a condition under UTF8_LCASE only") {
    assert(found(EqualTo(Lower(columns("nick")), text("x", "UTF8_LCASE"))).isDefined)
    assert(found(EqualTo(Upper(columns("nick")), text("x", "UTF8_LCASE"))).isDefined)
    assert(found(LessThan(Upper(columns("nick")), text("x", "UTF8_LCASE"))) === None)
    assert(found(EqualTo(Lower(name), text("x"))) === None)
  }

  test("IN ignores NULLs, and NOT IN with a NULL yields no condition") {
    val list = Seq(text("x"), Literal(null, name.dataType))

    assert(SkippingPredicateBuilder.of(In(name, list)) ===
      SkippingPredicateBuilder.of(In(name, list.take(1))))
    assert(SkippingPredicateBuilder.of(Not(In(name, list))) === None)
    assert(SkippingPredicateBuilder.of(Not(In(name, list.take(1))))
      .get.alternatives.map(_.predicate) === Seq(NoneOf(Seq(UTF8String.fromString("x")))))
  }

  test("a long IN list is searched for a value between the bounds") {
    val list = (0 until 10000).map(number => text(f"n$number%05d").value).toSet[Any]
    val condition = SkippingPredicateBuilder.of(InSet(name, list - text("n05000").value))
      .get.alternatives.head
    def mayMatch(min: String, max: String): Boolean =
      condition.predicate.mayMatch(
        UTF8String.fromString(min),
        UTF8String.fromString(max),
        condition.order
      )

    assert(mayMatch("N04999", "n05001"))
    assert(!mayMatch("N05000", "n05000x"))
    assert(!mayMatch("o", "z"))
  }
}
