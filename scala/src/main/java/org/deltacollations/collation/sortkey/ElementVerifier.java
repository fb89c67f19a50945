// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;

import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RawCollationKey;

/** Tries what was read of a page against the collator. */
final class ElementVerifier {

  private final CollationElements untrusted;
  private final ElementReader reader;
  private final ElementSortKeyBuilder keys;

  ElementVerifier(CollationElements untrusted, ElementReader reader) {
    this.untrusted = untrusted;
    this.reader = reader;
    this.keys = new ElementSortKeyBuilder(untrusted, AsciiElements.NONE);
  }

  /** The entries of a page without those that give other keys than the collator. */
  long[] trusted(int start) {
    long[] entries = untrusted.page(start).entries.clone();
    if (agrees(eachTwice(start, entries))) return entries;
    for (int i = 0; i < entries.length; i++) {
      if (!agrees(twice(start + i))) entries[i] = CollationElements.UNKNOWN;
    }
    return entries;
  }

  /** One key proves a page, mostly, and is made sooner than one for each character. */
  private String eachTwice(int start, long[] entries) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < entries.length; i++) {
      if (entries[i] != CollationElements.UNKNOWN) text.append(twice(start + i));
    }
    return text.toString();
  }

  /** A character behind itself, where that is no contraction: this shows what repeats. */
  private String twice(int codePoint) {
    String once = Character.toString(codePoint);
    return untrusted.pairs().contains(codePoint, codePoint) ? once : once + once;
  }

  private boolean agrees(String text) {
    if (!keys.write(UTF8String.fromString(text))) return false;
    RawCollationKey expected = reader.key(text);
    byte[] key = keys.key();
    return Arrays.equals(key, 0, key.length, expected.bytes, 0, expected.size);
  }
}
