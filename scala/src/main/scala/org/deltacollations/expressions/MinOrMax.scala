// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.expressions

/** Selects one of the two extremes of a set of strings. */
sealed trait MinOrMax extends Serializable {

  /** The name of the SQL function. */
  def function: String

  /** Returns whether a string with this comparison to the current extreme replaces it. */
  def isBeyond(comparison: Int): Boolean
}

object MinOrMax {

  case object Min extends MinOrMax {

    override def function: String = "min"

    override def isBeyond(comparison: Int): Boolean = comparison < 0
  }

  case object Max extends MinOrMax {

    override def function: String = "max"

    override def isBeyond(comparison: Int): Boolean = comparison > 0
  }
}
