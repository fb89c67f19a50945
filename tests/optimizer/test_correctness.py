# SPDX-License-Identifier: Apache-2.0
"""Correctness fixes for wrong-result bugs of Spark's optimizer on collated columns.

Every query runs with and without the fixes. Without them, the test expects the wrong result of
stock Spark. If that assertion fails, Spark has fixed the bug and our fix is no longer needed.
"""

import re
from contextlib import ExitStack

import pandas as pd  # type: ignore[import-untyped]
import pytest
from pyspark.sql import SparkSession, Window
from pyspark.sql.pandas.functions import pandas_udf
from support.tables import Table, setting

CORRECTNESS_ENABLED = "spark.deltaCollations.correctness.enabled"
SPEED_ENABLED = "spark.deltaCollations.speed.enabled"

BLOOM_FILTER_SETTINGS = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
}

ROWS = [
    "1, 'bob', 'BOB', 'bob', timestamp'2026-01-01 00:00:01'",
    "2, 'BOB', 'bob', 'BOB', timestamp'2026-01-01 00:00:02'",
    "3, 'bob', 'bob', 'bob', timestamp'2026-01-01 00:00:03'",
    "4, 'BOB', 'BOB', 'BOB', timestamp'2026-01-01 00:00:04'",
    "5, 'zoe', 'bob', 'zoe', timestamp'2026-01-01 00:00:05'",
    "6, NULL, 'bob', NULL, timestamp'2026-01-01 00:00:06'",
]


