// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import java.util.function.{Function => JavaFunction}

import scala.util.Using

import org.apache.spark.sql.delta.CollationsBridge
import org.apache.xbean.asm9.{ClassWriter, Opcodes}

import org.scalatest.funsuite.AnyFunSuite

/** A stand-in for a class of Delta, for what the real ones do not show alone. */
trait Greeting {
  def greet(name: String, times: Int): String
  def ask(name: String): Option[String]
  def join(left: String, right: String): String
  def join(only: String): String
  def leave(): Unit
  def pause(seconds: Long, name: String): Long
}

class Greeter extends Greeting {
  override def greet(name: String, times: Int): String =
    if (times == 0) "nobody" else s"hello $name" * times

  override def ask(name: String): Option[String] = Some(name)

  override def join(left: String, right: String): String = s"$left+$right"

  override def join(only: String): String = only

  override def leave(): Unit = ()

  override def pause(seconds: Long, name: String): Long = seconds * 2
}

class ClassRewriterSuite extends AnyFunSuite {

  test("a filtered result sees the value, the receiver and all arguments, on every way out") {
    val greet = hook("greet", HookKind.ReplaceResult)
    withAnswer(greet, call => s"${call(0)}! ${call(2)}/${call(3)}") {
      val greeter = rewritten(greet)
      assert(greeter.greet("Bob", 2) === "hello Bobhello Bob! Bob/2")
      assert(greeter.greet("Bob", 0) === "nobody! Bob/0")
    }
  }

  test("a replaced argument is what the method works with") {
    val greet = hook("greet", HookKind.ReplaceArgument(0))
    withAnswer(greet, call => call(0).toString.toUpperCase) {
      assert(rewritten(greet).greet("Bob", 1) === "hello BOB")
    }
  }

  test("a hook on entry sees the receiver and all arguments before the method starts") {
    val greet = hook("greet", HookKind.OnEntry)
    var seen = Seq.empty[AnyRef]
    withAnswer(greet, call => { seen = call.toSeq; "dropped" }) {
      val greeter = rewritten(greet)
      assert(greeter.greet("Bob", 1) === "hello Bob")
      assert(seen === Seq(null, greeter, "Bob", 1))
    }
  }

  test("a hook on entry fits methods that take and return primitives or nothing") {
    var calls = Seq.empty[Seq[AnyRef]]
    Seq("leave", "pause").map(hook(_, HookKind.OnEntry)).foreach { each =>
      withAnswer(each, call => { calls :+= call.toSeq.drop(2); null }) {
        val greeter = rewritten(each)
        if (each.method == "leave") greeter.leave() else assert(greeter.pause(2L, "Bob") === 4L)
      }
    }
    assert(calls === Seq(Seq(), Seq(2L, "Bob")))
  }

  test("a hook on entry runs before a later hook replaces an argument") {
    val entry = hook("greet", HookKind.OnEntry).copy(name = "test-entry")
    val replacing = hook("greet", HookKind.ReplaceArgument(0))
    var seen = Seq.empty[AnyRef]
    withAnswer(entry, call => { seen :+= call(2); null }) {
      withAnswer(replacing, _ => "Ann") {
        assert(rewritten(entry, replacing).greet("Bob", 1) === "hello Ann")
        assert(rewritten(replacing, entry).greet("Bob", 1) === "hello Ann")
      }
    }
    assert(seen === Seq("Bob", "Ann"))
  }

