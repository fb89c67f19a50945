// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.unsafe.types.UTF8String

/** The order of plain strings, which readers that know no collation go by. */
case object BinaryOrder extends CollationOrder {

  override def compare(left: UTF8String, right: UTF8String): Int = left.binaryCompare(right)

  override def isTotal: Boolean = true

  override def letters(text: UTF8String): Option[UTF8String] = Some(text)
}
