// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.unsafe.types.UTF8String

import org.scalatest.funsuite.AnyFunSuite

class BinaryOrderSuite extends AnyFunSuite {

  private def compare(left: String, right: String): Int =
    BinaryOrder.compare(UTF8String.fromString(left), UTF8String.fromString(right))

  test("binary order is the order of UTF-8 bytes, not of UTF-16 code units") {
    assert(compare("Z", "a") < 0)
    assert(compare("\uFFFF", "🙂") < 0)
  }
}
