// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.xbean.asm9.ClassReader
import org.apache.xbean.asm9.tree.ClassNode

import org.deltacollations.delta.feature.FeatureRegistry
import org.deltacollations.delta.patch.{DeltaClasses, DeltaPatch}
import org.deltacollations.delta.stats.CodePointTagging
import org.deltacollations.errors.{CollationsErrors, CollationsException}
import org.deltacollations.patch.{Hook, HookOutcome, Patch, Signature}
import org.scalatest.funsuite.AnyFunSuite

/** Applies every hook to every supported Delta jar. */
class DeltaPatchSuite extends AnyFunSuite {

  private val jars = System.getProperty("deltaCollations.test.deltaJars").split(',').toSeq
    .map(Path.of(_))

  /** The hooks that do not fit older releases; a session logs a warning about them. */
  private def unavailable(version: String): Set[String] =
    if (version.contains("-4.0."))
      Set("checkpoint-state", "checkpoint-stats", "checkpoint-cleanup", "stream-schema")
    else if (!canAlterTables(version)) Set("alter-column-validation", "alter-column-type")
    else Set.empty

  /** Spark 4.1.2 removed a class that the `ALTER TABLE` commands of Delta 4.1 and 4.2 extend. */
  private def canAlterTables(version: String): Boolean =
    !Seq("-4.1.0", "-4.2.0").exists(version.endsWith) || Try(
      Class.forName("org.apache.spark.sql.catalyst.plans.logical.IgnoreCachedData")
    ).isSuccess

  /** The hooks for a connector that does not work in older releases; a session does not mention them. */
  private def notNeeded(version: String): Set[String] =
    if (IsolatedDelta.hasKernel(version)) Set.empty
    else Set("kernel-schema-reading", "kernel-schema-writing")

  for (jar <- jars; version = jar.getFileName.toString.stripSuffix(".jar")) {

    val hooks = DeltaHooks.all.filterNot { hook =>
      unavailable(version).contains(hook.name) || notNeeded(version).contains(hook.name)
    }
    def applied(delta: IsolatedDelta): Map[String, String] =
      delta.install().filter { case (_, outcome) => outcome.startsWith("Applied") }

    test(s"$version accepts every hook before its classes are loaded") {
      val delta = new IsolatedDelta(jar, together = true)
      assert(applied(delta) === hooks.map(_.name -> "Applied(BeforeLoading)").toMap)
      assert(delta.hasFeature("collations") && delta.hasFeature("collations-preview"))
      assert(delta.dependentsOf("domainMetadata").contains("collations"))
      hooks.foreach(delta.loadClassOf)
    }

    test(s"$version accepts every hook after its classes are loaded and initialized") {
      val delta = new IsolatedDelta(jar, together = true)
      hooks.foreach(delta.loadClassOf)
      assert(!delta.hasFeature("collations"))
      assert(applied(delta) === hooks.map(_.name -> "Applied(AfterLoading)").toMap)
      assert(delta.hasFeature("collations"))
      assert(delta.dependentsOf("domainMetadata").contains("collations"))
    }

    test(s"$version accepts every hook when its class loader does not see this library") {
      val delta = new IsolatedDelta(jar, together = false)
      assert(applied(delta) === hooks.map(_.name -> "Applied(BeforeLoading)").toMap)
      assert(delta.hasFeature("collations"))
    }

    test(s"$version has one statistics collection class in its writer") {
      val entries = new JarFile(jar.toFile)
      val collectors = entries.entries.asScala.filter { entry =>
        entry.getName.endsWith(".class") &&
        CodePointTagging.isWriterClass(entry.getName.stripSuffix(".class").replace('/', '.'))
      }.map(entry => new ClassReader(entries.getInputStream(entry))).filter { reader =>
        reader.getInterfaces.contains("org/apache/spark/sql/delta/stats/StatisticsCollection")
      }
      try assert(collectors.size === 1)
      finally entries.close()
    }

    test(s"$version has one method for every hook, and both overloads of filesForScan") {
      hooks.foreach { hook =>
        val found = signaturesOf(bytesOf(jar, hook), hook).filter(hook.signatures.contains)
        val isOverloaded = hook.method == "filesForScan"
        if (isOverloaded) assert(found.sorted === hook.signatures.sorted, hook.name)
        else assert(found.size === 1, hook.name)
      }
    }

    test(s"$version starts without optional hooks when their methods have other types") {
      val optional = hooks.filterNot(_.required)
      val delta = new IsolatedDelta(jar, together = true, Some(changedClasses(jar, optional)))
      val outcomes = delta.install()
      hooks.filter(_.required).foreach { hook =>
        assert(outcomes(hook.name) === "Applied(BeforeLoading)")
      }
      optional.foreach { hook =>
        assert(outcomes(hook.name).contains(" has the types ("), hook.name)
        assert(outcomes(hook.name).contains(s" instead of ${hook.signatures.head}"), hook.name)
        delta.loadClassOf(hook)
      }
      assert(delta.hasFeature("collations"))
    }

    test(s"$version keeps the hooks of other classes when one class cannot be read") {
      val unreadable = hooks.find(_.name == "schema-merge").get
      val folder = Files.createTempDirectory("future-delta")
      val bytes = ChangedClass.withFutureVersion(bytesOf(jar, unreadable))
      val delta = new IsolatedDelta(jar, together = true, Some(write(folder, bytes)))
      val (needless, needed) = delta.install().partition(_._2 == "NotNeeded")
      assert(needless.keySet === notNeeded(version))
      val (missing, applied) = needed.partition(_._2.startsWith("Missing"))
      assert(missing.keySet -- unavailable(version) === Set(unreadable.name))
      assert(missing(unreadable.name).contains("Unsupported class file major version 120"))
      assert(applied.values.toSet === Set("Applied(BeforeLoading)"))
    }

    test(s"$version is patched once when hooks are installed twice") {
      val delta = new IsolatedDelta(jar, together = true)
      assert(delta.install() === delta.install())
    }
  }

