# SPDX-License-Identifier: Apache-2.0
"""``ALTER COLUMN … TYPE STRING COLLATE``, and dropping the table feature."""

import json

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from support.platforms import CHAR_VARCHAR_ERROR
from support.tables import ForeignTable, Table, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]

POSITIONS = [
    pytest.param("c STRING", "'Bob'", "c", "c", id="column"),
    pytest.param("s STRUCT<f: STRING>", "struct('Bob')", "s.f", "s.f", id="struct field"),
    pytest.param("a ARRAY<STRING>", "array('Bob')", "a.element", "a[0]", id="array element"),
    pytest.param("m MAP<STRING, STRING>", "map('k', 'Bob')", "m.value", "m['k']", id="map value"),
    pytest.param(
        "a ARRAY<STRUCT<f: STRING>>",
        "array(struct('Bob'))",
        "a.element.f",
        "a[0].f",
        id="struct field in array",
    ),
]


def change_collation(table: Table, column: str, collation: str) -> Table:
    table.sql(f"ALTER TABLE {{t}} ALTER COLUMN {column} TYPE STRING COLLATE {collation}")
    return table


def matches(table: Table, expression: str, literal: str) -> int:
    return len(table.rows(f"SELECT * FROM {{t}} WHERE {expression} = '{literal}'"))


@pytest.mark.parametrize(("columns", "row", "column", "expression"), POSITIONS)
def test_alter_column_changes_comparison_without_rewriting_files(
    table: Table, columns: str, row: str, column: str, expression: str
) -> None:
    row = f"1, {row}"
    table.create(f"id INT, {columns}").insert(row)
    assert matches(table, expression, "BOB") == 0

    change_collation(table, column, "UTF8_LCASE").insert(row)
    assert (matches(table, expression, "BOB"), matches(table, expression, "Bòb")) == (2, 0)

    change_collation(table, column, "UNICODE_CI_AI").insert(row)
    assert (matches(table, expression, "BOB"), matches(table, expression, "Bòb")) == (3, 3)

    change_collation(table, column, "UTF8_BINARY").insert(row)
    assert (matches(table, expression, "BOB"), matches(table, expression, "Bob")) == (0, 4)
    assert "__COLLATIONS" not in table.log.schema_text
    assert table.log.actions("remove") == []
    assert len(table.log.actions("add")) == 4


def test_alter_column_adds_table_feature_in_same_commit(table: Table) -> None:
    change_collation(table.create("c STRING"), "c", "UNICODE_CI")

    kinds = {kind for action in table.log.commits[1] for kind in action}
    assert {"metaData", "protocol"} <= kinds
    assert table.log.protocol["writerFeatures"] == FEATURES
    assert table.log.collations("c") == {"c": "icu.UNICODE_CI"}


@pytest.mark.parametrize("widening", ["true", "false"])
def test_alter_column_collation_is_not_recorded_as_type_change(table: Table, widening: str) -> None:
    table.create("c STRING", **{"delta.enableTypeWidening": widening})
    before = set(table.log.protocol.get("writerFeatures", []))
    change_collation(table, "c", "UTF8_LCASE")

    assert "delta.typeChanges" not in table.log.schema_text
    assert ("typeWidening" in table.log.protocol["writerFeatures"]) == ("typeWidening" in before)


def test_alter_column_keeps_other_column_metadata(table: Table) -> None:
    table.create(
        "c STRING COMMENT 'who' DEFAULT 'Bob'",
        **{"delta.columnMapping.mode": "name", "delta.feature.allowColumnDefaults": "supported"},
    )
    before = table.log.field("c")["metadata"]
    change_collation(table, "c", "UTF8_LCASE").insert("DEFAULT")

    assert table.log.field("c")["metadata"] == {**before, "__COLLATIONS": {"c": "spark.UTF8_LCASE"}}
    assert matches(table, "c", "BOB") == 1


def test_alter_column_changes_several_columns_in_one_commit(table: Table) -> None:
    table.create("c STRING, d STRING").sql(
        "ALTER TABLE {t} ALTER COLUMN "
        "c TYPE STRING COLLATE UTF8_LCASE, d TYPE STRING COLLATE UNICODE"
    )

    assert table.log.collations("c") == {"c": "spark.UTF8_LCASE"}
    assert table.log.collations("d") == {"d": "icu.UNICODE"}
    assert len(table.log.commits) == 2


