// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class DeltaHooksSuite extends AnyFunSuite {

  test("the map of the code lists every hook with its place and what is lost, and no other") {
    val row = "(?m)^\\| `([a-z-]+)` \\| `(.+?)` \\| .+? \\| (.*?)\\| (.+) \\|$".r
    val listed = row.findAllMatchIn(Files.readString(Path.of("README.md"))).map { found =>
      val requires = found.group(3).replace("`", "").split(", ").map(_.trim).filter(_.nonEmpty)
      (found.group(1), (found.group(2), requires.toSet, found.group(4).replace("`", "")))
    }.toMap
    val hooks = DeltaHooks.all.map { hook =>
      val place = s"${hook.className.split('.').last}.${hook.method}"
      val lost = if (hook.required) "the session does not start" else hook.degradation
      (hook.name, (place, hook.requires, lost))
    }
    assert(listed === hooks.toMap)
  }

  test("every hook has a name of its own, and requires others that there are") {
    val names = DeltaHooks.all.map(_.name)
    assert(names.distinct === names)
    assert(DeltaHooks.all.flatMap(_.requires).toSet -- names === Set.empty)
  }
}
