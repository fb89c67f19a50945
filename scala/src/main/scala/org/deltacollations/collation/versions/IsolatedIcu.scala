// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.lang.invoke.{MethodHandleProxies, MethodHandles, MethodType}
import java.net.URLClassLoader
import java.nio.file.Path
import java.util.Comparator
import java.util.concurrent.ConcurrentHashMap
import java.util.function.IntUnaryOperator

/**
 * Another version of ICU than Spark's, in a class loader of its own that sees nothing else. Only types
 * of the JDK come out of it.
 */
final class IsolatedIcu private (loader: ClassLoader) {

  val version: String = {
    val running = icu("util.VersionInfo").getField("ICU_VERSION").get(null)
    Seq("getMajor", "getMinor").map(part => running.getClass.getMethod(part).invoke(running))
      .mkString(".")
  }

  /**
   * A collator as Spark sets it up for the same locale; ICU's own are comparators. None if this version
   * has no such locale: it would then order as for another one.
   */
  def comparator(
      locale: String,
      strength: Int,
      hasCaseLevel: Boolean
  ): Option[Comparator[AnyRef]] = {
    val locales = icu("util.ULocale")
    val collator = icu("text.Collator").getMethod("getInstance", locales)
      .invoke(null, locales.getConstructor(classOf[String]).newInstance(locale))
    val found = collator.getClass.getMethod("getLocale", icu("util.ULocale$Type"))
      .invoke(collator, locales.getField("VALID_LOCALE").get(null))
    Option.when(found.toString == locale)(configured(collator, strength, hasCaseLevel))
  }

  private def configured(
      collator: AnyRef,
      strength: Int,
      hasCaseLevel: Boolean
  ): Comparator[AnyRef] = {
    collator.getClass.getMethod("setStrength", classOf[Int]).invoke(collator, Int.box(strength))
    collator.getClass.getMethod("setCaseLevel", classOf[Boolean])
      .invoke(collator, Boolean.box(hasCaseLevel))
    collator.getClass.getMethod("freeze").invoke(collator).asInstanceOf[Comparator[AnyRef]]
  }

  /** From a character to what it is in lower case, alone. */
  val lowerCase: IntUnaryOperator = {
    val method = MethodHandles.publicLookup().findStatic(
      icu("lang.UCharacter"),
      "toLowerCase",
      MethodType.methodType(classOf[Int], classOf[Int])
    )
    MethodHandleProxies.asInterfaceInstance(classOf[IntUnaryOperator], method)
  }

  private def icu(name: String): Class[_] = loader.loadClass(s"com.ibm.icu.$name")
}

object IsolatedIcu {

  /** @throws ReflectiveOperationException if there is no ICU in the file */
  def apply(jar: Path): IsolatedIcu = loaded.computeIfAbsent(
    jar,
    jar =>
      new IsolatedIcu(
        new URLClassLoader(Array(jar.toUri.toURL), ClassLoader.getPlatformClassLoader)
      )
  )

  /** For the life of the JVM: to read the tables of a version takes a while. */
  private val loaded = new ConcurrentHashMap[Path, IsolatedIcu]
}
