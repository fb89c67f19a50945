// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.xbean.asm9.ClassReader
import org.apache.xbean.asm9.tree.ClassNode

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.patch.{DeltaClasses, DeltaPatch, Hook, Signature}
import org.deltacollations.delta.stats.CodePointTagging
import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.scalatest.funsuite.AnyFunSuite

/** Every hook, against every Delta jar this build knows. */
class DeltaPatchSuite extends AnyFunSuite {

  private val jars = System.getProperty("deltaCollations.test.deltaJars").split(',').toSeq
    .map(Path.of(_))

  /** What older releases have no place for; a session with them says so once. */
  private def lacking(version: String): Set[String] =
    if (version.endsWith("-4.0.1"))
      Set("checkpoint-state", "checkpoint-stats", "checkpoint-cleanup")
    else Set.empty

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
        CodePointTagging.isOfWriter(entry.getName.stripSuffix(".class").replace('/', '.'))
      }.map(entry => new ClassReader(entries.getInputStream(entry))).filter { reader =>
        reader.getInterfaces.contains("org/apache/spark/sql/delta/stats/StatisticsCollection")
      }
      try assert(collectors.size === 1)
      finally entries.close()
    }

    test(s"$version has one method for every signature that a hook needs") {
      val places = hooks.map(hook => hook -> bytesOf(jar, hook)).flatMap { case (hook, bytes) =>
        hook.signatures.filter(_ => hook.name == "scan-report" || hook.signatures.size == 1)
          .map(signature => (hook.name, signature, methodsOf(bytes, hook).count(_ == signature)))
      }
      assert(places.filter(_._3 != 1) === Nil)
      val several = hooks.filter(hook => hook.name != "scan-report" && hook.signatures.size > 1)
      several.foreach { hook =>
        assert(methodsOf(bytesOf(jar, hook), hook).count(hook.signatures.contains) === 1, hook.name)
      }
    }

    test(s"$version with other types in the place of hooks is left alone, and a session starts") {
      val optional = hooks.filterNot(_.required)
      val delta = new IsolatedDelta(jar, together = true, Some(changedClasses(jar, optional)))
      val outcomes = delta.install()
      hooks.filter(_.required).foreach { hook =>
        assert(outcomes(hook.name) === "Applied(BeforeLoading)")
      }
      optional.foreach { hook =>
        assert(outcomes(hook.name).contains(" has the types ("), hook.name)
        assert(outcomes(hook.name).contains(s" instead of ${hook.signatures.head}"), hook.name)
        delta.usePlaceOf(hook)
      }
      assert(delta.knowsFeature("collations"))
    }

    test(s"$version with one class that cannot be read keeps the hooks of the others") {
      val unread = hooks.find(_.name == "schema-merge").get
      val folder = Files.createTempDirectory("future-delta")
      val bytes = ChangedClass.futureVersion(bytesOf(jar, unread))
      val delta = new IsolatedDelta(jar, together = true, Some(written(folder, bytes)))
      val (missing, rest) = delta.install().partition(_._2.startsWith("Missing"))
      assert(missing.keySet -- lacking(version) === Set(unread.name))
      assert(missing(unread.name).contains("Unsupported class file major version 120"))
      assert(rest.values.toSet === Set("Applied(BeforeLoading)"))
    }

    test(s"$version is changed once, however often the extension is listed") {
      val delta = new IsolatedDelta(jar, together = true)
      assert(delta.install() === delta.install())
    }
  }

  test("install fails before it initializes a hook when Delta is missing") {
    val delta = new IsolatedDelta(Files.createTempDirectory("no-delta"), together = true)
    val error = intercept[Exception](delta.install())
    assert(error.getMessage.contains("COLLATIONS_DELTA_MISSING"))
  }

  test("a session does not start when a hook that Delta took has no effect") {
    val ignored = FeatureRegistry.hook.copy(verify = () => false)
    val error =
      intercept[CollationsException](DeltaPatch.apply(DeltaClasses.find(), Seq(ignored)))
    assert(error.getCondition === "COLLATIONS_HOOK_FAILED")
  }

  test("a session does not start when Delta does not take a required hook") {
    val error = intercept[CollationsException](
      DeltaPatch.apply(DeltaClasses.find(), Seq(absent.copy(required = true)))
    )
    assert(error.getCondition === "COLLATIONS_DELTA_PATCH_FAILED")
    assert(error.getMessage.contains("TableFeature$.noSuchMethod could not be changed"))
  }

  test("any other hook that Delta does not take is told, and Delta goes on as it is") {
    val outcome = DeltaPatch.apply(DeltaClasses.find(), Seq(FeatureRegistry.hook, absent))(absent)
    val method = "org.apache.spark.sql.delta.TableFeature$ has no method noSuchMethod"
    assert(outcome === DeltaPatch.Outcome.Missing(method))
  }

  test("a class that the JVM does not let us define is told, and costs its hooks alone") {
    // There is no class beside which one of this package could be defined.
    val elsewhere = absent.copy(
      className = "org.apache.spark.sql.delta.util.JsonUtils$",
      method = "toJson",
      signatures = Seq("(java.lang.Object, scala.reflect.Manifest): java.lang.String")
    )
    val outcomes = DeltaPatch.apply(DeltaClasses.find(), Seq(FeatureRegistry.hook, elsewhere))
    assert(outcomes(FeatureRegistry.hook).isInstanceOf[DeltaPatch.Outcome.Applied])
    val reason = outcomes(elsewhere).asInstanceOf[DeltaPatch.Outcome.Missing].reason
    assert(reason.contains("org.apache.spark.sql.delta.util"))
  }

  test("a hook is missing with one that it requires, and is not asked") {
    val first = FeatureRegistry.hook.copy(
      name = "first",
      required = false,
      requires = Set("second"),
      replace = _ => fail("it was asked")
    )
    val second = first.copy(name = "second", requires = Set("absent"))
    val outcomes =
      DeltaPatch.apply(DeltaClasses.find(), Seq(first, second, absent, FeatureRegistry.hook))
    assert(outcomes(first) === DeltaPatch.Outcome.Missing("first requires second"))
    assert(outcomes(second) === DeltaPatch.Outcome.Missing("second requires absent"))
    assert(outcomes(FeatureRegistry.hook).isInstanceOf[DeltaPatch.Outcome.Applied])
  }

  test("a hook that fails leaves Delta's own value in place") {
    val failing = absent.copy(replace = _ => throw new IllegalStateException("a bug of ours"))
    assert(DeltaPatch.guarded(failing)(Array("Delta's own", null, "argument")) === "Delta's own")
  }

  test("a hook that refuses on purpose is heard") {
    val refusal = CollationsErrors.unsupportedMapKey("labels", "STRING COLLATE UNICODE")
    val refusing = absent.copy(replace = _ => throw refusal)
    val heard = intercept[CollationsException](
      DeltaPatch.guarded(refusing)(Array("Delta's own", null))
    )
    assert(heard eq refusal)
  }

  private def entryOf(className: String): String = className.replace('.', '/') + ".class"

  private def bytesOf(jar: Path, hook: Hook): Array[Byte] =
    Using.resource(new JarFile(jar.toFile)) {
      entries =>
        val names = hook.className +: hook.olderClassName.toSeq
        val entry = names.map(name => entries.getEntry(entryOf(name))).find(_ != null).get
        entries.getInputStream(entry).readAllBytes()
    }

  /** The types of all methods that a hook could mean by their names. */
  private def methodsOf(bytes: Array[Byte], hook: Hook): Seq[String] = {
    val node = new ClassNode
    new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE)
    node.methods.asScala.toSeq
      .filter(found => found.name == hook.method || found.name.endsWith("$$" + hook.method))
      .map(found => Signature.of(found.desc))
  }

  /** A folder with the classes of the hooks as another vendor could have them. */
  private def changedClasses(jar: Path, hooks: Seq[Hook]): Path = {
    val folder = Files.createTempDirectory("changed-delta")
    hooks.groupBy(_.className).values.foreach { ofClass =>
      written(folder, ChangedClass.otherTypes(bytesOf(jar, ofClass.head), ofClass)): Unit
    }
    folder
  }

  private def written(folder: Path, bytes: Array[Byte]): Path = {
    val path = folder.resolve(new ClassReader(bytesWithKnownVersion(bytes)).getClassName + ".class")
    Files.createDirectories(path.getParent)
    Files.write(path, bytes)
    folder
  }

  private def bytesWithKnownVersion(bytes: Array[Byte]): Array[Byte] = bytes.updated(7, 52.toByte)

  private val absent = FeatureRegistry.hook.copy(
    name = "absent",
    method = "noSuchMethod",
    required = false
  )
}
