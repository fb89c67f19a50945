// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.errors

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

/** Checks that the error conditions, the methods that raise them and the tests agree. */
class CollationsErrorsSuite extends AnyFunSuite {

  private val entries = new ObjectMapper().readTree(
    Path.of("src/main/resources/error/collations-error-conditions.json").toFile
  )

  private val names = entries.fieldNames.asScala.toList

  /** Every condition with its subclass, as a user sees it. */
  private val conditions = names.flatMap { name =>
    Option(entries.get(name).get("subClass"))
      .fold(List(name))(_.fieldNames.asScala.toList.map(sub => s"$name.$sub"))
  }

  test("conditions are sorted by name") {
    assert(names === names.sorted)
  }

  test("every condition has a SQLSTATE of five characters") {
    val odd = conditions.filterNot { name =>
      CollationsErrors.conditions.getSqlState(name).matches("[0-9A-Z]{5}")
    }
    assert(odd === Nil)
  }

  test("every condition is raised by exactly one method") {
    val source = Files.readString(Path.of(
      "src/main/scala/org/deltacollations/errors/CollationsErrors.scala"
    ))
    val raised = "\"(COLLATIONS_[A-Z_.]+)\"".r.findAllMatchIn(source).map(_.group(1)).toList
    assert(raised.sorted === conditions.sorted)
  }

  test("every condition appears in at least one test") {
    val tests = Seq(Path.of("src/test"), Path.of("../tests")).flatMap { folder =>
      val walk = Files.walk(folder)
      try walk.iterator.asScala.filter(_.toString.matches(".*\\.(scala|py)")).toList
      finally walk.close()
    }.map(Files.readString).mkString
    assert(conditions.filterNot(name => tests.contains("\"" + name + "\"")) === Nil)
  }

  test("a message contains the condition, all parameters and the SQLSTATE") {
    val error = CollationsErrors.unsupportedMapKey("labels", "STRING COLLATE UNICODE")
    assert(error.getMessage.startsWith(
      "[COLLATIONS_UNSUPPORTED_COLUMN_TYPE.MAP_KEY] Column labels cannot have the type STRING COLLATE"
    ))
    assert(error.getMessage.endsWith("SQLSTATE: 0A000"))
    assert(!error.getMessage.contains("<"))
  }
}
