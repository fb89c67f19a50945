// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config;

/** A setting that is either {@code true}, which is the default, or {@code false}. */
public final class BooleanConf extends ConfEntry<Object> {

  BooleanConf(String key, String doc) {
    super(key, doc, builder -> builder.booleanConf().createWithDefault(true));
  }

  public boolean isEnabled() {
    return (Boolean) value();
  }
}
