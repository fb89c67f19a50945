# SPDX-License-Identifier: Apache-2.0
"""DML statements and queries compare strings with the collation of the column."""

import pytest
from support.tables import Table

NAMES = ["Bob", "bob", "Zoë", "ZOE", "", "naïve 🙂", "e\u0301clair", "éclair", "a  "]


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table with a collation in every supported position."""
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
        pytest.param("name = 'BOB'", [1], id="equality"),
        pytest.param("name <=> 'alice'", [2], id="null-safe equality"),
        pytest.param("name IN ('bob', 'alice')", [1, 2], id="IN"),
        pytest.param("name IS NULL", [3], id="IS NULL"),
        pytest.param("name < 'BOB'", [2], id="less than"),
        pytest.param("array_contains(tags, 'OPS')", [1], id="array element"),
        pytest.param("labels[1] = 'CAFE'", [1], id="map value"),
        pytest.param("home.city = 'évry'", [1], id="struct field"),
    ],
)
def test_select_compares_with_collation(people: Table, predicate: str, ids: list[int]) -> None:
    assert people.column(f"SELECT id FROM {{t}} WHERE {predicate} ORDER BY id") == ids


@pytest.mark.parametrize(
    ("predicate", "remaining"),
    [
        pytest.param("name = 'BOB'", [2, 3], id="column"),
        pytest.param("array_contains(tags, 'DEV')", [1, 3], id="array element"),
        pytest.param("labels[1] = 'cafe'", [2, 3], id="map value"),
        pytest.param("home.city = 'OSLO'", [1, 3], id="struct field"),
    ],
)
def test_delete_matches_rows_with_collation(
    people: Table, predicate: str, remaining: list[int]
) -> None:
    people.sql(f"DELETE FROM {{t}} WHERE {predicate}")

    assert people.column("SELECT id FROM {t} ORDER BY id") == remaining


@pytest.mark.parametrize(
    ("assignment", "expression"),
    [
        pytest.param("name = 'Robert'", "name", id="column"),
        pytest.param("tags = array('Robert')", "tags[0]", id="array element"),
        pytest.param("labels = map(7, 'Robert')", "labels[7]", id="map value"),
        pytest.param("home.city = 'Robert'", "home.city", id="struct field"),
    ],
)
def test_update_matches_rows_with_collation_and_keeps_schema(
    people: Table, assignment: str, expression: str
) -> None:
    before = people.log.schema_text
    people.sql(f"UPDATE {{t}} SET {assignment} WHERE name = 'BOB'")

    assert people.column(f"SELECT id FROM {{t}} WHERE {expression} = 'ROBERT'") == [1]
    assert people.log.schema_text == before


def test_merge_matches_keys_with_collation(people: Table) -> None:
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


def test_insert_select_casts_strings_to_collation_of_column(people: Table) -> None:
    people.sql("INSERT INTO {t} (id, name) SELECT 5, 'Dora'")

    assert people.column("SELECT id FROM {t} WHERE name = 'dora'") == [5]


def test_order_by_uses_locale_of_column(table: Table) -> None:
    table.create("sv STRING COLLATE sv, de STRING COLLATE de").insert(
        *(f"'{word}', '{word}'" for word in ["Zebra", "Ärger", "Apfel"])
    )

    assert table.column("SELECT sv FROM {t} ORDER BY sv") == ["Apfel", "Zebra", "Ärger"]
    assert table.column("SELECT de FROM {t} ORDER BY de") == ["Apfel", "Ärger", "Zebra"]


def test_group_by_and_distinct_treat_equal_strings_as_one_value(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI_AI").insert("'Zoë'", "'ZOE'", "'bob'")

    assert sorted(table.column("SELECT count(*) FROM {t} GROUP BY name")) == [1, 2]
    assert table.column("SELECT count(DISTINCT name) FROM {t}") == [2]


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI_AI", "UTF8_BINARY_RTRIM", "de"])
def test_values_are_stored_byte_for_byte_in_every_collation(table: Table, collation: str) -> None:
    table.create(f"name STRING COLLATE {collation}")
    names = [*NAMES, "ß" * 500_000]
    rows = table.spark.createDataFrame([(name,) for name in names], "name STRING")
    rows.createOrReplaceTempView("given")
    table.sql("INSERT INTO {t} SELECT name FROM given")

    stored = table.column("SELECT encode(name, 'UTF-8') FROM {t}")
    assert sorted(stored) == sorted(name.encode() for name in names)


def test_deletion_vectors_work_on_collated_table(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI", **{"delta.enableDeletionVectors": "true"})
    table.spark.createDataFrame([(n,) for n in ["Bob", "Alice", "Carl"]], "name STRING").coalesce(
        1
    ).createOrReplaceTempView("given")
    table.sql("INSERT INTO {t} SELECT name FROM given")
    table.sql("DELETE FROM {t} WHERE name = 'ALICE'")

    assert any("deletionVector" in add for add in table.log.actions("add"))
    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "Carl"]


def test_time_travel_reads_older_version_of_collated_table(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'").insert("'Alice'")

    assert table.column("SELECT name FROM {t} VERSION AS OF 1 WHERE name = 'BOB'") == ["Bob"]
    assert table.column("SELECT count(*) FROM {t} VERSION AS OF 1") == [1]


def test_streaming_reads_and_writes_collated_table(table: Table) -> None:
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
