# SPDX-License-Identifier: Apache-2.0
"""The collation of a column is changed, and what holds that back."""

import json

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from support.platforms import CHAR_VARCHAR_ERROR
from support.tables import ForeignTable, Table, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]

POSITIONS = [
    pytest.param("c STRING", "'Bob'", "c", "c", id="column"),
    pytest.param("s STRUCT<f: STRING>", "struct('Bob')", "s.f", "s.f", id="field of a struct"),
    pytest.param("a ARRAY<STRING>", "array('Bob')", "a.element", "a[0]", id="array element"),
    pytest.param("m MAP<STRING, STRING>", "map('k', 'Bob')", "m.value", "m['k']", id="map value"),
    pytest.param(
        "a ARRAY<STRUCT<f: STRING>>",
        "array(struct('Bob'))",
        "a.element.f",
        "a[0].f",
        id="field of a struct in an array",
    ),
]


def change(table: Table, column: str, collation: str) -> Table:
    table.sql(f"ALTER TABLE {{t}} ALTER COLUMN {column} TYPE STRING COLLATE {collation}")
    return table


def found(table: Table, read: str, literal: str) -> int:
    return len(table.rows(f"SELECT * FROM {{t}} WHERE {read} = '{literal}'"))


@pytest.mark.parametrize(("columns", "row", "column", "read"), POSITIONS)
def test_rows_compare_by_the_collation_in_force_and_no_file_is_rewritten(
    table: Table, columns: str, row: str, column: str, read: str
) -> None:
    row = f"1, {row}"
    table.create(f"id INT, {columns}").insert(row)
    assert found(table, read, "BOB") == 0

    change(table, column, "UTF8_LCASE").insert(row)
    assert (found(table, read, "BOB"), found(table, read, "Bòb")) == (2, 0)

    change(table, column, "UNICODE_CI_AI").insert(row)
    assert (found(table, read, "BOB"), found(table, read, "Bòb")) == (3, 3)

    change(table, column, "UTF8_BINARY").insert(row)
    assert (found(table, read, "BOB"), found(table, read, "Bob")) == (0, 4)
    assert "__COLLATIONS" not in table.log.schema_text
    assert table.log.actions("remove") == []
    assert len(table.log.actions("add")) == 4


def test_the_feature_is_announced_in_the_commit_that_brings_the_collation(table: Table) -> None:
    change(table.create("c STRING"), "c", "UNICODE_CI")

    kinds = {kind for action in table.log.commits[1] for kind in action}
    assert {"metaData", "protocol"} <= kinds
    assert table.log.protocol["writerFeatures"] == FEATURES
    assert table.log.collations("c") == {"c": "icu.UNICODE_CI"}


@pytest.mark.parametrize("widening", ["true", "false"])
def test_a_change_of_collation_is_not_recorded_as_a_change_of_type(
    table: Table, widening: str
) -> None:
    table.create("c STRING", **{"delta.enableTypeWidening": widening})
    before = set(table.log.protocol.get("writerFeatures", []))
    change(table, "c", "UTF8_LCASE")

    assert "delta.typeChanges" not in table.log.schema_text
    assert ("typeWidening" in table.log.protocol["writerFeatures"]) == ("typeWidening" in before)


def test_what_else_is_known_of_the_column_stays(table: Table) -> None:
    table.create(
        "c STRING COMMENT 'who' DEFAULT 'Bob'",
        **{"delta.columnMapping.mode": "name", "delta.feature.allowColumnDefaults": "supported"},
    )
    before = table.log.field("c")["metadata"]
    change(table, "c", "UTF8_LCASE").insert("DEFAULT")

    assert table.log.field("c")["metadata"] == {**before, "__COLLATIONS": {"c": "spark.UTF8_LCASE"}}
    assert found(table, "c", "BOB") == 1


def test_several_columns_are_changed_by_one_statement(table: Table) -> None:
    table.create("c STRING, d STRING").sql(
        "ALTER TABLE {t} ALTER COLUMN "
        "c TYPE STRING COLLATE UTF8_LCASE, d TYPE STRING COLLATE UNICODE"
    )

    assert table.log.collations("c") == {"c": "spark.UTF8_LCASE"}
    assert table.log.collations("d") == {"d": "icu.UNICODE"}
    assert len(table.log.commits) == 2


