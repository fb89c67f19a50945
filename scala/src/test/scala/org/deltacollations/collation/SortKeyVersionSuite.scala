// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import java.net.URLClassLoader
import java.nio.file.Path
import java.security.MessageDigest

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.CollationFactory

import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

/** Checks what ICU documents: collators of the same version make the same keys. */
class SortKeyVersionSuite extends AnyFunSuite {

  private val jars = System.getProperty("deltaCollations.test.icuJars").split(',').toSeq

  private val locales =
    CollationFactory.listCollations.asScala.map(_.getName).filter(_.matches("[a-z]+")).toSeq

  private val codePoints = Iterator.range(0, 0x110000).filter(Character.isDefined)
    .map(Character.toString).toSeq

  private val randomStrings = {
    val strings = new Strings(1)
    Seq.fill(2000)(strings.next().toString)
  }

  test("collators of the same version make the same keys of all code points and random strings") {
    val releases = jars.map(new Release(_))
    val sameVersion = for {
      older +: newer +: Nil <- releases.sliding(2).toSeq
      locale <- "" +: locales
      if older.collator(locale).version == newer.collator(locale).version
    } yield {
      val samples = if (locale.isEmpty) codePoints else randomStrings
      assert(older.collator(locale).digest(samples) === newer.collator(locale).digest(samples))
      locale
    }
    // ICU 76.1 and 77.1 have the same root collation and the same Unicode version.
    assert(sameVersion.contains("") && sameVersion.contains("de"))
  }

  test("the root collation of ICU versions with another Unicode version has another version") {
    val versions = jars.map(new Release(_).collator("").version)
    assert(versions.distinct.size === jars.size - 1)
  }

  test("the version of a collation depends on its locale and not on its suffixes") {
    assert(SortKeyVersion.of("UNICODE") === SortKeyVersion.of("UNICODE_CI_AI_RTRIM"))
    assert(SortKeyVersion.of("UNICODE") !== SortKeyVersion.of("sv"))
    val collator = CollationFactory.fetchCollation("sv").getCollator
    assert(SortKeyVersion.of("sv_AI") === s"collator ${collator.getVersion}")
    assert(SortKeyVersion.of("UTF8_LCASE").startsWith("Unicode "))
  }

  /** A version of ICU in a class loader of its own. */
  final private class Release(jar: String) {

    private val loader =
      new URLClassLoader(Array(Path.of(jar).toUri.toURL), ClassLoader.getPlatformClassLoader)

    private def icu(name: String): Class[_] = Class.forName(s"com.ibm.icu.$name", true, loader)

    def collator(locale: String): IsolatedCollator = new IsolatedCollator(
      icu("text.Collator").getMethod("getInstance", icu("util.ULocale"))
        .invoke(null, icu("util.ULocale").getConstructor(classOf[String]).newInstance(locale))
    )
  }

  final private class IsolatedCollator(collator: AnyRef) {

    def version: String = collator.getClass.getMethod("getVersion").invoke(collator).toString

    def digest(samples: Seq[String]): Seq[Byte] = {
      val digest = MessageDigest.getInstance("SHA-256")
      val key = collator.getClass.getMethod("getCollationKey", classOf[String])
      samples.foreach { sample =>
        val found = key.invoke(collator, sample)
        digest.update(
          found.getClass.getMethod("toByteArray").invoke(found).asInstanceOf[Array[Byte]]
        )
      }
      digest.digest.toSeq
    }
  }
}
