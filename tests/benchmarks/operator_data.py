# SPDX-License-Identifier: Apache-2.0

"""The tables of ``./dev bench operators``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

# The syllables of generated names, about 14,000 words for each kind of text. Two in five European
# names contain a non-ASCII letter.
SYLLABLES = {
    "ascii": "an ba co den el fri gor han is jon ka lu mar nor ol per qui ros sten tor ul vik w z",
    "european": "an ba co den el fri gör han is jon ka lu mar nor ol per qui ros ße tor ul vik w z",
    "world": "an bä да ник ов Αθ ήνα 東京 都市 서울 부산 mar نور øl pér टो ros ß ไทย सין גבר ёж 大",
}

# Half of the words of this text are English.
WORDS = """
    the data lake house table stream query green apple O'Neil x-ray 24/7 e-mail e.g. No.5 A&B
    river mountain window market summer winter letter number simple double little middle
    Straße Ångström naïve façade résumé coöperate Łódź İzmir Åse Đà Nẵng Việt Nam señor über
    Москва улица Αθήνα οδός 東京都 大阪 データ ひらがな 서울 사람 हिन्दी नमस्ते ภาษาไทย العربية שלום
"""


@dataclass(frozen=True)
class Text:
    """How the strings of a table are generated.

    :param words: the parts of the strings
    :param parts: the number of parts of a word
    :param separator: what separates the parts
    :param length: strings are repeated up to this number of characters, if it is not 0
    :param share: tables have one of so many rows of other tables
    :param skewed: whether half of the rows have the same strings
    """

    words: str
    parts: int = 3
    separator: str = ""
    length: int = 0
    share: int = 1
    skewed: bool = False


TEXTS = {
    **{name: Text(syllables) for name, syllables in SYLLABLES.items()},
    "mixed": Text(WORDS, parts=2, separator=" "),
    "skewed": Text(SYLLABLES["european"], skewed=True),
    "200 characters": Text(SYLLABLES["european"], length=200, share=5),
    "5,000 characters": Text(SYLLABLES["european"], length=5000, share=100),
}


def literal(value: str) -> str:
    """Return a string literal of SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def rows_of(text: Text, rows: int, collation: str | None) -> str:
    """Return a query for rows with a column of few and a column of many different strings."""
    kind = f"STRING COLLATE {collation}" if collation else "STRING"
    words = text.words.split()
    listed = ", ".join(map(literal, words))

    def word(seed: int) -> str:
        drawn = (
            f"element_at(array({listed}), 1 + CAST(rand({seed + number}) * {len(words)} AS INT))"
            for number in range(text.parts)
        )
        return f"concat_ws('{text.separator}', {', '.join(drawn)})"

    few = f"CASE WHEN rand(1) < 0.5 THEN upper({word(10)}) ELSE {word(10)} END"
    many = f"concat({word(20)}, ' ', {word(30)}, ' ', CAST(rand(2) * {rows * 4} AS INT))"
    if text.length:
        few, many = (f"left(repeat({each}, {text.length}), {text.length})" for each in (few, many))
    if text.skewed:
        few, many = (f"CASE WHEN rand(3) < 0.5 THEN 'Gör' ELSE {each} END" for each in (few, many))
    columns = f"id, CAST({few} AS {kind}) AS few, CAST({many} AS {kind}) AS many"
    return f"SELECT {columns} FROM range(0, {rows}, 1, 2)"


def make_tables(spark: SparkSession, name: str, source: str, folder: Path | None) -> None:
    """Create a table of a query, a table of half its rows, and one of its few strings.

    Rows are cached in memory, or stored in a Delta table below ``folder``.
    """

    def create(view: str, data: DataFrame) -> None:
        if folder is None:
            data.cache().createOrReplaceTempView(view)
            spark.table(view).count()
        else:
            data.write.format("delta").mode("overwrite").save(f"{folder}/{view}")
            spark.read.format("delta").load(f"{folder}/{view}").createOrReplaceTempView(view)

    create(name, spark.sql(source))
    create(f"{name}_half", spark.table(name).where("id % 2 = 0"))
    words = spark.table(name).groupBy("few").agg({"id": "max"}).withColumnRenamed("max(id)", "id")
    create(f"{name}_words", words.coalesce(1))
