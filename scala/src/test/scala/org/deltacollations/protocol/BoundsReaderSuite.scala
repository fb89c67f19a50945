// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class BoundsReaderSuite extends AnyFunSuite {

  private val current = CollationId("icu", "UNICODE_CI", Some("78.3"))
  private val columns = Seq(Seq("a"), Seq("s", "a"), Seq("s", "t", "A"), Seq("4:a"), Seq(""))
  private val collations = Seq(
    current,
    current.copy(name = "UNICODE"),
    CollationId("spark", "UTF8_LCASE", Some("78.3")),
    ColumnBounds.Binary
  )
  private val all =
    for (column <- columns; collation <- collations) yield ColumnBounds(column, collation)

  private def read(stats: String, bounds: ColumnBounds*): Seq[FoundBounds] =
    new BoundsReader(bounds).read(stats)

  private def found(values: (String, String)*): FoundBounds = FoundBounds(values, false)

  test("bounds are read by column, collation and version") {
    val stats =
      """{"numRecords":2,"minValues":{"a":"A","s":{"a":"B"}},"maxValues":{"s":{"a":"b"},"a":"a"},
        |"statsWithCollation":{"icu.UNICODE_CI.78.3":{"maxValues":{"a":"z"},"minValues":{"a":"c"}},
        |"icu.UNICODE.75.1":{"minValues":{"s":{"a":"x"}},"maxValues":{"s":{"a":"y"}}}}}""".stripMargin
    val Seq(a, inner) = columns.take(2): @unchecked
    val Seq(ci, cs, _, binary) = collations: @unchecked

    assert(read(stats, ColumnBounds(a, ci), ColumnBounds(inner, ci)) ===
      Seq(found("c" -> "z"), found()))
    assert(read(stats, ColumnBounds(a, cs), ColumnBounds(inner, cs)) ===
      Seq(found(), FoundBounds(Nil, hasOtherVersion = true)))
    assert(read(stats, ColumnBounds(a, binary), ColumnBounds(inner, binary)) ===
      Seq(found("A" -> "a"), found("B" -> "b")))
  }

  test("bounds of all spellings of a collation are read") {
    def entry(key: String, value: String): String =
      s""""$key":{"minValues":{"a":"$value"},"maxValues":{"a":"$value"}}"""
    val stats = Seq("icu.UNICODE_CI.78.3" -> "x", "ICU.unicode_ci.78.3" -> "y")
      .map { case (key, value) => entry(key, value) }
      .mkString("""{"statsWithCollation":{""", ",", "}}")
    assert(read(stats, ColumnBounds(Seq("a"), current)) === Seq(found("x" -> "x", "y" -> "y")))
  }

  test("statistics that are not one JSON object without duplicate keys have no bounds") {
    val bounds = """{"minValues":{"a":"c"},"maxValues":{"a":"d"}}"""
    def stats(more: String): String =
      s"""{"statsWithCollation":{"icu.UNICODE_CI.78.3":$bounds$more}}"""
    def values(text: String): Seq[(String, String)] =
      read(text, ColumnBounds(Seq("a"), current)).head.values
    assert(values(stats("")) === Seq("c" -> "d"))
    for (
      text <- Seq(
        null,
        "",
        "7",
        "[]",
        stats("") + "x",
        stats("") + "{}",
        stats("").dropRight(1),
        stats(""","icu.UNICODE_CI.78.3":{}"""),
        stats(""","x":{"y":1,"z":2,"w":3,"y":4}"""),
        stats(s""","x":1e${"9" * 20}"""),
        stats(s""","x":${"9" * 2000}"""),
        stats(s""","x":${"[" * 2000 + "]" * 2000}""")
      )
    ) assert(values(text) === Nil, s"in $text")
  }

  test("random statistics are read as from a tree of the JSON") {
    val random = new Random(Strings.Seed)
    val known = Iterator.fill(5000) {
      val text = randomStats(random)
      val stats = if (random.nextInt(10) == 0) text.take(random.nextInt(text.length + 1)) else text
      val expected = fromTree(stats)
      assert(new BoundsReader(all).read(stats) === expected, stats)
      expected.count(_.values.nonEmpty)
    }.sum
    assert(known > 1000)
  }

  private def pick[T](random: Random, values: T*): T = values(random.nextInt(values.size))

  private def randomStats(random: Random): String = {
    def value(depth: Int): String = random.nextInt(12) match {
      case 0 => pick(
          random,
          "7",
          "-1.5e3",
          "true",
          "null",
          "[]",
          "{}",
          "\"\\ud800\"",
          "[\"x\",{\"a\":\"b\"}]"
        )
      case n if n < 4 && depth > 0 => fields(depth - 1)
      case _ => s""""${pick(random, "c", "ä", "\\u0041", "", "\uFFFD")}""""
    }
    def fields(depth: Int): String = {
      val names = random.shuffle(Seq("a", "s", "t", "A", "4:a", "", "x"))
      names.take(random.nextInt(names.size + 1)).map(name => s""""$name":${value(depth)}""")
        .mkString("{", ",", "}")
    }
    def sides: Seq[String] = random.shuffle(Seq("minValues", "maxValues", "nullCount"))
      .take(2 + random.nextInt(2)).map(side => s""""$side":${fields(2)}""")
    val keys = Seq(
      "icu.UNICODE_CI.78.3",
      "ICU.unicode_ci.78.3",
      "icu.UNICODE_CI.75.1",
      "icu.UNICODE.78.3",
      "spark.UTF8_LCASE.78.3",
      "icu.UNICODE_CI",
      "x"
    )
    val collated = random.shuffle(keys).take(random.nextInt(4)).map { key =>
      s""""$key":${if (random.nextInt(9) == 0) value(1) else sides.mkString("{", ",", "}")}"""
    }
    (sides :+ collated.mkString("\"statsWithCollation\":{", ",", "}")).mkString("{", ",", "}")
  }

  /** Reads the bounds from a tree of the JSON. */
  private def fromTree(stats: String): Seq[FoundBounds] = {
    val tree = StatsJson.read(stats)
    def valuesIn(node: JsonNode, column: Seq[String]): Option[(String, String)] = for {
      min <- StatsJson.nodeAt(node, StatsNames.Min +: column).filter(StatsJson.isBound)
      max <- StatsJson.nodeAt(node, StatsNames.Max +: column).filter(StatsJson.isBound)
    } yield min.textValue -> max.textValue
    val entries: Seq[(CollationId, JsonNode)] = for {
      node <- tree.toSeq
      collated <- StatsJson.objectAt(node, StatsNames.Collated).toSeq
      entry <- collated.properties.asScala.toSeq if entry.getValue.isInstanceOf[ObjectNode]
      id <- CollationId.parse(entry.getKey) if id.version.isDefined
    } yield id -> entry.getValue
    all.map { case ColumnBounds(column, collation) =>
      val same =
        entries.filter(e => ColumnBounds.caseFolded(e._1) == ColumnBounds.caseFolded(collation))
      val (ofVersion, other) = same.partition(_._1.version == collation.version)
      val binary = tree.filter(_ => collation == ColumnBounds.Binary)
      FoundBounds(
        ofVersion.flatMap(e => valuesIn(e._2, column)) ++ binary.flatMap(valuesIn(_, column)),
        other.exists(e => valuesIn(e._2, column).isDefined)
      )
    }
  }
}
