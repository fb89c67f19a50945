// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.util.concurrent.ConcurrentHashMap
import java.util.function.UnaryOperator
import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.{Collator, RuleBasedCollator}
import org.deltacollations.collation.sortkey.{PrimaryWeightComparator, SortKeys}

/** Orders strings by a Spark collation. Serialized by name; each JVM uses its own Spark. */
final case class SparkOrder(collation: String) extends CollationOrder {

  @transient private lazy val data = SparkOrder.dataOf(collation)

  override def compare(left: UTF8String, right: UTF8String): Int = {
    val result = data.primaryComparator.compare(left, right)
    if (result != PrimaryWeightComparator.UNDECIDED) result
    else data.comparator.compare(left, right)
  }

  override def isTotalOrder: Boolean = data.isTotalOrder

  override def prefixKey(string: UTF8String): Option[UTF8String] = data.prefixKey.map(_(string))
}

object SparkOrder {

  /** Holds everything that is computed lazily, once per collation and JVM. */
  final private[collation] class CollationData(id: Int) {
    private val collation = CollationFactory.fetchCollation(id)
    val comparator: Comparator[UTF8String] = collation.comparator

    /** Spark computes the keys of its own collations code point by code point; ICU does not. */
    lazy val keys: SortKeys = collation.getCollator match {
      case collator: RuleBasedCollator =>
        SortKeys.ofCollator(collator, trim, collation.sortKeyFunction, keyComparator)
      case _ => SortKeys.ofCodePoints(trim, collation.sortKeyFunction)
    }

    private def trim: UnaryOperator[UTF8String] =
      if (collation.supportsSpaceTrimming) CollationFactory.applyTrimmingPolicy(_, id)
      else UnaryOperator.identity[UTF8String]

    private val keyComparator: Comparator[UTF8String] = (left, right) =>
      if (keysMatchComparator) comparator.compare(left, right)
      else Arrays.compareUnsigned(keyOf(left), keyOf(right))

    private def keyOf(string: UTF8String): Array[Byte] = collation.sortKeyFunction.apply(string)

    def primaryComparator: PrimaryWeightComparator = keys.primaryComparator

    lazy val keysMatchComparator: Boolean =
      isTotalOrder && TotalOrderCheck.keysMatchComparator(comparator.compare, keyOf)

    lazy val isTotalOrder: Boolean = TotalOrderCheck.isTotalOrder(comparator.compare)

    /**
     * ICU finds a prefix by the collation elements at the start of a string, and a key of primary weights
     * is made from these elements one after the other. Keys of more levels have all primary weights
     * first, so they do not start with the key of a prefix. If punctuation is ignored (`th`), ICU's search
     * ignores other characters too: it compares weights as signed numbers.
     */
    lazy val prefixKey: Option[UTF8String => UTF8String] = collation.getCollator match {
      case _ if id == CollationFactory.UTF8_LCASE_COLLATION_ID =>
        Some(string => UTF8String.fromBytes(keyOf(string)))
      case collator: RuleBasedCollator
          if collator.getStrength == Collator.PRIMARY && !collator.isCaseLevel &&
            !collator.isAlternateHandlingShifted && !collation.supportsSpaceTrimming &&
            keysMatchComparator =>
        Some(string => UTF8String.fromBytes(keyOf(string).takeWhile(_ != EndOfIcuKey)))
      case _ => None
    }
  }

  private val EndOfIcuKey: Byte = 0

  private val cache = new ConcurrentHashMap[String, CollationData]

  private[collation] def dataOf(name: String): CollationData =
    cache.computeIfAbsent(name, name => new CollationData(CollationFactory.collationNameToId(name)))
}
