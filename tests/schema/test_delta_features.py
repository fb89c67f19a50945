# SPDX-License-Identifier: Apache-2.0
"""Collated columns together with other Delta features."""

import pytest
from support.tables import Table

COLLATED = "name STRING COLLATE UNICODE_CI"


@pytest.mark.parametrize("mode", ["name", "id"])
def test_column_mapping_keeps_collation_of_renamed_column(table: Table, mode: str) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.columnMapping.mode": mode}).insert("1, 'Bob'")
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO who")

    assert table.column("SELECT id FROM {t} WHERE who = 'BOB'") == [1]
    assert table.log.collations("who") == {"who": "icu.UNICODE_CI"}


def test_change_data_feed_has_collation_of_column(table: Table) -> None:
    table.create(COLLATED, **{"delta.enableChangeDataFeed": "true"}).insert("'Bob'")
    table.sql("UPDATE {t} SET name = 'Rob' WHERE name = 'BOB'")
    changes = (
        table.spark.read.option("readChangeFeed", "true")
        .option("startingVersion", 1)
        .format("delta")
        .load(str(table.path))
    )

    found = changes.where("name = 'ROB' OR name = 'BOB'").select("_change_type", "name").collect()
    assert sorted(map(tuple, found)) == [
        ("insert", "Bob"),
        ("update_postimage", "Rob"),
        ("update_preimage", "Bob"),
    ]


def test_check_constraint_compares_with_collation(table: Table) -> None:
    table.create(COLLATED).sql("ALTER TABLE {t} ADD CONSTRAINT nobody CHECK (name <> 'NOBODY')")
    table.insert("'Bob'")

    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"):
        table.insert("'nobody'")
    assert table.column("SELECT name FROM {t}") == ["Bob"]


def test_default_value_fills_collated_column(table: Table) -> None:
    table.create(
        f"id INT, {COLLATED} DEFAULT 'Unknown'",
        **{"delta.feature.allowColumnDefaults": "supported"},
    ).sql("INSERT INTO {t} (id) VALUES (1)")

    assert table.column("SELECT id FROM {t} WHERE name = 'UNKNOWN'") == [1]
    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}


def test_identity_and_generated_columns_work_next_to_collated_column(table: Table) -> None:
    table.create(
        f"id BIGINT GENERATED ALWAYS AS IDENTITY, n INT, {COLLATED}, "
        "double INT GENERATED ALWAYS AS (n * 2)"
    ).sql("INSERT INTO {t} (n, name) VALUES (4, 'Bob')")

    assert table.rows("SELECT id, double FROM {t} WHERE name = 'BOB'") == [(1, 8)]


def test_generated_column_from_collated_column_is_rejected_by_spark(table: Table) -> None:
    with pytest.raises(Exception, match="UNSUPPORTED_EXPRESSION_GENERATED_COLUMN"):
        table.create(f"{COLLATED}, low STRING GENERATED ALWAYS AS (lower(name))")

    assert not table.path.exists()


def test_row_tracking_keeps_row_ids_when_update_matches_with_collation(table: Table) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.enableRowTracking": "true"}).insert("1, 'Bob'")
    before = table.column("SELECT _metadata.row_id FROM {t} WHERE name = 'BOB'")
    table.sql("UPDATE {t} SET id = 2 WHERE name = 'BOB'")

    assert table.rows("SELECT id, _metadata.row_id FROM {t}") == [(2, before[0])]


def test_partitioned_table_accepts_collated_data_column(table: Table) -> None:
    table.sql(f"CREATE TABLE {{t}} (year INT, {COLLATED}) USING delta PARTITIONED BY (year)")
    table.insert("2025, 'Bob'", "2026, 'bob'", "2026, 'Eve'")

    assert sorted(table.column("SELECT year FROM {t} WHERE name = 'BOB'")) == [2025, 2026]
    assert table.column("SELECT name FROM {t} WHERE year = 2026 AND name = 'BOB'") == ["bob"]


def test_partitioned_by_collated_column_is_rejected_in_sql(table: Table) -> None:
    with pytest.raises(Exception, match="INVALID_PARTITION_COLUMN_DATA_TYPE"):
        table.sql(f"CREATE TABLE {{t}} (id INT, {COLLATED}) USING delta PARTITIONED BY (name)")

    assert not table.path.exists()


def test_view_compares_with_collation_of_table(table: Table) -> None:
    table.create(COLLATED).insert("'Bob'")
    table.sql("CREATE TEMPORARY VIEW seen AS SELECT name FROM {t}")
    try:
        assert table.column("SELECT name FROM seen WHERE name = 'BOB'") == ["Bob"]
    finally:
        table.spark.catalog.dropTempView("seen")


def test_optimize_zorder_reorg_and_vacuum_keep_rows_and_schema(table: Table) -> None:
    table.create(f"id INT, {COLLATED}").insert("1, 'Bob'").insert("2, 'bob'").insert("3, 'Eve'")
    before = table.log.schema_text
    table.sql("OPTIMIZE {t}")
    table.insert("4, 'eve'")
    table.sql("OPTIMIZE {t} ZORDER BY (id)")
    table.sql("REORG TABLE {t} APPLY (PURGE)")
    table.sql("VACUUM {t}")

    assert sorted(table.column("SELECT id FROM {t} WHERE name = 'EVE'")) == [3, 4]
    assert table.log.schema_text == before


@pytest.mark.parametrize("policy", ["classic", "v2"])
def test_checkpoint_keeps_schema_and_features(table: Table, policy: str) -> None:
    table.create(
        COLLATED, **{"delta.checkpointInterval": "2", "delta.checkpointPolicy": policy}
    ).insert("'Bob'").insert("'Eve'").insert("'Zoë'")
    assert list((table.path / "_delta_log").glob("*.checkpoint*"))
    for commit in (0, 1, 2):
        (table.path / "_delta_log" / f"{commit:020}.json").unlink()
    table.spark.catalog.clearCache()
    copy = table.path.rename(table.path.parent / "reopened")
    reopened = Table(table.spark, copy)

    assert reopened.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]
    assert reopened.insert("'Bob'").column("SELECT count(*) FROM {t} WHERE name = 'BOB'") == [2]


def test_time_travel_compares_with_collation_of_older_version(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'")
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE")

    assert table.column("SELECT name FROM {t} VERSION AS OF 1 WHERE name = 'BOB'") == ["Bob"]
    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == []
    table.sql("RESTORE TABLE {t} TO VERSION AS OF 1")
    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]
