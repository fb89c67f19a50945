// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation

import org.apache.spark.sql.catalyst.util.CollationFactory

import com.ibm.icu.lang.UCharacter

/** Identifies the data that the bytes of sort keys are made from. */
object SortKeyVersion {

  /**
   * Returns the version of the sort keys of a Spark collation. ICU guarantees that two collators with
   * the same version and settings make the same keys. Versions of ICU that bring other weights have
   * another collator version, even if the order of strings is the same. The keys of `UTF8_LCASE` are
   * strings in lower case, which depend on the version of Unicode.
   */
  def of(collation: String): String =
    Option(CollationFactory.fetchCollation(collation).getCollator)
      .fold(s"Unicode ${UCharacter.getUnicodeVersion}")(collator =>
        s"collator ${collator.getVersion}"
      )
}
