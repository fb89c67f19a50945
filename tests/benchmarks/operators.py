# SPDX-License-Identifier: Apache-2.0
"""Sorting, grouping, joining and filtering collated strings, compared with UTF8_BINARY strings."""

from __future__ import annotations

import argparse
import time

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

# The syllables of generated words, about 14,000 words for each kind of text. Two in five European
# names contain a non-ASCII letter.
PARTS = {
    "ascii": "an ba co den el fri gor han is jon ka lu mar nor ol per qui ros sten tor ul vik w z",
    "european": "an ba co den el fri gör han is jon ka lu mar nor ol per qui ros ße tor ul vik w z",
    "world": "an bä да ник ов Αθ ήνα 東京 都市 서울 부산 mar نور øl pér टो ros ß ไทย سين גבר ёж 大",
}

QUERIES = {
    "GROUP BY, few": "SELECT {few}, count(*) FROM {t} GROUP BY {few}",
    "DISTINCT, few": "SELECT DISTINCT {few} FROM {t}",
    "GROUP BY, many": "SELECT {many}, count(*) FROM {t} GROUP BY {many}",
    "DISTINCT, many": "SELECT DISTINCT {many} FROM {t}",
    "COUNT(DISTINCT), many": "SELECT count(DISTINCT {many}) FROM {t}",
    "sort-merge join": "SELECT /*+ MERGE(u) */ u.id FROM {t} t JOIN {t}_half u USING ({many})",
    "window": "SELECT row_number() OVER (PARTITION BY {few} ORDER BY {many}) FROM {t}",
    "ORDER BY": "SELECT {many} FROM {t} ORDER BY {many}",
    "ORDER BY … LIMIT 100": "SELECT {many} FROM {t} ORDER BY {many} LIMIT 100",
    "broadcast join": "SELECT /*+ BROADCAST(u) */ u.id FROM {t} t JOIN {t}_words u USING ({few})",
    "=": "SELECT id FROM {t} WHERE {many} = '{one}'",
    "<": "SELECT id FROM {t} WHERE {many} < '{one}'",
    "IN of 12": "SELECT id FROM {t} WHERE {many} IN ({twelve})",
    "contains": "SELECT id FROM {t} WHERE contains({many}, '{part}')",
    "startswith": "SELECT id FROM {t} WHERE startswith({many}, '{part}')",
    "endswith": "SELECT id FROM {t} WHERE endswith({many}, '77')",
    "locate": "SELECT id FROM {t} WHERE locate('{part}', {many}) = 3",
    "replace": "SELECT replace({many}, '{part}', 'x') FROM {t}",
    "MIN, MAX": "SELECT min({many}), max({many}) FROM {t}",
}
LIKE = {"LIKE": "SELECT id FROM {t} WHERE {many} LIKE '%{part}%'"}

SETTINGS = ("spark.deltaCollations.speed.enabled", "spark.deltaCollations.correctness.enabled")

# Whether the strings are collated, and the value of the settings.
VARIANTS = {"ours": (True, "true"), "native": (True, "false"), "binary": (False, "true")}


def start() -> SparkSession:
    """Start a session with enough memory for ten million rows."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "12g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
    )
    return configure_spark_with_collations(builder).getOrCreate()


def make(spark: SparkSession, view: str, text: str, rows: int, collation: str | None) -> None:
    """Cache ``rows`` names of about twenty characters with a collation."""
    parts = ", ".join(f"'{part}'" for part in PARTS[text].split())
    count = len(PARTS[text].split())

    def word(seed: int) -> str:
        drawn = (f"1 + CAST(rand({seed + number}) * {count} AS INT)" for number in range(3))
        return f"concat({', '.join(f'element_at(array({parts}), {each})' for each in drawn)})"

    kind = f"STRING COLLATE {collation}" if collation else "STRING"
    few = f"CASE WHEN rand(1) < 0.5 THEN upper({word(10)}) ELSE {word(10)} END"
    many = f"concat({word(20)}, ' ', {word(30)}, ' ', CAST(rand(2) * {rows * 4} AS INT))"
    source = spark.range(0, rows, 1, 2).selectExpr(
        "id", f"CAST({few} AS {kind}) AS few", f"CAST({many} AS {kind}) AS many"
    )
    source.cache().createOrReplaceTempView(view)
    spark.table(view).where("id % 2 = 0").cache().createOrReplaceTempView(f"{view}_half")
    words = spark.table(view).groupBy("few").agg({"id": "max"}).withColumnRenamed("max(id)", "id")
    words.coalesce(1).cache().createOrReplaceTempView(f"{view}_words")
    for each in (view, f"{view}_half", f"{view}_words"):
        spark.table(each).count()


def seconds(spark: SparkSession, query: str, enabled: str) -> float:
    """Run a query, discard its result, and return the elapsed time."""
    for each in SETTINGS:
        spark.conf.set(each, enabled)
    started = time.monotonic()
    spark.sql(query).write.format("noop").mode("overwrite").save()
    return time.monotonic() - started


def main() -> None:
    """Alternate between the variants and print the best time of each with ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--text", choices=PARTS, default="european")
    parser.add_argument("--collation", default="UNICODE_CI")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default=[""], nargs="+", help="substrings of operation names")
    arguments = parser.parse_args()
    spark = start()
    make(spark, "plain", arguments.text, arguments.rows, None)
    make(spark, "collated", arguments.text, arguments.rows, arguments.collation)
    print(
        f"{arguments.rows:,} rows, {arguments.text} names, {arguments.collation}; "
        f"seconds, best of {arguments.rounds} or more, alternating\n"
    )
    print(f"{'':<24}{'ours':>8}{'native':>8}{'binary':>8}{'x native':>10}{'x binary':>10}")
    names = [row[0] for row in spark.table("plain").limit(12).select("many").collect()]
    values = {
        "few": "few",
        "many": "many",
        "one": names[0],
        "twelve": ", ".join(f"'{each}'" for each in names),
        "part": "".join(PARTS[arguments.text].split()[:2]),
    }
    queries = {**QUERIES, **(LIKE if arguments.collation == "UTF8_LCASE" else {})}
    for name, query in queries.items():
        if not any(part.lower() in name.lower() for part in arguments.only):
            continue
        times: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
        # Short queries need many rounds before the JVM has compiled them.
        while len(times["ours"]) < arguments.rounds or (
            len(times["ours"]) < 12 and sum(times["ours"]) < 3
        ):
            for variant, (collated, enabled) in VARIANTS.items():
                run = query.format(t="collated" if collated else "plain", **values)
                times[variant].append(seconds(spark, run, enabled))
        ours, native, binary = (min(each) for each in times.values())
        print(
            f"{name:<24}{ours:>8.2f}{native:>8.2f}{binary:>8.2f}"
            f"{native / ours:>10.2f}{ours / binary:>10.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
