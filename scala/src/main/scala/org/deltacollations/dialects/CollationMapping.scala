// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

/**
 * What a collation of another system is in Spark.
 *
 * @param name
 *   as it was asked for
 * @param system
 *   whose name it is, or `unknown`
 * @param collation
 *   the nearest one that Spark has, in Spark's spelling; none if there is nothing near
 * @param isExact
 *   whether both put any two strings of valid UTF-8 in the same order, and find the same ones equal
 * @param differences
 *   where the two part, in sentences
 */
final case class CollationMapping(
    name: String,
    system: String,
    collation: Option[String],
    isExact: Boolean,
    differences: String
)
