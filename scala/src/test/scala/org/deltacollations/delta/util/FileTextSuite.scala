// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

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

  test("a tag is put beside the others, or is the first") {
    def tagged(tags: String): String =
      FileText.withStats(s"""{"add":{"path":"a"$tags}}""", "{}", dataChange = true, Map("k" -> "v"))
    def expected(tags: String): String =
      s"""{"add":{"path":"a","tags":$tags,"stats":"{}","dataChange":true}}"""
    assert(tagged(""","tags":{"a":"b","k":"old"}""") === expected("""{"a":"b","k":"v"}"""))
    assert(tagged(""","tags":null""") === expected("""{"k":"v"}"""))
    assert(
      tagged("") === """{"add":{"path":"a","stats":"{}","dataChange":true,"tags":{"k":"v"}}}"""
    )
  }

  test("an action that adds no file has no statistics") {
    intercept[IllegalArgumentException](FileText.withStats("""{"txn":{}}""", "{}", true))
  }
}
