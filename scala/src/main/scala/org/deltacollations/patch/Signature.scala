// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import org.apache.xbean.asm9.Type

/**
 * Converts between JVM method descriptors and a readable notation, like
 * `(sql.Dataset, boolean): immutable.Seq`. Types are erased and fully qualified, except that `sql.`
 * abbreviates `org.apache.spark.sql.` and `immutable.` abbreviates `scala.collection.immutable.`.
 */
private[deltacollations] object Signature {

  private val abbreviations = Seq(
    "sql." -> "org.apache.spark.sql.",
    "immutable." -> "scala.collection.immutable."
  )

  private val primitives =
    Seq(Type.VOID_TYPE, Type.BOOLEAN_TYPE, Type.INT_TYPE, Type.LONG_TYPE)
      .map(primitive => primitive.getClassName -> primitive).toMap

  def toDescriptor(signature: String): String = {
    val end = signature.indexOf("): ")
    val parameters = signature.substring(1, end).split(", ").filter(_.nonEmpty)
    Type.getMethodDescriptor(toType(signature.substring(end + 3)), parameters.map(toType): _*)
  }

  def fromDescriptor(descriptor: String): String = {
    val parameters = Type.getArgumentTypes(descriptor).map(toName).mkString(", ")
    s"($parameters): ${toName(Type.getReturnType(descriptor))}"
  }

  private def toType(name: String): Type =
    if (name.endsWith("[]")) Type.getType("[" + toType(name.stripSuffix("[]")).getDescriptor)
    else primitives.getOrElse(name, Type.getObjectType(expand(name).replace('.', '/')))

  private def toName(jvmType: Type): String = abbreviate(jvmType.getClassName)

  private def expand(name: String): String =
    abbreviations.collectFirst {
      case (short, long) if name.startsWith(short) => long + name.stripPrefix(short)
    }.getOrElse(name)

  private def abbreviate(name: String): String =
    abbreviations.collectFirst {
      case (short, long) if name.startsWith(long) => short + name.stripPrefix(long)
    }.getOrElse(name)
}
