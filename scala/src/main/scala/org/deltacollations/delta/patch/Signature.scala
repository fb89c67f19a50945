// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import org.apache.xbean.asm9.Type

/**
 * Turns the types of a method, written as `(sql.Dataset, boolean): immutable.Seq`, into a JVM
 * descriptor and back. Types are erased and written in full, except that `sql.` stands for
 * `org.apache.spark.sql.` and `immutable.` for `scala.collection.immutable.`.
 */
private[delta] object Signature {

  private val prefixes = Seq(
    "sql." -> "org.apache.spark.sql.",
    "immutable." -> "scala.collection.immutable."
  )

  private val primitives =
    Seq(Type.VOID_TYPE, Type.BOOLEAN_TYPE, Type.INT_TYPE, Type.LONG_TYPE)
      .map(primitive => primitive.getClassName -> primitive).toMap

  def descriptor(signature: String): String = {
    val end = signature.indexOf("): ")
    val parameters = signature.substring(1, end).split(", ").filter(_.nonEmpty)
    Type.getMethodDescriptor(typeOf(signature.substring(end + 3)), parameters.map(typeOf): _*)
  }

  def of(descriptor: String): String = {
    val parameters = Type.getArgumentTypes(descriptor).map(nameOf).mkString(", ")
    s"($parameters): ${nameOf(Type.getReturnType(descriptor))}"
  }

  private def typeOf(name: String): Type =
    if (name.endsWith("[]")) Type.getType("[" + typeOf(name.stripSuffix("[]")).getDescriptor)
    else primitives.getOrElse(name, Type.getObjectType(full(name).replace('.', '/')))

  private def full(name: String): String =
    prefixes.collectFirst {
      case (short, long) if name.startsWith(short) => long + name.stripPrefix(short)
    }.getOrElse(name)

  private def nameOf(found: Type): String = {
    val name = found.getClassName
    prefixes.collectFirst {
      case (short, long) if name.startsWith(long) => short + name.stripPrefix(long)
    }.getOrElse(name)
  }
}
