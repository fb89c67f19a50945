// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import org.deltacollations.collation.unicode.{CodePointBlocks, CodePointSet}
import org.deltacollations.collation.versions.ColumnCodePoints
import org.deltacollations.collation.{CollatedString, SparkCollations, SparkOrder}
import org.deltacollations.delta.inspect.ColumnStatus
import org.deltacollations.delta.scan.PredicateResult
import org.deltacollations.delta.skipping.BoundsPredicate.AnyOf
import org.deltacollations.delta.skipping.{CollatedSkippingPredicate, ReadBounds}
import org.deltacollations.errors.CollationsException
import org.deltacollations.protocol.{
  CodePointTag,
  CollatedColumn,
  CollatedColumns,
  CollationId,
  FileStats,
  LogJson,
  ParsedStatsSanitizer,
  SchemaJson,
  StatsBackfill,
  StatsCoverage,
  StatsJson,
  WriteVersions
}

/**
 * What must hold of every text, each law with the words to say when it does not. Whatever is thrown
 * breaks a law too, but for the errors that users are told about.
 *
 * @param verdict
 *   on the statistics of a file, for a query that asks for `BOB`
 */
final class CorruptJsonChecks(verdict: String => Int = CorruptJsonChecks.verdict) {

  import CorruptJsonChecks._

  def stats(damaged: CorruptStats): Seq[String] = {
    val text = damaged.text
    val fresh = CorruptStats.fresh(Key)
    val rewritten = """{"numRecords":3,"nullCount":{"name":0},"tightBounds":false}"""
    val legible = ParsedStatsSanitizer.legible(text, Seq(CorruptStats.Column), Map(Key -> Key))
    val filled = StatsBackfill.filled(text, fresh)
    val files = Iterator(FileStats(text, 1, isRelabelled = false))
    val covered = StatsCoverage.of(files, Seq(Id -> CorruptStats.Column))
    val column =
      CollatedColumn(Seq("name"), CorruptStats.Column, "icu.UNICODE_CI", 1, isInCollection = false)
    val said = ColumnStatus.of(column, Id.version, None, covered)
    val kept = Seq(
      "as it is" -> text,
      "made legible" -> legible,
      "kept through a rewrite" -> StatsJson.withMissingBounds(rewritten, text),
      "beside others" -> StatsJson.withForeignKeys(rewritten, text, Set.empty)
    ).collect { case (how, found) if verdict(found) == PredicateResult.CannotMatch => how }
    broken(
      (damaged.mustBeRead && kept.nonEmpty) ->
        s"a file with a match is left out: ${kept.mkString(", ")}",
      // A count that is wrong is a lie too: of no rows, there are no bounds.
      (StatsBackfill.lacksBounds(filled, Seq(Key -> CorruptStats.Column)) &&
        StatsBackfill.rows(text).forall(_ > 0)) -> "bounds are lacking after a refresh",
      Option(legible).exists(text => Try(strict.readTree(text)).isFailure) ->
        "Spark's parser may see more in it than we do",
      (said.size > 17) -> "a status of too many versions"
    )
  }

  def schema(text: String): Seq[String] = {
    // Spark looks for names similar to a long one for minutes, or takes it for a short one.
    val plain = Try(text).filter(_.length < 2000).map(DataType.fromJson)
    val ours = Try(DataType.fromJson(SchemaJson.forSpark(SchemaJson.forLog(text), spelling)))
    val named = CollatedColumns.of(text).map(_.identifier) ++ SchemaJson.collatedFields(text)
    broken(
      (plain.isSuccess && ours.isFailure) -> s"Spark reads it and we do not: $ours",
      (for (a <- plain; b <- ours) yield bare(a) != bare(b)).getOrElse(false) ->
        "Spark reads it otherwise",
      named.exists(_ == null) -> "a name is missing",
      (ours match {
        // Whoever forges our mark is heard like whoever writes the collation itself.
        case Success(_) if text.contains("AS_WRITTEN") => false
        case Success(schema) => collations(SchemaJson.forLog(schema.json)) != collations(text)
        case Failure(_: CollationsException) => false
        case Failure(error) => !isSparks(error)
      }) -> s"what was written does not come back: $ours"
    )
  }

