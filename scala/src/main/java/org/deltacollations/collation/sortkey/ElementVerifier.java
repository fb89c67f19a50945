// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RawCollationKey;

/** Verifies the elements of a page by comparing the keys they produce with the collator's keys. */
final class ElementVerifier {

  private final CollationElements unverified;
  private final ElementReader reader;
  private final ElementSortKeyBuilder builder;

  ElementVerifier(CollationElements unverified, ElementReader reader) {
    this.unverified = unverified;
    this.reader = reader;
    this.builder = new ElementSortKeyBuilder(unverified, AsciiElements.NONE);
  }

  /** Returns the entries of a page; those that produce other keys than the collator are unknown. */
  long[] verifiedEntries(int start) {
    long[] entries = unverified.page(start).entries.clone();
    if (matchesCollator(eachTwice(start, entries))) return entries;
    for (int i = 0; i < entries.length; i++) {
      if (!matchesCollator(twice(start + i))) entries[i] = CollationElements.UNKNOWN;
    }
    return entries;
  }

  /** Concatenates all code points of a page: one key usually verifies all of them, faster. */
  private String eachTwice(int start, long[] entries) {
    StringBuilder string = new StringBuilder();
    for (int i = 0; i < entries.length; i++) {
      if (entries[i] != CollationElements.UNKNOWN) string.append(twice(start + i));
    }
    return string.toString();
  }

  /** Repeats a code point, unless that is a contraction, to verify lead byte compression. */
  private String twice(int codePoint) {
    String once = Character.toString(codePoint);
    return unverified.pairs().contains(codePoint, codePoint) ? once : once + once;
  }

  private boolean matchesCollator(String string) {
    if (!builder.write(UTF8String.fromString(string))) return false;
    RawCollationKey expected = reader.key(string);
    byte[] key = builder.key();
    return Arrays.equals(key, 0, key.length, expected.bytes, 0, expected.size);
  }
}
