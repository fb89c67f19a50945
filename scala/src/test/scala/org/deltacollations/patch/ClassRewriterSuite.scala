// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import java.util.function.{Function => JavaFunction}

import scala.util.Using

import org.apache.xbean.asm9.{ClassWriter, Opcodes, Type}

import org.scalatest.funsuite.AnyFunSuite

/** Stands in for a class of a library, with one method for each case. */
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

  test("ReplaceResult passes the value and all arguments at every return") {
    val greet = hook("greet", HookKind.ReplaceResult)
    withHook(greet, call => s"${call(0)}! ${call(2)}/${call(3)}") {
      val greeter = rewritten(greet)
      assert(greeter.greet("Bob", 2) === "hello Bobhello Bob! Bob/2")
      assert(greeter.greet("Bob", 0) === "nobody! Bob/0")
    }
  }

  test("ReplaceArgument changes the argument that the method uses") {
    val greet = hook("greet", HookKind.ReplaceArgument(0))
    withHook(greet, call => call(0).toString.toUpperCase) {
      assert(rewritten(greet).greet("Bob", 1) === "hello BOB")
    }
  }

  test("OnEntry passes the receiver and all arguments, and ignores the result") {
    val greet = hook("greet", HookKind.OnEntry)
    var seen = Seq.empty[AnyRef]
    withHook(greet, call => { seen = call.toSeq; "dropped" }) {
      val greeter = rewritten(greet)
      assert(greeter.greet("Bob", 1) === "hello Bob")
      assert(seen === Seq[Any](null, greeter, "Bob", 1))
    }
  }

  test("OnEntry fits methods with primitive or no parameters and results") {
    var calls = Seq.empty[Seq[AnyRef]]
    Seq("leave", "pause").map(hook(_, HookKind.OnEntry)).foreach { each =>
      withHook(each, call => { calls :+= call.toSeq.drop(2); null }) {
        val greeter = rewritten(each)
        if (each.method == "leave") greeter.leave() else assert(greeter.pause(2L, "Bob") === 4L)
      }
    }
    assert(calls === Seq(Seq(), Seq[Any](2L, "Bob")))
  }

  test("OnEntry and ReplaceArgument hooks of a method run in the given order") {
    val entry = hook("greet", HookKind.OnEntry).copy(name = "test-entry")
    val replacing = hook("greet", HookKind.ReplaceArgument(0))
    var seen = Seq.empty[AnyRef]
    withHook(entry, call => { seen :+= call(2); null }) {
      withHook(replacing, _ => "Ann") {
        assert(rewritten(entry, replacing).greet("Bob", 1) === "hello Ann")
        assert(rewritten(replacing, entry).greet("Bob", 1) === "hello Ann")
      }
    }
    assert(seen === Seq("Bob", "Ann"))
  }

  test("two hooks of a method are called in the given order") {
    val first = hook("greet", HookKind.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second")
    withHook(first, call => s"${call(0)}, first") {
      withHook(second, call => s"${call(0)}, second") {
        assert(rewritten(first, second).greet("Bob", 1) === "hello Bob, first, second")
      }
    }
  }

  test("a hook sees the arguments that earlier hooks have replaced") {
    val first = hook("join", HookKind.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second", kind = HookKind.ReplaceArgument(1))
    withHook(first, _ => "X") {
      withHook(second, call => s"${call(0)} after ${call(2)}") {
        assert(rewritten(first, second).join("a", "b") === "X+b after X")
      }
    }
  }

  test("a method without a hook is unchanged") {
    val greet = hook("greet", HookKind.ReplaceResult)
    withHook(greet, _ => "other")(assert(rewritten(greet).ask("Bob") === Some("Bob")))
  }

  test("a rewritten method behaves as before when its hook is not registered") {
    assert(rewritten(hook("greet", HookKind.ReplaceResult)).greet("Bob", 1) === "hello Bob")
  }

  test("only the overload with the signature of the hook is changed") {
    val named = hook("join", HookKind.ReplaceResult)
    val one = named.copy(signatures = Seq("(java.lang.String): java.lang.String"))
    withHook(one, _ => "other") {
      assert(rewritten(one).join("a") === "other")
      assert(rewritten(one).join("a", "b") === "a+b")
    }
  }

  test("a hook does not fit when its method is missing or has other types") {
    val wave = hook("wave", HookKind.ReplaceResult)
    assert(rejection(wave) === s"${classOf[Greeter].getName} has no method wave")
    val greet = hook("greet", HookKind.ReplaceResult).copy(signatures =
      Seq("(java.lang.String, long): java.lang.String")
    )
    assert(rejection(greet) === "Greeter.greet has the types (java.lang.String, int): " +
      "java.lang.String instead of (java.lang.String, long): java.lang.String")
  }

  test("a hook does not fit when the value to replace is not an object") {
    val notAnObject = "the value that hook test-greet replaces in Greeter.greet is not an object"
    assert(rejection(hook("greet", HookKind.ReplaceArgument(1))) === notAnObject)
    assert(rejection(hook("greet", HookKind.ReplaceArgument(2))) === notAnObject)
    val leave = rejection(hook("leave", HookKind.ReplaceResult))
    assert(leave === "the value that hook test-leave replaces in Greeter.leave is not an object")
  }

  test("a hook does not fit when the method reuses a parameter slot for another type") {
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
    assert(ClassRewriter.rewrite(
      writer.toByteArray,
      greet,
      bridge
    ).left.exists(_.contains("parameters")))
  }

  test("signatures convert to descriptors and back") {
    val text = "(sql.Dataset, immutable.Seq, boolean, int, long, sql.delta.A$B[]): void"
    val descriptor = "(Lorg/apache/spark/sql/Dataset;Lscala/collection/immutable/Seq;ZIJ" +
      "[Lorg/apache/spark/sql/delta/A$B;)V"
    assert(Signature.toDescriptor(text) === descriptor)
    assert(Signature.fromDescriptor(descriptor) === text)
    assert(Signature.toDescriptor("(): java.lang.String") === "()Ljava/lang/String;")
  }

  private val bridge = Type.getType(classOf[HookBridge])

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

  private def rejection(hook: Hook): String =
    ClassRewriter.rewrite(bytesOf(classOf[Greeter]), hook, bridge).left.getOrElse("none")

  private def withHook(hook: Hook, replace: Array[AnyRef] => AnyRef)(body: => Unit): Unit = {
    val function: JavaFunction[Array[AnyRef], AnyRef] = replace(_)
    HookBridge.HOOKS.put(hook.name, function)
    try body
    finally HookBridge.HOOKS.remove(hook.name): Unit
  }

  private def rewritten(hooks: Hook*): Greeting = {
    val bytes = hooks.foldRight(bytesOf(classOf[Greeter])) { (hook, before) =>
      ClassRewriter.rewrite(before, hook, bridge).fold(fail(_), identity)
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
