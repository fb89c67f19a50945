// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.errors

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

/** The catalogue of error conditions, its voice and its tests agree. */
class CollationsErrorsSuite extends AnyFunSuite {

  private val catalogue = new ObjectMapper().readTree(
    Path.of("src/main/resources/error/collations-error-conditions.json").toFile
  )

  private val names = catalogue.fieldNames.asScala.toList

  /** Every condition with its subclass, as a user sees it. */
  private val conditions = names.flatMap { name =>
    Option(catalogue.get(name).get("subClass"))
      .fold(List(name))(_.fieldNames.asScala.toList.map(sub => s"$name.$sub"))
  }

  test("the conditions stand in alphabetical order") {
    assert(names === names.sorted)
  }

  test("every condition has a SQLSTATE of five characters") {
    val odd = conditions.filterNot { name =>
      CollationsErrors.catalogue.getSqlState(name).matches("[0-9A-Z]{5}")
    }
    assert(odd === Nil)
  }

  test("every condition is raised by exactly one method") {
    val voice = Files.readString(Path.of(
      "src/main/scala/org/deltacollations/errors/CollationsErrors.scala"
    ))
    val raised = "\"(COLLATIONS_[A-Z_.]+)\"".r.findAllMatchIn(voice).map(_.group(1)).toList
    assert(raised.sorted === conditions.sorted)
  }

  test("every condition is looked for by at least one test") {
    val tests = Seq(Path.of("src/test"), Path.of("../tests")).flatMap { folder =>
      val walk = Files.walk(folder)
      try walk.iterator.asScala.filter(_.toString.matches(".*\\.(scala|py)")).toList
      finally walk.close()
    }.map(Files.readString).mkString
    assert(conditions.filterNot(name => tests.contains("\"" + name + "\"")) === Nil)
  }

  test("a message holds the condition, the values and the SQLSTATE, and no gap") {
    val error = CollationsErrors.mapKeyUnsupported("labels", "STRING COLLATE UNICODE")
    assert(error.getMessage.startsWith(
      "[COLLATIONS_COLUMN_UNSUPPORTED.MAP_KEY] Column labels cannot have the type STRING COLLATE"
    ))
    assert(error.getMessage.endsWith("SQLSTATE: 0A000"))
    assert(!error.getMessage.contains("<"))
  }
}
