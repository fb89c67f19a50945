// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.unsafe.types.UTF8String

/** Orders strings by their UTF-8 bytes, as `UTF8_BINARY` and readers without collations do. */
case object BinaryOrder extends CollationOrder {

  override def compare(left: UTF8String, right: UTF8String): Int = left.binaryCompare(right)

  override def isTotalOrder: Boolean = true

  override def prefixKey(string: UTF8String): Option[UTF8String] = Some(string)
}