@pytest.fixture(scope="module")
def people(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table with four people named Bob, in two spellings, and two others."""
    table = Table(spark, tmp_path_factory.mktemp("correctness") / "people")
    table.create(
        "id INT, name STRING COLLATE UTF8_LCASE, nick STRING COLLATE UTF8_LCASE, spelled STRING, "
        "seen TIMESTAMP"
    )
    return table.insert(*ROWS)


def sorted_rows(table: Table, query: str) -> list[tuple[object, ...]]:
    return sorted(table.rows(query), key=str)


def assert_fixed(table: Table, query: str, *, right: object, wrong: object) -> None:
    assert sorted_rows(table, query) == right
    with setting(table.spark, CORRECTNESS_ENABLED, "false"):
        assert sorted_rows(table, query) == wrong


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            "SELECT id FROM {t} WHERE name = nick AND CAST(name AS STRING) = 'bob'", id="filter"
        ),
        pytest.param(
            "SELECT id FROM (SELECT *, name = nick AS same FROM {t}) "
            "WHERE same AND name COLLATE UTF8_BINARY = 'bob'",
            id="condition as a column",
        ),
    ],
)
def test_filter_not_inferred_for_equal_column(people: Table, query: str) -> None:
    assert_fixed(people, query, right=[(1,), (3,)], wrong=[(3,)])


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("{t} a, {t} b WHERE a.name = b.name", id="comma"),
        pytest.param(
            "{t} a JOIN {t} b ON a.name = CAST(b.spelled AS STRING COLLATE UTF8_LCASE) WHERE true",
            id="cast",
        ),
    ],
)
def test_filter_not_inferred_for_other_join_side(people: Table, source: str) -> None:
    query = f"SELECT b.id FROM {source} AND a.id = 1 AND hex(a.name) = hex('bob')"

    assert_fixed(people, query, right=[(1,), (2,), (3,), (4,)], wrong=[(1,), (3,)])


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("SELECT id, n FROM ({w}) WHERE CAST(name AS STRING) = 'bob'", id="filter"),
        pytest.param(
            "SELECT w.id, n FROM ({w}) w LEFT SEMI JOIN {t} b "
            "ON b.id = 1 AND hex(w.name) = hex(b.name)",
            id="semi join",
        ),
    ],
)
def test_filter_not_pushed_into_window_partition(people: Table, query: str) -> None:
    window = "SELECT id, name, count(*) OVER (PARTITION BY name) AS n FROM {t}"

    assert_fixed(
        people, query.replace("{w}", window), right=[(1, 4), (3, 4)], wrong=[(1, 2), (3, 2)]
    )


def test_pandas_udf_gets_all_rows_of_window_partition(people: Table) -> None:
    @pandas_udf("long")  # type: ignore[call-overload,untyped-decorator]
    def rows(ids: pd.Series) -> int:
        return len(ids)

    def row_counts() -> list[int]:
        column = rows("id").over(Window.partitionBy("name"))
        counts = people.sql("SELECT * FROM {t}").select("id", column.alias("n"))
        return [row.n for row in counts.orderBy("id").collect()]

    assert row_counts() == [4, 4, 4, 4, 1, 1]
    # Windows on sort keys are also correct, so the speed rules must be disabled too.
    with (
        setting(people.spark, CORRECTNESS_ENABLED, "false"),
        setting(people.spark, SPEED_ENABLED, "false"),
    ):
        assert row_counts() != [4, 4, 4, 4, 1, 1]


def test_filter_not_pushed_into_group(people: Table) -> None:
    """Either spelling may represent the group, and every row of the group is counted."""
    group = "SELECT count(*) AS n FROM {t} GROUP BY name HAVING CAST(name AS STRING) = "
    query = f"{group} 'bob' UNION ALL {group} 'BOB'"

    assert_fixed(people, query, right=[(4,)], wrong=[(2,), (2,)])


def test_except_removes_equal_values(people: Table) -> None:
    query = (
        "SELECT lower(CAST(name AS STRING)) FROM (SELECT name FROM {t} WHERE id < 6 "
        "EXCEPT SELECT name FROM {t} WHERE hex(name) = hex('bob'))"
    )

    assert_fixed(people, query, right=[("zoe",)], wrong=[("bob",), ("zoe",)])


def test_session_window_groups_equal_values(people: Table) -> None:
    query = "SELECT count(*) FROM {t} WHERE id < 6 GROUP BY session_window(seen, '1 hour'), name"

    assert_fixed(people, query, right=[(1,), (4,)], wrong=[(1,), (1,), (1,), (1,), (1,)])


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        pytest.param(
            "SELECT id, (SELECT count(*) FROM {t} b WHERE b.name = a.name) FROM {t} a "
            "WHERE a.id = 1 AND hex(a.name) = hex('bob')",
            [(1, 4)],
            [(1, 2)],
            id="equality",
        ),
        pytest.param(
            "SELECT id, (SELECT sum(b.id) FROM {t} b WHERE hex(b.name) = hex(a.name)) FROM {t} a "
            "WHERE a.id < 3",
            [(1, 4), (2, 6)],
            [(1, 4), (2, 4)],
            id="expression",
        ),
        pytest.param(
            "SELECT id, (SELECT count(*) FROM {t} b WHERE CAST(b.name AS STRING) = a.spelled) "
            "FROM {t} a WHERE a.id = 1",
            [(1, 2)],
            [(1, 4)],
            id="collation removed",
        ),
        pytest.param(
            "SELECT id, (SELECT count(*) FROM {t} b WHERE "
            "CAST(b.spelled AS STRING COLLATE UTF8_LCASE) = a.name) FROM {t} a WHERE a.id = 1",
            [(1, 4)],
            [(1, 2), (1, 2)],
            id="collation added",
        ),
        pytest.param(
            "SELECT a.id, x.spelling FROM {t} a, "
            "LATERAL (SELECT CAST(a.name AS STRING) AS spelling FROM {t} b "
            "WHERE b.name = a.name ORDER BY b.id LIMIT 1) x WHERE a.id < 3",
            [(1, "bob"), (2, "BOB")],
            [(1, "bob"), (2, "bob")],
            id="lateral",
        ),
    ],
)
def test_correlated_subquery_uses_value_of_outer_row(
    people: Table, query: str, right: object, wrong: object
) -> None:
    assert_fixed(people, query, right=right, wrong=wrong)


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            "SELECT a.id FROM {t} a JOIN {t} b ON ltrim(a.name) = ltrim(b.name) AND {b}",
            id="JOIN of expressions",
        ),
        pytest.param(
            "SELECT id FROM {t} WHERE name IN (SELECT name FROM {t} b WHERE {b})", id="IN"
        ),
        pytest.param(
            "SELECT id FROM {t} a WHERE EXISTS (SELECT 1 FROM {t} b WHERE a.name = b.name AND {b})",
            id="EXISTS",
        ),
    ],
)
def test_bloom_filter_keeps_every_spelling(people: Table, query: str) -> None:
    with ExitStack() as settings:
        for key, value in BLOOM_FILTER_SETTINGS.items():
            settings.enter_context(setting(people.spark, key, value))
        query = query.replace("{b}", "b.id = 1 AND b.spelled = 'bob'")

        assert_fixed(people, query, right=[(1,), (2,), (3,), (4,)], wrong=[(1,), (3,)])


def optimized_plan(table: Table, query: str) -> str:
    plan_text = table.sql(query)._jdf.queryExecution().optimizedPlan().toString()  # noqa: SLF001
    return re.sub(r"#\d+L?", "", plan_text)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM (SELECT name, count(*) FROM {t} GROUP BY name) WHERE name = 'BOB'",
        "SELECT name AS n, count(*) FROM {t} GROUP BY name HAVING n IN ('BOB', 'zoe')",
        "SELECT * FROM (SELECT name, count(*) OVER (PARTITION BY name) FROM {t}) WHERE name > 'b'",
    ],
)
def test_collated_filter_still_pushed_below_group_and_window(people: Table, query: str) -> None:
    with_fixes = optimized_plan(people, query)

    assert with_fixes.index("Filter") > max(with_fixes.find("Aggregate"), with_fixes.find("Window"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM {t} a, {t} b WHERE a.spelled = b.spelled AND hex(a.spelled) = hex('bob')",
        "SELECT spelled, count(*) FROM {t} GROUP BY spelled HAVING length(spelled) = 3",
        "SELECT * FROM (SELECT rank() OVER (PARTITION BY spelled ORDER BY id) FROM {t}) LIMIT 3",
        "SELECT spelled FROM {t} EXCEPT SELECT spelled FROM {t} WHERE id = 1",
        "SELECT id FROM {t} a WHERE spelled IN (SELECT spelled FROM {t} b WHERE a.id < b.id)",
        "SELECT id, (SELECT max(id) FROM {t} b WHERE b.spelled = a.spelled) FROM {t} a",
        "SELECT id FROM {t} WHERE name = 'BOB' AND name IN ('bob', 'zoe') AND name > 'a'",
    ],
)
def test_plan_unchanged_when_no_two_collated_values_are_compared(people: Table, query: str) -> None:
    with_fixes = optimized_plan(people, query)

    with setting(people.spark, CORRECTNESS_ENABLED, "false"):
        assert optimized_plan(people, query) == with_fixes
