// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.io.File
import java.net.{URL, URLClassLoader}
import java.nio.file.Path

import org.deltacollations.delta.patch.Hook

/**
 * A fresh Delta and a fresh copy of our classes beside those of the test's own JVM, as many times as
 * a test likes: what is done to classes can be done only once to each.
 *
 * @param together
 *   whether both are in one loader, as with `spark.jars`, or Delta is in the outer one and cannot
 *   see us, as when it lies in Spark's folder of jars
 * @param changed
 *   a folder of classes that take the place of those in the jar
 */
final private[delta] class IsolatedDelta(
    deltaJar: Path,
    together: Boolean,
    changed: Option[Path] = None
) {

  import IsolatedDelta._

  private val delta = (changed.toSeq :+ deltaJar).map(_.toUri.toURL)

  private val outer =
    if (together) new ChildFirst(
      delta ++ ourClasses,
      name => isOurs(name) || isDeltas(name),
      hidden = _ => false
    )
    else new ChildFirst(delta, isDeltas, hidden = isOurs)

  private val loader =
    if (together) outer else new ChildFirst(ourClasses, isOurs, hidden = _ => false, outer)

  /** Loads a class of Delta and runs its static part, as use would. */
  def use(className: String): Class[_] = Class.forName(className, true, loader)

  /** The same for the class that a hook changes, wherever this Delta has it. */
  def usePlaceOf(hook: Hook): Unit =
    try use(hook.className): Unit
    catch { case _: ClassNotFoundException => hook.olderClassName.foreach(use) }

  /** Installs our hooks and tells what became of each, by its name. */
  def install(): Map[String, String] = {
    val patch = use("org.deltacollations.delta.patch.DeltaPatch$")
    val module = patch.getField("MODULE$").get(null)
    val hooks: () => Any = () => {
      val table = use("org.deltacollations.delta.DeltaHooks$")
      table.getMethod("all").invoke(table.getField("MODULE$").get(null))
    }
    try patch.getMethod("install", classOf[() => Any]).invoke(module, hooks)
    catch { case thrown: java.lang.reflect.InvocationTargetException => throw thrown.getCause }
    patch.getMethod("status").invoke(module).asInstanceOf[Map[AnyRef, AnyRef]].map {
      case (hook, outcome) => hook.getClass.getMethod("name").invoke(hook).toString ->
          outcome.toString
    }
  }

  /** Whether Delta, asked by its own method, knows the feature. */
  def knowsFeature(name: String): Boolean = feature(name).isDefined

  /** The features that need the feature `name`, asked by Delta's own method. */
  def dependentsOf(name: String): Set[String] =
    askFeatures("getDependentFeatures", feature(name).get).asInstanceOf[Set[AnyRef]]
      .map(found => found.getClass.getMethod("name").invoke(found).toString)

  private def feature(name: String): Option[AnyRef] =
    askFeatures("featureNameToFeature", name).asInstanceOf[Option[AnyRef]]

  private def askFeatures(method: String, argument: AnyRef): AnyRef = {
    val features = use("org.apache.spark.sql.delta.TableFeature$")
    features.getMethods.find(_.getName == method).get
      .invoke(features.getField("MODULE$").get(null), argument)
  }
}

private object IsolatedDelta {

  private def isOurs(name: String): Boolean =
    name.startsWith("org.deltacollations.") ||
      name == "org.apache.spark.sql.delta.CollationsBridge"

  private def isDeltas(name: String): Boolean =
    !isOurs(name) &&
      (name.startsWith("org.apache.spark.sql.delta.") || name.startsWith("io.delta."))

  /** Our classes as the build laid them out. */
  private val ourClasses: Seq[URL] =
    System.getProperty("java.class.path").split(File.pathSeparator).toSeq
      .map(new File(_)).filter(_.isDirectory).map(_.toURI.toURL)

  /** Looks at its own urls first for `own` classes, and at its parent first for the rest. */
  final private class ChildFirst(
      urls: Seq[URL],
      own: String => Boolean,
      hidden: String => Boolean,
      parent: ClassLoader = getClass.getClassLoader
  ) extends URLClassLoader(urls.toArray, parent) {

    override def loadClass(name: String, resolve: Boolean): Class[_] =
      getClassLoadingLock(name).synchronized {
        Option(findLoadedClass(name)).getOrElse {
          if (hidden(name) || isAbsent(name)) throw new ClassNotFoundException(name)
          if (own(name) && findResource(name.replace('.', '/') + ".class") != null) findClass(name)
          else super.loadClass(name, resolve)
        }
      }

    override def getResource(name: String): URL =
      Option(findResource(name)).getOrElse {
        if (isAbsent(name.stripSuffix(".class").replace('/', '.'))) null
        else super.getResource(name)
      }

    /** The Delta of the test's own JVM may have a class that this one does not have. */
    private def isAbsent(name: String): Boolean =
      own(name) && name.startsWith("org.apache.spark.sql.delta.") && !isOurs(name) &&
        findResource(name.replace('.', '/') + ".class") == null
  }
}
