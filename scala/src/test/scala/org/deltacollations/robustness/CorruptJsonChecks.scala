// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.{GetStructField, Literal}
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
import org.deltacollations.delta.scan.{BoundsUse, PredicateResult}
import org.deltacollations.delta.skipping.BoundsPredicate.AnyOf
import org.deltacollations.delta.skipping.CollatedSkippingPredicate.Alternative
import org.deltacollations.delta.skipping.{EvaluateSkippingPredicate, ReadBounds}
import org.deltacollations.errors.CollationsException
import org.deltacollations.protocol.{
  CodePointTag,
  CollatedColumn,
  CollatedColumns,
  CollationId,
  ColumnBounds,
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
 * Checks properties that must hold for all strings, and returns a message for each that does not. An
 * exception is a failure as well, except for errors that users are meant to see.
 *
 * @param evaluate
 *   evaluates the skipping predicate for `BOB` on the statistics of a file
 */
final class CorruptJsonChecks(evaluate: String => Int = CorruptJsonChecks.evaluate) {

  import CorruptJsonChecks._

  def stats(corrupt: CorruptStats): Seq[String] = {
    val text = corrupt.text
    val fresh = CorruptStats.fresh(Key)
    val rewritten = """{"numRecords":3,"nullCount":{"name":0},"tightBounds":false}"""
    val sanitized = ParsedStatsSanitizer.sanitized(text, Seq(CorruptStats.Column), Map(Key -> Key))
    val backfilled = StatsBackfill.backfilled(text, fresh)
    val files = Iterator(FileStats(text, 1, () => false))
    val groups = StatsCoverage.of(files, Seq(Id -> CorruptStats.Column))
    val column =
      CollatedColumn(Seq("name"), CorruptStats.Column, "icu.UNICODE_CI", 1, isInCollection = false)
    val status = ColumnStatus.of(column, Some(Id), None, groups)
    val skipped = Seq(
      "unchanged" -> text,
      "sanitized" -> sanitized,
      "with missing bounds" -> StatsJson.withMissingBounds(rewritten, text),
      "with keys of other writers" -> StatsJson.withKeysOfOtherWriters(rewritten, text, Set.empty)
    ).collect { case (how, found) if evaluate(found) == PredicateResult.CannotMatch => how }
    failures(
      (corrupt.mustBeRead && skipped.nonEmpty) ->
        s"a file with a match is skipped: ${skipped.mkString(", ")}",
      // A wrong row count of 0 is not detectable, and means that there are no bounds.
      (StatsBackfill.isMissingBounds(backfilled, Seq(Key -> CorruptStats.Column)) &&
        StatsBackfill.numRecords(text).forall(_ > 0)) -> "bounds are missing after a refresh",
      Option(sanitized).exists(text => Try(strict.readTree(text)).isFailure) ->
        "Spark's parser may read more than the strict parser",
      (status.size > 17) -> "the status has too many versions"
    )
  }

  def schema(text: String): Seq[String] = {
    // For a long name, Spark searches similar names for minutes, or resolves it to a short one.
    val bySpark = Try(text).filter(_.length < 2000).map(DataType.fromJson)
    val converted =
      Try(DataType.fromJson(SchemaJson.forSpark(SchemaJson.forLog(text), canonicalId)))
    val names = CollatedColumns.of(text).map(_.identifier) ++ SchemaJson.collatedFields(text)
    failures(
      (bySpark.isSuccess && converted.isFailure) ->
        s"Spark reads the original schema, but not the converted one: $converted",
      (for (a <- bySpark; b <- converted) yield withoutCollations(a) !=
        withoutCollations(b)).getOrElse(false) ->
        "the converted schema has other types",
      names.exists(_ == null) -> "a name is missing",
      (converted match {
        // A forged stash is as trustworthy as a collation in the schema itself.
        case Success(_) if text.contains("AS_WRITTEN") => false
        case Success(schema) => collations(SchemaJson.forLog(schema.json)) != collations(text)
        case Failure(_: CollationsException) => false
        case Failure(error) => !isThrownBySpark(error)
      }) -> s"the collations are not restored: $converted"
    )
  }

  def domain(text: String): Seq[String] = {
    val read = WriteVersions.read(text)
    val id = CollationId("icu", "UNICODE_CI", Some("78.3"))
    failures(
      (WriteVersions.read(read.toString).toString != read.toString) ->
        "a round trip changes it",
      (read.merged(read).toString != read.toString) -> "merging it with itself changes it",
      !WriteVersions.read(read.including(Seq(id)).toString).contains(id) ->
        "an added version is missing",
      (read.merged(WriteVersions.read("")).toString != read.toString) ->
        "merging it with an empty configuration changes it"
    )
  }

  def tag(text: String): Seq[String] = {
    val tags = Map(CodePointTag.Name -> text)
    val (stats, extracted) = CodePointTag.extract(text)
    val fresh = """{"4:name":"4"}"""
    val merged = ColumnCodePoints(Map(CodePointTag.Name -> CodePointTag.merged(tags, fresh)))
    failures(
      ColumnCodePoints(tags).of(CorruptStats.Column).exists(set =>
        set.ranges.size > CodePointBlocks.MaxRanges || set.size > Character.MAX_CODE_POINT + 1
      ) -> "it has more code points than exist",
      (extracted.isEmpty && stats != text) -> "statistics without a tag are changed",
      !merged.of(CorruptStats.Column).contains(CodePointSet.of(Seq(0x40 -> 0x4f))) ->
        "the code points that were read again are missing"
    )
  }

  def identifier(text: String): Seq[String] = {
    val id = CollationId.parse(text)
    val name = id.flatMap(SparkCollations.nameOf)
    val printable = LogJson.printable(text)
    failures(
      id.exists(_.toString != text) -> "toString returns another identifier",
      name.exists(name => !Collations(name)) -> s"$name is not a collation of Spark",
      (name.isDefined && !id.get.name.forall(isNameCharacter)) -> s"it was resolved to $name",
      (printable.exists(_.isControl) || printable.length > 700) -> "it is not printable"
    )
  }

  private def failures(checks: (Boolean, String)*): Seq[String] =
    checks.collect { case (true, message) => message }
}

object CorruptJsonChecks {

  val Id: CollationId = SparkCollations.versionedId(StringType("UNICODE_CI"))

  val Key: String = Id.toString

  private val Collations: Set[String] =
    CollationFactory.listCollations().asScala.map(_.getName).toSet

  private val order = SparkOrder("UNICODE_CI")

  private val bob = Alternative(Id, order, AnyOf(Seq(UTF8String.fromString("BOB")), order))

  def evaluate(stats: String): Int =
    EvaluateSkippingPredicate(
      Seq(GetStructField(
        ReadBounds(Literal(stats), Seq(ColumnBounds(CorruptStats.Column, Id))),
        0
      )),
      Literal(0L),
      Literal(3L),
      Seq(bob -> 0),
      new BoundsUse.Accumulator
    ).eval().asInstanceOf[Int]

  /** ASCII letters and digits, and the separators of a locale. */
  private def isNameCharacter(char: Char): Boolean = char < 128 &&
    (char.isLetterOrDigit || "_-".contains(char))

  private def canonicalId(identifier: String): Option[String] =
    CollationId.parse(identifier).flatMap(SparkCollations.nameOf)
      .map(SparkCollations.identifier(_).toString)

  /** Whether Spark itself rejects the schema, as it would without this extension. */
  private def isThrownBySpark(error: Throwable): Boolean =
    error.getStackTrace.forall(!_.getClassName.startsWith("org.deltacollations.protocol"))

  private def withoutCollations(dataType: DataType): DataType = dataType match {
    case struct: StructType =>
      StructType(struct.map(field =>
        StructField(field.name, withoutCollations(field.dataType), field.nullable)
      ))
    case array: ArrayType => array.copy(elementType = withoutCollations(array.elementType))
    case map: MapType => map.copy(withoutCollations(map.keyType), withoutCollations(map.valueType))
    case CollatedString(string) => string
    case _: StringType => StringType
    case other => other
  }

  private val json = new ObjectMapper

  private val strict = JsonMapper.builder()
    .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .build()

  /** Returns all `__COLLATIONS`, field by field, without UTF8_BINARY. */
  private def collations(schema: String): Seq[JsonNode] =
    json.readTree(schema).findValues("__COLLATIONS").asScala.toSeq.flatMap { node =>
      val copy = node.deepCopy[JsonNode]()
      copy match {
        case entries: ObjectNode =>
          val binary = entries.properties.asScala.filter { entry =>
            entry.getValue.isTextual &&
            canonicalId(entry.getValue.asText).contains("spark.UTF8_BINARY")
          }.map(_.getKey).toSeq
          entries.remove(binary.asJava)
          Option.when(!entries.isEmpty)(entries)
        case other => Some(other)
      }
    }
}
