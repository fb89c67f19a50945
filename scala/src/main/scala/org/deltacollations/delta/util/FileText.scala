// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode

/** An `add` action as it stands in the log. */
object FileText {

  private val json = JsonMapper.builder().build()

  /**
   * The action with other statistics, said to hold the rows it held before, and with `tags` beside
   * those it has; all else stays.
   */
  def withStats(
      action: String,
      stats: String,
      dataChange: Boolean,
      tags: Map[String, String] = Map.empty
  ): String = {
    val changed = json.readTree(action)
    changed.get("add") match {
      case add: ObjectNode =>
        add.put("stats", stats).put("dataChange", dataChange)
        // What is not there, Delta would read as an empty map, and write that.
        if (!add.has("tags")) add.putNull("tags"): Unit
        if (tags.nonEmpty) {
          val all =
            if (add.get("tags").isObject) add.withObjectProperty("tags") else add.putObject("tags")
          tags.foreach { case (name, value) => all.put(name, value) }
        }
      case _ => throw new IllegalArgumentException(s"no file is added by $action")
    }
    changed.toString
  }
}
