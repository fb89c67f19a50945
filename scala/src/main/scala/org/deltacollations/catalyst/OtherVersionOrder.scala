// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst

import java.nio.file.Path

import org.apache.spark.SparkFiles
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.text.RuleBasedCollator
import com.ibm.icu.util.ULocale
import org.deltacollations.order.{CollationOrder, OrderLaws}
import org.deltacollations.versions.IsolatedIcu

/**
 * The order of one of Spark's collations in another version of ICU.
 *
 * @param jar
 *   the name of a file that Spark has brought to every executor, with that version in it
 */
final case class OtherVersionOrder(collation: String, jar: String) extends CollationOrder {

  @transient private lazy val comparator =
    OtherVersionOrder.comparator(collation, IsolatedIcu(Path.of(SparkFiles.get(jar))))

  override def compare(left: UTF8String, right: UTF8String): Int = comparator(left, right)

  override def isTotal: Boolean = OrderLaws.hold(compare)

  override def letters(text: UTF8String): Option[UTF8String] = None
}

object OtherVersionOrder {

  private[catalyst] def comparator(
      collation: String,
      icu: IsolatedIcu
  ): (UTF8String, UTF8String) => Int = {
    val id = CollationFactory.collationNameToId(collation)
    val untrimmed = CollationFactory.fetchCollation(id).getCollator match {
      case running: RuleBasedCollator => ofCollator(icu, running)
      case _ => ofLowerCase(icu)
    }
    def trimmed(text: UTF8String) = CollationFactory.applyTrimmingPolicy(text, id)
    (left, right) => untrimmed(trimmed(left), trimmed(right))
  }

  private def ofCollator(icu: IsolatedIcu, running: RuleBasedCollator) = {
    val locale = running.getLocale(ULocale.VALID_LOCALE).toString
    val other = icu.comparator(locale, running.getStrength, running.isCaseLevel)
    (left: UTF8String, right: UTF8String) =>
      other.compare(left.toValidString, right.toValidString)
  }

  /** As Spark does it for UTF8_LCASE, with its two exceptions. */
  private def ofLowerCase(icu: IsolatedIcu) = {
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
