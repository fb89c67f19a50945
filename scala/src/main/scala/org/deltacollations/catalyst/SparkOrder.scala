// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.catalyst

import java.util.Comparator
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.order.{CollationOrder, OrderLaws}

/** The order of one of Spark's collations. Only the name travels; each JVM asks its own Spark. */
final case class SparkOrder(collation: String) extends CollationOrder {

  @transient private lazy val known = SparkOrder.known(collation)

  override def compare(left: UTF8String, right: UTF8String): Int =
    known.comparator.compare(left, right)

  override def isTotal: Boolean = known.isTotal
}

object SparkOrder {

  /** What a JVM learns about a collation once. */
  final private class Known(collation: CollationFactory.Collation) {
    val comparator: Comparator[UTF8String] = collation.comparator
    lazy val isTotal: Boolean = OrderLaws.hold(comparator.compare)
  }

  private val cache = new ConcurrentHashMap[String, Known]

  private def known(name: String): Known =
    cache.computeIfAbsent(name, name => new Known(CollationFactory.fetchCollation(name)))
}
