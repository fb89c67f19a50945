// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.deltacollations.collation.unicode.CodePointSet

/**
 * Writes the certificates that the jar carries, and holds real names against them:
 * `./dev bench certificates`.
 */
object DeriveIcuOrderChanges {

  /** @param arguments a file with one name a line, and where the certificates go */
  def main(arguments: Array[String]): Unit = {
    val words = Files.readAllLines(Path.of(arguments(0))).asScala.toSeq
    val target = Path.of(arguments(1))
    val steps = IcuVersions.all.zip(IcuVersions.all.tail)
    val lines = steps.flatMap { case (before, after) =>
      val start = System.nanoTime()
      val found = certified(before, after)
      println(s"${before.version} to ${after.version}: ${found.size} orders, ${seconds(start)} s")
      found.foreach { case (names, affected) => confirm(before, after, names, affected, words) }
      found.map { case (names, affected) =>
        Seq(before.version, after.version, names.mkString(" "), affected).mkString("\t")
      }
    }
    Files.write(target, (Header +: lines).asJava): Unit
    println(s"written to $target")
  }

  private val Header =
    "# Characters that two versions of ICU may order differently. Made by ./dev bench certificates."

  private def seconds(start: Long): Long = (System.nanoTime() - start) / 1000000000L

  /** Collations by what they have in common, and what is affected under them. */
  private def certified(before: Icu, after: Icu): Seq[(Seq[String], CodePointSet)] = {
    val derivation = new Derivation(before, after)
    val byOrder = before.locales.keySet.asScala.intersect(after.locales.keySet.asScala).toSeq.sorted
      .groupBy(name => Seq(before, after).map(icu => identity(icu, name)))
    // Each needs some hundred megabytes for a moment.
    val ofLocales = byOrder.values.toSeq.asJava.parallelStream()
      .map[(Seq[String], Option[CodePointSet])](names => names -> derivation.ofLocale(names.head))
      .toList.asScala.toSeq
    val sparks = Seq(
      Seq("UTF8_BINARY") -> CodePointSet.None,
      Seq("UTF8_LCASE") -> derivation.ofLowerCase
    )
    val all = sparks ++ ofLocales.collect { case (names, Some(affected)) => names -> affected }
    ofLocales.collect { case (names, None) =>
      println(s"nothing is proven of ${names.mkString(" ")}")
    }
    all.groupBy(_._2).toSeq
      .map { case (affected, alike) => alike.flatMap(_._1).sorted -> affected }
      .sortBy { case (names, _) => (-names.size, names.head) }
  }

  private def identity(icu: Icu, name: String): (String, String) = {
    val elements = icu.elements(icu.locales.get(name))
    (elements.rules, elements.settings)
  }

  /**
   * Fails if a name tells that a certificate is false. One order of each certificate has all names, and
   * the others a tenth, another one each.
   */
  private def confirm(
      before: Icu,
      after: Icu,
      names: Seq[String],
      affected: CodePointSet,
      words: Seq[String]
  ): Unit = {
    val (left, kept) = words.partition(affected.holdsAnyOf)
    val orders = names.filter(before.locales.containsKey).groupBy(identity(before, _)).values.toSeq
    val tenths = kept.zipWithIndex.groupMap(_._2 % 10)(_._1)
    val wrong = orders.map(_.min).sorted.zipWithIndex.flatMap { case (name, number) =>
      val asked = if (number == 0) kept else tenths.getOrElse(number % 10, Nil)
      Confirmation.differences(before, after, name, asked)
    }
    println(
      s"  ${names.size} collations, ${affected.size} characters affected: ${orders.size} orders " +
        s"of ${kept.size} names are the same, ${left.size} names have such characters"
    )
    wrong.take(10).foreach(println)
    if (wrong.nonEmpty) sys.exit(1)
  }
}
