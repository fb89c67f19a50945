// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

import java.io.File
import java.net.{URL, URLClassLoader}
import java.nio.file.Path

import org.deltacollations.patch.Hook

/**
 * Loads Delta and this library again in class loaders of their own. A class can be patched only once,
 * so each test needs new classes.
 *
 * @param together
 *   whether one class loader loads both, as with `spark.jars`. Otherwise a parent loads Delta and does
 *   not see this library, as if Delta were in Spark's `jars` folder.
 * @param changed
 *   a folder of classes that replace those of the jar
 */
final private[delta] class IsolatedDelta(
    deltaJar: Path,
    together: Boolean,
    changed: Option[Path] = None
) {

  import IsolatedDelta._

  private val delta = (changed.toSeq :+ deltaJar).map(_.toUri.toURL)

  private val isKernelHidden = !hasKernel(deltaJar.getFileName.toString.stripSuffix(".jar"))

  private def isHidden(name: String): Boolean = isKernelHidden &&
    name.startsWith("io.delta.kernel.")

  private val deltaLoader =
    if (together) new ChildFirst(
      delta ++ libraryClasses,
      name => isLibrary(name) || isDelta(name),
      isHidden
    )
    else new ChildFirst(delta, isDelta, hidden = name => isLibrary(name) || isHidden(name))

  private val loader =
    if (together) deltaLoader
    else new ChildFirst(libraryClasses, isLibrary, hidden = _ => false, deltaLoader)

  /** Loads and initializes a class. */
  def load(className: String): Class[_] = Class.forName(className, true, loader)

  /** Loads and initializes the class that a hook changes in this Delta release. */
  def loadClassOf(hook: Hook): Unit =
    try Class.forName(hook.className, !registersSettings(hook.className), loader): Unit
    catch { case _: ClassNotFoundException => hook.olderClassName.foreach(load) }

  /** Applies all hooks and returns the outcome of each hook by its name. */
  def install(): Map[String, String] = {
    val patch = load("org.deltacollations.delta.patch.DeltaPatch$")
    val module = patch.getField("MODULE$").get(null)
    val hooks: () => Any = () => {
      val deltaHooks = load("org.deltacollations.delta.DeltaHooks$")
      deltaHooks.getMethod("all").invoke(deltaHooks.getField("MODULE$").get(null))
    }
    try patch.getMethod("install", classOf[() => Any]).invoke(module, hooks)
    catch { case thrown: java.lang.reflect.InvocationTargetException => throw thrown.getCause }
    patch.getMethod("status").invoke(module).asInstanceOf[Map[AnyRef, AnyRef]].map {
      case (hook, outcome) => hook.getClass.getMethod("name").invoke(hook).toString ->
          outcome.toString
    }
  }

  /** Returns whether Delta itself finds the feature. */
  def hasFeature(name: String): Boolean = feature(name).isDefined

  /** Returns the features that, according to Delta, depend on the feature `name`. */
  def dependentsOf(name: String): Set[String] =
    callTableFeature("getDependentFeatures", feature(name).get).asInstanceOf[Set[AnyRef]]
      .map(found => found.getClass.getMethod("name").invoke(found).toString)

  private def feature(name: String): Option[AnyRef] =
    callTableFeature("featureNameToFeature", name).asInstanceOf[Option[AnyRef]]

  private def callTableFeature(method: String, argument: AnyRef): AnyRef = {
    val features = load("org.apache.spark.sql.delta.TableFeature$")
    features.getMethods.find(_.getName == method).get
      .invoke(features.getField("MODULE$").get(null), argument)
  }
}

private object IsolatedDelta {

  /** Settings can be registered with Spark once per JVM, so these classes are not initialized. */
  private val registersSettings =
    Set("org.apache.spark.sql.delta.sources.DeltaSourceMetadataEvolutionSupport$")

  /** Delta depends on Kernel since 4.2. The class path of the tests always has it. */
  def hasKernel(version: String): Boolean =
    !version.contains("-4.0.") && !version.contains("-4.1.")

  private def isLibrary(name: String): Boolean =
    name.startsWith("org.deltacollations.")

  private def isDelta(name: String): Boolean =
    !isLibrary(name) &&
      (name.startsWith("org.apache.spark.sql.delta.") || name.startsWith("io.delta."))

  /** The class folders of this build. */
  private val libraryClasses: Seq[URL] =
    System.getProperty("java.class.path").split(File.pathSeparator).toSeq
      .map(new File(_)).filter(_.isDirectory).map(_.toURI.toURL)

  /** Loads `own` classes from its URLs first, and all other classes from its parent first. */
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
        val className = name.stripSuffix(".class").replace('/', '.')
        if (hidden(className) || isAbsent(className)) null
        else super.getResource(name)
      }

    /** Hides the classes that only the Delta on the class path of the tests has. */
    private def isAbsent(name: String): Boolean =
      own(name) && !isLibrary(name) &&
        (name.startsWith("org.apache.spark.sql.delta.") || name.startsWith("io.delta.spark.")) &&
        findResource(name.replace('.', '/') + ".class") == null
  }
}
