// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.dialects

import java.util.Locale

/**
 * SQL Server: `Latin1_General_100_CI_AS_KS_WS_SC_UTF8`, `Latin1_General_BIN2`, and the older
 * `SQL_Latin1_General_CP1_CI_AS`. What is not sensitive by name is insensitive.
 */
private[dialects] object SqlServerDialect extends CollationDialect {

  override val system: String = "SQL Server"

  private val Binary = "(.+?)(?:_(?:80|90|100|140|160))?_(bin2?)(_utf8)?".r

  private val Windows =
    "(.+?)(_(?:90|100|140|160))?_(ci|cs)_(ai|as)(_ks|_ki)?(_ws|_wi)?(_vss)?(?:_sc)?(?:_utf8)?".r

  private val Sql = "sql_(.+?)(_pref)?_cp([0-9]{1,5})_(ci|cs)_(ai|as)".r

  private val Ebcdic = "sql_ebcdic[0-9]+(?:_[0-9])?_cp[0-9]{1,5}_c[is]_a[is]".r

  private val SqlBinary = "sql_(.+?)_cp([0-9]{1,5})_(bin2?)".r

  override def answer(name: String): Option[DialectMatch] = name.toLowerCase(Locale.ROOT) match {
    case "database_default" | "catalog_default" =>
      Some(
        DialectMatch.none("It stands for the collation of the database; ask for that one's name.")
      )
    case Ebcdic() =>
      Some(DialectMatch.none("It orders by a code page of EBCDIC, and Spark has no such order."))
    case SqlBinary(word, _, kind) =>
      SqlServerLocales.ofSql(word).map(_ => binary(kind, isUtf8 = false))
    case Sql(word, pref, codePage, letterCase, accents) =>
      SqlServerLocales.ofSql(word).map { found =>
        val style = Style(letterCase == "ci", accents == "ai", kana = false, width = false)
        dictionary(
          found,
          style,
          ofSql(codePage) ++ Option.when(pref != null)(DifferenceMessages.UpperFirst)
        )
      }
    case Binary(word, kind, utf8) =>
      SqlServerLocales.ofWindows(word).map(_ => binary(kind, utf8 != null))
    case Windows(word, version, letterCase, accents, kana, width, selectors) =>
      SqlServerLocales.ofWindows(word).map { found =>
        val style = Style(letterCase == "ci", accents == "ai", kana == "_ks", width == "_ws")
        val more = Option.when(version == null)(OldVersion) ++
          Option.when(selectors != null)(Selectors)
        dictionary(found, style, more.toSeq)
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
        "Only the first character of nvarchar is compared by its code, the rest byte by byte in " +
          "UTF-16, low byte first: the same strings are equal, but the order is another."
      case (_, true) => "Both order by code points."
      case _ =>
        "nvarchar is ordered by code points, as in Spark; varchar by the bytes of its code page."
    }
    DialectMatch.near(
      SparkCollationName.Binary.withoutTrailingSpaces,
      Seq(order, DifferenceMessages.Padding)
    )
  }

  private def dictionary(found: LocaleMapping, style: Style, more: Seq[String]): DialectMatch = {
    val collation =
      SparkCollationName(
        found.locale,
        style.ignoresCase,
        style.ignoresAccents
      ).withoutTrailingSpaces
    val all = Seq(TrailingSpaces, WordSort) ++ more ++ found.difference ++
      japanese(found.locale, style) ++
      DifferenceMessages.ofLocale(found.locale, style.ignoresCase) :+
      NotCldr
    DialectMatch.near(collation, all)
  }

  private def ofSql(codePage: String): Seq[String] = {
    val number = if (codePage == "1") "1252" else codePage
    Seq(
      s"Of varchar this is not so: it goes by a table of code page $number, in which they are " +
        "symbols like others."
    )
  }

  /** Kana type and width differ on the third level, which `_CI` and `_AI` leave out, and under ja not. */
  private def japanese(locale: String, style: Style): Seq[String] = {
    val isThirdLevel = !style.ignoresCase && !style.ignoresAccents && locale != "ja"
    val kana = (style.kana, isThirdLevel) match {
      case (true, false) => Some("Hiragana and katakana differ; in Spark they are equal.")
      case (false, true) => Some("Hiragana and katakana are equal; in Spark they differ.")
      case _ => None
    }
    val width = (style.width, isThirdLevel) match {
      case (true, false) => Some("Full-width and half-width forms differ; in Spark they are equal.")
      case (false, true) => Some("Full-width and half-width forms are equal; in Spark they differ.")
      case _ => None
    }
    kana.toSeq ++ width
  }

  private val TrailingSpaces =
    "SQL Server ignores trailing spaces in comparisons under every collation, hence _RTRIM."

  private val WordSort =
    "Hyphens and apostrophes count last, so coop and co-op stay together; in Spark they are " +
      "compared as other characters are, and co-op comes before con."

  private val OldVersion =
    "As it has no version in its name it is of the oldest, in which some characters have no weight."

  private val Selectors = "Variation selectors count; in Spark they are ignored."

  private val NotCldr = "The rules are those of Windows, not of CLDR, and can differ in detail."
}
