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
 * The order of one of Spark's collations in another version of ICU.
 *
 * @param jar
 *   the name of a file that Spark has brought to every executor, with that version in it
 */
final case class OtherIcuOrder(collation: String, jar: String) extends CollationOrder {

  @transient private lazy val known = OtherIcuOrder.known(collation, jar)

  /** That version must have the collation; it has, where the order is total. */
  override def compare(left: UTF8String, right: UTF8String): Int = known.comparator.get(left, right)

  override def isTotal: Boolean = known.isTotal

  override def letters(text: UTF8String): Option[UTF8String] = None
}

object OtherIcuOrder {

  private type Comparison = (UTF8String, UTF8String) => Int

  /** What a JVM learns about a collation in another version once, as about one of its own. */
  final private[versions] class Known(collation: String, icu: IsolatedIcu) {

    /** None if that version does not have the collation. */
    val comparator: Option[Comparison] = {
      val id = CollationFactory.collationNameToId(collation)
      val untrimmed = CollationFactory.fetchCollation(id).getCollator match {
        case running: RuleBasedCollator => ofCollator(icu, running)
        case _ => Some(ofLowerCase(icu))
      }
      def trimmed(text: UTF8String) = CollationFactory.applyTrimmingPolicy(text, id)
      untrimmed.map(compare => (left, right) => compare(trimmed(left), trimmed(right)))
    }

    lazy val isTotal: Boolean = comparator.exists(TotalOrderCheck.hold(_))
  }

  private val cache = new ConcurrentHashMap[(String, Path), Known]

  private def known(collation: String, jar: String): Known =
    cache.computeIfAbsent(
      (collation, Path.of(SparkFiles.get(jar))),
      { case (collation, file) => new Known(collation, IsolatedIcu(file)) }
    )

  private def ofCollator(icu: IsolatedIcu, running: RuleBasedCollator): Option[Comparison] = {
    val locale = running.getLocale(ULocale.VALID_LOCALE).toString
    icu.comparator(locale, running.getStrength, running.isCaseLevel).map { other => (left, right) =>
      other.compare(left.toValidString, right.toValidString)
    }
  }

  /** As Spark does it for UTF8_LCASE, with its two exceptions. */
  private def ofLowerCase(icu: IsolatedIcu): Comparison = {
    def lower(text: UTF8String): UTF8String = {
      val letters = new java.lang.StringBuilder
      text.toValidString.codePoints.forEach {
        case DottedCapital => letters.append(DottedSmall): Unit
        case FinalSigma => letters.append(Sigma): Unit
        case point => letters.appendCodePoint(icu.lowerCase.applyAsInt(point)): Unit
      }
      UTF8String.fromString(letters.toString)
    }
    (left: UTF8String, right: UTF8String) => lower(left).binaryCompare(lower(right))
  }

  private val DottedCapital = 0x130
  private val DottedSmall = "i\u0307"
  private val FinalSigma = 0x3c2
  private val Sigma = "\u03c3"
}
