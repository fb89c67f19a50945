// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import java.lang.instrument.ClassDefinition
import java.lang.invoke.MethodHandles
import java.util.function.{Function => JavaFunction}
import java.util.{Map => JavaMap}

import scala.util.{Try, Using}

import org.apache.spark.sql.delta.CollationsBridge

import org.deltacollations.config.BuildInfo
import org.deltacollations.errors.CollationsErrors

/** Reads and replaces the bytecode of Delta's classes in the class loader of Delta. */
final private[delta] class DeltaClasses private (loader: ClassLoader) {

  import DeltaClasses._

  /** Returns the bytecode in the user's Delta jar, or `None` if this Delta has no such class. */
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

  /**
   * Returns the map in which rewritten code looks up hooks. If Delta's class loader does not see this
   * library's jar, as when Delta is in Spark's `jars` folder, this defines the bridge class there.
   */
  def bridge(): JavaMap[String, JavaFunction[Array[AnyRef], AnyRef]] = {
    val name = classOf[CollationsBridge].getName
    val visible: Class[_] = Try[Class[_]](Class.forName(name, true, loader)).getOrElse {
      val stream = classOf[DeltaClasses].getClassLoader.getResourceAsStream(resource(name))
      define(name, Using.resource(stream)(_.readAllBytes()))
    }
    visible.getField("HOOKS").get(null)
      .asInstanceOf[JavaMap[String, JavaFunction[Array[AnyRef], AnyRef]]]
  }

  private def define(className: String, bytes: Array[Byte]): Class[_] = {
    val anchor = Class.forName(anchors(packageOf(className)), false, loader)
    MethodHandles.privateLookupIn(anchor, MethodHandles.lookup()).defineClass(bytes)
  }
}

private[delta] object DeltaClasses {

  sealed trait Replacement

  object Replacement {
    case object BeforeLoading extends Replacement
    case object AfterLoading extends Replacement
  }

  /** Finds the Delta that this library links against, which is the one to change. */
  def find(): DeltaClasses =
    try
      new DeltaClasses(Class.forName(anchors(root), false, getClass.getClassLoader).getClassLoader)
    catch {
      case _: ClassNotFoundException =>
        throw CollationsErrors.deltaNotFound(BuildInfo.extension, BuildInfo.deltaCoordinate)
    }

  private val root = "org.apache.spark.sql.delta"

  /**
   * A loaded class for each package with classes to change: a lookup can define a class only in the
   * package and the loader of a loaded class. The anchors are small, and loading them does not load a
   * class that a hook changes.
   */
  private val anchors = Map(
    root -> s"$root.DeltaOperations",
    s"$root.actions" -> s"$root.actions.JobInfo",
    s"$root.commands" -> s"$root.commands.DeltaChangeColumnSpec",
    s"$root.files" -> s"$root.files.SupportsRowIndexFilters",
    s"$root.schema" -> s"$root.schema.UnsupportedDataTypeInfo",
    s"$root.skipping.clustering" -> s"$root.skipping.clustering.ClusteringColumnInfo",
    s"$root.stats" -> s"$root.stats.DataSize"
  )

  private def packageOf(className: String): String =
    className.substring(0, className.lastIndexOf('.'))

  private def resource(className: String): String = className.replace('.', '/') + ".class"
}
