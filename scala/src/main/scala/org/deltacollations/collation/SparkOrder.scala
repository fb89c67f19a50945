// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.concurrent.ConcurrentHashMap
import java.util.function.UnaryOperator
import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.RuleBasedCollator
import org.deltacollations.collation.sortkey.{PrimaryWeightComparator, SortKeys}

/** The order of one of Spark's collations. Only the name travels; each JVM asks its own Spark. */
final case class SparkOrder(collation: String) extends CollationOrder {

  @transient private lazy val known = SparkOrder.known(collation)

  override def compare(left: UTF8String, right: UTF8String): Int = {
    val decided = known.firstDifference.compare(left, right)
    if (decided != PrimaryWeightComparator.UNDECIDED) decided
    else known.comparator.compare(left, right)
  }

  override def isTotal: Boolean = known.isTotal

  override def letters(text: UTF8String): Option[UTF8String] = known.letters.map(_(text))
}

object SparkOrder {

  /** What a JVM learns about a collation once, when it needs to. */
  final private[collation] class Known(id: Int) {
    private val collation = CollationFactory.fetchCollation(id)
    val comparator: Comparator[UTF8String] = collation.comparator

    /** The keys of Spark's own collations are made one character at a time, unlike those of ICU. */
    lazy val keys: SortKeys = collation.getCollator match {
      case collator: RuleBasedCollator =>
        SortKeys.ofCollator(collator, trimmed, collation.sortKeyFunction, byKeys)
      case _ => SortKeys.ofLetters(trimmed, collation.sortKeyFunction)
    }

    private def trimmed: UnaryOperator[UTF8String] =
      if (collation.supportsSpaceTrimming) CollationFactory.applyTrimmingPolicy(_, id)
      else UnaryOperator.identity[UTF8String]

    private val byKeys: Comparator[UTF8String] = (left, right) =>
      if (keysAreUsable) comparator.compare(left, right)
      else Arrays.compareUnsigned(keyOf(left), keyOf(right))

    private def keyOf(text: UTF8String): Array[Byte] = collation.sortKeyFunction.apply(text)

    def firstDifference: PrimaryWeightComparator = keys.firstDifference

    lazy val keysAreUsable: Boolean = isTotal && TotalOrderCheck.agree(comparator.compare, keyOf)

    lazy val isTotal: Boolean = TotalOrderCheck.hold(comparator.compare)

    val letters: Option[UTF8String => UTF8String] =
      Option.when(id == CollationFactory.UTF8_LCASE_COLLATION_ID) { text =>
        UTF8String.fromBytes(collation.sortKeyFunction.apply(text))
      }
  }

  private val cache = new ConcurrentHashMap[String, Known]

  private[collation] def known(name: String): Known =
    cache.computeIfAbsent(name, name => new Known(CollationFactory.collationNameToId(name)))
}
