// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config;

import java.util.function.Function;

import org.apache.spark.internal.config.ConfigBuilder;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;

/**
 * A setting that is registered with Spark's {@link SQLConf}: {@code SET -v} lists it, and Spark
 * rejects a value of the wrong type when it is set.
 *
 * <p>Spark's builders are private to Spark's packages in Scala only, so this class is written in Java.
 */
public abstract class ConfEntry<T> {

  private static final String SINCE = "0.1.0";

  private final ConfigEntry<T> entry;

  /** Reuses an entry that another class loader of this JVM has registered: keys must be unique. */
  @SuppressWarnings("unchecked")
  ConfEntry(String key, String doc, Function<ConfigBuilder, ConfigEntry<T>> create) {
    ConfigEntry<?> registered = SQLConf$.MODULE$.getConfigEntry(key);
    entry = registered == null
        ? create.apply(SQLConf.buildConf(key).doc(doc).version(SINCE))
        : (ConfigEntry<T>) registered;
  }

  public final String key() {
    return entry.key();
  }

  public final String doc() {
    return entry.doc();
  }

  final T value() {
    return SQLConf.get().getConf(entry);
  }
}
