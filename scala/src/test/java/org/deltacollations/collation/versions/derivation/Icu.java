// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One of several versions of ICU in the same JVM. The API uses only types of the JDK, and this
 * interface and {@link Elements}, which all versions share.
 */
public interface Icu {

  String version();

  /** Returns the locales that have a collator, by their names in Spark. */
  Map<String, String> locales();

  int lowerCase(int codePoint);

  boolean isAssigned(int codePoint);

  /** Returns the canonical decomposition, or an empty string. */
  String decomposition(int codePoint);

  int combiningClass(int codePoint);

  Elements elements(String locale);

  /** Returns a comparator with the settings that Spark uses: a strength of 1 to 3, and the case level. */
  Comparator<String> comparator(String locale, int strength, boolean caseLevel);

  /** Returns sort keys. Each of their levels ends with a byte of 1. */
  List<byte[]> keys(String locale, List<String> texts);

  /** The collation elements of a collator. */
  interface Elements {

    /** Returns elements of 64 bits that start with the primary weight, after script reordering. */
    long[] of(String text);

    /** Returns the contractions, optionally with those that depend on a prefix. */
    Set<String> contractions(boolean withPrefixes);

    /** Returns whether a comparison must not start at this character. */
    boolean isUnsafeBackward(int codePoint);

    /** Returns whether the collator ignores an element as variable, such as punctuation. */
    boolean isVariable(long element);

    /** Returns all settings that change how elements are compared. */
    String settings();

    /** Returns the tailoring. Locales with the same rules and settings order alike. */
    String rules();
  }
}
