// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class DeltaHooksSuite extends AnyFunSuite {

  test("the map of the code lists every hook with its class and method, and no other") {
    val row = "(?m)^\\| `([a-z-]+)` \\| `(.+?)` \\|".r
    val listed = row.findAllMatchIn(Files.readString(Path.of("README.md")))
      .map(found => found.group(1) -> found.group(2)).toMap
    val hooks = DeltaHooks.all.map { hook =>
      hook.name -> s"${hook.className.split('.').last}.${hook.method}"
    }
    assert(listed === hooks.toMap)
  }

  test("every hook has a name of its own") {
    assert(DeltaHooks.all.map(_.name).distinct.size === DeltaHooks.all.size)
  }
}
