// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.SparkFiles
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.RuleBasedCollator
import com.ibm.icu.util.ULocale
import org.deltacollations.collation.{CollationOrder, TotalOrderCheck}

/**
 * Orders strings by a Spark collation in another version of ICU.
 *
 * @param jar
 *   the name of a jar with that version, which Spark has distributed to every executor
 */
final case class OtherIcuOrder(collation: String, jar: String) extends CollationOrder {

  @transient private lazy val data = OtherIcuOrder.dataOf(collation, jar)

  /** Requires that the version has the collation, which [[isTotalOrder]] implies. */
  override def compare(left: UTF8String, right: UTF8String): Int = data.comparator.get(left, right)

  override def isTotalOrder: Boolean = data.isTotalOrder

  override def prefixKey(string: UTF8String): Option[UTF8String] = None
}

object OtherIcuOrder {

  private type Compare = (UTF8String, UTF8String) => Int

  /** Holds everything that is computed once per collation, ICU version and JVM. */
  final private[versions] class CollationData(collation: String, icu: IsolatedIcu) {

    /** `None` if the version does not have the collation. */
    val comparator: Option[Compare] = {
      val id = CollationFactory.collationNameToId(collation)
      val untrimmed = CollationFactory.fetchCollation(id).getCollator match {
        case current: RuleBasedCollator => ofCollator(icu, current)
        case _ => Some(ofLowerCase(icu))
      }
      def trim(string: UTF8String) = CollationFactory.applyTrimmingPolicy(string, id)
      untrimmed.map(compare => (left, right) => compare(trim(left), trim(right)))
    }

    lazy val isTotalOrder: Boolean = comparator.exists(TotalOrderCheck.isTotalOrder(_))
  }

  private val cache = new ConcurrentHashMap[(String, Path), CollationData]

  private def dataOf(collation: String, jar: String): CollationData =
    cache.computeIfAbsent(
      (collation, Path.of(SparkFiles.get(jar))),
      { case (collation, file) => new CollationData(collation, IsolatedIcu(file)) }
    )

  private def ofCollator(icu: IsolatedIcu, current: RuleBasedCollator): Option[Compare] = {
    val locale = current.getLocale(ULocale.VALID_LOCALE).toString
    icu.comparator(locale, current.getStrength, current.isCaseLevel).map { other => (left, right) =>
      other.compare(left.toValidString, right.toValidString)
    }
  }

  /** Compares as Spark's UTF8_LCASE does, with its two special cases. */
  private def ofLowerCase(icu: IsolatedIcu): Compare = {
    def lower(string: UTF8String): UTF8String = {
      val result = new java.lang.StringBuilder
      string.toValidString.codePoints.forEach {
        case DottedCapitalI => result.append(DottedSmallI): Unit
        case FinalSigma => result.append(Sigma): Unit
        case codePoint => result.appendCodePoint(icu.lowerCase.applyAsInt(codePoint)): Unit
      }
      UTF8String.fromString(result.toString)
    }
    (left: UTF8String, right: UTF8String) => lower(left).binaryCompare(lower(right))
  }

  private val DottedCapitalI = 0x130
  private val DottedSmallI = "i\u0307"
  private val FinalSigma = 0x3c2
  private val Sigma = "\u03c3"
}
