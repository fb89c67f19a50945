// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class FileTextSuite extends AnyFunSuite {

  test("other statistics are all that changes in an action, whatever else it says") {
    val before =
      """{"add":{"path":"a%20b","partitionValues":{"p":null},"size":9223372036854775807,""" +
        """"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"k":"v"},"unheard":[1.50,{"x":""}]}}"""
    val after =
      """{"add":{"path":"a%20b","partitionValues":{"p":null},"size":9223372036854775807,""" +
        """"dataChange":false,"stats":"{\"é\":2}","tags":{"k":"v"},"unheard":[1.5,{"x":""}]}}"""
    assert(FileText.withStats(before, """{"é":2}""", dataChange = false) === after)
  }

  test("statistics that a file has no more are null") {
    assert(
      FileText.withStats("""{"add":{"path":"a"}}""", null, dataChange = true) ===
        """{"add":{"path":"a","stats":null,"dataChange":true,"tags":null}}"""
    )
  }

  test("an action that adds no file has no statistics") {
    intercept[IllegalArgumentException](FileText.withStats("""{"txn":{}}""", "{}", true))
  }
}