  def domain(text: String): Seq[String] = {
    val read = WriteVersions.read(text)
    val id = CollationId("icu", "UNICODE_CI", Some("78.3"))
    broken(
      (WriteVersions.read(read.toString).toString != read.toString) ->
        "read again, it says something else",
      (read.merged(read).toString != read.toString) -> "merged with itself, it says something else",
      !WriteVersions.read(read.including(Seq(id)).toString).lists(id) -> "a version is not listed",
      (read.merged(WriteVersions.read("")).toString != read.toString) -> "nothing changes it"
    )
  }

  def tag(text: String): Seq[String] = {
    val tags = Map(CodePointTag.Name -> text)
    val (stats, moved) = CodePointTag.cut(text)
    val fresh = """{"4:name":"4"}"""
    val renewed = ColumnCodePoints(Map(CodePointTag.Name -> CodePointTag.renewed(tags, fresh)))
    broken(
      ColumnCodePoints(tags).of(CorruptStats.Column).exists(held =>
        held.ranges.size > CodePointBlocks.MostRanges || held.size > Character.MAX_CODE_POINT + 1
      ) -> "it holds what there is not",
      (moved.isEmpty && stats != text) -> "statistics without a tag changed",
      !renewed.of(CorruptStats.Column).contains(CodePointSet.of(Seq(0x40 -> 0x4f))) ->
        "what was read again is not known"
    )
  }

  def identifier(text: String): Seq[String] = {
    val found = CollationId.parse(text)
    val name = found.flatMap(SparkCollations.nameOf)
    val shown = LogJson.shown(text)
    broken(
      found.exists(_.toString != text) -> "it is another identifier",
      name.exists(name => !Collations(name)) -> s"$name is no collation of Spark",
      (name.isDefined && !found.get.name.forall(isOfAName)) -> s"it was taken for $name",
      (shown.exists(_.isControl) || shown.length > 700) -> "it cannot be shown"
    )
  }

  private def broken(laws: (Boolean, String)*): Seq[String] = laws.collect { case (true, said) =>
    said
  }
}

object CorruptJsonChecks {

  val Id: CollationId = SparkCollations.versionedId(StringType("UNICODE_CI"))

  val Key: String = Id.toString

  private val Collations: Set[String] =
    CollationFactory.listCollations().asScala.map(_.getName).toSet

  private val order = SparkOrder("UNICODE_CI")

  private val bob =
    CollatedSkippingPredicate(
      Seq("name"),
      Id,
      order,
      AnyOf(Seq(UTF8String.fromString("BOB")), order)
    )

  def verdict(stats: String): Int =
    bob.judged(
      CorruptStats.Column,
      ReadBounds(Literal(stats), Seq(CorruptStats.Column)),
      Literal(0L),
      Literal(3L)
    ).eval().asInstanceOf[Int]

  /** Letters, and what stands between the parts of a locale. */
  private def isOfAName(char: Char): Boolean = char < 128 &&
    (char.isLetterOrDigit || "_-".contains(char))

  private def spelling(identifier: String): Option[String] =
    CollationId.parse(identifier).flatMap(SparkCollations.nameOf)
      .map(SparkCollations.identifier(_).toString)

  /** Spark refuses the schema in its own words, as it would without us. */
  private def isSparks(error: Throwable): Boolean =
    error.getStackTrace.forall(!_.getClassName.startsWith("org.deltacollations.protocol"))

  private def bare(dataType: DataType): DataType = dataType match {
    case struct: StructType =>
      StructType(struct.map(field => StructField(field.name, bare(field.dataType), field.nullable)))
    case array: ArrayType => array.copy(elementType = bare(array.elementType))
    case map: MapType => map.copy(bare(map.keyType), bare(map.valueType))
    case CollatedString(string) => string
    case _: StringType => StringType
    case other => other
  }

  private val json = new ObjectMapper

  private val strict = JsonMapper.builder()
    .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  /** All that is said of collations that are not the default, field by field. */
  private def collations(schema: String): Seq[JsonNode] =
    json.readTree(schema).findValues("__COLLATIONS").asScala.toSeq.flatMap { node =>
      val said = node.deepCopy[JsonNode]()
      said match {
        case entries: ObjectNode =>
          val plain = entries.properties.asScala.filter { entry =>
            entry.getValue.isTextual &&
            spelling(entry.getValue.asText).contains("spark.UTF8_BINARY")
          }.map(_.getKey).toSeq
          entries.remove(plain.asJava)
          Option.when(!entries.isEmpty)(entries)
        case other => Some(other)
      }
    }
}
