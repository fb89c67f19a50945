// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class WriteVersionsSuite extends AnyFunSuite {

  private val unicode78 = CollationId("icu", "UNICODE", Some("78.3"))
  private val lcase78 = CollationId("spark", "UTF8_LCASE", Some("78.3"))

  private def including(configuration: String, ids: CollationId*): String =
    WriteVersions.read(configuration).including(ids).toString

  test("the configuration of a new domain has only write versions") {
    assert(including("", unicode78) === """{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
  }

  test("including appends new versions and sorts identifiers") {
    val before = """{"writeVersions":{"spark.UTF8_LCASE":["77.1","9"]}}"""
    assert(
      including(before, lcase78, unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["78.3"],"spark.UTF8_LCASE":["77.1","9","78.3"]}}"""
    )
  }

  test("including does not add duplicates") {
    val once = including("", unicode78)
    assert(including(once, unicode78, unicode78) === once)
    assert(
      including("""{"writeVersions":{"icu.UNICODE":["1","1","78.3"]}}""", unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["1","78.3"]}}"""
    )
  }

  test("contains compares version and spelling exactly") {
    val versions = WriteVersions.read("""{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
    assert(versions.contains(unicode78))
    for (
      other <- Seq(
        unicode78.copy(version = Some("78")),
        unicode78.copy(provider = "ICU"),
        unicode78.unversioned,
        lcase78
      )
    )
      assert(!versions.contains(other), other)
  }

  test("entries of other writers and unknown fields are kept") {
    assert(
      including(
        """{"z":{"b":[1,null]},"writeVersions":{"acme.X":["v 1"],"odd":[]},"a":"é\"\\"}""",
        unicode78
      ) ===
        """{"writeVersions":{"acme.X":["v 1"],"icu.UNICODE":["78.3"],"odd":[]},""" +
        """"a":"é\"\\","z":{"b":[1,null]}}"""
    )
  }

  test("numbers in unknown fields keep all digits") {
    val text = """{"writeVersions":{},"x":{"d":0.12345678901234567890}}"""
    assert(WriteVersions.read(text).toString === text)
  }

  test("readVersions is dropped") {
    assert(
      including("""{"readVersions":{"icu.UNICODE":["75.1"]},"writeVersions":{}}""", unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["78.3"]}}"""
    )
  }

  private def quoted(text: String): String = s"'${text.take(60)}'"

  for (
    malformed <- Seq(
      null,
      "",
      "nothing",
      "{",
      """{"writeVersions":{"icu.UNICODE":["78.3"]}""",
      "null",
      "3",
      "\"text\"",
      "[]",
      """[{"writeVersions":{"icu.UNICODE":["78.3"]}}]""",
      "{}",
      """{"writeVersions":null}""",
      """{"writeVersions":["icu.UNICODE","78.3"]}""",
      """{"writeVersions":"icu.UNICODE.78.3"}""",
      """{"writeVersions":{"icu.UNICODE":"78.3"}}""",
      """{"writeVersions":{"icu.UNICODE":{"78.3":true}}}""",
      """{"writeVersions":{"icu.UNICODE":[78.3,null,["78.3"]]}}""",
      "[" * 100000
    )
  )
    test(s"no versions are read from ${Option(malformed).fold("null")(quoted)}") {
      assert(!WriteVersions.read(malformed).contains(unicode78))
      assert(including(malformed, unicode78) === """{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
    }

  test("merged combines versions and prefers the unknown fields of the first") {
    val one = """{"writeVersions":{"icu.UNICODE":["77.1"],"acme.X":["1"]},"a":1}"""
    val two = """{"writeVersions":{"icu.UNICODE":["78.3","77.1"],"b.Y":["2"]},"a":2,"c":3}"""
    assert(
      WriteVersions.read(one).merged(WriteVersions.read(two)).toString ===
        """{"writeVersions":{"acme.X":["1"],"b.Y":["2"],"icu.UNICODE":["77.1","78.3"]},""" +
        """"a":1,"c":3}"""
    )
  }

  test("merged ignores a malformed configuration") {
    val good = """{"writeVersions":{"icu.UNICODE":["78.3"]}}"""
    for (bad <- Seq(null, "{", """{"writeVersions":7}""")) {
      assert(WriteVersions.read(bad).merged(WriteVersions.read(good)).toString === good)
      assert(WriteVersions.read(good).merged(WriteVersions.read(bad)).toString === good)
    }
  }
}
