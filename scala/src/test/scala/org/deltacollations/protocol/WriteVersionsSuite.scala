// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.protocol

import org.scalatest.funsuite.AnyFunSuite

class WriteVersionsSuite extends AnyFunSuite {

  private val unicode78 = CollationId("icu", "UNICODE", Some("78.3"))
  private val lcase78 = CollationId("spark", "UTF8_LCASE", Some("78.3"))

  private def including(configuration: String, ids: CollationId*): String =
    WriteVersions.read(configuration).including(ids).toString

  test("the first list holds write versions and nothing else") {
    assert(including("", unicode78) === """{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
  }

  test("a new version is put behind the old ones, and identifiers are sorted") {
    val before = """{"writeVersions":{"spark.UTF8_LCASE":["77.1","9"]}}"""
    assert(
      including(before, lcase78, unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["78.3"],"spark.UTF8_LCASE":["77.1","9","78.3"]}}"""
    )
  }

  test("a version is listed once, however often it is added") {
    val once = including("", unicode78)
    assert(including(once, unicode78, unicode78) === once)
    assert(
      including("""{"writeVersions":{"icu.UNICODE":["1","1","78.3"]}}""", unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["1","78.3"]}}"""
    )
  }

  test("an identifier is listed under exactly its version and its spelling") {
    val versions = WriteVersions.read("""{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
    assert(versions.lists(unicode78))
    for (
      other <- Seq(
        unicode78.copy(version = Some("78")),
        unicode78.copy(provider = "ICU"),
        unicode78.unversioned,
        lcase78
      )
    )
      assert(!versions.lists(other), other)
  }

  test("entries of other writers are kept, and so are keys nobody here knows") {
    assert(
      including(
        """{"z":{"b":[1,null]},"writeVersions":{"acme.X":["v 1"],"odd":[]},"a":"é\"\\"}""",
        unicode78
      ) ===
        """{"writeVersions":{"acme.X":["v 1"],"icu.UNICODE":["78.3"],"odd":[]},""" +
        """"a":"é\"\\","z":{"b":[1,null]}}"""
    )
  }

  test("numbers of other writers keep every digit") {
    val text = """{"writeVersions":{},"x":{"d":0.12345678901234567890}}"""
    assert(WriteVersions.read(text).toString === text)
  }

  test("readVersions is not written again") {
    assert(
      including("""{"readVersions":{"icu.UNICODE":["75.1"]},"writeVersions":{}}""", unicode78) ===
        """{"writeVersions":{"icu.UNICODE":["78.3"]}}"""
    )
  }

  for (
    damaged <- Seq(
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
    test(
      s"${Option(damaged).fold("no text")(text => s"'${text.take(60)}'")} lists nothing, and a list can begin there"
    ) {
      assert(!WriteVersions.read(damaged).lists(unicode78))
      assert(including(damaged, unicode78) === """{"writeVersions":{"icu.UNICODE":["78.3"]}}""")
    }

  test("two lists become one that holds both, and the first decides on foreign keys") {
    val one = """{"writeVersions":{"icu.UNICODE":["77.1"],"acme.X":["1"]},"a":1}"""
    val two = """{"writeVersions":{"icu.UNICODE":["78.3","77.1"],"b.Y":["2"]},"a":2,"c":3}"""
    assert(
      WriteVersions.read(one).merged(WriteVersions.read(two)).toString ===
        """{"writeVersions":{"acme.X":["1"],"b.Y":["2"],"icu.UNICODE":["77.1","78.3"]},""" +
        """"a":1,"c":3}"""
    )
  }

  test("a list that cannot be read takes nothing from the other") {
    val good = """{"writeVersions":{"icu.UNICODE":["78.3"]}}"""
    for (bad <- Seq(null, "{", """{"writeVersions":7}""")) {
      assert(WriteVersions.read(bad).merged(WriteVersions.read(good)).toString === good)
      assert(WriteVersions.read(good).merged(WriteVersions.read(bad)).toString === good)
    }
  }
}
