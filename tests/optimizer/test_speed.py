# SPDX-License-Identifier: Apache-2.0
"""The speed rules rewrite queries on collated strings, with the same result as stock Spark.

Every operation runs under every kind of collation, on strings in many scripts that are often equal
or nearly equal. The expected rows come from the same session with the speed rules disabled.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped] # noqa: TC002 (PySpark reads the hints)
import pytest
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import pandas_udf
from support.platforms import between
from support.processes import run_in_new_process
from support.random_strings import random_string, random_variant, sql_literal
from support.tables import explain, setting, without_codegen

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPEED_ENABLED = "spark.deltaCollations.speed.enabled"

# Root, insensitive and trimming collations, and locales with tailoring, reordering or contractions.
COLLATIONS = [
    "UTF8_LCASE", "UTF8_LCASE_RTRIM", "UTF8_BINARY_RTRIM", "UNICODE", "UNICODE_CI", "UNICODE_AI",
    "UNICODE_CI_AI", "UNICODE_RTRIM", "UNICODE_CI_AI_RTRIM", "da", "sv_CI", "de_CI", "de_CI_AI",
    "fr_CAN", "th", "ja", "ja_CI", "zh_Hans_CHN", "ko_CI", "tr_CI", "cs", "hu_CI", "es_CI_AI", "vi",
    "ar_CI", "ru_CI_AI", "lt",
]  # fmt: skip

# All queries run under these collations, and one query of each operation under the others.
FULLY_TESTED = {"UTF8_LCASE", "UNICODE_CI", "UNICODE_CI_AI_RTRIM", "hu_CI", "th"}

ROWS = 240

QUERIES = {
    "sort": [
        "SELECT id, n, m FROM t ORDER BY n, m DESC NULLS LAST, id",
        "SELECT id, n FROM t ORDER BY n DESC",
        "SELECT id FROM t ORDER BY struct(n, id % 3), array(m), id",
    ],
    "limit": [
        "SELECT id, n FROM t ORDER BY n, id LIMIT 7",
        "SELECT id, m FROM t ORDER BY n DESC, id LIMIT 30 OFFSET 20",
        "SELECT id, n FROM t ORDER BY n NULLS LAST, m DESC NULLS FIRST, id LIMIT 150",
        "SELECT id FROM t ORDER BY id % 3, n DESC, m, id LIMIT 200",
        "SELECT id FROM t ORDER BY struct(n, id % 3), array(m), m, id LIMIT 40",
        "SELECT id FROM t ORDER BY substr(n, 2), upper(m) DESC, id LIMIT 60",
        "SELECT id, r IS NULL FROM (SELECT *, rand() r FROM t) ORDER BY n, id LIMIT 50",
        "SELECT id, rand() < 2 FROM t ORDER BY m, id LIMIT 50",
        "SELECT max(n), count(*), sum(id) FROM (SELECT * FROM t ORDER BY n, id LIMIT 60)",
        """SELECT id FROM (SELECT id, n FROM t ORDER BY n DESC, id LIMIT 60)
           ORDER BY n, id LIMIT 10""",
        """SELECT id FROM (SELECT id FROM t ORDER BY n, id LIMIT 60) UNION ALL
           (SELECT id FROM t ORDER BY m DESC, id LIMIT 5)""",
        "SELECT id FROM t u WHERE n >= (SELECT m FROM t ORDER BY m DESC, id LIMIT 1 OFFSET 99)",
        # Of one partition, Spark returns rows with equal names in a deterministic order.
        "SELECT * FROM (SELECT /*+ COALESCE(1) */ * FROM t) ORDER BY n LIMIT 20",
        "SELECT * FROM (SELECT /*+ COALESCE(1) */ * FROM t) ORDER BY n DESC, m LIMIT 99 OFFSET 3",
    ],
    "group": [
        "SELECT n, count(*), sum(id), collect_list(id), hex(n) FROM t GROUP BY n",
        # With a distinct count, the spelling that Spark returns for a group is arbitrary.
        """SELECT c, last, sum, g.n <=> t.n FROM (
             SELECT count(DISTINCT m, id % 5) c, n, max(id) last, sum(id) FILTER (WHERE m > 'k') sum
             FROM t GROUP BY n, id % 2) g JOIN t ON t.id = last""",
        "SELECT count(DISTINCT n), count(DISTINCT n, m), count(DISTINCT id) FROM t",
        "SELECT n, id % 2, count(*), avg(id) FROM t GROUP BY CUBE (n, id % 2)",
        "SELECT s, count(*) FROM (SELECT struct(n, id % 2) s, id FROM t) GROUP BY s",
        "SELECT DISTINCT n, m FROM t",
        "SELECT DISTINCT array(n, m) FROM t",
        "SELECT n FROM t WHERE id % 3 < 2 INTERSECT SELECT m FROM t",
        "SELECT n FROM t EXCEPT SELECT m FROM t WHERE id % 3 > 0",
        "SELECT n FROM t UNION SELECT m FROM t",
    ],
    "window": [
        """SELECT id, rank() OVER w, dense_rank() OVER w, lag(m) OVER w, min(m) OVER w
           FROM t WINDOW w AS (PARTITION BY n ORDER BY m, id)""",
        """SELECT id, rank() OVER (ORDER BY n), count(*) OVER (PARTITION BY id % 2 ORDER BY n),
             percent_rank() OVER (PARTITION BY id % 3 ORDER BY m DESC) FROM t""",
        """SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY n ORDER BY id) r FROM t)
           WHERE r < 3""",
    ],
    "join": [
        " UNION ALL ".join(
            f"SELECT /*+ {hint}(b) */ '{hint} {kind}', a.id, {other} FROM t a {kind} JOIN t b"
            " ON a.n = b.m AND a.id % 5 <= b.id % 5"
            for hint in ("MERGE", "SHUFFLE_HASH", "BROADCAST")
            for kind, other in [("INNER", "b.id"), ("LEFT", "b.id"), ("FULL", "b.id"),
                                ("LEFT SEMI", "0"), ("LEFT ANTI", "0")]
        ),
        "SELECT a.id, b.id FROM t a, t b WHERE a.n <=> b.m AND struct(a.m) = struct(b.n)",
        "SELECT a.id, b.id FROM t a LEFT JOIN t b ON a.n < b.m AND a.id = b.id % 7",
        "SELECT a.id, b.id FROM t a LEFT JOIN t b ON a.n >= b.m AND b.id < 9",
        "SELECT id FROM t WHERE n IN (SELECT m FROM t WHERE id % 4 = 1)",
        "SELECT id FROM t WHERE n NOT IN (SELECT m FROM t WHERE id % 9 = 1 AND m IS NOT NULL)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.m = t.n AND u.id > t.id)",
        "SELECT id, (SELECT count(*) FROM t u WHERE u.m = t.n) FROM t",
    ],
}  # fmt: skip

PREDICATES = [
    "n = {0}", "{0} = n", "n < {0}", "n <= {0}", "n > {0}", "n >= {0}", "n <=> {0}", "n != {0}",
    between("n", "{0}", "{1}"), "n IN ({0}, {1}, {2})", "n NOT IN ({0}, NULL)", "n IN ({many})",
    "n = m", "n < m", "n <=> m", "greatest(n, m) = n", "CASE WHEN n > {0} THEN m ELSE n END",
]  # fmt: skip

SEARCHES = [
    "contains(n, {part})", "startswith(n, {part})", "endswith(n, {part})", "locate({part}, n)",
    "locate({part}, n, 2)", "instr(n, {part})", "position({part} IN n)", "replace(n, {part}, '-')",
    "contains(n, m)", "startswith(n, m)", "endswith(n, m)", "contains(n, '')", "replace(n, m, n)",
]  # fmt: skip


@pytest.fixture(scope="module")
def words() -> list[tuple[int, str | None, str | None]]:
    """Return rows with two strings each: few words, each in many variants."""
    chance = random.Random(5)  # noqa: S311
    roots = [random_string(chance) for _ in range(50)]

    def random_value() -> str | None:
        return None if chance.random() < 0.05 else random_variant(chance, chance.choice(roots))

    return [(number, random_value(), random_value()) for number in range(ROWS)]


@pytest.fixture(scope="module")
def parquet_path(
    spark: SparkSession,
    words: list[tuple[int, str | None, str | None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    """Write the words as two files, which Spark reads as two partitions."""
    path = str(tmp_path_factory.mktemp("speed") / "words")
    rows = spark.createDataFrame(words, "id INT, n STRING, m STRING")
    rows.repartition(2, "id").sortWithinPartitions("id").write.parquet(path)
    return path


def create_view(spark: SparkSession, parquet_path: str, collation: str) -> None:
    """Create the view ``t`` of the rows with a collation."""
    view = spark.read.parquet(parquet_path).selectExpr(
        "id", f"collate(n, '{collation}') n", f"collate(m, '{collation}') m"
    )
    view.createOrReplaceTempView("t")


def query_rows(spark: SparkSession, query: str) -> list[Any]:
    """Return the rows, sorted unless the query has a final ORDER BY."""
    rows = [tuple(row) for row in spark.sql(query).collect()]
    return rows if "ORDER BY" in query.rsplit("FROM", 1)[-1] else sorted(rows, key=repr)


def assert_matches_stock_spark(spark: SparkSession, query: str) -> None:
    ours = query_rows(spark, query)
    with setting(spark, SPEED_ENABLED, "false"):
        stock = query_rows(spark, query)
    assert ours == stock, query
    assert len(ours) > 0


def scalars(collation: str, words: list[tuple[int, str | None, str | None]]) -> str:
    """Return one query with all comparisons and searches that the collation supports."""
    chance = random.Random(collation)  # noqa: S311
    texts = [text for row in words for text in row[1:] if text]
    columns = []
    for _ in range(3):
        known = [sql_literal(random_variant(chance, chance.choice(texts))) for _ in range(3)]
        many = ", ".join(sql_literal(chance.choice(texts)) for _ in range(14))
        columns += [each.format(*known, many=many) for each in PREDICATES]
        # Spark does not support searches under collations that ignore accents but not case.
        if "_AI" not in collation.replace("_CI_AI", ""):
            text = random_variant(chance, chance.choice(texts))
            start = chance.randint(0, len(text))
            part = sql_literal(text[start : start + chance.randint(0, 3)])
            columns += [each.format(part=part) for each in SEARCHES]
    listed = ", ".join(f"{each} AS c{number}" for number, each in enumerate(columns))
    return f"SELECT id, {listed} FROM t WHERE id % 7 != 3 OR n > 'm'"


@pytest.mark.parametrize("collation", COLLATIONS)
def test_speed_rules_match_stock_spark(
    spark: SparkSession,
    parquet_path: str,
    words: list[tuple[int, str | None, str | None]],
    collation: str,
) -> None:
    create_view(spark, parquet_path, collation)
    queries = [
        query
        for each in QUERIES.values()
        for query in (each if collation in FULLY_TESTED else each[:1])
    ]
    with without_codegen(spark):
        for query in [*queries, scalars(collation, words)]:
            assert_matches_stock_spark(spark, query)


@pytest.mark.parametrize(
    ("operation", "collation"),
    [
        ("sort", "UNICODE_CI"),
        ("limit", "UTF8_LCASE"),
        ("group", "de_CI_AI"),
        ("window", "UTF8_LCASE"),
        ("join", "UNICODE_RTRIM"),
    ],
)
def test_speed_rules_match_stock_spark_with_codegen_and_aqe(
    spark: SparkSession, parquet_path: str, operation: str, collation: str
) -> None:
    create_view(spark, parquet_path, collation)
    for query in QUERIES[operation]:
        assert_matches_stock_spark(spark, query)


def test_min_and_max_match_stock_spark(spark: SparkSession, parquet_path: str) -> None:
    spark.read.parquet(parquet_path).createOrReplaceTempView("p")
    columns = ", ".join(
        f"min(collate(n, '{each}')), max(collate(m, '{each}')) FILTER (WHERE id % 3 > 0)"
        for each in COLLATIONS
    )
    assert_matches_stock_spark(spark, f"SELECT {columns} FROM p")
    assert_matches_stock_spark(spark, f"SELECT id % 4, {columns} FROM p GROUP BY 1")


# A query for each setting, and a string that its plan contains while the setting is enabled.
REWRITES = {
    "sort": ("SELECT n FROM t ORDER BY n", "Sort [key#"),
    "sort with a limit": ("SELECT n FROM t ORDER BY n LIMIT 3", "sort_key_prefix("),
    "group": ("SELECT n, count(*) FROM t GROUP BY n", "HashAggregate(keys=[sort_key("),
    "window": ("SELECT rank() OVER (PARTITION BY n ORDER BY m) FROM t", "sort_key("),
    "join": ("SELECT a.id FROM t a JOIN t b ON a.n = b.m", "HashJoin [key#"),
    "expressions": ("SELECT id FROM t WHERE n = 'a' OR contains(m, 'b')", "= a using sort_key"),
    "minMax": ("SELECT max(n) FROM t", "collated_max("),
}


@pytest.mark.parametrize(("operation", "query", "marker"), [(k, *v) for k, v in REWRITES.items()])
def test_explain_shows_rewrite_unless_operation_is_disabled(
    spark: SparkSession, parquet_path: str, operation: str, query: str, marker: str
) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")

    setting_name = operation.partition(" ")[0]
    assert marker in re.sub(r"#\d+", "#", explain(spark.sql(query)))
    for key in (SPEED_ENABLED, f"spark.deltaCollations.speed.{setting_name}.enabled"):
        with setting(spark, key, "false"):
            assert marker not in re.sub(r"#\d+", "#", explain(spark.sql(query)))


def test_join_condition_compares_sort_keys(spark: SparkSession, parquet_path: str) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")

    for condition in ("a.n < b.m", "a.id = b.id AND a.n < b.m"):
        assert " using sort_key" in explain(spark.sql(f"SELECT 1 FROM t a JOIN t b ON {condition}"))


@pytest.mark.parametrize("collation", ["UNICODE_AI", "de_AI", "th", "fr_CAN_CI"])
def test_plan_unchanged_when_collation_is_not_total_order(
    spark: SparkSession, parquet_path: str, collation: str
) -> None:
    create_view(spark, parquet_path, collation)

    for query, _ in REWRITES.values():
        if "contains" not in query:
            plan = explain(spark.sql(query))
            assert "sort_key" not in plan
            assert "collated_" not in plan


def test_sort_with_limit_compares_prefix_first(spark: SparkSession, parquet_path: str) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")

    plan = explain(spark.sql("SELECT id FROM t ORDER BY n DESC, id, m LIMIT 5 OFFSET 2"))

    order = "prefix# DESC NULLS LAST,sort_key(n#) DESC NULLS LAST,id# ASC NULLS FIRST,sort_key(m#)"
    assert f"TakeOrderedAndProject(limit=7, offset=2, orderBy=[{order}" in re.sub(
        r"#\d+L?", "#", plan
    )
    with setting(spark, "spark.sql.execution.topKSortFallbackThreshold", "5"):
        plan = explain(spark.sql("SELECT id FROM t ORDER BY n LIMIT 5"))
        assert "Sort [key#" in plan


def test_plan_unchanged_for_binary_strings(spark: SparkSession, parquet_path: str) -> None:
    spark.read.parquet(parquet_path).createOrReplaceTempView("t")

    for query, _ in REWRITES.values():
        plan = explain(spark.sql(query))
        with setting(spark, SPEED_ENABLED, "false"):
            assert re.sub(r"\d+", "", plan) == re.sub(r"\d+", "", explain(spark.sql(query)))


def test_pandas_udf_aggregation_matches_stock_spark(spark: SparkSession, parquet_path: str) -> None:
    @pandas_udf("long")  # type: ignore[call-overload,untyped-decorator]
    def rows(ids: pd.Series) -> int:
        return len(ids)

    create_view(spark, parquet_path, "UNICODE_CI")
    spark.udf.register("rows", rows)

    assert_matches_stock_spark(spark, "SELECT rows(id) FROM t GROUP BY n")


def test_exchange_is_reused_for_identical_groupings(spark: SparkSession, parquet_path: str) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")
    groups = "SELECT n, count(*) c FROM t GROUP BY n"

    twice = spark.sql(f"SELECT * FROM ({groups}) UNION ALL SELECT * FROM ({groups})")
    twice.collect()

    assert "ReusedExchange" in explain(twice)


def test_streams_keep_spark_plans(spark: SparkSession, parquet_path: str) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")
    rows = spark.readStream.schema("id INT, n STRING, m STRING").parquet(parquet_path)
    names = rows.selectExpr("collate(n, 'UNICODE_CI') n")

    def run(stream: DataFrame, mode: str) -> str:
        writer = stream.writeStream.format("memory").queryName("streamed").outputMode(mode)
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return str(query._jsq.explainInternal(False))  # noqa: FBT003, SLF001

    # Stateful operators have rules of their own; see streaming/test_stateful_streams.py.
    assert "first_in_group(" not in run(names.groupBy("n").count(), "complete")
    joined = names.alias("a").join(spark.table("t").alias("b"), F.expr("ltrim(a.n) = ltrim(b.m)"))
    assert "collationkey(" in run(joined.select("b.id"), "append")
    run(names.where("n > 'M' AND NOT contains(n, 'x')"), "append")
    found = query_rows(spark, "SELECT n FROM streamed")
    assert found == query_rows(spark, "SELECT n FROM t WHERE n > 'M' AND NOT contains(n, 'x')")


def test_speed_rules_apply_to_cached_tables(spark: SparkSession, parquet_path: str) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")
    spark.table("t").cache().createOrReplaceTempView("t")
    try:
        for query, marker in REWRITES.values():
            assert "InMemoryTableScan" in explain(spark.sql(query))
            assert marker in re.sub(r"#\d+", "#", explain(spark.sql(query)))
            assert_matches_stock_spark(spark, query)
    finally:
        spark.table("t").unpersist()


def test_grouping_matches_stock_spark_when_hash_map_falls_back_to_sort(
    spark: SparkSession, parquet_path: str
) -> None:
    create_view(spark, parquet_path, "UNICODE_CI")

    # After this many groups, Spark spills its hash map and falls back to sort-based aggregation.
    with setting(spark, "spark.sql.TungstenAggregate.testFallbackStartsAt", "20, 90"):
        for query in QUERIES["group"]:
            assert_matches_stock_spark(spark, query)


def test_grouping_succeeds_with_little_memory() -> None:
    output = run_in_new_process(
        """
        from delta_collations import configure_spark_with_collations
        from pyspark.sql import DataFrame, SparkSession

        builder = (
            SparkSession.builder.master("local[2]")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.testing.memory", 48_000_000)
            .config("spark.testing.reservedMemory", 0)
        )
        spark = configure_spark_with_collations(builder).getOrCreate()
        name = "concat(repeat(char(65 + id % 120000 % 7), 40), CAST(id % 120000 AS STRING))"
        rows = spark.range(0, 240000, 1, 2).selectExpr(f"collate({name}, 'UNICODE_CI') n", "id")
        groups = rows.groupBy("n").count()
        assert "first_in_group" in groups._jdf.queryExecution().toString()
        print(groups.selectExpr("count(*)", "sum(count)", "sum(length(n))").collect())
        """
    )
    assert "count(1)=120000, sum(count)=240000" in output, output
