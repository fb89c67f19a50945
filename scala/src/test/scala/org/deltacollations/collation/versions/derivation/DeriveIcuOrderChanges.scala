// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.deltacollations.collation.unicode.CodePointSet

/**
 * Derives `icu-order-changes.tsv` and checks it with real names: `./dev bench icu-order-changes`.
 */
object DeriveIcuOrderChanges {

  /** @param arguments a file with one name per line, and the file to write */
  def main(arguments: Array[String]): Unit = {
    val words = Files.readAllLines(Path.of(arguments(0))).asScala.toSeq
    val target = Path.of(arguments(1))
    val steps = IcuVersions.all.zip(IcuVersions.all.tail)
    val lines = steps.flatMap { case (before, after) =>
      val start = System.nanoTime()
      val found = derive(before, after)
      println(s"${before.version} to ${after.version}: ${found.size} orders, ${seconds(start)} s")
      found.foreach { case (names, changed) => confirm(before, after, names, changed, words) }
      found.map { case (names, changed) =>
        Seq(before.version, after.version, names.mkString(" "), changed).mkString("\t")
      }
    }
    Files.write(target, (Header +: lines).asJava): Unit
    println(s"wrote $target")
  }

  private val Header =
    "# Code points that two versions of ICU may order differently. Written by ./dev bench icu-order-changes."

  private def seconds(start: Long): Long = (System.nanoTime() - start) / 1000000000L

  /** Returns groups of collations with the same changed code points. */
  private def derive(before: Icu, after: Icu): Seq[(Seq[String], CodePointSet)] = {
    val derivation = new Derivation(before, after)
    val byOrder = before.locales.keySet.asScala.intersect(after.locales.keySet.asScala).toSeq.sorted
      .groupBy(name => Seq(before, after).map(icu => identity(icu, name)))
    // Each derivation needs a few hundred megabytes.
    val ofLocales = byOrder.values.toSeq.asJava.parallelStream()
      .map[(Seq[String], Option[CodePointSet])](names => names -> derivation.ofLocale(names.head))
      .toList.asScala.toSeq
    val ofSpark = Seq(
      Seq("UTF8_BINARY") -> CodePointSet.Empty,
      Seq("UTF8_LCASE") -> derivation.ofLowerCase
    )
    val all = ofSpark ++ ofLocales.collect { case (names, Some(changed)) => names -> changed }
    ofLocales.collect { case (names, None) =>
      println(s"nothing can be proven for ${names.mkString(" ")}")
    }
    all.groupBy(_._2).toSeq
      .map { case (changed, group) => group.flatMap(_._1).sorted -> changed }
      .sortBy { case (names, _) => (-names.size, names.head) }
  }

  private def identity(icu: Icu, name: String): (String, String) = {
    val elements = icu.elements(icu.locales.get(name))
    (elements.rules, elements.settings)
  }

  /**
   * Fails if a name contradicts the derived code points. Checks one order of each group with all names,
   * and each of the others with another tenth of the names.
   */
  private def confirm(
      before: Icu,
      after: Icu,
      names: Seq[String],
      changed: CodePointSet,
      words: Seq[String]
  ): Unit = {
    val (withChanged, unchanged) = words.partition(changed.containsAnyOf)
    val orders = names.filter(before.locales.containsKey).groupBy(identity(before, _)).values.toSeq
    val tenths = unchanged.zipWithIndex.groupMap(_._2 % 10)(_._1)
    val differences = orders.map(_.min).sorted.zipWithIndex.flatMap { case (name, index) =>
      val sample = if (index == 0) unchanged else tenths.getOrElse(index % 10, Nil)
      Confirmation.differences(before, after, name, sample)
    }
    println(
      s"  ${names.size} collations, ${changed.size} changed code points: ${orders.size} orders " +
        s"of ${unchanged.size} names are the same, ${withChanged.size} names have changed code points"
    )
    differences.take(10).foreach(println)
    if (differences.nonEmpty) sys.exit(1)
  }
}
