// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import scala.util.{Random, Try}

import org.apache.spark.sql.catalyst.util.CollationFactory

import org.deltacollations.collation.LocaleResolver
import org.scalatest.funsuite.AnyFunSuite

class CollationDialectsSuite extends AnyFunSuite {

  private def table(system: String)(rows: String): Unit =
    for (row <- rows.stripMargin.trim.linesIterator) {
      val Array(name, collation) = row.split("→").map(_.trim): @unchecked
      test(s"$name of $system maps to $collation") {
        val found = CollationDialects.collationFor(name).filter(_.system == system)
        assert(found.map(_.collation.getOrElse("nothing")) === Seq(collation))
        assert(found.head.name === name)
        assert(found.head.differences.endsWith("."))
        found.head.collation.foreach(mapped => assert(canonicalName(mapped) === Some(mapped)))
      }
    }

  private def canonicalName(name: String): Option[String] =
    Try(CollationFactory.fetchCollation(name).collationName).toOption

  table("SQL Server")("""
      |SQL_Latin1_General_CP1_CI_AS → UNICODE_CI_RTRIM
      |SQL_Latin1_General_CP1_CS_AS → UNICODE_RTRIM
      |SQL_Latin1_General_CP1_CI_AI → UNICODE_CI_AI_RTRIM
      |SQL_Latin1_General_Pref_CP850_CI_AS → UNICODE_CI_RTRIM
      |SQL_Latin1_General_CP437_BIN → UTF8_BINARY_RTRIM
      |SQL_Latin1_General_CP850_BIN2 → UTF8_BINARY_RTRIM
      |SQL_SwedishStd_Pref_CP1_CI_AS → sv_CI_RTRIM
      |SQL_Polish_CP1250_CS_AS → pl_RTRIM
      |SQL_EBCDIC037_CP1_CS_AS → nothing
      |Latin1_General_CI_AS → UNICODE_CI_RTRIM
      |latin1_general_100_ci_as_sc_utf8 → UNICODE_CI_RTRIM
      |Latin1_General_100_CS_AI → UNICODE_AI_RTRIM
      |Latin1_General_BIN → UTF8_BINARY_RTRIM
      |Latin1_General_BIN2 → UTF8_BINARY_RTRIM
      |Latin1_General_100_BIN2_UTF8 → UTF8_BINARY_RTRIM
      |French_CI_AI → fr_CI_AI_RTRIM
      |Turkish_100_CI_AS → tr_CI_RTRIM
      |Danish_Norwegian_CI_AS → da_CI_RTRIM
      |Finnish_Swedish_CS_AS → sv_RTRIM
      |German_PhoneBook_CI_AS → de_CI_RTRIM
      |Greek_CI_AI → el_CI_AI_RTRIM
      |Modern_Spanish_CI_AS → es_CI_RTRIM
      |Traditional_Spanish_CI_AS → es_CI_RTRIM
      |Chinese_PRC_CI_AS → zh_CI_RTRIM
      |Chinese_Taiwan_Stroke_CI_AS → zh_Hant_TWN_CI_RTRIM
      |Japanese_XJIS_140_CS_AS_KS_WS_VSS_UTF8 → ja_RTRIM
      |Japanese_Bushu_Kakusu_100_CI_AS_KS → ja_CI_RTRIM
      |Korean_Wansung_CI_AS → ko_CI_RTRIM
      |Cyrillic_General_CI_AS → UNICODE_CI_RTRIM
      |Serbian_Latin_100_CI_AS → sr_Latn_CI_RTRIM
      |Hungarian_Technical_CI_AS → hu_CI_RTRIM
      |database_default → nothing
      |""")

  table("Snowflake")("""
      |utf8 → UTF8_BINARY
      |utf8-rtrim → UTF8_BINARY_RTRIM
      |en → en
      |en-ci → en_CI
      |en_US-ci → en_USA_CI
      |de-ci-ai → de_CI_AI
      |fr_CA-ai → fr_CAN_AI
      |sv-ci-pi-trim → sv_CI_RTRIM
      |es-fu-ltrim → es
      |upper → UTF8_LCASE
      |lower-rtrim → UTF8_LCASE_RTRIM
      |""")

