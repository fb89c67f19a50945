# SPDX-License-Identifier: Apache-2.0
"""Wrong answers that Spark gives on collated columns do not happen here.

Every case is asked with the shield and without it. Without it the answer is the wrong one of stock
Spark: a case that fails there tells that this Spark is fixed, and needs the guard no more.
"""

import re
from contextlib import ExitStack

import pandas as pd  # type: ignore[import-untyped]
import pytest
from pyspark.sql import SparkSession, Window
from pyspark.sql.pandas.functions import pandas_udf
from support.tables import Table, setting

SHIELD = "spark.deltaCollations.correctness.enabled"
SPEED = "spark.deltaCollations.speed.enabled"

BLOOM = {
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
    """Return four people called Bob, in two spellings, and two others."""
    table = Table(spark, tmp_path_factory.mktemp("shield") / "people")
    table.create(
        "id INT, name STRING COLLATE UTF8_LCASE, nick STRING COLLATE UTF8_LCASE, spelled STRING, "
        "seen TIMESTAMP"
    )
    return table.insert(*ROWS)


def answers(table: Table, query: str) -> list[tuple[object, ...]]:
    return sorted(table.rows(query), key=str)


def check(table: Table, query: str, *, right: object, wrong: object) -> None:
    assert answers(table, query) == right
    with setting(table.spark, SHIELD, "false"):
        assert answers(table, query) == wrong


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            "SELECT id FROM {t} WHERE name = nick AND CAST(name AS STRING) = 'bob'", id="filter"
        ),
        pytest.param(
            "SELECT id FROM (SELECT *, name = nick AS same FROM {t}) "
            "WHERE same AND name COLLATE UTF8_BINARY = 'bob'",
            id="condition in a column",
        ),
    ],
)
def test_what_holds_for_one_column_is_not_inferred_for_an_equal_one(
    people: Table, query: str
) -> None:
    check(people, query, right=[(1,), (3,)], wrong=[(3,)])


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
def test_what_holds_for_one_side_of_a_join_is_not_inferred_for_the_other(
    people: Table, source: str
) -> None:
    query = f"SELECT b.id FROM {source} AND a.id = 1 AND hex(a.name) = hex('bob')"

    check(people, query, right=[(1,), (2,), (3,), (4,)], wrong=[(1,), (3,)])


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
def test_a_filter_takes_no_rows_out_of_the_partitions_of_a_window(
    people: Table, query: str
) -> None:
    window = "SELECT id, name, count(*) OVER (PARTITION BY name) AS n FROM {t}"

    check(people, query.replace("{w}", window), right=[(1, 4), (3, 4)], wrong=[(1, 2), (3, 2)])


def test_a_python_function_gets_all_rows_of_a_window_partition(people: Table) -> None:
    @pandas_udf("long")  # type: ignore[call-overload,untyped-decorator]
    def rows(ids: pd.Series) -> int:
        return len(ids)

    def counted() -> list[int]:
        column = rows("id").over(Window.partitionBy("name"))
        counts = people.sql("SELECT * FROM {t}").select("id", column.alias("n"))
        return [row.n for row in counts.orderBy("id").collect()]

    assert counted() == [4, 4, 4, 4, 1, 1]
    # Windows by keys do not make that mistake either.
    with setting(people.spark, SHIELD, "false"), setting(people.spark, SPEED, "false"):
        assert counted() != [4, 4, 4, 4, 1, 1]


def test_a_filter_takes_no_rows_out_of_a_group(people: Table) -> None:
    """Either spelling may stand for the group, and the group is counted as a whole."""
    group = "SELECT count(*) AS n FROM {t} GROUP BY name HAVING CAST(name AS STRING) = "
    query = f"{group} 'bob' UNION ALL {group} 'BOB'"

    check(people, query, right=[(4,)], wrong=[(2,), (2,)])


def test_except_takes_out_whatever_is_equal(people: Table) -> None:
    query = (
        "SELECT lower(CAST(name AS STRING)) FROM (SELECT name FROM {t} WHERE id < 6 "
        "EXCEPT SELECT name FROM {t} WHERE hex(name) = hex('bob'))"
    )

    check(people, query, right=[("zoe",)], wrong=[("bob",), ("zoe",)])


def test_a_session_is_one_of_equal_values(people: Table) -> None:
    query = "SELECT count(*) FROM {t} WHERE id < 6 GROUP BY session_window(seen, '1 hour'), name"

    check(people, query, right=[(1,), (4,)], wrong=[(1,), (1,), (1,), (1,), (1,)])


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
            id="collation taken off",
        ),
        pytest.param(
            "SELECT id, (SELECT count(*) FROM {t} b WHERE "
            "CAST(b.spelled AS STRING COLLATE UTF8_LCASE) = a.name) FROM {t} a WHERE a.id = 1",
            [(1, 4)],
            [(1, 2), (1, 2)],
            id="collation put on",
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
def test_a_correlated_subquery_is_answered_for_the_very_row(
    people: Table, query: str, right: object, wrong: object
) -> None:
    check(people, query, right=right, wrong=wrong)


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
def test_a_bloom_filter_lets_every_spelling_through(people: Table, query: str) -> None:
    with ExitStack() as settings:
        for key, value in BLOOM.items():
            settings.enter_context(setting(people.spark, key, value))
        query = query.replace("{b}", "b.id = 1 AND b.spelled = 'bob'")

        check(people, query, right=[(1,), (2,), (3,), (4,)], wrong=[(1,), (3,)])


def plan(table: Table, query: str) -> str:
    explained = table.sql(query)._jdf.queryExecution().optimizedPlan().toString()  # noqa: SLF001
    return re.sub(r"#\d+L?", "", explained)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM (SELECT name, count(*) FROM {t} GROUP BY name) WHERE name = 'BOB'",
        "SELECT name AS n, count(*) FROM {t} GROUP BY name HAVING n IN ('BOB', 'zoe')",
        "SELECT * FROM (SELECT name, count(*) OVER (PARTITION BY name) FROM {t}) WHERE name > 'b'",
    ],
)
def test_what_holds_for_a_whole_group_is_still_asked_before_it_is_made(
    people: Table, query: str
) -> None:
    shielded = plan(people, query)

    assert shielded.index("Filter") > max(shielded.find("Aggregate"), shielded.find("Window"))


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
def test_plans_that_compare_no_two_collated_values_are_left_alone(
    people: Table, query: str
) -> None:
    shielded = plan(people, query)

    with setting(people.spark, SHIELD, "false"):
        assert plan(people, query) == shielded
