// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.Path
import java.util.jar.JarFile

import scala.jdk.CollectionConverters._

import org.apache.xbean.asm9.ClassReader

import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.scalatest.funsuite.AnyFunSuite

/** Every hook, against every Delta jar this build knows. */
class DeltaPatchSuite extends AnyFunSuite {

  private val jars = System.getProperty("deltaCollations.test.deltaJars").split(',').toSeq
    .map(Path.of(_))

  /** What older releases have no place for; a session with them says so once. */
  private def lacking(version: String): Set[String] =
    if (version.endsWith("-4.0.1")) Set("checkpoint-stats") else Set.empty

  for (jar <- jars; version = jar.getFileName.toString.stripSuffix(".jar")) {

    val hooks = DeltaHooks.all.filterNot(hook => lacking(version).contains(hook.name))
    def applied(delta: IsolatedDelta): Map[String, String] =
      delta.install().filter { case (_, outcome) => outcome.startsWith("Applied") }

    test(s"$version takes every hook before its classes are loaded") {
      val delta = new IsolatedDelta(jar, together = true)
      assert(applied(delta) === hooks.map(_.name -> "Applied(BeforeLoading)").toMap)
      assert(delta.knowsFeature("collations") && delta.knowsFeature("collations-preview"))
      assert(delta.dependentsOf("domainMetadata").contains("collations"))
      hooks.foreach(delta.usePlaceOf)
    }

    test(s"$version takes every hook after its classes were loaded and used") {
      val delta = new IsolatedDelta(jar, together = true)
      hooks.foreach(delta.usePlaceOf)
      assert(!delta.knowsFeature("collations"))
      assert(applied(delta) === hooks.map(_.name -> "Applied(AfterLoading)").toMap)
      assert(delta.knowsFeature("collations"))
      assert(delta.dependentsOf("domainMetadata").contains("collations"))
    }

    test(s"$version takes every hook where its class loader cannot see our jar") {
      val delta = new IsolatedDelta(jar, together = false)
      assert(applied(delta) === hooks.map(_.name -> "Applied(BeforeLoading)").toMap)
      assert(delta.knowsFeature("collations"))
    }

    test(s"the collector of writers is known in $version") {
      val entries = new JarFile(jar.toFile)
      val collectors = entries.entries.asScala.filter { entry =>
        entry.getName.endsWith(".class") &&
        TaggedFiles.isOfWriter(entry.getName.stripSuffix(".class").replace('/', '.'))
      }.map(entry => new ClassReader(entries.getInputStream(entry))).filter { reader =>
        reader.getInterfaces.contains("org/apache/spark/sql/delta/stats/StatisticsCollection")
      }
      try assert(collectors.size === 1)
      finally entries.close()
    }

    test(s"$version is changed once, however often the extension is listed") {
      val delta = new IsolatedDelta(jar, together = true)
      assert(delta.install() === delta.install())
    }
  }

  test("a session does not start when Delta does not take a required hook") {
    val error = intercept[CollationsException](
      DeltaPatch.apply(DeltaClasses.find(), Seq(absent.copy(required = true)))
    )
    assert(error.getCondition === "COLLATIONS_HOOK_FAILED")
    assert(error.getMessage.contains("TableFeature$.noSuchMethod could not be changed"))
  }

  test("any other hook that Delta does not take is told, and Delta goes on as it is") {
    val outcome = DeltaPatch.apply(DeltaClasses.find(), Seq(FeatureGate.hook, absent))(absent)
    val method = "org.apache.spark.sql.delta.TableFeature$ has no method noSuchMethod"
    assert(outcome === DeltaPatch.Outcome.Missing(method))
  }

  test("a hook that fails leaves Delta's own value in place") {
    val failing = absent.copy(answer = _ => throw new IllegalStateException("a bug of ours"))
    assert(DeltaPatch.guarded(failing)(Array("Delta's own", null, "argument")) === "Delta's own")
  }

  test("a hook that refuses on purpose is heard") {
    val refusal = CollationsErrors.mapKeyUnsupported("labels", "STRING COLLATE UNICODE")
    val refusing = absent.copy(answer = _ => throw refusal)
    val heard = intercept[CollationsException](
      DeltaPatch.guarded(refusing)(Array("Delta's own", null))
    )
    assert(heard eq refusal)
  }

  private val absent = FeatureGate.hook.copy(
    name = "absent",
    method = "noSuchMethod",
    required = false
  )
}
