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
import org.scalatest.funsuite.AnyFunSuite

class IcuOrderChangesSuite extends AnyFunSuite {

  private val certificates = IcuOrderChanges.shipped

  private val steps = IcuVersions.all.zip(IcuVersions.all.tail)

  /** What the step from one version to the next may change, of all that a user could meet. */
  private def affected(before: Icu, after: Icu, collation: String): CodePointSet =
    certificates.affected(collation, before.version, after.version).get

  test("there is a certificate for every step between versions and every collation of both") {
    assert(certificates.versions === IcuVersions.all.map(_.version))
    for {
      (before, after) <- steps
      locale <- before.locales.keySet.asScala if after.locales.containsKey(locale)
      name <- Seq(locale, s"${locale}_CI", s"${locale}_CI_AI_RTRIM")
    } assert(certificates.affected(name, before.version, after.version).isDefined, name)
  }

  test("from 76.1 to 77.1 no collation changes at all") {
    for (
      name <- IcuVersions("77.1").locales.keySet.asScala.toSeq ++
        Seq("UTF8_LCASE", "UTF8_BINARY_RTRIM")
    )
      assert(certificates.affected(name, "76.1", "77.1") === Some(CodePointSet.None))
  }

  test("what changes from 77.1 to 78.3 under the root collation is derived anew") {
    val (before, after) = (IcuVersions("77.1"), IcuVersions("78.3"))
    val derivation = new Derivation(before, after)
    assert(derivation.ofLocale("UNICODE") === Some(affected(before, after, "UNICODE_CI")))
    assert(derivation.ofLowerCase === affected(before, after, "UTF8_LCASE"))
    val known = affected(before, after, "UNICODE").points.filter(point =>
      before.isAssigned(point) && after.isAssigned(point)
    )
    assert(known.size === 21)
  }

  test("and under one of the other locales, another one each day") {
    val (before, after) = steps(random.nextInt(steps.size))
    val locales = before.locales.keySet.asScala.intersect(after.locales.keySet.asScala).toSeq.sorted
    val locale = locales(random.nextInt(locales.size))
    assert(new Derivation(before, after).ofLocale(locale) === Some(affected(before, after, locale)))
  }

  private val random = new scala.util.Random(java.time.LocalDate.now().toEpochDay)

  test("several steps at once affect what each of them does, in either direction") {
    val Some(one) = certificates.affected("sv", "77.1", "78.3"): @unchecked
    val Some(next) = certificates.affected("sv", "78.3", "79.1"): @unchecked
    assert(certificates.affected("sv_CI", "77.1", "79.1") === Some(one ++ next))
    assert(certificates.affected("sv_AI", "79.1", "77.1") === Some(one ++ next))
    assert(certificates.affected("sv", "78.3", "78.3") === Some(CodePointSet.None))
  }

  test("nothing is proven of versions and collations that no certificate names") {
    assert(certificates.affected("UNICODE", "74.2", "78.3") === None)
    assert(certificates.affected("UNICODE", "78.3", "78") === None)
    assert(certificates.affected("tlh", "77.1", "78.3") === None)
  }

  /** Each character alone, and between others. */
  private def texts(points: Iterator[Int]): Seq[String] =
    points.map(Character.toString).flatMap(text =>
      Seq(text, s"a$text", s"${text}b", s"Å$text")
    ).toSeq

  private val assigned = IcuVersions.all.last
  private lazy val everything = (0 to Character.MAX_CODE_POINT).filter(point =>
    assigned.isAssigned(point) && Character.getType(point) != Character.SURROGATE.toInt
  )

  private def differences(before: Icu, after: Icu, locale: String, certificate: CodePointSet) =
    Confirmation.differences(
      before,
      after,
      locale,
      texts(everything.iterator.filterNot(certificate.contains))
    )

  test("all other characters have the same order in both versions") {
    for ((before, after) <- steps)
      assert(differences(before, after, "UNICODE", affected(before, after, "UNICODE")) === Nil)
  }

  test("a certificate that leaves out one character is found out") {
    val (before, after) = (IcuVersions("77.1"), IcuVersions("78.3"))
    val certificate = affected(before, after, "UNICODE")
    val known = certificate.points.filter(before.isAssigned).toSeq
    for (forgotten <- known.take(3)) {
      val false_ =
        CodePointSet.of(certificate.points.filterNot(_ == forgotten).map(p => p -> p).toSeq)
      val found = differences(before, after, "UNICODE", false_)
      assert(found.exists(_.contains(Character.toString(forgotten))))
    }
  }
}