@pytest.mark.parametrize(
    ("definition", "statement", "condition", "message"),
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
            "" if CHAR_VARCHAR_ERROR else "Change the type to STRING COLLATE",
            id="VARCHAR",
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
            id="non-string column",
        ),
        pytest.param(
            "(c STRING) USING delta",
            "REPLACE COLUMNS (c STRING COLLATE UTF8_LCASE)",
            "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
            "changing data type of c",
            id="REPLACE COLUMNS",
        ),
    ],
)
def test_alter_column_leaves_no_commit_when_rejected(
    table: Table, definition: str, statement: str, condition: str, message: str
) -> None:
    table.sql(f"CREATE TABLE {{t}} {definition}")

    with pytest.raises(PySparkException) as error:
        table.sql(f"ALTER TABLE {{t}} {statement}")

    assert error.value.getCondition() == condition
    assert message in str(error.value)
    assert len(table.log.commits) == 1


def test_alter_column_is_rejected_for_column_in_check_constraint(table: Table) -> None:
    table.create("c STRING").sql("ALTER TABLE {t} ADD CONSTRAINT k CHECK (c <> 'BAD')")

    with pytest.raises(PySparkException, match="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"):
        change_collation(table, "c", "UTF8_LCASE")

    assert len(table.log.commits) == 2


def test_alter_column_removes_collation_of_partition_column(table: Table) -> None:
    rows = table.spark.sql("SELECT 1 AS id, 'Bob' COLLATE UTF8_LCASE AS p")
    rows.write.format("delta").partitionBy("p").save(str(table.path))
    change_collation(table, "p", "UTF8_BINARY")

    assert (matches(table, "p", "BOB"), matches(table, "p", "Bob")) == (0, 1)


def test_alter_column_comment_keeps_collation_of_partition_column(table: Table) -> None:
    rows = table.spark.sql("SELECT 1 AS id, 'Bob' COLLATE UTF8_LCASE AS p")
    rows.write.format("delta").partitionBy("p").save(str(table.path))
    table.sql("ALTER TABLE {t} ALTER COLUMN p COMMENT 'who'")

    assert table.log.field("p")["metadata"]["comment"] == "who"
    assert matches(table, "p", "BOB") == 1


def test_alter_column_works_on_clustering_column_with_stats(table: Table) -> None:
    table.sql(
        "CREATE TABLE {t} (id INT, c STRING) USING delta CLUSTER BY (c) "
        "TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'c')"
    )
    change_collation(table.insert("1, 'Bob'"), "c", "UTF8_LCASE").insert("2, 'bob'").sql(
        "OPTIMIZE {t}"
    )

    assert matches(table, "c", "BOB") == 2


def test_drop_feature_is_rejected_while_a_column_is_collated(table: Table) -> None:
    table.create("id INT, `a-b` STRUCT<f: ARRAY<STRING COLLATE UTF8_LCASE>>")

    with pytest.raises(PySparkException) as error:
        table.sql("ALTER TABLE {t} DROP FEATURE collations")

    assert error.value.getCondition() == "COLLATIONS_FEATURE_IN_USE"
    suggested = "ALTER COLUMN `a-b`.f.element TYPE STRING COLLATE UTF8_BINARY"
    assert suggested in str(error.value)
    table.sql(f"ALTER TABLE {{t}} {suggested}")
    table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert "collations" not in table.log.protocol["writerFeatures"]


@pytest.mark.parametrize("feature", ["collations", "collations-preview"])
def test_drop_feature_removes_metadata_domain(table: Table, feature: str) -> None:
    ForeignTable(table.path, [field("name", "string")], ["domainMetadata", feature]).write()
    commit = table.path / "_delta_log" / f"{1:020}.json"
    versions = {"domain": "collations", "configuration": "{}", "removed": False}
    commit.write_text(json.dumps({"domainMetadata": versions}) + "\n")
    table.sql(f"ALTER TABLE {{t}} DROP FEATURE `{feature}`")

    assert table.log.protocol["writerFeatures"] == ["domainMetadata"]
    assert table.log.actions("domainMetadata")[-1] == {**versions, "removed": True}
    table.insert("'Bob'")


def test_drop_feature_domain_metadata_is_rejected_on_collated_table(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    # PySpark does not convert the class of this Delta exception.
    with pytest.raises(Py4JJavaError, match=r"DEPENDENT_FEATURE.*collations"):
        table.sql("ALTER TABLE {t} DROP FEATURE domainMetadata")

    assert len(table.log.commits) == 1
