// SPDX-License-Identifier: Apache-2.0
package org.deltacollations

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/** The rooms of the house, and who holds which key. See `scala/README.md`. */
class ArchitectureSuite extends AnyFunSuite {

  /** Delta's own, and Spark's behind the tree classes, each with the rooms that may import it. */
  private val keys = Seq(
    "org.apache.spark.sql.delta" -> Set("delta"),
    "io.delta" -> Set("delta"),
    "org.apache.spark.sql.execution" -> Set("catalyst", "sql"),
    "org.apache.spark.sql.internal" -> Set("catalyst"),
    "org.apache.spark.sql.catalyst.util" -> Set("catalyst"),
    "org.apache.spark.sql.catalyst" -> Set("catalyst", "delta", "stats", "skipping", "speed", "sql")
  )

  for ((internals, rooms) <- keys)
    test(s"only ${rooms.mkString(" and ")} may import $internals") {
      val strangers = sources.filterNot(file => rooms(room(file))).filter { file =>
        imports(file).exists(_.startsWith(s"$internals."))
      }
      assert(strangers.map(_.getFileName.toString) === Nil)
    }

  /** A room imports only rooms to its left; rooms in one group do not see each other. */
  private val corridor = Seq(
    Set("errors"),
    Set("protocol", "elsewhere"),
    Set("order"),
    Set("versions"),
    Set("stats", "skipping", "speed"),
    Set("catalyst"),
    Set("delta"),
    Set("sql")
  )

  test("the corridor of rooms runs one way") {
    val backwards = for {
      (group, position) <- corridor.zipWithIndex
      here <- group.toSeq
      file <- sources if room(file) == here
      there <- corridor.drop(position).flatten if there != here
      imported <- imports(file) if imported.startsWith(s"org.deltacollations.$there.")
    } yield s"$here/${file.getFileName} imports $imported"
    assert(backwards === Nil)
  }

  test("no source file is longer than 400 lines") {
    val long = sources.filter(Files.readAllLines(_).size > 400)
    assert(long.map(_.getFileName.toString) === Nil)
  }

  private val main = Path.of("src/main")

  private def sources: Seq[Path] = {
    val walk = Files.walk(main)
    try walk.iterator.asScala.filter(_.toString.matches(".*\\.(scala|java)")).toList
    finally walk.close()
  }

  /** The folder below `org/deltacollations`, or nothing for the files at the door. */
  private def room(file: Path): String = {
    val folders = file.getParent.iterator.asScala.map(_.toString).toSeq
    folders.drop(folders.indexOf("deltacollations") + 1).headOption.getOrElse("")
  }

  private def imports(file: Path): Seq[String] =
    Files.readAllLines(file).asScala.toSeq.map(_.trim).filter(_.startsWith("import "))
      .map(_.stripPrefix("import ").stripPrefix("static "))
}
