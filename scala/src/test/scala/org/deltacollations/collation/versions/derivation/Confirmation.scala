// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.Arrays

import scala.jdk.CollectionConverters._

/**
 * Holds strings against a certificate: both versions must order and equal them alike, on every level.
 *
 * If neighbours in the order of one version are to each other as in the other version, and differ on
 * the same level first, then all of the strings do, under every strength.
 */
object Confirmation {

  /** @return what is not so, in words */
  def differences(before: Icu, after: Icu, locale: String, texts: Seq[String]): Seq[String] = {
    val olders = before.keys(before.locales.get(locale), texts.asJava)
    val newers = after.keys(after.locales.get(locale), texts.asJava)
    val places = texts.indices.toArray
    val sorted = places.map(Int.box)
    Arrays.sort(
      sorted,
      (left: Integer, right: Integer) =>
        Arrays.compareUnsigned(olders.get(left), olders.get(right))
    )
    sorted.iterator.zip(sorted.iterator.drop(1)).collect {
      case (left, right)
          if relation(olders.get(left), olders.get(right)) !=
            relation(newers.get(left), newers.get(right)) =>
        s"$locale: '${texts(left)}' and '${texts(right)}' are not to each other as before"
    }.toSeq
  }

  /** The level of the first difference, negative if the left one is lower; 0 if there is none. */
  private def relation(left: Array[Byte], right: Array[Byte]): Int = {
    val first = Arrays.mismatch(left, right)
    if (first < 0) 0
    else (1 + left.take(first).count(_ == LevelEnd)) * Arrays.compareUnsigned(left, right).sign
  }

  private val LevelEnd: Byte = 1
}