@pytest.mark.parametrize(
    ("definition", "statement", "condition", "said"),
    [
        pytest.param(
            "(c STRING, P STRING) USING delta PARTITIONED BY (P)",
            "ALTER COLUMN p TYPE STRING COLLATE UTF8_LCASE",
            "COLLATIONS_UNSUPPORTED_TYPE_CHANGE.PARTITION_COLUMN",
            "Column P cannot be changed",
            id="partition column",
        ),
        pytest.param(
            "(v VARCHAR(5)) USING delta",
            "ALTER COLUMN v TYPE VARCHAR(5) COLLATE UTF8_LCASE",
            CHAR_VARCHAR_ERROR or "COLLATIONS_UNSUPPORTED_TYPE_CHANGE.CHAR_VARCHAR",
            "" if CHAR_VARCHAR_ERROR else "Change it to STRING COLLATE",
            id="string of limited length",
        ),
        pytest.param(
            "(m MAP<STRING, STRING>) USING delta",
            "ALTER COLUMN m.key TYPE STRING COLLATE UTF8_LCASE",
            "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.MAP_KEY",
            "Column m cannot have the type",
            id="map key",
        ),
        pytest.param(
            "(c STRING, g INT GENERATED ALWAYS AS (length(c))) USING delta",
            "ALTER COLUMN c TYPE STRING COLLATE UTF8_LCASE",
            "DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE",
            "g -> length(c)",
            id="generated column",
        ),
        pytest.param(
            "(i INT) USING delta",
            "ALTER COLUMN i TYPE STRING COLLATE UTF8_LCASE",
            "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
            "column i from INT",
            id="another type",
        ),
        pytest.param(
            "(c STRING) USING delta",
            "REPLACE COLUMNS (c STRING COLLATE UTF8_LCASE)",
            "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
            "changing data type of c",
            id="all columns at once",
        ),
    ],
)
def test_a_change_that_something_stands_against_is_refused_and_leaves_no_commit(
    table: Table, definition: str, statement: str, condition: str, said: str
) -> None:
    table.sql(f"CREATE TABLE {{t}} {definition}")

    with pytest.raises(PySparkException) as refused:
        table.sql(f"ALTER TABLE {{t}} {statement}")

    assert refused.value.getCondition() == condition
    assert said in str(refused.value)
    assert len(table.log.commits) == 1


def test_a_column_of_a_check_constraint_keeps_its_collation(table: Table) -> None:
    table.create("c STRING").sql("ALTER TABLE {t} ADD CONSTRAINT k CHECK (c <> 'BAD')")

    with pytest.raises(PySparkException, match="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"):
        change(table, "c", "UTF8_LCASE")

    assert len(table.log.commits) == 2


def test_a_collated_partition_column_can_be_made_plain(table: Table) -> None:
    rows = table.spark.sql("SELECT 1 AS id, 'Bob' COLLATE UTF8_LCASE AS p")
    rows.write.format("delta").partitionBy("p").save(str(table.path))
    change(table, "p", "UTF8_BINARY")

    assert (found(table, "p", "BOB"), found(table, "p", "Bob")) == (0, 1)


def test_a_comment_on_a_collated_partition_column_is_no_change_of_collation(table: Table) -> None:
    rows = table.spark.sql("SELECT 1 AS id, 'Bob' COLLATE UTF8_LCASE AS p")
    rows.write.format("delta").partitionBy("p").save(str(table.path))
    table.sql("ALTER TABLE {t} ALTER COLUMN p COMMENT 'who'")

    assert table.log.field("p")["metadata"]["comment"] == "who"
    assert found(table, "p", "BOB") == 1


def test_a_clustered_column_with_statistics_is_changed_and_optimized(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (id INT, c STRING) USING delta CLUSTER BY (c) "
        "TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'c')"
    )
    change(table.insert("1, 'Bob'"), "c", "UTF8_LCASE").insert("2, 'bob'").sql("OPTIMIZE {t}")

    assert found(table, "c", "BOB") == 2


def test_the_feature_is_not_dropped_while_a_column_has_a_collation(table: Table) -> None:
    table.create("id INT, `a-b` STRUCT<f: ARRAY<STRING COLLATE UTF8_LCASE>>")

    with pytest.raises(PySparkException) as refused:
        table.sql("ALTER TABLE {t} DROP FEATURE collations")

    assert refused.value.getCondition() == "COLLATIONS_FEATURE_IN_USE"
    way_out = "ALTER COLUMN `a-b`.f.element TYPE STRING COLLATE UTF8_BINARY"
    assert way_out in str(refused.value)
    table.sql(f"ALTER TABLE {{t}} {way_out}")
    table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert "collations" not in table.log.protocol["writerFeatures"]


@pytest.mark.parametrize("feature", ["collations", "collations-preview"])
def test_dropping_the_feature_takes_its_domain_along(table: Table, feature: str) -> None:
    ForeignTable(table.path, [field("name", "string")], ["domainMetadata", feature]).write()
    commit = table.path / "_delta_log" / f"{1:020}.json"
    versions = {"domain": "collations", "configuration": "{}", "removed": False}
    commit.write_text(json.dumps({"domainMetadata": versions}) + "\n")
    table.sql(f"ALTER TABLE {{t}} DROP FEATURE `{feature}`")

    assert table.log.protocol["writerFeatures"] == ["domainMetadata"]
    assert table.log.actions("domainMetadata")[-1] == {**versions, "removed": True}
    table.insert("'Bob'")


def test_domain_metadata_is_not_dropped_under_the_feature(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    # Delta raises this one in a class that PySpark does not translate.
    with pytest.raises(Py4JJavaError, match=r"DEPENDENT_FEATURE.*collations"):
        table.sql("ALTER TABLE {t} DROP FEATURE domainMetadata")

    assert len(table.log.commits) == 1