  test("two hooks of one method are both asked, in the order of the table") {
    val first = hook("greet", HookKind.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second")
    withAnswer(first, call => s"${call(0)}, first") {
      withAnswer(second, call => s"${call(0)}, second") {
        assert(rewritten(first, second).greet("Bob", 1) === "hello Bob, first, second")
      }
    }
  }

  test("of two hooks on two arguments the second sees what the first one put in place") {
    val first = hook("join", HookKind.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second", kind = HookKind.ReplaceArgument(1))
    withAnswer(first, _ => "X") {
      withAnswer(second, call => s"${call(0)} after ${call(2)}") {
        assert(rewritten(first, second).join("a", "b") === "X+b after X")
      }
    }
  }

  test("a method without a hook stays as it is") {
    val greet = hook("greet", HookKind.ReplaceResult)
    withAnswer(greet, _ => "other")(assert(rewritten(greet).ask("Bob") === Some("Bob")))
  }

  test("a rewritten method nobody answers for behaves as before") {
    assert(rewritten(hook("greet", HookKind.ReplaceResult)).greet("Bob", 1) === "hello Bob")
  }

  test("of two overloads the one with the types of the hook is changed") {
    val named = hook("join", HookKind.ReplaceResult)
    val one = named.copy(signatures = Seq("(java.lang.String): java.lang.String"))
    withAnswer(one, _ => "other") {
      assert(rewritten(one).join("a") === "other")
      assert(rewritten(one).join("a", "b") === "a+b")
    }
  }

  test("a hook without its method does not fit, and neither does one of other types") {
    val wave = hook("wave", HookKind.ReplaceResult)
    assert(misfit(wave) === s"${classOf[Greeter].getName} has no method wave")
    val greet = hook("greet", HookKind.ReplaceResult).copy(signatures =
      Seq("(java.lang.String, long): java.lang.String")
    )
    assert(misfit(greet) === "Greeter.greet has the types (java.lang.String, int): " +
      "java.lang.String instead of (java.lang.String, long): java.lang.String")
  }

  test("a hook does not fit where there is no object to go through it") {
    val noObject = "Greeter.greet has no object where the hook test-greet expects one"
    assert(misfit(hook("greet", HookKind.ReplaceArgument(1))) === noObject)
    assert(misfit(hook("greet", HookKind.ReplaceArgument(2))) === noObject)
    assert(misfit(hook("leave", HookKind.ReplaceResult)).contains("has no object"))
  }

  test("a hook does not fit a method that reuses the slot of a parameter for another kind") {
    val writer = new ClassWriter(0)
    val types = "(Ljava/lang/String;)Ljava/lang/String;"
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "Reusing", null, "java/lang/Object", null)
    val method = writer.visitMethod(Opcodes.ACC_STATIC, "greet", types, null, null)
    method.visitCode()
    method.visitInsn(Opcodes.ICONST_0)
    method.visitVarInsn(Opcodes.ISTORE, 0)
    method.visitInsn(Opcodes.ACONST_NULL)
    method.visitInsn(Opcodes.ARETURN)
    method.visitMaxs(1, 1)
    method.visitEnd()
    writer.visitEnd()
    val greet = hook("greet", HookKind.ReplaceResult).copy(signatures =
      Seq("(java.lang.String): java.lang.String")
    )
    assert(ClassRewriter.rewrite(writer.toByteArray, greet).left.exists(_.contains("parameters")))
  }

  test("signatures are those of the class file") {
    val text = "(sql.Dataset, immutable.Seq, boolean, int, long, sql.delta.A$B[]): void"
    val descriptor = "(Lorg/apache/spark/sql/Dataset;Lscala/collection/immutable/Seq;ZIJ" +
      "[Lorg/apache/spark/sql/delta/A$B;)V"
    assert(Signature.descriptor(text) === descriptor)
    assert(Signature.of(descriptor) === text)
    assert(Signature.descriptor("(): java.lang.String") === "()Ljava/lang/String;")
  }

  private val signatures = Map(
    "greet" -> "(java.lang.String, int): java.lang.String",
    "join" -> "(java.lang.String, java.lang.String): java.lang.String",
    "leave" -> "(): void",
    "pause" -> "(long, java.lang.String): long",
    "wave" -> "(): java.lang.String"
  )

  private def hook(method: String, kind: HookKind): Hook = Hook(
    s"test-$method",
    classOf[Greeter].getName,
    method,
    Seq(signatures(method)),
    kind,
    "nothing",
    replace = _.value
  )

  private def misfit(hook: Hook): String =
    ClassRewriter.rewrite(bytesOf(classOf[Greeter]), hook).left.getOrElse("it fits")

  private def withAnswer(hook: Hook, answer: Array[AnyRef] => AnyRef)(body: => Unit): Unit = {
    val function: JavaFunction[Array[AnyRef], AnyRef] = answer(_)
    CollationsBridge.HOOKS.put(hook.name, function)
    try body
    finally CollationsBridge.HOOKS.remove(hook.name): Unit
  }

  private def rewritten(hooks: Hook*): Greeting = {
    val bytes = hooks.foldRight(bytesOf(classOf[Greeter])) { (hook, before) =>
      ClassRewriter.rewrite(before, hook).fold(fail(_), identity)
    }
    val greeter = new Definer().define(classOf[Greeter].getName, bytes)
    greeter.getConstructor().newInstance().asInstanceOf[Greeting]
  }

  final private class Definer extends ClassLoader(getClass.getClassLoader) {
    def define(name: String, bytes: Array[Byte]): Class[_] =
      defineClass(name, bytes, 0, bytes.length)
  }

  private def bytesOf(loaded: Class[_]): Array[Byte] =
    Using.resource(loaded.getResourceAsStream(s"${loaded.getSimpleName}.class"))(_.readAllBytes())
}
