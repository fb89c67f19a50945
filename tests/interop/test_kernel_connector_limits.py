# SPDX-License-Identifier: Apache-2.0
"""Delta's Kernel-based connector does not write collated tables, or read them without hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException
from support import platforms
from support.kernel_connector import CHANGELOG, HOOKS, READ, WRITE, kernel, without_hooks
from support.tables import Log, setting

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.skipif(not platforms.HAS_KERNEL, reason="Delta Kernel is not usable"),
    pytest.mark.usefixtures("kernel_tables"),
]

WRITES: dict[str, Callable[[SparkSession, DataFrame, Path], object]] = {
    "values": lambda spark, *_: spark.sql("INSERT INTO k_files (id) VALUES (9)"),
    "select": lambda spark, *_: spark.sql("INSERT INTO k_files SELECT * FROM k_files"),
    "by name": lambda spark, *_: spark.sql("INSERT INTO k_files BY NAME SELECT 9 AS id"),
    "by path": lambda spark, _, path: spark.sql(f"INSERT INTO delta.`{path}` (id) VALUES (9)"),
    "insertInto": lambda _, rows, __: rows.write.insertInto("k_files"),
    "saveAsTable": lambda _, rows, __: (
        rows.write.format("delta").mode("append").saveAsTable("k_files")
    ),
    "writeTo": lambda _, rows, __: rows.writeTo("k_files").append(),
}


@pytest.mark.parametrize("write", WRITES)
def test_kernel_connector_does_not_write_collated_table(
    spark: SparkSession, kernel_tables: Path, write: str
) -> None:
    rows = spark.table("k_files")
    path = kernel_tables / "files"
    commits = len(Log(path).commits)
    with kernel(spark), pytest.raises(PySparkException) as error:
        WRITES[write](spark, rows, path)
    assert error.value.getCondition() == WRITE
    assert "column name" in str(error.value)
    assert "Set spark.databricks.delta.v2.enableMode to NONE" in str(error.value)
    assert len(Log(path).commits) == commits


def test_kernel_connector_does_not_write_stream_to_collated_table(
    spark: SparkSession, kernel_tables: Path, tmp_path: Path
) -> None:
    commits = len(Log(kernel_tables / "files").commits)
    with kernel(spark):
        writer = spark.readStream.table("k_files").writeStream.format("delta")
        writer = writer.option("checkpointLocation", str(tmp_path))
        with pytest.raises(PySparkException, match=WRITE):
            writer.toTable("k_files")
    assert len(Log(kernel_tables / "files").commits) == commits


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM {t} WHERE name = 'BOB'",
        "UPDATE {t} SET id = 0 WHERE name = 'BOB'",
        "MERGE INTO {t} t USING {t} s ON t.name = s.name WHEN MATCHED THEN DELETE",
        "INSERT OVERWRITE {t} SELECT * FROM {t}",
        "INSERT INTO {t} REPLACE WHERE name = 'BOB' SELECT * FROM {t} WHERE name = 'BOB'",
    ],
)
def test_kernel_connector_does_not_support_statement_on_any_table(
    spark: SparkSession, kernel_tables: Path, statement: str
) -> None:
    for table in ("files", "plain"):
        commits = len(Log(kernel_tables / table).commits)
        with (
            kernel(spark),
            pytest.raises(
                PySparkException,
                match=r"does not support|COLLATIONS_UNSUPPORTED_KERNEL_CONNECTOR.WRITE",
            ),
        ):
            spark.sql(statement.replace("{t}", f"k_{table}"))
        assert len(Log(kernel_tables / table).commits) == commits


def test_tables_created_with_kernel_connector_have_collations_and_statistics(
    spark: SparkSession, kernel_tables: Path
) -> None:
    path = kernel_tables / "copy"
    with kernel(spark):
        spark.sql(f"CREATE TABLE k_copy USING delta LOCATION '{path}' AS SELECT * FROM k_files")
    log = Log(path)
    try:
        assert log.collations("d", "element", "f") == {"f.value": "icu.UNICODE_CI"}
        assert all("statsWithCollation" in stats for stats in log.stats)
        assert spark.table("k_copy").where("d[0].f[1] = 'BOB'").count() == 3
    finally:
        spark.sql("DROP TABLE k_copy")


def test_kernel_connector_reads_and_writes_plain_table(
    spark: SparkSession, kernel_tables: Path
) -> None:
    commits = len(Log(kernel_tables / "plain").commits)
    with kernel(spark):
        spark.sql("INSERT INTO k_plain VALUES (3, 'Bob')")
        found = [row.id for row in spark.table("k_plain").where("name = 'BOB'").collect()]
    assert found == [2]
    assert len(Log(kernel_tables / "plain").commits) == commits + 1


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM k_files WHERE name = 'BOB'",
        "SELECT id FROM k_mapped",
        "SELECT s.f FROM k_files",
        "SELECT id FROM k_parts",
        "SELECT 1 WHERE EXISTS (SELECT * FROM k_files)",
        "SELECT (SELECT max(name) FROM k_files)",
        "WITH names AS (SELECT name FROM k_view) SELECT * FROM names",
        "SELECT * FROM k_files VERSION AS OF 1",
        "SELECT * FROM table_changes('k_files', 1)",
        "SELECT * FROM k_files CHANGES FROM VERSION 1 TO VERSION 2",
        "CREATE TABLE k_never USING delta AS SELECT * FROM k_files",
        "INSERT INTO k_plain SELECT id, name FROM k_files",
    ],
)
def test_kernel_connector_does_not_read_collated_table_when_hook_is_missing(
    spark: SparkSession, query: str
) -> None:
    with kernel(spark), setting(spark, CHANGELOG, "true"), without_hooks(spark, *HOOKS):
        with pytest.raises(PySparkException) as error:
            spark.sql(query).collect()
        assert spark.table("k_plain").count() > 0
    assert error.value.getCondition() == READ
    assert not spark.catalog.tableExists("k_never")


def test_kernel_stream_does_not_read_collated_table_when_hook_is_missing(
    spark: SparkSession,
) -> None:
    with kernel(spark), without_hooks(spark, *HOOKS), pytest.raises(PySparkException, match=READ):
        spark.readStream.table("k_files").where("name = 'BOB'")


def test_kernel_connector_does_not_write_collated_table_when_hook_is_missing(
    spark: SparkSession,
) -> None:
    with kernel(spark), without_hooks(spark, *HOOKS), pytest.raises(PySparkException) as error:
        spark.sql("INSERT INTO k_files (id) VALUES (9)")
    assert error.value.getCondition() == WRITE
