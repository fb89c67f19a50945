// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.nio.ByteBuffer
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.math.signum
import scala.util.Try

import org.apache.spark.sql.catalyst.util.{CollationFactory, CollationSupport}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.search.CollatedSearch
import org.deltacollations.collation.sortkey.SortKeys
import org.deltacollations.collation.{
  CoarserCollations,
  CollatedString,
  SparkOrder,
  SparkSearch,
  SparkSortKeys
}

/** Compares sort keys, comparisons and searches with Spark's own and describes the differences. */
object AgainstSpark {

  lazy val collations: Seq[String] = CollationFactory.listCollations().asScala.map(_.getName).toSeq

  def keys(collation: String, strings: Seq[UTF8String]): Seq[String] = {
    val writer = SparkSortKeys(collation).writer()
    val spark = CollationFactory.fetchCollation(collation).sortKeyFunction
    for {
      string <- strings
      expected = spark.apply(string)
      isKey = Arrays.equals(withoutBackoff(writer).key(string), expected)
      isPrefix = withoutBackoff(writer).prefix(string) == prefix(expected)
      if !isKey || !isPrefix
    } yield s"$collation: ${if (isKey) "prefix of the " else ""}key of $string"
  }

  /** Returns the first eight bytes of the primary weights in a sort key as a number. */
  private def prefix(key: Array[Byte]): Long =
    ByteBuffer.wrap(key.takeWhile(byte => (byte & 0xff) > 1).take(8).padTo(8, 0.toByte)).getLong

  def comparisons(collation: String, pairs: Seq[(UTF8String, UTF8String)]): Seq[String] = {
    val writer = SparkSortKeys(collation).writer()
    val spark = CollationFactory.fetchCollation(collation).comparator
    for {
      (left, right) <- pairs
      expected = signum(spark.compare(left, right))
      actual = signum(withoutBackoff(writer).compare(left, right))
      leftKey = withoutBackoff(writer).key(left)
      rightKey = withoutBackoff(writer).key(right)
      if actual != expected ||
        signum(Arrays.compareUnsigned(leftKey, rightKey)) != expected ||
        writer.areEqual(left, right) != (expected == 0)
    } yield s"$collation: order of $left and $right"
  }

  /**
   * Searches twice, since a pattern that is used again takes another code path. Accepts any result
   * if Spark fails, since ICU fails in some backward searches.
   */
  def searches(collation: String, searchCase: SearchCase): Seq[String] = {
    val tested = operations(SparkSearch(collation).searcher(), searchCase)
    val reference = operations(new SparkSearch.SparkOperations(collation), searchCase)
    for {
      (search, referenceSearch) <- tested.zip(reference)
      expected <- Try(referenceSearch()).toOption.toSeq
      actual <- Seq(search(), search()) if actual != expected
    } yield s"$collation: $actual instead of $expected in $searchCase"
  }

  /** Compares pairs of strings under a collation with all coarser ones. */
  def contradictions(collation: String, pairs: Seq[(UTF8String, UTF8String)]): Seq[String] = for {
    coarser <- coarserThan(collation)
    (left, right) <- contradictions(coarser, collation, pairs)
  } yield s"$collation: order of $left and $right contradicts $coarser"

  /** Returns the pairs that `coarser` orders and `finer` does not order in the same way. */
  def contradictions(
      coarser: String,
      finer: String,
      pairs: Seq[(UTF8String, UTF8String)]
  ): Seq[(UTF8String, UTF8String)] = {
    val ofCoarser = CollationFactory.fetchCollation(coarser).comparator
    val ofFiner = CollationFactory.fetchCollation(finer).comparator
    pairs.filter { case (left, right) =>
      val sign = signum(ofCoarser.compare(left, right))
      sign != 0 && sign != signum(ofFiner.compare(left, right))
    }
  }

  /**
   * Checks that the key of a string starts with the key of each string that it starts with. Returns
   * an empty sequence if the strings do not match or the collation has no prefix keys.
   */
  def prefixKeys(collation: String, searchCase: SearchCase): Seq[(Boolean, String)] = {
    val id = CollationFactory.collationNameToId(collation)
    for {
      order <- (collation +: coarserThan(collation)).map(SparkOrder(_))
      prefixKey <- order.prefixKey(searchCase.pattern).toSeq
      // ICU fails in some searches.
      if Try(CollationSupport.StartsWith.exec(searchCase.text, searchCase.pattern, id))
        .getOrElse(false)
      key <- order.prefixKey(searchCase.text)
    } yield key.startsWith(prefixKey) ->
      s"$collation: key in ${order.collation} of the prefix in $searchCase"
  }

  private def coarserThan(collation: String): Seq[String] =
    CoarserCollations.of(StringType(collation)).map(CollatedString.nameOf)

  def operations(search: CollatedSearch.Operations, searchCase: SearchCase): Seq[() => Any] = {
    import searchCase._
    Seq(
      () => search.contains(text, pattern),
      () => search.startsWith(text, pattern),
      () => search.endsWith(text, pattern),
      () => search.indexOf(text, pattern, start),
      () => search.replace(text, pattern, replacement)
    )
  }

  /** Writes a simple key first, since a writer attempts few strings after many failures. */
  private def withoutBackoff(writer: SortKeys#Writer): SortKeys#Writer = {
    writer.key(UTF8String.fromString("a"))
    writer
  }

  /** Checks all collations with a new seed. Run by `./dev bench properties`. */
  def main(arguments: Array[String]): Unit = {
    val pairs = arguments.headOption.fold(2000)(_.toInt)
    val searchCount = pairs / 4
    val seed = System.nanoTime()
    println(
      s"${collations.size} collations, each with $pairs pairs of strings and $searchCount texts, " +
        s"which are searched twice with five functions; seed $seed"
    )
    val differences = collations.zipWithIndex.flatMap { case (collation, i) =>
      val strings = new Strings(seed + i)
      val cases = new SearchCases(seed + i)
      val randomPairs = Seq.fill(pairs)(strings.pair())
      val comparable = if (SparkSortKeys(collation).agreesWithComparator) randomPairs else Nil
      keys(collation, randomPairs.map(_._1)) ++ comparisons(collation, comparable) ++
        contradictions(collation, randomPairs) ++
        Seq.fill(searchCount)(cases.next()).flatMap { searchCase =>
          searches(collation, searchCase) ++
            prefixKeys(collation, searchCase).collect { case (false, difference) => difference }
        }
    }
    differences.foreach(println)
    println(s"${differences.size} differences from Spark")
    if (differences.nonEmpty) sys.exit(1)
  }
}
