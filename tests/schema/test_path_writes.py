# SPDX-License-Identifier: Apache-2.0
"""Rows that are written by path or by a stream take the collations of the table."""

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
PLAIN = COLLATED.replace(" COLLATE UTF8_LCASE", "")

FOUND = "name = 'BOB' AND tags[0] = 'BOB' AND m['k'] = 'BOB' AND s.f = 'BOB'"


def rows(table: Table, collate: str, extra: str = "") -> DataFrame:
    """Return one row with ``Bob`` everywhere, fields in another order and another case."""
    bob = f"'Bob' {collate}"
    return table.spark.sql(
        f"SELECT array({bob}) AS tags, {bob} AS NAME, named_struct('g', 1, 'F', {bob}) AS s, "
        f"map('k', {bob}) AS m, 1 AS id {extra}"
    )


def append(table: Table, frame: DataFrame) -> None:
    batch(frame).mode("append").save(str(table.path))


def overwrite(table: Table, frame: DataFrame) -> None:
    batch(frame).mode("overwrite").save(str(table.path))


def replace_where(table: Table, frame: DataFrame) -> None:
    batch(frame).mode("overwrite").option("replaceWhere", "name = 'BOB'").save(str(table.path))


def stream(table: Table, frame: DataFrame) -> None:
    streamed(table, frame).start(str(table.path)).awaitTermination()


def batch(frame: DataFrame) -> DataFrameWriter:
    return frame.write.format("delta").option("mergeSchema", "true")


def streamed(table: Table, frame: DataFrame) -> DataStreamWriter:
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


@pytest.mark.parametrize("collate", ["", "COLLATE UNICODE"], ids=["plain", "other collation"])
@pytest.mark.parametrize("write", WRITES)
def test_strings_take_the_collation_of_the_table(table: Table, write: Write, collate: str) -> None:
    table.create(COLLATED)
    before = table.log.schema_text
    write(table, rows(table, collate))

    assert table.column(f"SELECT id FROM {{t}} WHERE {FOUND}") == [1]
    assert table.column("SELECT encode(name, 'UTF-8') FROM {t}") == [b"Bob"]
    assert table.log.schema_text == before


@pytest.mark.parametrize("write", [append, overwrite, stream])
def test_collated_strings_become_plain_in_a_plain_table(table: Table, write: Write) -> None:
    table.create(PLAIN)
    write(table, rows(table, "COLLATE UTF8_LCASE"))

    assert table.column(f"SELECT id FROM {{t}} WHERE {FOUND}") == []
    assert table.column("SELECT name FROM {t} WHERE name = 'Bob'") == ["Bob"]
    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}


@pytest.mark.parametrize("write", [append, stream])
def test_a_new_column_keeps_the_collation_it_brings(table: Table, write: Write) -> None:
    table.create(COLLATED)
    write(table, rows(table, "", ", 'Eve' COLLATE UNICODE_CI AS friend"))

    assert table.log.collations("name") == {"name": "spark.UTF8_LCASE"}
    assert table.log.collations("friend") == {"friend": "icu.UNICODE_CI"}
    assert table.column(f"SELECT friend FROM {{t}} WHERE {FOUND} AND friend = 'EVE'") == ["Eve"]


def test_columns_that_are_missing_stay_null(table: Table) -> None:
    table.create(COLLATED)
    append(table, table.spark.sql("SELECT 'Bob' AS name"))

    assert table.rows("SELECT * FROM {t} WHERE name = 'BOB'") == [(None, "Bob", None, None, None)]


def test_overwriting_the_schema_takes_the_collations_of_the_rows(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE, other STRING")
    frame = table.spark.sql("SELECT 'Bob' AS name, 'Eve' COLLATE UNICODE_CI AS other")
    frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(
        str(table.path)
    )

    assert table.log.collations("name") is None
    assert table.log.collations("other") == {"other": "icu.UNICODE_CI"}


def test_a_constraint_sees_the_rows_as_the_table_compares_them(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    table.sql("ALTER TABLE {t} ADD CONSTRAINT good CHECK (name <> 'BAD')")
    append(table, table.spark.sql("SELECT 'Bob' AS name"))

    # Delta raises this one in a class that PySpark does not translate.
    with pytest.raises(Py4JJavaError, match="CHECK constraint good"):
        append(table, table.spark.sql("SELECT 'bad' AS name"))

    assert table.column("SELECT name FROM {t}") == ["Bob"]


def test_other_types_are_still_refused(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    with pytest.raises(PySparkException, match="DELTA_FAILED_TO_MERGE_FIELDS"):
        append(table, table.spark.sql("SELECT 1 AS name"))


@pytest.mark.parametrize("how", ["insertInto", "append", "overwrite", "stream"])
def test_a_table_of_the_catalog_takes_strings_of_any_collation(table: Table, how: str) -> None:
    people = f"people_{how}"
    table.spark.sql(f"CREATE TABLE {people} (name STRING COLLATE UTF8_LCASE) USING delta")
    frame = table.spark.sql("SELECT 'Bob' COLLATE UNICODE AS name")
    if how == "insertInto":
        frame.write.insertInto(people)
    elif how == "stream":
        streamed(table, frame).toTable(people).awaitTermination()
    else:
        frame.write.format("delta").mode(how).saveAsTable(people)
    found = table.spark.table(people).where("name = 'BOB'").collect()
    table.spark.sql(f"DROP TABLE {people}")

    assert [row.name for row in found] == ["Bob"]


def test_a_merge_that_adds_columns_keeps_the_collation_of_the_table(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UTF8_LCASE")
    table.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO {t} t "
        "USING (SELECT 1 AS id, 'Bob' AS name, 'x' AS extra) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    )

    assert table.rows("SELECT name, extra FROM {t} WHERE name = 'BOB'") == [("Bob", "x")]
