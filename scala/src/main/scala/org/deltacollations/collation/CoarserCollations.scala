// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.StringType

import com.ibm.icu.text.RuleBasedCollator

/**
 * Finds collations that distinguish fewer strings than another one, in the same order.
 *
 * ICU compares the primary weights of two strings first. Only if these are equal, it compares accents,
 * and then case. A coarser collation of the same locale stops earlier. So strings that are equal under
 * a collation are equal under a coarser one, and a string that is less than another is less than or
 * equal to it there. This also holds for a comparator that is not a total order, because ICU compares
 * primary weights consistently.
 */
object CoarserCollations {

  /** Returns the coarser collations that are total orders, the finest first. */
  def of(string: StringType): Seq[StringType] =
    cache.computeIfAbsent(CollatedString.nameOf(string), compute(_)).map(StringType(_))

  /**
   * Returns the collation whose bounds are collected for strings of a collation. This is the collation
   * itself if it is a total order. Under any other, the minimum is not a lower bound.
   */
  def forStatistics(string: StringType): Option[StringType] =
    if (SparkOrder(CollatedString.nameOf(string)).isTotalOrder) Some(string)
    else of(string).headOption

  private val cache = new ConcurrentHashMap[String, Seq[String]]

  private val NameAndModifiers = "(.+?)(_CI)?(_AI)?(_RTRIM)?".r

  private def compute(name: String): Seq[String] =
    (CollationFactory.fetchCollation(name).getCollator, name) match {
      case (_: RuleBasedCollator, NameAndModifiers(locale, ci, ai, rtrim)) =>
        val modifiers = (ci, ai) match {
          case (null, null) => Seq("_CI", "_CI_AI")
          // With a case level, ICU compares case after primary weights.
          case (null, _) | (_, null) => Seq("_CI_AI")
          case _ => Nil
        }
        modifiers.map(locale + _ + Option(rtrim).getOrElse("")).filter(isCoarser(_, name))
      case _ => Nil
    }

  private def isCoarser(coarser: String, finer: String): Boolean =
    SparkOrder(coarser).isTotalOrder &&
      TotalOrderCheck.isCoarser(SparkOrder(coarser).compare, SparkOrder(finer).compare)
}
