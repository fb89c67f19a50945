// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One version of ICU, beside others in the same JVM. Only types of the JDK come out of it, and this
 * interface and the one below, which all of them share.
 */
public interface Icu {

  String version();

  /** The locales that have a collator, by the names that Spark gives them. */
  Map<String, String> locales();

  int lowerCase(int codePoint);

  boolean isAssigned(int codePoint);

  /** The canonical decomposition, empty if there is none, and the combining class. */
  String decomposition(int codePoint);

  int combiningClass(int codePoint);

  Elements elements(String locale);

  /** A comparator as Spark sets it up: by strength 1 to 3, and with the level of case or not. */
  Comparator<String> comparator(String locale, int strength, boolean caseLevel);

  /** What a text is compared by, level after level; levels end with a byte 1. */
  List<byte[]> keys(String locale, List<String> texts);

  /** What a collator makes of text. */
  interface Elements {

    /** Collation elements: 32 bits of primary weight in the locale's order of scripts, then the rest. */
    long[] of(String text);

    /** Strings that have elements of their own as a whole; with those that depend on what is before. */
    Set<String> contractions(boolean withPrefixes);

    /** Whether comparing must not begin before this character. */
    boolean isUnsafeBackward(int codePoint);

    /** Whether an element is ignored for what it is, as spaces and signs are by some locales. */
    boolean isVariable(long element);

    /** All that changes how elements are compared. */
    String settings();

    /** What the elements are made from: locales that share it, and the settings, order alike. */
    String rules();
  }
}