  table("MySQL/MariaDB")("""
      |utf8mb4_0900_ai_ci → UNICODE_CI_AI
      |utf8mb4_0900_as_ci → UNICODE_CI
      |utf8mb4_0900_as_cs → UNICODE
      |utf8mb4_0900_bin → UTF8_BINARY
      |utf8mb4_de_pb_0900_ai_ci → de_CI_AI
      |utf8mb4_es_trad_0900_as_cs → es
      |utf8mb4_sv_0900_as_cs → sv
      |utf8mb4_ja_0900_as_cs_ks → ja
      |utf8mb4_sr_latn_0900_ai_ci → sr_Latn_CI_AI
      |utf8mb4_general_ci → UNICODE_CI_AI_RTRIM
      |utf8mb4_unicode_ci → UNICODE_CI_AI_RTRIM
      |utf8mb4_unicode_520_ci → UNICODE_CI_AI_RTRIM
      |utf8_unicode_nopad_ci → UNICODE_CI_AI
      |utf8mb4_swedish_ci → sv_CI_AI_RTRIM
      |utf8mb3_german2_ci → de_CI_AI_RTRIM
      |utf8mb4_bin → UTF8_BINARY_RTRIM
      |utf8mb4_nopad_bin → UTF8_BINARY
      |latin1_swedish_ci → sv_CI_AI_RTRIM
      |latin1_general_ci → UNICODE_CI_RTRIM
      |latin1_general_cs → UNICODE_RTRIM
      |latin1_bin → UTF8_BINARY_RTRIM
      |cp1251_ukrainian_ci → uk_CI_AI_RTRIM
      |gb18030_unicode_520_ci → UNICODE_CI_AI_RTRIM
      |binary → UTF8_BINARY
      |uca1400_ai_ci → UNICODE_CI_AI_RTRIM
      |uca1400_nopad_as_cs → UNICODE
      |utf8mb4_uca1400_swedish_nopad_as_ci → sv_CI
      |utf8mb4_uca1400_polish_ai_cs → pl_AI_RTRIM
      |""")

  table("Oracle")("""
      |BINARY → UTF8_BINARY
      |BINARY_CI → UTF8_LCASE
      |BINARY_AI → UNICODE_CI_AI
      |USING_NLS_COMP → nothing
      |USING_NLS_SORT_CI → nothing
      |GENERIC_M → UNICODE
      |GENERIC_M_CI → UNICODE_CI
      |XGERMAN_AI → de_CI_AI
      |FRENCH_M → fr
      |CANADIAN_M → fr_CAN
      |XSPANISH_CI → es_CI
      |SCHINESE_PINYIN_M → zh
      |TCHINESE_STROKE_M_CI → zh_Hant_CI
      |UCA0700_DUCET → UNICODE
      |UCA0700_DUCET_CI → UNICODE_CI
      |UCA1210_DUCET_S1_VN → UNICODE_CI_AI
      |UCA0700_CFRENCH_AI → fr_CAN_CI_AI
      |""")

  table("PostgreSQL")("""
      |C → UTF8_BINARY
      |POSIX → UTF8_BINARY
      |C.UTF-8 → UTF8_BINARY
      |pg_c_utf8 → UTF8_BINARY
      |ucs_basic → UTF8_BINARY
      |default → nothing
      |unicode → UNICODE
      |und-x-icu → UNICODE
      |de-x-icu → de
      |de-AT-x-icu → de_AUT
      |en-GB-x-icu → en
      |zh-Hant-TW-x-icu → zh_Hant_TWN
      |eu-x-icu → UNICODE
      |en-US-u-va-posix-x-icu → UTF8_BINARY
      |en_US → en_USA
      |en_US.utf8 → en_USA
      |de_DE.UTF-8@euro → de
      |sr_RS@latin → sr_Latn_SRB
      |zh_TW.utf8 → zh_Hant_TWN
      |und-u-ks-level2 → UNICODE_CI
      |und-u-ks-level1 → UNICODE_CI_AI
      |und-u-ks-level1-kc-true → UNICODE_AI
      |de-u-co-phonebk → de
      |en-u-kn-ks-level2 → en_CI
      |en@colNumeric=yes → en
      |de_AT@collation=phonebook;colStrength=secondary → de_AUT_CI
      |""")

  table("BigQuery")("""
      |und:ci → UNICODE_CI
      |unicode:ci → UNICODE_CI
      |'' → UTF8_BINARY
      |""")

  table("SQLite")("""
      |BINARY → UTF8_BINARY
      |NOCASE → UTF8_LCASE
      |RTRIM → UTF8_BINARY_RTRIM
      |""")

  table("DuckDB")("""
      |POSIX → UTF8_BINARY
      |NOCASE → UTF8_LCASE
      |NOCASE.NOACCENT → UNICODE_CI_AI
      |NFC → UNICODE
      |de → de
      |DE.NOCASE → de_CI
      |de_at → de_AUT
      |""")

  private def systems(name: String): Seq[String] =
    CollationDialects.collationFor(name).map(_.system)

