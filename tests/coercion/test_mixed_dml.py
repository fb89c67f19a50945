# SPDX-License-Identifier: Apache-2.0
"""MERGE, UPDATE and DELETE compare sources without a collation by the collation of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from delta.tables import DeltaTable
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812
from support import platforms
from support.mixed_collations import ENABLED, INDETERMINATE
from support.refresh import insert_one_file
from support.scans import scan
from support.tables import Table, setting

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

SOURCE = "VALUES (10, 'BOB'), (20, 'ada'), (30, NULL) AS s(id, name)"
MERGED = [("Bob", 10), ("Zoë", 2), ("ada", 20), (None, 3), (None, 30)]


@pytest.fixture
def target(table: Table) -> Table:
    """Return a table with three names."""
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    return table.insert("1, 'Bob'", "2, 'Zoë'", "3, NULL")


def contents(table: Table) -> list[tuple[Any, Any]]:
    """Return the rows in a fixed order."""
    return sorted(table.rows("SELECT name, id FROM {t}"), key=repr)


def test_merge_matches_plain_source_by_collation(target: Table) -> None:
    merge = f"""MERGE INTO {{t}} t USING (SELECT * FROM {SOURCE}) s ON t.name = s.name
                WHEN MATCHED AND t.name >= s.name THEN UPDATE SET id = s.id
                WHEN NOT MATCHED THEN INSERT *"""
    with (
        setting(target.spark, ENABLED, "false"),
        pytest.raises(AnalysisException, match=INDETERMINATE),
    ):
        target.sql(merge)

    target.sql(merge)

    assert contents(target) == sorted(MERGED, key=repr)


def test_merge_deletes_by_collation(target: Table) -> None:
    target.sql(
        f"""MERGE INTO {{t}} t USING (SELECT * FROM {SOURCE}) s ON t.name <=> s.name
            WHEN MATCHED THEN DELETE
            WHEN NOT MATCHED BY SOURCE AND t.name = 'ZOË' THEN UPDATE SET id = 0"""
    )

    assert contents(target) == [("Zoë", 0)]


@pytest.mark.skipif(platforms.IS_OLDER, reason="Spark uses the collation of the bounds")
def test_merge_on_between_matches_by_collation(target: Table) -> None:
    target.sql(
        f"""MERGE INTO {{t}} t USING (SELECT * FROM {SOURCE}) s
            ON t.name BETWEEN s.name AND concat(s.name, 'z') WHEN MATCHED THEN DELETE"""
    )

    assert contents(target) == [("Zoë", 2), (None, 3)]


def test_delta_table_merge_matches_plain_source_by_collation(
    spark: SparkSession, target: Table
) -> None:
    source = spark.sql(f"SELECT * FROM {SOURCE}")
    merge = DeltaTable.forPath(spark, str(target.path)).alias("t")

    (
        merge.merge(source.alias("s"), F.col("t.name") == F.col("s.name"))
        .whenMatchedUpdate(set={"id": "s.id"})
        .whenNotMatchedInsertAll()
        .execute()
    )

    assert contents(target) == sorted(MERGED, key=repr)


def test_merge_into_matches_plain_source_by_collation(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE mixed_target (id INT, name STRING COLLATE UNICODE_CI) USING delta")
    try:
        spark.sql("INSERT INTO mixed_target VALUES (1, 'Bob'), (2, 'Zoë')")
        source = spark.sql(f"SELECT * FROM {SOURCE}").alias("s")
        (
            source.mergeInto("mixed_target", F.expr("mixed_target.name = s.name"))
            .whenMatched().updateAll()
            .whenNotMatched().insertAll()
            .merge()
        )  # fmt: skip
        merged = spark.table("mixed_target").collect()
    finally:
        spark.sql("DROP TABLE mixed_target")

    assert {tuple(row) for row in merged} == {(10, "BOB"), (2, "Zoë"), (20, "ada"), (30, None)}


def test_stream_merges_plain_batches_by_collation(
    spark: SparkSession, target: Table, tmp_path: Path
) -> None:
    source = str(tmp_path / "source")
    spark.sql(f"SELECT * FROM {SOURCE}").write.format("delta").save(source)

    def upsert(batch: DataFrame, _: int) -> None:
        (
            DeltaTable.forPath(batch.sparkSession, str(target.path)).alias("t")
            .merge(batch.alias("s"), "t.name = s.name")
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .execute()
        )  # fmt: skip

    (
        spark.readStream.format("delta").load(source).writeStream.foreachBatch(upsert)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True).start().awaitTermination()
    )  # fmt: skip

    expected = [("BOB", 10), *MERGED[1:]]
    assert contents(target) == sorted(expected, key=repr)


def test_update_and_delete_compare_by_collation(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI, plain STRING")
    table.insert("1, 'Bob', 'BOB'", "2, 'Zoë', 'zoe'", "3, 'ada', NULL")

    table.sql("UPDATE {t} SET id = 0 WHERE name = plain")
    table.sql("DELETE FROM {t} WHERE plain < name")

    assert table.rows("SELECT id, name FROM {t} ORDER BY name") == [(3, "ada"), (0, "Bob")]
    for statement in ("UPDATE {t} SET id = 30", "DELETE FROM {t}"):
        # As with collated subqueries.
        with pytest.raises(AnalysisException, match="DELTA_UNSUPPORTED_SUBQUERY"):
            table.sql(f"{statement} WHERE name IN (SELECT name FROM {SOURCE})")


def test_filters_on_collated_columns_still_skip_files(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    insert_one_file(table, "1, 'Anna'", "2, 'Bob'")
    insert_one_file(table, "3, 'Xaver'", "4, 'Zoë'")

    for text in ("name = 'BOB'", "name IN ('BOB', 'b')", "name BETWEEN 'B' AND 'C'"):
        found = scan(table, f"SELECT id FROM {{t}} WHERE {text}")
        assert (found.rows, len(found.files), found.by_collated) == ([(2,)], 1, 1)
