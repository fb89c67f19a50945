// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.thriftserver

import java.net.URLClassLoader
import java.nio.file.Path

import org.apache.spark.sql.types._

import org.deltacollations.patch.HookOutcome.{Applied, Missing}
import org.deltacollations.patch.HookedClasses.Replacement
import org.deltacollations.patch.{HookCall, HookedClasses, Patch}
import org.scalatest.funsuite.AnyFunSuite

/** Applies every hook to the Thrift server of the Spark version that the tests run with. */
class ThriftServerPatchSuite extends AnyFunSuite {

  private val jars = System.getProperty("deltaCollations.test.thriftServerJars").split(',').toSeq
    .map(Path.of(_))

  test("the Thrift server accepts every hook before its classes are loaded") {
    val server = new IsolatedThriftServer
    assert(server.patch() === Set(Applied(Replacement.BeforeLoading)))
    server.loadHookedClasses()
  }

  test("the Thrift server accepts every hook after its classes are loaded") {
    val server = new IsolatedThriftServer
    server.loadHookedClasses()
    assert(server.patch() === Set(Applied(Replacement.AfterLoading)))
  }

  test("no hook is applied when the class path has no Thrift server") {
    assert(ThriftServerPatch.find(ClassLoader.getPlatformClassLoader).isEmpty)
  }

  test("a hook is missing and does not fail when its method has other types") {
    val changed = ThriftServerPatch.hooks.map(_.copy(signatures = Seq("(int): void")))
    val outcomes = Patch.rewrite(new IsolatedThriftServer().classes, changed)
    outcomes.foreach { case (hook, outcome) =>
      assert(outcome.asInstanceOf[Missing].reason.contains("instead of (int): void"), hook.name)
    }
  }

  test("columns with any collation are converted as STRING, and other types are unchanged") {
    val strings = Seq("UNICODE_CI", "UTF8_LCASE", "UTF8_BINARY").map(StringType(_))
    val others = Seq(
      IntegerType,
      VarcharType(3),
      CharType(3),
      ArrayType(StringType("UNICODE")),
      MapType(StringType, StringType("UNICODE")),
      new StructType().add("name", StringType("UNICODE"))
    )
    val types = (strings ++ others).toArray[DataType]
    val replaced = ResultStrings.hook.replace(HookCall(types, null, IndexedSeq.empty))
    assert(replaced.asInstanceOf[Array[DataType]].toSeq === strings.map(_ => StringType) ++ others)
  }

  /** Loads the Thrift server again: a class can be patched only once. */
  final private class IsolatedThriftServer {

    assume(jars.exists(_.toString.contains("thriftserver")), "./dev has not installed this Spark")

    private val loader =
      new URLClassLoader(jars.map(_.toUri.toURL).toArray, getClass.getClassLoader)

    val classes: HookedClasses = ThriftServerPatch.find(loader).get

    def patch(): Set[Any] = ThriftServerPatch(classes).values.toSet

    /** Loads and verifies the classes: the JVM rejects malformed bytecode only when it links a class. */
    def loadHookedClasses(): Unit = ThriftServerPatch.hooks.foreach { hook =>
      val hooked = Class.forName(hook.className, false, loader)
      java.lang.invoke.MethodHandles.lookup().ensureInitialized(hooked): Unit
    }
  }
}
