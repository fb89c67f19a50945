// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta

/** Every hook into Delta: the whole of what this library changes there. */
private[delta] object DeltaHooks {

  val all: Seq[Hook] = Seq(
    FeatureGate.hook,
    FirstWrite.hook,
    MetadataGate.hook,
    ProtocolGate.hook,
    SchemaGate.reading,
    SchemaGate.writing,
    TypeGate.hook
  )
}
