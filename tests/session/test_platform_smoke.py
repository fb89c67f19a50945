# SPDX-License-Identifier: Apache-2.0
"""An end-to-end job that is short enough to run on every supported Spark and Delta."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from delta_collations import CollatedTable
from support.refresh import insert_one_file, refresh, without_collated_stats
from support.scans import scan
from support.tables import Table, setting, values_outside_bounds, write_checkpoint

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SPEED_ENABLED = "spark.deltaCollations.speed.enabled"
CORRECTNESS_ENABLED = "spark.deltaCollations.correctness.enabled"

NAMES = ["Zoë", "zoe", "ZOË", "Ärger", "arger", "Öl", "ol", "straße", "STRASSE", "ÉTÉ", "été"]


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table of two files whose ranges of names do not overlap in the collation."""
    table.create("id INT, name STRING COLLATE UNICODE_CI_AI, town STRING COLLATE UTF8_LCASE")
    insert_one_file(table, "1, 'Anna', 'Oslo'", "2, 'Bob', 'BERN'")
    return insert_one_file(table, "3, 'Zoë', 'Lyon'", "4, 'Xaver', 'Wien'")


def test_collated_table_is_created_written_and_skipped(people: Table, version: str) -> None:
    assert {"collations", "domainMetadata"} <= set(people.log.protocol["writerFeatures"])
    keys = {"icu.UNICODE_CI_AI." + version, "spark.UTF8_LCASE.1"}
    assert all(len(set(stats["statsWithCollation"]) & keys) >= 1 for stats in people.log.stats)
    [domain] = people.log.actions("domainMetadata")
    assert version in json.dumps(domain)

    found = scan(people, "SELECT id FROM {t} WHERE name = 'ZOE'")
    assert (found.rows, len(found.files), found.by_collated) == ([(3,)], 1, 1)
    found = scan(people, "SELECT id FROM {t} WHERE town = 'bern'")
    assert (found.rows, len(found.files)) == ([(2,)], 1)
    assert values_outside_bounds(people) == []


def test_update_delete_and_merge_match_with_collation(people: Table) -> None:
    people.sql("UPDATE {t} SET id = 20 WHERE name = 'BOB'")
    people.sql("DELETE FROM {t} WHERE town = 'WIEN'")
    people.sql(
        "MERGE INTO {t} USING (SELECT collate(x, 'UNICODE_CI_AI') AS name "
        "FROM VALUES ('zoe'), ('Eve') AS v(x)) AS new "
        "ON {t}.name = new.name WHEN MATCHED THEN UPDATE SET id = 30 "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (5, new.name)"
    )

    assert sorted(people.rows("SELECT id, name FROM {t}")) == [
        (1, "Anna"),
        (5, "Eve"),
        (20, "Bob"),
        (30, "Zoë"),
    ]
    assert values_outside_bounds(people) == []


def test_plain_strings_are_compared_by_collation(people: Table) -> None:
    people.sql(
        "MERGE INTO {t} USING (SELECT * FROM VALUES ('zoe'), ('Eve') AS v(name)) AS new "
        "ON {t}.name = new.name WHEN MATCHED THEN UPDATE SET id = 30 "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (5, new.name)"
    )

    found = scan(people, "SELECT id, name FROM {t} WHERE name BETWEEN 'E' AND 'ZOE'")
    assert sorted(found.rows) == [(4, "Xaver"), (5, "Eve"), (30, "Zoë")]
    assert found.by_collated > 0


def test_refresh_completes_stats_after_collation_change(people: Table) -> None:
    people.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE_CI")
    with without_collated_stats(people):
        people.insert("6, 'Mia', 'Rom'")
    assert refresh(people)["files_refreshed"] == 3
    write_checkpoint(people)

    status = CollatedTable.forPath(people.spark, str(people.path)).status().collect()
    assert {row["status"] for row in status} == {"healthy"}
    found = scan(people, "SELECT id FROM {t} WHERE name = 'MIA'")
    assert (found.rows, len(found.files)) == ([(6,)], 1)


QUERIES = [
    "SELECT name FROM names ORDER BY name, id",
    "SELECT name, count(*), max(name) FROM names GROUP BY name ORDER BY name",
    "SELECT count(DISTINCT name), min(name) FROM names",
    "SELECT l.id, r.id FROM names l JOIN names r ON l.name = r.name ORDER BY 1, 2",
    "SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) FROM names ORDER BY id",
    "SELECT id FROM names WHERE name IN ('ZOE', 'strasse') OR name > 'o' ORDER BY id",
    "SELECT id FROM names WHERE contains(name, 'R') OR startswith(name, 'z') ORDER BY id",
]


@pytest.mark.parametrize("collation", ["UNICODE", "UTF8_LCASE", "de_CI_AI"])
def test_queries_return_same_rows_as_stock_spark(spark: SparkSession, collation: str) -> None:
    rows = spark.createDataFrame(list(enumerate([*NAMES, None, ""])), "id INT, name STRING")
    rows.selectExpr("id", f"name COLLATE {collation} AS name").createOrReplaceTempView("names")

    with_extension = [spark.sql(query).collect() for query in QUERIES]
    with setting(spark, SPEED_ENABLED, "false"), setting(spark, CORRECTNESS_ENABLED, "false"):
        assert [spark.sql(query).collect() for query in QUERIES] == with_extension
    spark.catalog.dropTempView("names")
