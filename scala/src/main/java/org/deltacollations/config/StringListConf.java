// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.config;

import java.util.regex.Pattern;

import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** A comma-separated list of strings, empty by default. */
public final class StringListConf extends ConfEntry<Seq<String>> {

  /** @param expected what each string is, for the error message, for example "an ICU version" */
  StringListConf(String key, String doc, Pattern pattern, String expected) {
    super(key, doc, builder -> builder.stringConf()
        .checkValue(value -> pattern.matcher(value).matches(), "Every element must be " + expected)
        .toSequence()
        .createWithDefault(empty()));
  }

  @SuppressWarnings("unchecked")
  private static Seq<String> empty() {
    return (Seq<String>) (Seq<?>) Nil$.MODULE$;
  }

  public Seq<String> values() {
    return value();
  }
}
