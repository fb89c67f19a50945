# SPDX-License-Identifier: Apache-2.0
"""A table of people, and all operations that add files to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.tables import Table


def create_people(table: Table) -> Table:
    """Create the table with deletion vectors, two files and a collated column of each provider."""
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI, home STRUCT<city: STRING COLLATE UTF8_LCASE>",
        **{"delta.enableDeletionVectors": "true"},
    )
    for first in (0, 10):
        frame = table.spark.range(first, first + 10).selectExpr(
            "CAST(id AS INT) id",
            "concat('Ann ', id) name",
            "struct(concat('évry', id) city) home",
        )
        frame.coalesce(1).write.format("delta").mode("append").save(str(table.path))
    return table


def stream(table: Table) -> None:
    source = table.path.parent / "source"
    frame = table.spark.sql("SELECT 50 id, 'Zoë' name, struct('Rome' city) home")
    frame.write.format("delta").save(str(source))
    query = table.spark.readStream.format("delta").load(str(source)).writeStream
    checkpoint = str(table.path.parent / "checkpoint")
    query = query.format("delta").option("checkpointLocation", checkpoint)
    query.trigger(availableNow=True).start(str(table.path)).awaitTermination()


def with_setting(conf: str, action: Callable[[Table], None]) -> Callable[[Table], None]:
    def run(table: Table) -> None:
        with setting(table.spark, conf, "true"):
            action(table)

    return run


def statements(*texts: str) -> Callable[[Table], None]:
    def run(table: Table) -> None:
        for text in texts:
            table.sql(text)

    return run


def set_properties(text: str) -> Callable[[Table], None]:
    return statements(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({text})")


MERGE = (
    "MERGE INTO {t} t USING (SELECT 3 id, 'Ève' name UNION ALL SELECT 77, 'zz') s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) "
    "VALUES (s.id, s.name)"
)

WRITES: dict[str, Callable[[Table], None]] = {
    "insert": statements("INSERT INTO {t} VALUES (99, 'émile', struct('Zürich'))"),
    "overwrite": statements("INSERT OVERWRITE {t} VALUES (99, 'émile', struct('Zürich'))"),
    "update": statements("UPDATE {t} SET name = 'ÅSE' WHERE id IN (3, 12)"),
    "delete": statements("DELETE FROM {t} WHERE id IN (3, 12)"),
    "merge": statements(MERGE),
    "optimize": statements("OPTIMIZE {t}"),
    "zorder": statements("OPTIMIZE {t} ZORDER BY (name)"),
    "delete and purge": statements(
        "DELETE FROM {t} WHERE id IN (3, 12)", "REORG TABLE {t} APPLY (PURGE)"
    ),
    "stream": stream,
    "optimized write": with_setting(
        "spark.databricks.delta.optimizeWrite.enabled",
        statements("INSERT INTO {t} SELECT id + 100, name, home FROM {t}"),
    ),
    "restore": statements("DELETE FROM {t} WHERE id > 5", "RESTORE TABLE {t} TO VERSION AS OF 2"),
    "row tracking": set_properties("'delta.enableRowTracking' = 'true'"),
    "a new column": statements(
        "ALTER TABLE {t} ADD COLUMN extra STRING COLLATE UNICODE_CI",
        "INSERT INTO {t} VALUES (99, 'émile', struct('Zürich'), 'E')",
    ),
}