  test("install fails before it initializes a hook when Delta is missing") {
    val delta = new IsolatedDelta(Files.createTempDirectory("no-delta"), together = true)
    val error = intercept[Exception](delta.install())
    assert(error.getMessage.contains("COLLATIONS_DELTA_NOT_FOUND"))
  }

  test("a session does not start when an applied hook has no effect") {
    val ignored = FeatureRegistry.hook.copy(verify = () => false)
    val error =
      intercept[CollationsException](DeltaPatch.apply(DeltaClasses.find(), Seq(ignored)))
    assert(error.getCondition === "COLLATIONS_DELTA_PATCH_FAILED")
  }

  test("a session does not start when a required hook does not fit") {
    val error = intercept[CollationsException](
      DeltaPatch.apply(DeltaClasses.find(), Seq(absent.copy(required = true)))
    )
    assert(error.getCondition === "COLLATIONS_DELTA_PATCH_FAILED")
    assert(error.getMessage.contains("TableFeature$.noSuchMethod could not be changed"))
  }

  test("an optional hook that does not fit is missing with a reason") {
    val outcome = DeltaPatch.apply(DeltaClasses.find(), Seq(FeatureRegistry.hook, absent))(absent)
    val method = "org.apache.spark.sql.delta.TableFeature$ has no method noSuchMethod"
    assert(outcome === HookOutcome.Missing(method))
  }

  test("only the hooks of a class are missing when the JVM cannot define it") {
    // DeltaClasses has no anchor in this package.
    val undefinable = absent.copy(
      className = "org.apache.spark.sql.delta.util.JsonUtils$",
      method = "toJson",
      signatures = Seq("(java.lang.Object, scala.reflect.Manifest): java.lang.String")
    )
    val outcomes = DeltaPatch.apply(DeltaClasses.find(), Seq(FeatureRegistry.hook, undefinable))
    assert(outcomes(FeatureRegistry.hook).isInstanceOf[HookOutcome.Applied])
    val reason = outcomes(undefinable).asInstanceOf[HookOutcome.Missing].reason
    assert(reason.contains("org.apache.spark.sql.delta.util"))
  }

  test("a hook is missing and not called when a hook that it requires is missing") {
    val first = FeatureRegistry.hook.copy(
      name = "first",
      required = false,
      requires = Set("second"),
      replace = _ => fail("the hook was called")
    )
    val second = first.copy(name = "second", requires = Set("absent"))
    val outcomes =
      DeltaPatch.apply(DeltaClasses.find(), Seq(first, second, absent, FeatureRegistry.hook))
    assert(outcomes(first) === HookOutcome.Missing("first requires second"))
    assert(outcomes(second) === HookOutcome.Missing("second requires absent"))
    assert(outcomes(FeatureRegistry.hook).isInstanceOf[HookOutcome.Applied])
  }

  test("Delta keeps its own value when a hook fails") {
    val failing = absent.copy(replace = _ => throw new IllegalStateException("a bug in a hook"))
    assert(Patch.guarded(failing)(Array("Delta's own", null, "argument")) === "Delta's own")
  }

  test("a CollationsException of a hook reaches the user") {
    val expected = CollationsErrors.unsupportedMapKey("labels", "STRING COLLATE UNICODE")
    val rejecting = absent.copy(replace = _ => throw expected)
    val actual = intercept[CollationsException](
      Patch.guarded(rejecting)(Array("Delta's own", null))
    )
    assert(actual eq expected)
  }

  private def entryOf(className: String): String = className.replace('.', '/') + ".class"

  private def bytesOf(jar: Path, hook: Hook): Array[Byte] =
    Using.resource(new JarFile(jar.toFile)) {
      entries =>
        val names = hook.className +: hook.olderClassName.toSeq
        val entry = names.map(name => entries.getEntry(entryOf(name))).find(_ != null).get
        entries.getInputStream(entry).readAllBytes()
    }

  /** Returns the signatures of all methods whose names match the hook. */
  private def signaturesOf(bytes: Array[Byte], hook: Hook): Seq[String] = {
    val node = new ClassNode
    new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE)
    node.methods.asScala.toSeq
      .filter(method => method.name == hook.method || method.name.endsWith("$$" + hook.method))
      .map(method => Signature.fromDescriptor(method.desc))
  }

  /** Writes the classes of the hooks, with other types in the hooked methods, to a folder. */
  private def changedClasses(jar: Path, hooks: Seq[Hook]): Path = {
    val folder = Files.createTempDirectory("changed-delta")
    hooks.groupBy(_.className).values.foreach { hooksOfClass =>
      val bytes = bytesOf(jar, hooksOfClass.head)
      write(folder, ChangedClass.withOtherTypes(bytes, hooksOfClass)): Unit
    }
    folder
  }

  private def write(folder: Path, bytes: Array[Byte]): Path = {
    val className = new ClassReader(withReadableVersion(bytes)).getClassName
    val path = folder.resolve(className + ".class")
    Files.createDirectories(path.getParent)
    Files.write(path, bytes)
    folder
  }

  private def withReadableVersion(bytes: Array[Byte]): Array[Byte] = bytes.updated(7, 52.toByte)

  private val absent = FeatureRegistry.hook.copy(
    name = "absent",
    method = "noSuchMethod",
    required = false
  )
}
