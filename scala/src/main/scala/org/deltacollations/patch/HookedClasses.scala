// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import java.lang.instrument.ClassDefinition
import java.lang.invoke.MethodHandles
import java.util.function.{Function => JavaFunction}
import java.util.{Map => JavaMap}

import scala.util.{Try, Using}

import org.apache.xbean.asm9.Type

import org.deltacollations.patch.HookedClasses._

/**
 * Reads and replaces the bytecode of a library's classes in the class loader of the library.
 *
 * @param anchors
 *   a class for each package with classes to change: a lookup can define a class only in the package and
 *   the loader of a loaded class. Anchors are small, and loading them does not load a class that a hook
 *   changes.
 * @param bridgePackage
 *   the package to which the bridge is added, which needs an anchor too
 */
final private[deltacollations] class HookedClasses(
    loader: ClassLoader,
    anchors: Map[String, String],
    bridgePackage: String
) {

  private val bridgeName = s"$bridgePackage.CollationsBridge"

  /** The class that rewritten code calls. */
  val bridgeType: Type = Type.getObjectType(bridgeName.replace('.', '/'))

  /** Returns the bytecode in the user's jar, or `None` if this release has no such class. */
  def bytes(className: String): Option[Array[Byte]] =
    Option(loader.getResourceAsStream(resource(className)))
      .map(stream => Using.resource(stream)(_.readAllBytes()))

  /** Replaces the bytecode of a class for all users of this JVM, also if the class is loaded. */
  def replace(className: String, bytes: Array[Byte]): Replacement =
    try {
      define(className, bytes)
      Replacement.BeforeLoading
    } catch {
      case _: LinkageError =>
        val loaded = Class.forName(className, false, loader)
        InstrumentationLoader.instrumentation().redefineClasses(new ClassDefinition(loaded, bytes))
        Replacement.AfterLoading
    }

  /** Returns the map in which rewritten code looks up hooks, and defines the bridge if it is missing. */
  lazy val bridge: JavaMap[String, JavaFunction[Array[AnyRef], AnyRef]] = {
    val bridge: Class[_] = Try[Class[_]](Class.forName(bridgeName, true, loader))
      .getOrElse(define(bridgeName, copyOfBridge))
    bridge.getField("HOOKS").get(null)
      .asInstanceOf[JavaMap[String, JavaFunction[Array[AnyRef], AnyRef]]]
  }

  private def copyOfBridge: Array[Byte] = {
    val original = Type.getInternalName(classOf[HookBridge])
    val stream = classOf[HookBridge].getClassLoader.getResourceAsStream(s"$original.class")
    val bytes = Using.resource(stream)(_.readAllBytes())
    ClassCopy.renamed(bytes, original, bridgeType.getInternalName)
  }

  private def define(className: String, bytes: Array[Byte]): Class[_] = {
    val anchor = Class.forName(anchors(packageOf(className)), false, loader)
    MethodHandles.privateLookupIn(anchor, MethodHandles.lookup()).defineClass(bytes)
  }
}

private[deltacollations] object HookedClasses {

  sealed trait Replacement

  object Replacement {
    case object BeforeLoading extends Replacement
    case object AfterLoading extends Replacement
  }

  private def packageOf(className: String): String =
    className.substring(0, className.lastIndexOf('.'))

  private def resource(className: String): String = className.replace('.', '/') + ".class"
}
