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

/** Searches in one of Spark's collations. Only the name travels; each JVM makes its own tables. */
final case class SparkSearch(collation: String) extends CollationSearch {

  override def searcher(): CollatedSearch#Searcher = SparkSearch.known(collation).searcher()
}

object SparkSearch {

  private val cache = new ConcurrentHashMap[String, CollatedSearch]

  private def known(name: String): CollatedSearch =
    cache.computeIfAbsent(name, name => search(name, new Native(name)))

  private[collation] def search(name: String, truth: CollatedSearch.Operations): CollatedSearch = {
    val collation = CollationFactory.fetchCollation(name)
    val trims = collation.supportsSpaceTrimming
    collation.getCollator match {
      case collator: RuleBasedCollator => CollatedSearch.ofCollator(collator, trims, truth)
      case _ if collation.isUtf8LcaseType => CollatedSearch.ofLetters(lowerCase(_), trims, truth)
      case _ => CollatedSearch.ofTruth(truth)
    }
  }

  /** Spark's lower case of one character, or -1 if that is not one character. */
  private def lowerCase(codePoint: Int): Int =
    if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) -1
    else {
      val character = UTF8String.fromString(Character.toString(codePoint))
      val lower = CollationAwareUTF8String.lowerCaseCodePoints(character).toString
      if (lower.codePointCount(0, lower.length) == 1) lower.codePointAt(0) else -1
    }

  /** What Spark does for each row. */
  final class Native(name: String) extends CollatedSearch.Operations {

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
