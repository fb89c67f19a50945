// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.lang.invoke.{MethodHandleProxies, MethodHandles, MethodType}
import java.net.URLClassLoader
import java.nio.file.Path
import java.util.Comparator
import java.util.concurrent.ConcurrentHashMap
import java.util.function.IntUnaryOperator

/**
 * Loads another version of ICU than Spark's in a class loader of its own, which does not see any other
 * classes. The API uses only types of the JDK.
 */
final class IsolatedIcu private (loader: ClassLoader) {

  val version: String = {
    val version = icuClass("util.VersionInfo").getField("ICU_VERSION").get(null)
    Seq("getMajor", "getMinor").map(part => version.getClass.getMethod(part).invoke(version))
      .mkString(".")
  }

  /**
   * Returns a collator with the settings that Spark uses. Returns `None` if this version does not have
   * the locale, because ICU would then use the rules of another one.
   */
  def comparator(
      locale: String,
      strength: Int,
      hasCaseLevel: Boolean
  ): Option[Comparator[AnyRef]] = {
    val uLocale = icuClass("util.ULocale")
    val collator = icuClass("text.Collator").getMethod("getInstance", uLocale)
      .invoke(null, uLocale.getConstructor(classOf[String]).newInstance(locale))
    val validLocale = collator.getClass.getMethod("getLocale", icuClass("util.ULocale$Type"))
      .invoke(collator, uLocale.getField("VALID_LOCALE").get(null))
    Option.when(validLocale.toString == locale)(configured(collator, strength, hasCaseLevel))
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

  /** Maps a code point to its simple lower case. */
  val lowerCase: IntUnaryOperator = {
    val method = MethodHandles.publicLookup().findStatic(
      icuClass("lang.UCharacter"),
      "toLowerCase",
      MethodType.methodType(classOf[Int], classOf[Int])
    )
    MethodHandleProxies.asInterfaceInstance(classOf[IntUnaryOperator], method)
  }

  private def icuClass(name: String): Class[_] = loader.loadClass(s"com.ibm.icu.$name")
}

object IsolatedIcu {

  /** @throws ReflectiveOperationException if the jar does not contain ICU */
  def apply(jar: Path): IsolatedIcu = cache.computeIfAbsent(
    jar,
    jar =>
      new IsolatedIcu(
        new URLClassLoader(Array(jar.toUri.toURL), ClassLoader.getPlatformClassLoader)
      )
  )

  /** Never cleared, because it takes a while to load the tables of a version. */
  private val cache = new ConcurrentHashMap[Path, IsolatedIcu]
}
