// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.testutil

import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.math.signum
import scala.util.Try

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.search.CollatedSearch
import org.deltacollations.collation.sortkey.SortKeys
import org.deltacollations.collation.{SparkSearch, SparkSortKeys}

/** Where our keys, comparisons and searches differ from Spark's own, in words. */
object AgainstSpark {

  lazy val collations: Seq[String] = CollationFactory.listCollations().asScala.map(_.getName).toSeq

  def keys(collation: String, strings: Seq[UTF8String]): Seq[String] = {
    val writer = SparkSortKeys(collation).writer()
    val spark = CollationFactory.fetchCollation(collation).sortKeyFunction
    for {
      text <- strings if !Arrays.equals(tried(writer).key(text), spark.apply(text))
    } yield s"$collation: key of $text"
  }

  def comparisons(collation: String, pairs: Seq[(UTF8String, UTF8String)]): Seq[String] = {
    val writer = SparkSortKeys(collation).writer()
    val spark = CollationFactory.fetchCollation(collation).comparator
    for {
      (left, right) <- pairs
      sign = signum(spark.compare(left, right))
      ours = signum(tried(writer).compare(left, right))
      leftKey = tried(writer).key(left)
      rightKey = tried(writer).key(right)
      if ours != sign || signum(Arrays.compareUnsigned(leftKey, rightKey)) != sign ||
        writer.areEqual(left, right) != (sign == 0)
    } yield s"$collation: order of $left and $right"
  }

  /**
   * Asks twice, since a pattern that comes again is searched in another way. Where Spark has no
   * answer, because ICU fails on the way back through a text, any will do.
   */
  def searches(collation: String, one: SearchCase): Seq[String] = {
    val ours = operations(SparkSearch(collation).searcher(), one)
    val sparks = operations(new SparkSearch.Native(collation), one)
    for {
      (our, spark) <- ours.zip(sparks)
      expected <- Try(spark()).toOption.toSeq
      found <- Seq(our(), our()) if found != expected
    } yield s"$collation: $found, not $expected in $one"
  }

  def operations(search: CollatedSearch.Operations, one: SearchCase): Seq[() => Any] = {
    import one._
    Seq(
      () => search.contains(text, pattern),
      () => search.startsWith(text, pattern),
      () => search.endsWith(text, pattern),
      () => search.indexOf(text, pattern, start),
      () => search.replace(text, pattern, replacement)
    )
  }

  /** A writer that has just failed many times does not try, so an easy string comes first. */
  private def tried(writer: SortKeys#Writer): SortKeys#Writer = {
    writer.key(UTF8String.fromString("a"))
    writer
  }

  /** The longer run, `./dev bench laws`: all collations, with another seed each time. */
  def main(arguments: Array[String]): Unit = {
    val pairs = arguments.headOption.fold(2000)(_.toInt)
    val cases = pairs / 4
    val seed = System.nanoTime()
    println(
      s"${collations.size} collations, each $pairs pairs of strings and $cases texts to search in " +
        s"five ways, twice; seed $seed"
    )
    val found = collations.zipWithIndex.flatMap { case (collation, number) =>
      val strings = new Strings(seed + number)
      val searched = new SearchCases(seed + number)
      val compared = Seq.fill(pairs)(strings.pair())
      val usable = if (SparkSortKeys(collation).isUsable) compared else Nil
      keys(collation, compared.map(_._1)) ++ comparisons(collation, usable) ++
        Seq.fill(cases)(searched.next()).flatMap(searches(collation, _))
    }
    found.foreach(println)
    println(s"${found.size} differences from Spark")
    if (found.nonEmpty) sys.exit(1)
  }
}
