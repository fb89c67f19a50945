// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

class DeltaHooksSuite extends AnyFunSuite {

  test("README lists exactly the hooks, with method, kind, requirements and degradation") {
    val row = "(?m)^\\| `([a-z-]+)` \\| `(.+?)` \\| `(.+?)` \\| (.*?)\\| (.+) \\|$".r
    val documented = row.findAllMatchIn(Files.readString(Path.of("README.md"))).map { cells =>
      val requires = cells.group(4).replace("`", "").split(", ").map(_.trim).filter(_.nonEmpty)
      val degradation = cells.group(5).replace("`", "")
      cells.group(1) -> ((cells.group(2), cells.group(3), requires.toSet, degradation))
    }.toMap
    val hooks = DeltaHooks.all.map { hook =>
      val place = s"${hook.className.split('.').last}.${hook.method}"
      val degradation = if (hook.required) "the session does not start" else hook.degradation
      hook.name -> ((place, hook.kind.toString, hook.requires, degradation))
    }
    assert(documented === hooks.toMap)
  }

  test("hook names are unique, and required hooks exist") {
    val names = DeltaHooks.all.map(_.name)
    assert(names.distinct === names)
    assert(DeltaHooks.all.flatMap(_.requires).toSet -- names === Set.empty)
  }
}
