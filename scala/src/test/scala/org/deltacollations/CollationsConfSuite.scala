// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class CollationsConfSuite extends AnyFunSuite {

  private lazy val readme = Files.readString(Path.of("../README.md"))

  for (switch <- CollationsConf.all)
    test(s"the README says what ${switch.key} does, in the words of the code") {
      assert(readme.contains(s"| `${switch.key}` | ${switch.doc} |"))
    }

  test("the README names no switch that does not exist") {
    val named = "`(spark\\.deltaCollations\\.[^`]+)`".r.findAllMatchIn(readme).map(_.group(1)).toSet
    assert(named === CollationsConf.all.map(_.key).toSet)
  }
}
