// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.util.{
  CollationAwareUTF8String,
  CollationFactory,
  CollationSupport
}
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.RuleBasedCollator
import org.deltacollations.collation.search.CollatedSearch

/** Searches strings under a Spark collation. Serialized by name; each JVM builds its own tables. */
final case class SparkSearch(collation: String) {

  /** Creates a searcher for one task. Searchers are not thread-safe and cache the last pattern. */
  def searcher(): CollatedSearch#Searcher = SparkSearch.cached(collation).searcher()
}

object SparkSearch {

  private val cache = new ConcurrentHashMap[String, CollatedSearch]

  private def cached(name: String): CollatedSearch =
    cache.computeIfAbsent(name, name => search(name, new SparkOperations(name)))

  /** @param fallback decides the cases that the search tables cannot */
  private[collation] def search(
      name: String,
      fallback: CollatedSearch.Operations
  ): CollatedSearch = {
    val collation = CollationFactory.fetchCollation(name)
    val trims = collation.supportsSpaceTrimming
    collation.getCollator match {
      case collator: RuleBasedCollator => CollatedSearch.ofCollator(collator, trims, fallback)
      case _ if collation.isUtf8LcaseType =>
        CollatedSearch.ofCodePoints(lowerCase(_), trims, fallback)
      case _ => CollatedSearch.ofFallback(fallback)
    }
  }

  /** Returns Spark's lower case of a code point, or -1 if that is not a single code point. */
  private def lowerCase(codePoint: Int): Int =
    if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) -1
    else {
      val character = UTF8String.fromString(Character.toString(codePoint))
      val lower = CollationAwareUTF8String.lowerCaseCodePoints(character).toString
      if (lower.codePointCount(0, lower.length) == 1) lower.codePointAt(0) else -1
    }

  /** Calls Spark's own implementation of each function. */
  final class SparkOperations(name: String) extends CollatedSearch.Operations {

    private val id = CollationFactory.collationNameToId(name)

    override def contains(text: UTF8String, pattern: UTF8String): Boolean =
      CollationSupport.Contains.exec(text, pattern, id)

    override def startsWith(text: UTF8String, pattern: UTF8String): Boolean =
      CollationSupport.StartsWith.exec(text, pattern, id)

    override def endsWith(text: UTF8String, pattern: UTF8String): Boolean =
      CollationSupport.EndsWith.exec(text, pattern, id)

    override def indexOf(text: UTF8String, pattern: UTF8String, start: Int): Int =
      CollationSupport.StringLocate.exec(text, pattern, start, id)

    override def replace(
        text: UTF8String,
        search: UTF8String,
        replacement: UTF8String
    ): UTF8String =
      CollationSupport.StringReplace.exec(text, search, replacement, id)
  }
}
