# SPDX-License-Identifier: Apache-2.0
"""Views with and without collations, and checks of queries that use both.

`t` has collated strings, `p` the same kinds of columns without a collation. In `q`, the strings of
`p` are cast to the collation of `t`, so every query on `t` and `p` must return what stock Spark
returns on `t` and `q`. `u` has another collation.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

ENABLED = "spark.deltaCollations.coercion.enabled"
INDETERMINATE = "INDETERMINATE_COLLATION_IN_EXPRESSION"
COLLATED = "STRING COLLATE UTF8_LCASE"

# Numbers that differ between two analyses of a query.
NUMBERS = re.compile(
    r"#\d+L?|(?<=CTERelation(Def|Ref) )\d+|(?<=UnionLoop )\d+|(?<=UnionLoopRef )\d+"
)

Rows = list[tuple[str | None, str | None]]

LEFT: Rows = [("Bob", "k"), ("bob", "k"), ("ZOË", None), ("", "k"), (None, None), ("ada", "x")]
RIGHT: Rows = [("BOB", "k"), ("zoë", "k"), ("", None), ("C", "k"), (None, "x"), ("b", "x")]


def quoted(value: str | None) -> str:
    """Return a string as SQL."""
    return "NULL" if value is None else f"'{value}'"


def create_view(spark: SparkSession, name: str, rows: Rows, string: str) -> None:
    """Create a temporary view with strings of a type, also nested."""
    values = ", ".join(
        f"({number}, {quoted(text)}, {quoted(key)})" for number, (text, key) in enumerate(rows)
    )
    spark.sql(
        f"""SELECT id, key, CAST(name AS {string}) AS name,
               CAST(struct(name AS a, id AS b) AS STRUCT<a: {string}, b: INT>) AS s,
               CAST(struct(struct(name AS a)) AS STRUCT<c: STRUCT<a: {string}>>) AS n,
               CAST(array(name, key) AS ARRAY<{string}>) AS a,
               CAST(map(coalesce(key, 'z'), name) AS MAP<STRING, {string}>) AS m
             FROM VALUES {values} AS v(id, name, key)"""
    ).createOrReplaceTempView(name)


@contextmanager
def views(spark: SparkSession) -> Iterator[None]:
    """Create the views, and disable codegen and AQE, which take longer than the small queries."""
    create_view(spark, "t", LEFT, COLLATED)
    create_view(spark, "p", RIGHT, "STRING")
    create_view(spark, "q", RIGHT, COLLATED)
    spark.sql("SELECT id, name COLLATE UNICODE_CI AS name FROM t").createOrReplaceTempView("u")
    with (
        setting(spark, "spark.sql.codegen.wholeStage", "false"),
        setting(spark, "spark.sql.adaptive.enabled", "false"),
    ):
        yield
    for name in "tpqu":
        spark.catalog.dropTempView(name)


def rows(query: DataFrame) -> list[str]:
    """Return the rows in an order that does not depend on the query."""
    return sorted(map(repr, query.collect()))


def condition(spark: SparkSession, query: str) -> str | None:
    """Return the error condition with which a query is rejected, if it is."""
    try:
        spark.sql(query)
    except AnalysisException as error:
        return error.getCondition()
    return None


def check(spark: SparkSession, query: str, *, ignore_case: bool = False) -> None:
    """Check that stock Spark rejects a query, and that it returns what it returns with a cast.

    `$` stands for the table without a collation. Which of two equal strings a set operation returns
    is arbitrary, so letter case can be ignored.
    """
    found = rows(spark.sql(query.replace("$", "p")))
    with setting(spark, ENABLED, "false"):
        expected = rows(spark.sql(query.replace("$", "q")))
        assert condition(spark, query.replace("$", "p")) is not None, query
    if ignore_case:
        found, expected = (sorted(map(str.lower, each)) for each in (found, expected))
    assert found == expected, query


@contextmanager
def removed_hook(spark: SparkSession) -> Iterator[None]:
    """Run the block without the hook into Spark's type coercion."""
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    hooks = jvm.org.apache.spark.sql.catalyst.analysis.CollationsBridge.HOOKS
    hook = hooks.remove("collation-coercion")
    assert hook is not None
    try:
        yield
    finally:
        hooks.put("collation-coercion", hook)


def analyzed(spark: SparkSession, query: str, parameters: dict[str, str] | None = None) -> str:
    """Return the types of the columns and the analyzed plan, with numbers in order of their use."""
    numbers: dict[str, str] = {}
    frame = spark.sql(query, parameters)._jdf  # noqa: SLF001
    plan = frame.queryExecution().analyzed().toString()
    plan = NUMBERS.sub(lambda id_: numbers.setdefault(id_[0], f"#{len(numbers)}"), plan)
    return f"{frame.schema()}\n{plan}"