  test("a name that several systems have is mapped for each of them") {
    assert(systems("en_US") === Seq("Snowflake", "PostgreSQL", "DuckDB"))
    assert(systems("binary") === Seq("MySQL/MariaDB", "Oracle", "SQLite", "DuckDB"))
    assert(systems("") === Seq("Snowflake", "BigQuery"))
    assert(systems("rtrim") === Seq("Snowflake", "SQLite"))
    assert(systems("en-ci") === Seq("Snowflake"))
  }

  test("white space and quotes around a name are ignored") {
    for (name <- Seq("\"de-x-icu\"", " de-x-icu ", "'de-x-icu'", "`de-x-icu`", "[de-x-icu]"))
      assert(CollationDialects.collationFor(name).flatMap(_.collation) === Seq("de"), name)
  }

  test("only collations that compare bytes or code points without padding are exact") {
    val names = Seq(
      "C",
      "POSIX",
      "ucs_basic",
      "pg_c_utf8",
      "binary",
      "utf8mb4_0900_bin",
      "utf8mb4_nopad_bin",
      "utf8",
      ""
    )
    for (found <- names.flatMap(CollationDialects.collationFor))
      assert(found.isExact && found.collation.contains("UTF8_BINARY"), found)
    for (
      name <- Seq(
        "Latin1_General_100_BIN2_UTF8",
        "utf8mb4_bin",
        "latin1_bin",
        "C.UTF-8",
        "und-x-icu",
        "unicode",
        "und:ci",
        "en",
        "lower",
        "BINARY_CI",
        "NOCASE",
        "utf16_nopad_bin"
      )
    )
      assert(CollationDialects.collationFor(name).forall(!_.isExact), name)
  }

  test("an unknown name is mapped to the system unknown, and the supported systems are listed") {
    for (
      name <- Seq(
        "Klingon_CI_AS",
        "utf8mb4_klingon_ci",
        "xx-x",
        "nothing at all",
        "en-ci-zz",
        "SQL_Latin1_General_CI_AS",
        "Latin1_General",
        "utf8mb4",
        "UCA0700",
        "de-u",
        "de-u-ca-buddhist",
        "en_ZZ.utf8",
        "und:cs",
        "X",
        "_M",
        "''''"
      )
    ) {
      val found = CollationDialects.collationFor(name)
      assert(found.map(_.system) === Seq("unknown"), name)
      assert(found.map(_.collation) === Seq(None))
      assert(found.head.name === name)
      assert(found.head.differences.contains("SQL Server"))
    }
  }

  test("collationFor returns a mapping for arbitrary strings") {
    val unusual = Seq(
      null,
      "a" * 1000000,
      "_" * 1000000,
      "'" * 200,
      "\"",
      "[",
      "-" * 200,
      "-u-",
      "@",
      "@=",
      "de@=;",
      "de@collation",
      "a@colStrength==",
      ";",
      "é_É",
      "\u0000",
      "\ud800",
      "İ",
      "uca0700_",
      "x",
      ".",
      "..",
      "nocase.",
      "-x-icu",
      "und-u-ks",
      "und-u-level2",
      "sql__cp1_ci_as",
      "_ci_as",
      "_bin"
    )
    for (name <- unusual) assert(CollationDialects.collationFor(name).nonEmpty)
    val random = new Random(1)
    val pieces = Seq(
      "de",
      "en_US",
      "utf8mb4",
      "_",
      "-",
      "ci",
      "as",
      "u",
      "ks",
      "level2",
      "x-icu",
      "@",
      "=",
      ";",
      ".",
      "0900",
      "sql_",
      "cp1",
      "UCA0700",
      "latin1_general",
      "bin2",
      "und",
      ":",
      "'",
      " "
    )
    for (_ <- 1 to 20000) {
      val name = Seq.fill(random.nextInt(8))(pieces(random.nextInt(pieces.size))).mkString
      for (found <- CollationDialects.collationFor(name)) {
        assert(found.differences.nonEmpty, name)
        found.collation.foreach(collation =>
          assert(canonicalName(collation) === Some(collation), name)
        )
      }
    }
  }

  test("every language maps to a Spark locale, which supports every suffix") {
    val languages = SqlServerLocales.plain.values ++ OracleLocales.monolingual.values ++
      Seq(
        SqlServerLocales.special,
        MySqlLocales.words,
        OracleLocales.multilingual,
        OracleLocales.tailored
      ).flatMap(_.values).map(_.locale)
    assert(languages.toSet -- LocaleResolver.sparkLocales === Set("UNICODE"))
    for {
      locale <- LocaleResolver.sparkLocales + "UNICODE"
      style <- Seq("", "_CI", "_AI", "_CI_AI")
      name <- Seq(locale + style, locale + style + "_RTRIM")
    } assert(canonicalName(name) === Some(name))
  }
}
