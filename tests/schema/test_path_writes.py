# SPDX-License-Identifier: Apache-2.0
"""Path-based and streaming writes cast strings to the collations of the table."""

from collections.abc import Callable

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameWriter
from pyspark.sql.streaming.readwriter import DataStreamWriter
from support.tables import Table

COLLATED = (
    "id INT, name STRING COLLATE UTF8_LCASE, tags ARRAY<STRING COLLATE UTF8_LCASE>, "
    "m MAP<STRING, STRING COLLATE UTF8_LCASE>, s STRUCT<f: STRING COLLATE UTF8_LCASE, g: INT>"
)
UTF8_BINARY = COLLATED.replace(" COLLATE UTF8_LCASE", "")

MATCHES = "name = 'BOB' AND tags[0] = 'BOB' AND m['k'] = 'BOB' AND s.f = 'BOB'"


def rows(table: Table, collate: str, extra: str = "") -> DataFrame:
    """Return a row of ``Bob``, with columns and fields in a different order and letter case."""
    bob = f"'Bob' {collate}"
    return table.spark.sql(
        f"SELECT array({bob}) AS tags, {bob} AS NAME, named_struct('g', 1, 'F', {bob}) AS s, "
        f"map('k', {bob}) AS m, 1 AS id {extra}"
    )


def append(table: Table, frame: DataFrame) -> None:
    batch_writer(frame).mode("append").save(str(table.path))


def overwrite(table: Table, frame: DataFrame) -> None:
    batch_writer(frame).mode("overwrite").save(str(table.path))


def replace_where(table: Table, frame: DataFrame) -> None:
    batch_writer(frame).mode("overwrite").option("replaceWhere", "name = 'BOB'").save(
        str(table.path)
    )


def stream(table: Table, frame: DataFrame) -> None:
    stream_writer(table, frame).start(str(table.path)).awaitTermination()


def batch_writer(frame: DataFrame) -> DataFrameWriter:
    return frame.write.format("delta").option("mergeSchema", "true")


def stream_writer(table: Table, frame: DataFrame) -> DataStreamWriter:
    source = str(table.path.parent / "source")
    frame.write.format("delta").save(source)
    return (
        table.spark.readStream.format("delta")
        .load(source)
        .writeStream.format("delta")
        .option("mergeSchema", "true")
        .option("checkpointLocation", str(table.path.parent / "checkpoint"))
        .trigger(availableNow=True)
    )


WRITES = [append, overwrite, replace_where, stream]

Write = Callable[[Table, DataFrame], None]


@pytest.mark.parametrize("collate", ["", "COLLATE UNICODE"], ids=["UTF8_BINARY", "other collation"])
@pytest.mark.parametrize("write", WRITES)
def test_path_write_casts_strings_to_collation_of_table(
    table: Table, write: Write, collate: str
) -> None:
    table.create(COLLATED)
    before = table.log.schema_text
    write(table, rows(table, collate))

    assert table.column(f"SELECT id FROM {{t}} WHERE {MATCHES}") == [1]
    assert table.column("SELECT encode(name, 'UTF-8') FROM {t}") == [b"Bob"]
    assert table.log.schema_text == before


@pytest.mark.parametrize("write", [append, overwrite, stream])
def test_path_write_casts_collated_strings_to_utf8_binary_column(
    table: Table, write: Write
) -> None:
    table.create(UTF8_BINARY)
    write(table, rows(table, "COLLATE UTF8_LCASE"))

    assert table.column(f"SELECT id FROM {{t}} WHERE {MATCHES}") == []
    assert table.column("SELECT name FROM {t} WHERE name = 'Bob'") == ["Bob"]
    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}


@pytest.mark.parametrize("write", [append, stream])
def test_path_write_keeps_collation_of_new_column(table: Table, write: Write) -> None:
    table.create(COLLATED)
    write(table, rows(table, "", ", 'Eve' COLLATE UNICODE_CI AS friend"))

    assert table.log.collations("name") == {"name": "spark.UTF8_LCASE"}
    assert table.log.collations("friend") == {"friend": "icu.UNICODE_CI"}
    assert table.column(f"SELECT friend FROM {{t}} WHERE {MATCHES} AND friend = 'EVE'") == ["Eve"]


def test_path_write_fills_missing_columns_with_null(table: Table) -> None:
    table.create(COLLATED)
    append(table, table.spark.sql("SELECT 'Bob' AS name"))

    assert table.rows("SELECT * FROM {t} WHERE name = 'BOB'") == [(None, "Bob", None, None, None)]


def test_overwrite_schema_takes_collations_of_dataframe(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE, other STRING")
    frame = table.spark.sql("SELECT 'Bob' AS name, 'Eve' COLLATE UNICODE_CI AS other")
    frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(
        str(table.path)
    )

    assert table.log.collations("name") is None
    assert table.log.collations("other") == {"other": "icu.UNICODE_CI"}


def test_path_write_checks_constraint_with_collation_of_table(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    table.sql("ALTER TABLE {t} ADD CONSTRAINT good CHECK (name <> 'BAD')")
    append(table, table.spark.sql("SELECT 'Bob' AS name"))

    # PySpark does not convert the class of this Delta exception.
    with pytest.raises(Py4JJavaError, match="CHECK constraint good"):
        append(table, table.spark.sql("SELECT 'bad' AS name"))

    assert table.column("SELECT name FROM {t}") == ["Bob"]


def test_path_write_rejects_other_types(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    with pytest.raises(PySparkException, match="DELTA_FAILED_TO_MERGE_FIELDS"):
        append(table, table.spark.sql("SELECT 1 AS name"))


@pytest.mark.parametrize("mode", ["insertInto", "append", "overwrite", "stream"])
def test_catalog_table_write_accepts_strings_of_any_collation(table: Table, mode: str) -> None:
    people = f"people_{mode}"
    table.spark.sql(f"CREATE TABLE {people} (name STRING COLLATE UTF8_LCASE) USING delta")
    frame = table.spark.sql("SELECT 'Bob' COLLATE UNICODE AS name")
    if mode == "insertInto":
        frame.write.insertInto(people)
    elif mode == "stream":
        stream_writer(table, frame).toTable(people).awaitTermination()
    else:
        frame.write.format("delta").mode(mode).saveAsTable(people)
    found = table.spark.table(people).where("name = 'BOB'").collect()
    table.spark.sql(f"DROP TABLE {people}")

    assert [row.name for row in found] == ["Bob"]


def test_merge_with_schema_evolution_keeps_collation_of_table(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UTF8_LCASE")
    table.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO {t} t "
        "USING (SELECT 1 AS id, 'Bob' AS name, 'x' AS extra) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    )

    assert table.rows("SELECT name, extra FROM {t} WHERE name = 'BOB'") == [("Bob", "x")]
