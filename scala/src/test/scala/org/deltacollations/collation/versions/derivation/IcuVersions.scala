// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.net.URLClassLoader
import java.nio.file.{Files, Path}

/** Loads the ICU versions of the build, oldest first, each in a class loader of its own. */
object IcuVersions {

  lazy val all: Seq[Icu] =
    sys.props("deltaCollations.test.icuJars").split(',').toSeq.map(Path.of(_)).map(load)

  def apply(version: String): Icu = all.find(_.version == version).get

  def load(jar: Path): Icu = {
    require(Files.exists(jar), s"$jar does not exist")
    val testClasses = getClass.getProtectionDomain.getCodeSource.getLocation
    val loader =
      new URLClassLoader(Array(jar.toUri.toURL, testClasses), ClassLoader.getPlatformClassLoader) {
        override protected def findClass(name: String): Class[_] =
          if (name.startsWith(classOf[Icu].getName)) getClass.getClassLoader.loadClass(name)
          else super.findClass(name)
      }
    loader.loadClass(classOf[LoadedIcu].getName).getDeclaredConstructor().newInstance()
      .asInstanceOf[Icu]
  }
}
