// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

/**
 * Parses names of SQL Server: `Latin1_General_100_CI_AS_KS_WS_SC_UTF8`, `Latin1_General_BIN2`, and the
 * older `SQL_Latin1_General_CP1_CI_AS`. A collation is insensitive to kana and width unless its name
 * says otherwise.
 */
private[dialects] object SqlServerDialect extends CollationDialect {

  override val system: String = "SQL Server"

  private val Binary = "(.+?)(?:_(?:80|90|100|140|160))?_(bin2?)(_utf8)?".r

  private val Windows =
    "(.+?)(_(?:90|100|140|160))?_(ci|cs)_(ai|as)(_ks|_ki)?(_ws|_wi)?(_vss)?(?:_sc)?(?:_utf8)?".r

  private val Sql = "sql_(.+?)(_pref)?_cp([0-9]{1,5})_(ci|cs)_(ai|as)".r

  private val Ebcdic = "sql_ebcdic[0-9]+(?:_[0-9])?_cp[0-9]{1,5}_c[is]_a[is]".r

  private val SqlBinary = "sql_(.+?)_cp([0-9]{1,5})_(bin2?)".r

  override def resolve(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "database_default" | "catalog_default" =>
      Some(
        DialectMatch.none(
          "It refers to the collation of the database. Look up that collation instead."
        )
      )
    case Ebcdic() =>
      Some(DialectMatch.none("It orders by an EBCDIC code page; Spark has no such collation."))
    case SqlBinary(word, _, kind) =>
      SqlServerLocales.ofSql(word).map(_ => binary(kind, isUtf8 = false))
    case Sql(word, pref, codePage, letterCase, accents) =>
      SqlServerLocales.ofSql(word).map { mapping =>
        val style = Style(letterCase == "ci", accents == "ai", kana = false, width = false)
        dictionary(
          mapping,
          style,
          ofSql(codePage) ++ Option.when(pref != null)(DifferenceMessages.UpperFirst)
        )
      }
    case Binary(word, kind, utf8) =>
      SqlServerLocales.ofWindows(word).map(_ => binary(kind, utf8 != null))
    case Windows(word, version, letterCase, accents, kana, width, selectors) =>
      SqlServerLocales.ofWindows(word).map { mapping =>
        val style = Style(letterCase == "ci", accents == "ai", kana == "_ks", width == "_ws")
        val more = Option.when(version == null)(OldVersion) ++
          Option.when(selectors != null)(Selectors)
        dictionary(mapping, style, more.toSeq)
      }
    case _ => None
  }

  final private case class Style(
      ignoresCase: Boolean,
      ignoresAccents: Boolean,
      kana: Boolean,
      width: Boolean
  )

  private def binary(kind: String, isUtf8: Boolean): DialectMatch = {
    val order = (kind, isUtf8) match {
      case ("bin", _) =>
        "For nvarchar, only the first character is compared as a UTF-16 code unit and the rest " +
          "byte by byte, low byte first: the same strings are equal, but the order differs."
      case (_, true) => "Both order by code point."
      case _ =>
        "nvarchar is ordered by code point, as in Spark; varchar is ordered by the bytes of its " +
          "code page."
    }
    DialectMatch.near(
      SparkCollationName.Binary.ignoringTrailingSpaces,
      Seq(order, DifferenceMessages.Padding)
    )
  }

  private def dictionary(mapping: LocaleMapping, style: Style, more: Seq[String]): DialectMatch = {
    val collation =
      SparkCollationName(
        mapping.locale,
        style.ignoresCase,
        style.ignoresAccents
      ).ignoringTrailingSpaces
    val all = Seq(TrailingSpaces, WordSort) ++ more ++ mapping.difference ++
      japanese(mapping.locale, style) ++
      DifferenceMessages.ofLocale(mapping.locale, style.ignoresCase) :+
      NotCldr
    DialectMatch.near(collation, all)
  }

  private def ofSql(codePage: String): Seq[String] = {
    val number = if (codePage == "1") "1252" else codePage
    Seq(
      s"This does not apply to varchar, whose sort table for code page $number treats them like " +
        "other symbols."
    )
  }

  /**
   * Kana type and width differ on the third level, which Spark ignores under `_CI` and `_AI`. They do
   * not differ at all under `ja`.
   */
  private def japanese(locale: String, style: Style): Seq[String] = {
    val comparesThirdLevel = !style.ignoresCase && !style.ignoresAccents && locale != "ja"
    val kana = (style.kana, comparesThirdLevel) match {
      case (true, false) => Some("Hiragana and katakana differ; in Spark they are equal.")
      case (false, true) => Some("Hiragana and katakana are equal; in Spark they differ.")
      case _ => None
    }
    val width = (style.width, comparesThirdLevel) match {
      case (true, false) => Some("Full-width and half-width forms differ; in Spark they are equal.")
      case (false, true) => Some("Full-width and half-width forms are equal; in Spark they differ.")
      case _ => None
    }
    kana.toSeq ++ width
  }

  private val TrailingSpaces =
    "SQL Server ignores trailing spaces in comparisons under every collation, hence _RTRIM."

  private val WordSort =
    "Hyphens and apostrophes are compared last, so coop and co-op stay together; Spark compares " +
      "them like other characters, so co-op comes before con."

  private val OldVersion =
    "A name without a version refers to the oldest version, in which some characters have no " +
      "weight."

  private val Selectors = "Variation selectors are significant; in Spark they are ignored."

  private val NotCldr =
    "SQL Server uses the rules of Windows instead of CLDR's; they can differ in detail."
}
