# SPDX-License-Identifier: Apache-2.0
"""Rows are written to collated tables and found again by the rules of the collation."""

import pytest
from support.tables import Table

NAMES = ["Bob", "bob", "Zoë", "ZOE", "", "naïve 🙂", "e\u0301clair", "éclair", "a  "]


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table with a collation at every position a table can have one."""
    return table.create(
        "id INT, name STRING COLLATE UNICODE_CI, tags ARRAY<STRING COLLATE UTF8_LCASE>, "
        "labels MAP<INT, STRING COLLATE UNICODE_CI_AI>, "
        "home STRUCT<city: STRING COLLATE UNICODE_CI>"
    ).insert(
        "1, 'Bob', array('Admin', 'Ops'), map(1, 'Café'), struct('Évry')",
        "2, 'ALICE', array('Dev'), map(1, 'Tea'), struct('Oslo')",
        "3, NULL, NULL, NULL, NULL",
    )


@pytest.mark.parametrize(
    ("predicate", "ids"),
    [
        pytest.param("name = 'BOB'", [1], id="column in another case"),
        pytest.param("name <=> 'alice'", [2], id="null-safe equality"),
        pytest.param("name IN ('bob', 'alice')", [1, 2], id="list"),
        pytest.param("name IS NULL", [3], id="null"),
        pytest.param("name < 'BOB'", [2], id="order without case"),
        pytest.param("array_contains(tags, 'OPS')", [1], id="array element"),
        pytest.param("labels[1] = 'CAFE'", [1], id="map value without accent"),
        pytest.param("home.city = 'évry'", [1], id="field of a struct"),
    ],
)
def test_select_compares_by_the_collation(people: Table, predicate: str, ids: list[int]) -> None:
    assert people.column(f"SELECT id FROM {{t}} WHERE {predicate} ORDER BY id") == ids


@pytest.mark.parametrize(
    ("predicate", "left"),
    [
        pytest.param("name = 'BOB'", [2, 3], id="column"),
        pytest.param("array_contains(tags, 'DEV')", [1, 3], id="array element"),
        pytest.param("labels[1] = 'cafe'", [2, 3], id="map value"),
        pytest.param("home.city = 'OSLO'", [1, 3], id="field of a struct"),
    ],
)
def test_delete_finds_rows_by_the_collation(people: Table, predicate: str, left: list[int]) -> None:
    people.sql(f"DELETE FROM {{t}} WHERE {predicate}")

    assert people.column("SELECT id FROM {t} ORDER BY id") == left


@pytest.mark.parametrize(
    ("assignment", "read"),
    [
        pytest.param("name = 'Robert'", "name", id="column"),
        pytest.param("tags = array('Robert')", "tags[0]", id="array element"),
        pytest.param("labels = map(7, 'Robert')", "labels[7]", id="map value"),
        pytest.param("home.city = 'Robert'", "home.city", id="field of a struct"),
    ],
)
def test_update_finds_rows_by_the_collation_and_keeps_it(
    people: Table, assignment: str, read: str
) -> None:
    before = people.log.schema_text
    people.sql(f"UPDATE {{t}} SET {assignment} WHERE name = 'BOB'")

    assert people.column(f"SELECT id FROM {{t}} WHERE {read} = 'ROBERT'") == [1]
    assert people.log.schema_text == before


def test_merge_matches_keys_by_the_collation(people: Table) -> None:
    people.sql(
        "MERGE INTO {t} t USING (SELECT name COLLATE UNICODE_CI AS name, city FROM "
        "VALUES ('BOB', 'Bergen'), ('Carl', 'Rome') AS s(name, city)) s ON t.name = s.name "
        "WHEN MATCHED THEN UPDATE SET home.city = s.city "
        "WHEN NOT MATCHED THEN INSERT (id, name, home) VALUES (4, s.name, struct(s.city))"
    )

    assert people.rows("SELECT id, name, home.city FROM {t} WHERE id <> 3 ORDER BY id") == [
        (1, "Bob", "Bergen"),
        (2, "ALICE", "Oslo"),
        (4, "Carl", "Rome"),
    ]


def test_insert_select_casts_plain_strings_to_the_columns_collation(people: Table) -> None:
    people.sql("INSERT INTO {t} (id, name) SELECT 5, 'Dora'")

    assert people.column("SELECT id FROM {t} WHERE name = 'dora'") == [5]


def test_order_by_follows_the_language_of_the_column(table: Table) -> None:
    table.create("sv STRING COLLATE sv, de STRING COLLATE de").insert(
        *(f"'{word}', '{word}'" for word in ["Zebra", "Ärger", "Apfel"])
    )

    assert table.column("SELECT sv FROM {t} ORDER BY sv") == ["Apfel", "Zebra", "Ärger"]
    assert table.column("SELECT de FROM {t} ORDER BY de") == ["Apfel", "Ärger", "Zebra"]


def test_group_by_and_distinct_treat_equal_names_as_one(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI_AI").insert("'Zoë'", "'ZOE'", "'bob'")

    assert sorted(table.column("SELECT count(*) FROM {t} GROUP BY name")) == [1, 2]
    assert table.column("SELECT count(DISTINCT name) FROM {t}") == [2]


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM", "de"])
def test_values_are_stored_as_they_were_given_whatever_the_collation(
    table: Table, collation: str
) -> None:
    table.create(f"name STRING COLLATE {collation}")
    names = [*NAMES, "ß" * 500_000]
    rows = table.spark.createDataFrame([(name,) for name in names], "name STRING")
    rows.createOrReplaceTempView("given")
    table.sql("INSERT INTO {t} SELECT name FROM given")

    stored = table.column("SELECT encode(name, 'UTF-8') FROM {t}")
    assert sorted(stored) == sorted(name.encode() for name in names)


def test_deletion_vectors_work_on_a_collated_table(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI", **{"delta.enableDeletionVectors": "true"})
    table.spark.createDataFrame([(n,) for n in ["Bob", "Alice", "Carl"]], "name STRING").coalesce(
        1
    ).createOrReplaceTempView("given")
    table.sql("INSERT INTO {t} SELECT name FROM given")
    table.sql("DELETE FROM {t} WHERE name = 'ALICE'")

    assert any("deletionVector" in add for add in table.log.actions("add"))
    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "Carl"]


def test_an_older_version_of_a_collated_table_can_be_read(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'").insert("'Alice'")

    assert table.column("SELECT name FROM {t} VERSION AS OF 1 WHERE name = 'BOB'") == ["Bob"]
    assert table.column("SELECT count(*) FROM {t} VERSION AS OF 1") == [1]


def test_a_collated_table_is_a_streaming_source_and_sink(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'", "'Alice'")
    copy = Table(table.spark, table.path.parent / "copy").create("name STRING COLLATE UNICODE_CI")
    stream = (
        table.spark.readStream.format("delta")
        .load(str(table.path))
        .where("name = 'BOB'")
        .writeStream.format("delta")
        .option("checkpointLocation", str(table.path.parent / "checkpoint"))
        .trigger(availableNow=True)
        .start(str(copy.path))
    )
    stream.awaitTermination()

    assert copy.column("SELECT name FROM {t}") == ["Bob"]
