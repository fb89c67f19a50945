// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RawCollationKey;

import org.deltacollations.collation.segment.Segments;

/** Verifies elements by comparing the keys they produce with the collator's keys. */
final class ElementVerifier {

  private final CollationElements elements;
  private final ElementReader reader;
  private final ElementSortKeyBuilder builder;

  ElementVerifier(CollationElements elements, ElementReader reader) {
    this.elements = elements;
    this.reader = reader;
    this.builder = new ElementSortKeyBuilder(elements, AsciiElements.NONE);
  }

  /** Returns the entries of a page; those that produce other keys than the collator are unknown. */
  long[] verifiedEntries(int start) {
    CollationElements.Page page = elements.page(start);
    long[] entries = page.entries.clone();
    boolean areVerified = matchesCollator(eachTwice(start, entries));
    for (int i = 0; i < entries.length; i++) {
      boolean isVerified = areVerified && !Segments.isMark(start + i);
      if (entries[i] == CollationElements.UNKNOWN || isVerified) continue;
      long[] each = page.elements(entries[i]);
      if (!matchesCollator(Character.toString(start + i), each)) {
        entries[i] = CollationElements.UNKNOWN;
      }
    }
    return entries;
  }

  /**
   * Concatenates all code points of a page, except for marks, which would become one segment: one
   * key usually verifies all of them, faster. Repeats each to verify lead byte compression.
   */
  private String eachTwice(int start, long[] entries) {
    StringBuilder string = new StringBuilder();
    for (int i = 0; i < entries.length; i++) {
      if (entries[i] == CollationElements.UNKNOWN || Segments.isMark(start + i)) continue;
      String once = Character.toString(start + i);
      string.append(once).append(once);
    }
    return string.toString();
  }

  /**
   * Returns whether a segment has these elements. Repeats it after a completely ignorable
   * character, which separates segments, to verify lead byte compression.
   */
  boolean matchesCollator(String segment, long[] elementsOfSegment) {
    builder.writeTwice(elementsOfSegment);
    return isKey(reader.key(segment + "\0" + segment));
  }

  private boolean matchesCollator(String string) {
    return builder.write(UTF8String.fromString(string)) && isKey(reader.key(string));
  }

  private boolean isKey(RawCollationKey expected) {
    byte[] key = builder.key();
    return Arrays.equals(key, 0, key.length, expected.bytes, 0, expected.size);
  }
}
