// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.util.function.{Function => JavaFunction}

import scala.util.Using

import org.apache.spark.sql.delta.CollationsBridge

import org.scalatest.funsuite.AnyFunSuite

/** A stand-in for a class of Delta, for what the real ones do not show alone. */
trait Greeting {
  def greet(name: String, times: Int): String
  def ask(name: String): Option[String]
  def join(left: String, right: String): String
}

class Greeter extends Greeting {
  override def greet(name: String, times: Int): String =
    if (times == 0) "nobody" else s"hello $name" * times

  override def ask(name: String): Option[String] = Some(name)

  override def join(left: String, right: String): String = s"$left+$right"
}

class ClassRewriterSuite extends AnyFunSuite {

  test("a filtered result sees the value, the receiver and all arguments, on every way out") {
    val greet = hook("greet", HookShape.FilterResult)
    withAnswer(greet, call => s"${call(0)}! ${call(2)}/${call(3)}") {
      val greeter = rewritten(greet)
      assert(greeter.greet("Bob", 2) === "hello Bobhello Bob! Bob/2")
      assert(greeter.greet("Bob", 0) === "nobody! Bob/0")
    }
  }

  test("a replaced argument is what the method works with") {
    val greet = hook("greet", HookShape.ReplaceArgument(0))
    withAnswer(greet, call => call(0).toString.toUpperCase) {
      assert(rewritten(greet).greet("Bob", 1) === "hello BOB")
    }
  }

  test("two hooks of one method are both asked, in the order of the table") {
    val first = hook("greet", HookShape.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second")
    withAnswer(first, call => s"${call(0)}, first") {
      withAnswer(second, call => s"${call(0)}, second") {
        assert(rewritten(first, second).greet("Bob", 1) === "hello Bob, first, second")
      }
    }
  }

  test("of two hooks on two arguments the second sees what the first one put in place") {
    val first = hook("join", HookShape.ReplaceArgument(0)).copy(name = "test-first")
    val second = first.copy(name = "test-second", shape = HookShape.ReplaceArgument(1))
    withAnswer(first, _ => "X") {
      withAnswer(second, call => s"${call(0)} after ${call(2)}") {
        assert(rewritten(first, second).join("a", "b") === "X+b after X")
      }
    }
  }

  test("a method without a hook stays as it is") {
    val greet = hook("greet", HookShape.FilterResult)
    withAnswer(greet, _ => "other")(assert(rewritten(greet).ask("Bob") === Some("Bob")))
  }

  test("a rewritten method nobody answers for behaves as before") {
    assert(rewritten(hook("greet", HookShape.FilterResult)).greet("Bob", 1) === "hello Bob")
  }

  test("a hook whose method is not there is not counted as applied") {
    val missing = hook("wave", HookShape.FilterResult)
    assert(ClassRewriter.rewrite(bytesOf(classOf[Greeter]), Seq(missing)).applied === Set.empty)
  }

  private def hook(method: String, shape: HookShape): Hook =
    Hook(s"test-$method", classOf[Greeter].getName, method, shape, "nothing", answer = _.value)

  private def withAnswer(hook: Hook, answer: Array[AnyRef] => AnyRef)(body: => Unit): Unit = {
    val function: JavaFunction[Array[AnyRef], AnyRef] = answer(_)
    CollationsBridge.HOOKS.put(hook.name, function)
    try body
    finally CollationsBridge.HOOKS.remove(hook.name): Unit
  }

  private def rewritten(hooks: Hook*): Greeting = {
    val bytes = ClassRewriter.rewrite(bytesOf(classOf[Greeter]), hooks).bytes
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
