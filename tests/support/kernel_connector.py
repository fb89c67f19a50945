# SPDX-License-Identifier: Apache-2.0
"""Tables for the tests of Delta's Kernel-based connector, and sessions that use it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from support.tables import ForeignTable, collated, field, setting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyspark.sql import SparkSession

CHANGELOG = "spark.databricks.delta.changelogV2.enabled"
READ = "COLLATIONS_UNSUPPORTED_KERNEL_CONNECTOR.READ"
WRITE = "COLLATIONS_UNSUPPORTED_KERNEL_CONNECTOR.WRITE"

HOOKS = ("kernel-schema-reading", "kernel-schema-writing")

COLUMNS = """id INT, name STRING COLLATE UNICODE_CI, s STRUCT<f: STRING COLLATE UTF8_LCASE, g: INT>,
    a ARRAY<STRING COLLATE UNICODE_CI_AI>, m MAP<STRING, STRING COLLATE UTF8_LCASE>,
    d ARRAY<STRUCT<f: MAP<INT, STRING COLLATE UNICODE_CI>>>, plain STRING"""
STRINGS = ("name", "s.f", "a[0]", "m['k']", "d[0].f[1]", "plain")
EQUALITIES = [f"{string} = 'BOB'" for string in STRINGS]
NAMES = ["bob", "BOB", "Bob", "zoe", "ZOE", "Ann", None, ""]

# The properties of the tables `k_files`, `k_mapped` and `k_vectors`.
PROPERTIES = {
    "files": "'delta.enableRowTracking' = 'true', 'delta.enableChangeDataFeed' = 'true'",
    "mapped": "'delta.columnMapping.mode' = 'name'",
    "vectors": "'delta.enableDeletionVectors' = 'true'",
}


def create_tables(spark: SparkSession, folder: Path) -> None:
    """Create the tables in the catalog. Each has every name in every column."""
    for table, properties in PROPERTIES.items():
        spark.sql(
            f"CREATE TABLE k_{table} ({COLUMNS}) USING delta LOCATION '{folder / table}' "
            f"TBLPROPERTIES ({properties})"
        )
        halves = ((0, 4), (4, 8)) if table == "files" else ((0, 8),)
        for half in halves:
            rows = ", ".join(_row(number) for number in range(*half))
            spark.sql(f"INSERT INTO k_{table} VALUES {rows}")
    spark.sql("DELETE FROM k_vectors WHERE id = 1")
    spark.sql("ALTER TABLE k_mapped RENAME COLUMN s TO renamed")
    spark.sql("ALTER TABLE k_mapped RENAME COLUMN renamed TO s")
    spark.sql("CREATE VIEW k_view AS SELECT * FROM k_files")
    # Spark cannot create a table that is partitioned by a collated column.
    columns = [field("id", "integer"), field("name", "string"), collated("p", "icu.UNICODE_CI")]
    parts = ForeignTable(
        folder / "parts", columns, ["collations", "domainMetadata"], partition_columns=["p"]
    )
    parts.write(
        *(
            ({"id": pa.array([number], pa.int32()), "name": [name], "p": [name]}, None)
            for number, name in enumerate(NAMES[:7])
        )
    )
    spark.sql(f"CREATE TABLE k_parts USING delta LOCATION '{parts.path}'")
    plain = folder / "plain"
    spark.sql(f"CREATE TABLE k_plain (id INT, name STRING) USING delta LOCATION '{plain}'")
    spark.sql("INSERT INTO k_plain VALUES (1, 'bob'), (2, 'BOB')")


def drop_tables(spark: SparkSession) -> None:
    """Remove the tables from the catalog."""
    spark.sql("DROP VIEW k_view")
    for table in (*PROPERTIES, "parts", "plain"):
        spark.sql(f"DROP TABLE k_{table}")


def _row(number: int) -> str:
    name = NAMES[number]
    text = "NULL" if name is None else f"'{name}'"
    return (
        f"({number}, {text}, named_struct('f', {text}, 'g', {number}), array({text}), "
        f"map('k', {text}), array(named_struct('f', map(1, {text}))), {text})"
    )


def kernel(spark: SparkSession, mode: str = "STRICT") -> AbstractContextManager[None]:
    """Read and write tables with the Kernel-based connector within the block."""
    return setting(spark, "spark.databricks.delta.v2.enableMode", mode)


@contextmanager
def without_hooks(spark: SparkSession, *names: str) -> Iterator[None]:
    """Unregister hooks within the block, as the extension does if they do not fit Delta."""
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    bridge = jvm.org.apache.spark.sql.delta.CollationsBridge.HOOKS
    removed = {name: bridge.remove(name) for name in names}
    assert None not in removed.values()
    try:
        yield
    finally:
        for name, function in removed.items():
            bridge.put(name, function)
