// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.Arrays

import scala.jdk.CollectionConverters._

/**
 * Tests that two versions of ICU order and equate strings alike, on every level.
 *
 * It is enough to compare neighbors in the order of one version. If each pair of neighbors has the same
 * order in the other version and first differs on the same level, so does every pair of the strings,
 * under every strength.
 */
object Confirmation {

  /** @return messages for the user, one for each pair of neighbors that differ */
  def differences(before: Icu, after: Icu, locale: String, texts: Seq[String]): Seq[String] = {
    val oldKeys = before.keys(before.locales.get(locale), texts.asJava)
    val newKeys = after.keys(after.locales.get(locale), texts.asJava)
    val sorted = texts.indices.toArray.map(Int.box)
    Arrays.sort(
      sorted,
      (left: Integer, right: Integer) =>
        Arrays.compareUnsigned(oldKeys.get(left), oldKeys.get(right))
    )
    sorted.iterator.zip(sorted.iterator.drop(1)).collect {
      case (left, right)
          if relation(oldKeys.get(left), oldKeys.get(right)) !=
            relation(newKeys.get(left), newKeys.get(right)) =>
        s"$locale: '${texts(left)}' and '${texts(right)}' do not compare as before"
    }.toSeq
  }

  /** Returns the level of the first difference, negative if left is lower, or 0 if both are equal. */
  private def relation(left: Array[Byte], right: Array[Byte]): Int = {
    val first = Arrays.mismatch(left, right)
    if (first < 0) 0
    else (1 + left.take(first).count(_ == LevelEnd)) * Arrays.compareUnsigned(left, right).sign
  }

  private val LevelEnd: Byte = 1
}
