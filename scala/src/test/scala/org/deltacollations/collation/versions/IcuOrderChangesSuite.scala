// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import scala.jdk.CollectionConverters._

import org.deltacollations.collation.unicode.CodePointSet
import org.deltacollations.collation.versions.derivation.{
  Confirmation,
  Derivation,
  Icu,
  IcuVersions
}
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class IcuOrderChangesSuite extends AnyFunSuite {

  private val changes = IcuOrderChanges.shipped

  private val steps = IcuVersions.all.zip(IcuVersions.all.tail)

  private def changed(before: Icu, after: Icu, collation: String): CodePointSet =
    changes.changedCodePoints(collation, before.version, after.version).get

  test("the list covers every step between versions and every collation of both") {
    assert(changes.versions === IcuVersions.all.map(_.version))
    for {
      (before, after) <- steps
      locale <- before.locales.keySet.asScala if after.locales.containsKey(locale)
      name <- Seq(locale, s"${locale}_CI", s"${locale}_CI_AI_RTRIM")
    } assert(changes.changedCodePoints(name, before.version, after.version).isDefined, name)
  }

  test("ICU 77.1 does not change the order of any collation of 76.1") {
    for (
      name <- IcuVersions("77.1").locales.keySet.asScala.toSeq ++
        Seq("UTF8_LCASE", "UTF8_BINARY_RTRIM")
    )
      assert(changes.changedCodePoints(name, "76.1", "77.1") === Some(CodePointSet.Empty))
  }

  test("the changes of the root collation from ICU 77.1 to 78.3 are those that are derived again") {
    val (before, after) = (IcuVersions("77.1"), IcuVersions("78.3"))
    val derivation = new Derivation(before, after)
    assert(derivation.ofLocale("UNICODE") === Some(changed(before, after, "UNICODE_CI")))
    assert(derivation.ofLowerCase === changed(before, after, "UTF8_LCASE"))
    val assignedInBoth = changed(before, after, "UNICODE").codePoints.filter(codePoint =>
      before.isAssigned(codePoint) && after.isAssigned(codePoint)
    )
    assert(assignedInBoth.size === 21)
  }

  test("the changes of a random locale are derived again") {
    val (before, after) = steps(random.nextInt(steps.size))
    val locales = before.locales.keySet.asScala.intersect(after.locales.keySet.asScala).toSeq.sorted
    val locale = locales(random.nextInt(locales.size))
    assert(
      new Derivation(before, after).ofLocale(locale) === Some(changed(before, after, locale)),
      s"$locale, seed ${Strings.Seed}"
    )
  }

  private val random = new scala.util.Random(Strings.Seed)

  test("changes accumulate over several steps, in either direction") {
    val Some(first) = changes.changedCodePoints("sv", "77.1", "78.3"): @unchecked
    val Some(second) = changes.changedCodePoints("sv", "78.3", "79.1"): @unchecked
    assert(changes.changedCodePoints("sv_CI", "77.1", "79.1") === Some(first ++ second))
    assert(changes.changedCodePoints("sv_AI", "79.1", "77.1") === Some(first ++ second))
    assert(changes.changedCodePoints("sv", "78.3", "78.3") === Some(CodePointSet.Empty))
  }

  test("changedCodePoints returns None for versions and collations that are not listed") {
    assert(changes.changedCodePoints("UNICODE", "74.2", "78.3") === None)
    assert(changes.changedCodePoints("UNICODE", "78.3", "78") === None)
    assert(changes.changedCodePoints("tlh", "77.1", "78.3") === None)
  }

  /** Each character alone and next to others. */
  private def texts(codePoints: Iterator[Int]): Seq[String] =
    codePoints.map(Character.toString).flatMap(text =>
      Seq(text, s"a$text", s"${text}b", s"Å$text")
    ).toSeq

  private val newest = IcuVersions.all.last
  private lazy val assigned = (0 to Character.MAX_CODE_POINT).filter(codePoint =>
    newest.isAssigned(codePoint) && Character.getType(codePoint) != Character.SURROGATE.toInt
  )

  private def differences(before: Icu, after: Icu, locale: String, changed: CodePointSet) =
    Confirmation.differences(
      before,
      after,
      locale,
      texts(assigned.iterator.filterNot(changed.contains))
    )

  test("all other characters have the same order in both versions of a step") {
    for ((before, after) <- steps)
      assert(differences(before, after, "UNICODE", changed(before, after, "UNICODE")) === Nil)
  }

  test("the comparison of both versions detects a missing code point") {
    val (before, after) = (IcuVersions("77.1"), IcuVersions("78.3"))
    val complete = changed(before, after, "UNICODE")
    val candidates = complete.codePoints.filter(before.isAssigned).toSeq
    for (missing <- candidates.take(3)) {
      val incomplete =
        CodePointSet.of(complete.codePoints.filterNot(_ == missing).map(p => p -> p).toSeq)
      val found = differences(before, after, "UNICODE", incomplete)
      assert(found.exists(_.contains(Character.toString(missing))))
    }
  }
}
