# SPDX-License-Identifier: Apache-2.0
"""Delta's Kernel-based connector reads collated tables as the classic connector does."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from support import platforms
from support.kernel_connector import CHANGELOG, EQUALITIES, kernel
from support.tables import ForeignTable, collated, field, setting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.skipif(not platforms.HAS_KERNEL, reason="Delta Kernel is not usable"),
    pytest.mark.usefixtures("kernel_tables"),
]

BOBS = [0, 1, 2]
COMPARISONS = {
    "= 'BOB'": BOBS,
    "<=> 'BOB'": BOBS,
    "<> 'BOB'": [3, 4, 5, 7],
    "< 'C'": [0, 1, 2, 5, 7],
    ">= 'Zoe'": [3, 4],
    "BETWEEN 'a' AND 'BOB'": [0, 1, 2, 5],
    "IN ('bOB', 'ANN')": [0, 1, 2, 5],
    "NOT IN ('bOB', 'ANN')": [3, 4, 7],
    "IS NULL": [6],
}
PREDICATES = {
    **{f"name {comparison}": ids for comparison, ids in COMPARISONS.items()},
    "s.f < 'C'": [0, 1, 2, 5, 7],
    "a[0] > 'y'": [3, 4],
    "a[0] IN ('bÓb', 'ÁNN')": [0, 1, 2, 5],
    "array_contains(a, 'BÓB' COLLATE UNICODE_CI_AI)": BOBS,
    "d[0].f[1] IN ('bob', 'ANN')": [0, 1, 2, 5],
    "plain < 'C'": [1, 2, 5, 7],
    # Spark has LIKE for these two collations only.
    "s.f LIKE 'BO%'": BOBS,
    "plain LIKE 'BO%'": [1],
    "name = 'BOB' OR id = 4": [0, 1, 2, 4],
    "NOT (name = 'BOB' AND plain = 'BOB')": [0, 2, 3, 4, 5, 7],
    "s = named_struct('f', 'BOB' COLLATE UTF8_LCASE, 'g', id)": BOBS,
    "startswith(name, 'B')": BOBS,
    "name COLLATE UTF8_BINARY = 'BOB'": [1],
    "plain COLLATE UNICODE_CI = 'BOB'": BOBS,
    "name = (SELECT max(name) FROM {t} WHERE name < 'C')": BOBS,
    "a[0] IN (SELECT a[0] FROM {t} WHERE name = 'BOB')": BOBS,
}
FOUND = {each: [1] if each.startswith("plain") else BOBS for each in EQUALITIES}


def answers(spark: SparkSession, source: str, predicates: Iterable[str]) -> dict[str, list[int]]:
    """Return the rows that match each predicate."""
    queries = (
        f"SELECT {number} AS predicate, id FROM {source} WHERE {predicate.replace('{t}', source)}"
        for number, predicate in enumerate(predicates)
    )
    found = sorted(spark.sql(" UNION ALL ".join(queries)).collect())
    return {
        each: [match.id for match in found if match.predicate == number]
        for number, each in enumerate(predicates)
    }


def uses_kernel(frame: DataFrame) -> bool:
    return "BatchScan" in frame._jdf.queryExecution().executedPlan().toString()  # noqa: SLF001


def test_kernel_connector_compares_strings_by_collation_in_every_predicate(
    spark: SparkSession,
) -> None:
    with kernel(spark):
        assert uses_kernel(spark.table("k_files"))
        predicates = {**FOUND, **PREDICATES}
        assert answers(spark, "k_files", predicates) == predicates


SOURCES = ["k_mapped", "k_vectors", "k_view", "k_files VERSION AS OF 2"]
SOURCES += ["delta.`{path}`", "delta.`{path}@v2`"]


@pytest.mark.parametrize("source", SOURCES)
def test_kernel_connector_compares_strings_by_collation_on_every_access_path(
    spark: SparkSession, kernel_tables: Path, source: str
) -> None:
    source = source.replace("{path}", str(kernel_tables / "files"))
    # The row 1 of this table has been deleted by a deletion vector.
    deleted = {1} if source == "k_vectors" else set()
    with kernel(spark):
        assert uses_kernel(spark.sql(f"SELECT * FROM {source}"))
        found = answers(spark, source, EQUALITIES)
    assert found == {each: [row for row in FOUND[each] if row not in deleted] for each in FOUND}


def test_kernel_connector_prunes_partitions_by_collation(spark: SparkSession) -> None:
    # The table has no row 7.
    expected = {
        **{f"p {each}": [row for row in COMPARISONS[each] if row != 7] for each in COMPARISONS},
        "p = 'bob' AND name > 'a'": [0],
        "p = name COLLATE UNICODE_CI": [0, 1, 2, 3, 4, 5],
        "p IN (SELECT name FROM k_files WHERE id = 4)": [3, 4],
    }
    with kernel(spark):
        assert answers(spark, "k_parts", expected) == expected
        # The limit is pushed into the scan, together with the exact filter on the partition.
        limited = spark.sql("SELECT id FROM k_parts WHERE p = 'BOB' LIMIT 5").collect()
    assert sorted(row.id for row in limited) == BOBS


def test_kernel_connector_groups_joins_and_sorts_by_collation(spark: SparkSession) -> None:
    expected: dict[str, set[object]] = {
        "SELECT lower(min(name) COLLATE UTF8_BINARY), count(*) FROM k_files GROUP BY name": {
            ("bob", 3),
            ("zoe", 2),
            ("ann", 1),
            ("", 1),
            (None, 1),
        },
        "SELECT l.id, r.id FROM k_files l JOIN k_files r ON l.name = r.name AND l.id < r.id": {
            (0, 1),
            (0, 2),
            (1, 2),
            (3, 4),
        },
        "SELECT l.id, r.id FROM k_files l LEFT JOIN k_mapped r ON l.s.f = r.s.f AND r.id > 3 "
        "WHERE l.id IN (2, 3)": {(2, None), (3, 4)},
        "SELECT l.id, r.id FROM k_parts l JOIN k_files r ON l.p = r.name WHERE r.id = 4": {
            (3, 4),
            (4, 4),
        },
        "SELECT id FROM k_parts l WHERE NOT EXISTS (SELECT * FROM k_files r WHERE r.name = l.p)": {
            (6,)
        },
        "SELECT count(DISTINCT name), count(DISTINCT s.f), count(DISTINCT plain) FROM k_files": {
            (4, 4, 7)
        },
        "SELECT id, rank() OVER (ORDER BY name) FROM k_files WHERE id < 5": {
            *((row, 1) for row in BOBS),
            (3, 4),
            (4, 4),
        },
    }
    with kernel(spark):
        for query, rows in expected.items():
            found = [tuple(row) for row in spark.sql(query).collect()]
            assert set(found) == rows, query
            assert len(found) == len(rows), query


def test_kernel_connector_reads_schema_of_classic_connector(spark: SparkSession) -> None:
    tables = ("k_files", "k_mapped", "k_parts", "k_plain")
    expected = [spark.table(table).schema.json() for table in tables]
    with kernel(spark):
        assert [spark.table(table).schema.json() for table in tables] == expected


def test_kernel_connector_reads_unknown_collation_as_utf8_binary(
    spark: SparkSession, tmp_path: Path
) -> None:
    columns = [field("id", "integer"), collated("name", "ICU.de_DE_CI"), collated("b", "X.Klingon")]
    ForeignTable(tmp_path / "foreign", columns, ["collations", "domainMetadata"]).write()
    with kernel(spark):
        schema = spark.table(f"delta.`{tmp_path / 'foreign'}`").schema
    assert [each.dataType.simpleString() for each in schema] == [
        "int",
        "string collate de_CI",
        "string",
    ]


@pytest.mark.parametrize("mode", ["STRICT", "AUTO"])
@pytest.mark.parametrize(
    "source", ["table_changes('k_files', 1)", "k_files CHANGES FROM VERSION 1 TO VERSION 2"]
)
def test_changes_compare_strings_by_collation(spark: SparkSession, source: str, mode: str) -> None:
    with kernel(spark, mode), setting(spark, CHANGELOG, "true"):
        found = answers(spark, source, EQUALITIES)
        groups = spark.sql(f"SELECT name, _change_type FROM {source} GROUP BY ALL").count()
    assert found == FOUND
    assert groups == 5


counter = itertools.count()


@pytest.mark.parametrize("options", [{}, {"readChangeFeed": "true", "startingVersion": "1"}])
def test_kernel_stream_compares_strings_by_collation(
    spark: SparkSession, options: dict[str, str], tmp_path: Path
) -> None:
    predicates = {
        "name = 'BOB' AND s.f = 'BOB'": {0, 1, 2},
        "a[0] = 'ZOÉ' AND d[0].f[1] > 'y'": {3, 4},
    }
    with kernel(spark):
        for predicate, expected in predicates.items():
            assert stream_ids(spark, predicate, options, tmp_path) == expected


def stream_ids(
    spark: SparkSession, predicate: str, options: dict[str, str], folder: Path
) -> set[int]:
    name = f"kernel_stream_{next(counter)}"
    frame = spark.readStream.options(**options).table("k_files").where(predicate).select("id")
    query = (
        frame.writeStream.format("memory")
        .queryName(name)
        .option("checkpointLocation", str(folder / name))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    progress = query.lastProgress
    assert progress is not None
    assert "DeltaV2MicroBatchStream" in str(progress["sources"][0]["description"])
    return {row.id for row in spark.table(name).collect()}
