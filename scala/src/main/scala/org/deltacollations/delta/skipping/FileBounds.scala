// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.CollationOrder
import org.deltacollations.protocol.FoundBounds

/**
 * The bounds of a column in one file and in one collation, as they are cached: a byte with the state
 * and, if they are valid, the length of the minimum, the minimum and the maximum.
 *
 * Whether bounds are valid does not depend on the query, so it is decided before they are cached.
 */
private[skipping] object FileBounds {

  private val Valid: Byte = 0

  /** There are bounds, but they are corrupt, so they exclude no value. */
  private val Invalid: Byte = 1

  /** There are only bounds of other ICU versions. */
  private val OtherVersion: Byte = 2

  private val MinLengthAt = 1
  private val MinAt = MinLengthAt + Integer.BYTES

  /** U+FFFD replaces malformed UTF-8, so the original bound is not known. */
  private val Replacement = '\uFFFD'

  /** Returns null if the file has no such bounds in any version. */
  def encode(found: FoundBounds, order: CollationOrder): Array[Byte] =
    if (found.values.nonEmpty) encode(found.values, order)
    else if (found.hasOtherVersion) Array(OtherVersion)
    else null

  /**
   * If writers have spelled one collation in several ways, the bounds are those that include all others.
   * No writer produces a minimum above the maximum, so such bounds are corrupt.
   */
  private def encode(bounds: Seq[(String, String)], order: CollationOrder): Array[Byte] = {
    val strings = bounds.map { case (min, max) =>
      UTF8String.fromString(min) -> UTF8String.fromString(max)
    }
    val areValid = bounds.forall { case (min, max) =>
      min.indexOf(Replacement) < 0 && max.indexOf(Replacement) < 0
    } && strings.forall { case (min, max) => order.compare(min, max) <= 0 }
    if (!areValid) Array(Invalid)
    else
      valid(
        strings.map(_._1).reduce((left, right) =>
          if (order.compare(left, right) <= 0) left else right
        ),
        strings.map(_._2).reduce((left, right) =>
          if (order.compare(left, right) >= 0) left else right
        )
      )
  }

  private def valid(min: UTF8String, max: UTF8String): Array[Byte] = {
    val encoded = new Array[Byte](MinAt + min.numBytes + max.numBytes)
    encoded(0) = Valid
    Platform.putInt(encoded, (Platform.BYTE_ARRAY_OFFSET + MinLengthAt).toLong, min.numBytes)
    min.writeToMemory(encoded, (Platform.BYTE_ARRAY_OFFSET + MinAt).toLong)
    max.writeToMemory(encoded, (Platform.BYTE_ARRAY_OFFSET + MinAt + min.numBytes).toLong)
    encoded
  }

  /** Whether there are bounds of the requested version. */
  def areOfVersion(encoded: Array[Byte]): Boolean = encoded != null && encoded(0) != OtherVersion

  def areOfOtherVersion(encoded: Array[Byte]): Boolean =
    encoded != null && encoded(0) == OtherVersion

  def areValid(encoded: Array[Byte]): Boolean = encoded != null && encoded(0) == Valid

  def min(encoded: Array[Byte]): UTF8String =
    UTF8String.fromBytes(encoded, MinAt, minLength(encoded))

  def max(encoded: Array[Byte]): UTF8String = {
    val start = MinAt + minLength(encoded)
    UTF8String.fromBytes(encoded, start, encoded.length - start)
  }

  private def minLength(encoded: Array[Byte]): Int =
    Platform.getInt(encoded, (Platform.BYTE_ARRAY_OFFSET + MinLengthAt).toLong)
}
