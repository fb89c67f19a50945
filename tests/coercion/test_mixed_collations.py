# SPDX-License-Identifier: Apache-2.0
"""Strings without a collation are compared with collated strings by their collation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812
from support import platforms
from support.mixed_collations import (
    ENABLED,
    INDETERMINATE,
    check,
    condition,
    removed_hook,
    rows,
    views,
)
from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

INCOMPATIBLE = "INCOMPATIBLE_COLUMN_TYPE"
DIFFERENT_TYPES = "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"


@pytest.fixture(scope="module", autouse=True)
def _views(spark: SparkSession) -> Iterator[None]:
    with views(spark):
        yield


# Operands by kind: of the collated table, and of the other one.
OPERANDS = {
    "column": ("t.name", "$.name"),
    "expression": ("t.name", "substring(upper($.name), 1, 3)"),
    "both-expressions": ("lower(t.name)", "concat($.name, '')"),
    "struct-field": ("t.s.a", "$.s.a"),
    "nested-field": ("t.n.c.a", "$.name"),
    "array-element": ("t.a[0]", "$.a[0]"),
    "map-value": ("t.m['k']", "$.m['k']"),
    "struct": ("t.n", "$.n"),
    "array": ("t.a", "$.a"),
    "tuple": ("(t.name, t.id)", "($.name, $.id)"),
    "subquery": ("t.name", "(SELECT max(name) FROM $)"),
    "coalesce": ("coalesce($.name, t.name)", "$.name"),
    "case-expression": ("CASE WHEN t.id > 2 THEN t.name ELSE $.name END", "'BOB'"),
}

OPERATORS = (
    "{0} = {1}",
    "{1} = {0}",
    "{0} <=> {1}",
    "{0} != {1}",
    "{0} < {1}",
    "{0} <= {1}",
    "{0} > {1}",
    "{1} >= {0}",
    "{0} IN ({1}, {1})",
    "{0} IN ({1}, {0}, NULL)",
    "{1} NOT IN ({0}, {1})",
    "NULL IN ({0}, {1})",
)


@pytest.mark.parametrize("kind", OPERANDS)
def test_operators_compare_plain_operand_by_collation(spark: SparkSession, kind: str) -> None:
    conditions = [operator.format(*OPERANDS[kind]) for operator in OPERATORS]
    columns = ", ".join(f"{text} AS c{number}" for number, text in enumerate(conditions))

    check(spark, f"SELECT t.id, $.id, {columns} FROM t CROSS JOIN $")
    with setting(spark, ENABLED, "false"):
        for text in conditions if kind == "column" else conditions[:1]:
            query = f"SELECT {text.replace('$', 'p')} FROM t CROSS JOIN p"
            assert condition(spark, query) == INDETERMINATE


FUNCTIONS = (
    "CASE t.name WHEN $.name THEN 1 WHEN 'x' THEN 2 END",
    "CASE $.name WHEN t.name THEN 1 END",
    "decode(t.name, $.name, 1, 2)",
    "equal_null($.name, t.name)",
    "nvl2(t.name, $.name, t.name) = 'BOB'",
    "ifnull($.name, t.name) < 'BOB'",
    "concat(t.name, $.name) = 'bobB'",
    "element_at(array(t.name, $.name), 1) = 'BOB'",
    "contains(t.name, $.name)",
    "startswith($.name, t.name)",
    "endswith(t.name, $.name)",
    "instr(t.name, $.name)",
    "locate($.name, t.name)",
    "replace($.name, t.name, '-')",
    "translate(t.name, $.name, 'x')",
    "trim(BOTH $.name FROM t.name)",
    "substring_index(t.name, $.name, 1)",
    "find_in_set($.name, t.name)",
    "upper(concat(t.name, $.name))",
    "exists(t.a, x -> x = $.name)",
    "filter($.a, x -> x < t.name)",
)

# Spark rejects these when it evaluates them.
ARRAY_FUNCTIONS = (
    "array_contains(t.a, $.name)",
    "array_contains($.a, t.name)",
    "array_contains(array(t.n), $.n)",
    "array_contains(array(t.name, $.name), 'BOB')",
    "array_position($.a, t.name)",
    "arrays_overlap(t.a, $.a)",
)


def test_functions_compare_plain_operand_by_collation(spark: SparkSession) -> None:
    columns = ", ".join(f"{text} AS c{number}" for number, text in enumerate(FUNCTIONS))

    check(spark, f"SELECT t.id, $.id, {columns} FROM t CROSS JOIN $")
    with setting(spark, ENABLED, "false"):
        for text in FUNCTIONS:
            query = f"SELECT {text.replace('$', 'p')} FROM t CROSS JOIN p"
            assert condition(spark, query) == INDETERMINATE


def test_array_functions_compare_plain_operand_by_collation(spark: SparkSession) -> None:
    columns = ", ".join(f"{text} AS c{number}" for number, text in enumerate(ARRAY_FUNCTIONS))
    query = f"SELECT t.id, $.id, {columns} FROM t CROSS JOIN $"

    found = rows(spark.sql(query.replace("$", "p")))

    with setting(spark, ENABLED, "false"):
        assert rows(spark.sql(query.replace("$", "q"))) == found
        for text in ARRAY_FUNCTIONS:
            rejected = spark.sql(f"SELECT {text.replace('$', 'p')} FROM t CROSS JOIN p")
            with pytest.raises(Exception, match="INDETERMINATE_COLLATION"):
                rejected.collect()


@pytest.mark.parametrize("join", ["INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"])
def test_joins_match_plain_keys_by_collation(spark: SparkSession, join: str) -> None:
    check(spark, f"SELECT * FROM t {join} JOIN $ ON t.name = $.name")
    check(spark, f"SELECT * FROM $ {join} JOIN t ON $.s.a <=> t.s.a AND t.name >= $.name")
    check(spark, f"SELECT * FROM t {join} JOIN $ USING (name)")
    # Spark has no NATURAL LEFT SEMI JOIN.
    if not join.startswith("LEFT "):
        names = "(SELECT name FROM $)"
        check(spark, f"SELECT * FROM (SELECT name, id AS i FROM t) NATURAL {join} JOIN {names}")


def test_full_join_with_using_returns_collated_column(spark: SparkSession) -> None:
    joined = spark.sql("SELECT name FROM t FULL JOIN p USING (name) WHERE name = 'BOB'")

    assert joined.schema["name"].dataType.simpleString() == "string collate UTF8_LCASE"
    assert rows(joined) == ["Row(name='Bob')", "Row(name='bob')"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t WHERE name IN (SELECT name FROM $)",
        "SELECT * FROM t WHERE name NOT IN (SELECT name FROM $ WHERE name IS NOT NULL)",
        "SELECT * FROM $ WHERE name IN (SELECT name FROM t ORDER BY name LIMIT 2)",
        "SELECT * FROM t WHERE (name, key) IN (SELECT name, key FROM $)",
        "SELECT * FROM $ WHERE (id, name) NOT IN (SELECT id, name FROM t WHERE name IS NOT NULL)",
        "SELECT * FROM t WHERE name IN (SELECT name FROM $ WHERE $.key = t.key)",
        "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM $ WHERE $.name = t.name)",
        "SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM $ WHERE $.s.a = t.s.a)",
        "SELECT id, (SELECT count(*) FROM $ WHERE $.name = t.name) FROM t",
        "SELECT * FROM t, LATERAL (SELECT id AS i FROM $ WHERE $.name < t.name)",
        "WITH c AS (SELECT name, id FROM $) SELECT * FROM t JOIN c ON t.name = c.name",
        "SELECT count(*) FROM t CROSS JOIN $ GROUP BY t.name HAVING max($.name) > t.name",
        "SELECT sum(t.id) OVER (PARTITION BY t.name = $.name ORDER BY t.id, $.id) FROM t, $",
    ],
)
def test_queries_on_plain_strings_match_queries_with_cast(spark: SparkSession, query: str) -> None:
    check(spark, query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name FROM t UNION SELECT name FROM $",
        "SELECT name, id FROM $ UNION ALL SELECT name, CAST(id AS BIGINT) FROM t",
        "SELECT name FROM t UNION SELECT name FROM $ UNION SELECT name FROM $ WHERE id = 1",
        "SELECT name FROM t INTERSECT SELECT name FROM $",
        "SELECT name FROM $ INTERSECT ALL SELECT name FROM t",
        "SELECT name FROM t EXCEPT SELECT name FROM $",
        "SELECT name, key FROM $ EXCEPT ALL SELECT name, key FROM t",
        "SELECT s, n, a FROM t UNION SELECT s, n, a FROM $",
        "SELECT count(*) FROM (SELECT name FROM t UNION ALL SELECT name FROM $) GROUP BY name",
        "SELECT * FROM (SELECT name FROM $ UNION ALL SELECT name FROM t) WHERE name = 'BOB'",
    ],
)
def test_set_operations_compare_plain_columns_by_collation(spark: SparkSession, query: str) -> None:
    check(spark, query, ignore_case=True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM t JOIN u ON t.name = u.name", INDETERMINATE),
        ("SELECT * FROM t JOIN u USING (name)", INDETERMINATE),
        ("SELECT t.name IN (p.name, u.name) FROM t, p, u", INDETERMINATE),
        ("SELECT (t.name, p.name) = (p.name, 1) FROM t, p", DIFFERENT_TYPES),
        ("SELECT coalesce(t.name, u.name, p.name) = 'x' FROM t, p, u", INDETERMINATE),
        ("SELECT 1 FROM (SELECT t.name || p.name AS c FROM t, p) WHERE c = 'x'", INDETERMINATE),
        ("SELECT coalesce(t.name, p.name) BETWEEN 'a' AND 'b' FROM t, p", INDETERMINATE),
        ("SELECT * FROM t WHERE name IN (SELECT name FROM u)", INDETERMINATE),
        (
            "SELECT * FROM t WHERE (id, name) IN (SELECT id, name FROM u)",
            "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH",
        ),
        (
            "SELECT t.name COLLATE UNICODE = p.name COLLATE UNICODE_CI FROM t, p",
            "COLLATION_MISMATCH.EXPLICIT",
        ),
        ("SELECT name FROM t UNION SELECT name FROM u", INCOMPATIBLE),
        ("SELECT name FROM t UNION SELECT name FROM p UNION SELECT name FROM u", INCOMPATIBLE),
        ("SELECT name FROM t UNION SELECT a FROM p", INCOMPATIBLE),
    ],
)  # fmt: skip
def test_several_collations_keep_the_error_of_spark(
    spark: SparkSession, query: str, expected: str
) -> None:
    assert condition(spark, query) == expected
    with setting(spark, ENABLED, "false"):
        assert condition(spark, query) == expected


def test_union_with_literal_has_the_collation(spark: SparkSession) -> None:
    query = "SELECT 'BOB' AS name UNION SELECT name FROM t WHERE name = 'bob'"

    assert spark.sql(query).count() == 1
    with setting(spark, ENABLED, "false"):
        assert condition(spark, query) == INCOMPATIBLE


def test_string_functions_return_the_collation(spark: SparkSession) -> None:
    schema = spark.sql(
        "SELECT replace(p.name, t.name, '') AS r, trim(BOTH t.name FROM p.name) AS t FROM t, p"
    ).schema

    assert {field.dataType.simpleString() for field in schema} == {"string collate UTF8_LCASE"}


def test_dataframe_methods_compare_by_collation(spark: SparkSession) -> None:
    t, p, q = (spark.table(name) for name in "tpq")

    for key in ("name", ["name", "key"]):
        assert rows(t.join(p, key, "left")) == rows(t.join(q, key, "left"))
    joins: tuple[Callable[[DataFrame], DataFrame], ...] = (
        lambda other: t.join(other, t.name == other.name),
        lambda other: t.join(other, t.name.eqNullSafe(other.name), "full"),
        lambda other: t.join(other, t.name.isin(other.name, "x")),
        lambda other: t.join(other, t.name.between(other.name, other.name)),
        lambda other: t.join(other, t.s["a"] < other.a[0]),
        lambda other: t.join(other, t.name.contains(other.name)),
        lambda other: t.select("name").intersect(other.select("name")).groupBy().count(),
        lambda other: t.select("name").union(other.select("name")).distinct().groupBy().count(),
        lambda other: t.select("id", "name").unionByName(other.select("name", "id"))
        .where(F.col("name") == "BOB"),
    )  # fmt: skip
    for join in joins:
        assert rows(join(p)) == rows(join(q))
        with setting(spark, ENABLED, "false"), pytest.raises(AnalysisException):
            join(p)


def test_parameters_and_views_compare_by_collation(spark: SparkSession) -> None:
    parameter = "SELECT t.id FROM t JOIN p ON t.name = p.name WHERE p.name = :name"
    assert rows(spark.sql(parameter, {"name": "BOB"})) == ["Row(id=0)", "Row(id=1)"]

    spark.sql("CREATE OR REPLACE TEMPORARY VIEW v AS SELECT t.id FROM t JOIN p ON t.name = p.name")
    assert rows(spark.table("v")) == ["Row(id=0)", "Row(id=1)", "Row(id=2)", "Row(id=3)"]
    spark.catalog.dropTempView("v")


@pytest.mark.skipif(platforms.IS_OLDER, reason="Spark compares the reference in binary order")
def test_nullif_compares_plain_operand_by_collation(spark: SparkSession) -> None:
    check(spark, "SELECT nullif(t.name, $.name), nullif($.name, t.name) FROM t CROSS JOIN $")


def test_check_fails_when_hook_is_removed(spark: SparkSession) -> None:
    query = "SELECT * FROM t JOIN $ ON t.name = $.name"
    with removed_hook(spark), pytest.raises(AnalysisException, match=INDETERMINATE):
        check(spark, query)
    check(spark, query)


def test_check_fails_when_plain_strings_are_compared_in_binary_order(spark: SparkSession) -> None:
    with pytest.raises(AssertionError):
        check(spark, "SELECT * FROM t JOIN $ ON t.name COLLATE UTF8_BINARY = $.name")
