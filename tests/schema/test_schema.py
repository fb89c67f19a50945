# SPDX-License-Identifier: Apache-2.0
"""Collations in the schema JSON of the log, before and after changes to the table."""

import json
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.platforms import CHAR_VARCHAR_ERROR, IS_OLDEST
from support.tables import ForeignTable, Json, Table, collated, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]
COLUMN_MAPPING = {"delta.columnMapping.mode": "name"}


@pytest.mark.parametrize(
    "columns",
    [
        "c STRING COLLATE UTF8_BINARY",
        "c ARRAY<STRING COLLATE UTF8_BINARY>",
        "c MAP<STRING COLLATE UTF8_BINARY, STRING COLLATE UTF8_BINARY>",
        "c STRUCT<f: STRING COLLATE UTF8_BINARY>",
    ],
)
def test_explicit_utf8_binary_is_plain_string_in_schema_json(table: Table, columns: str) -> None:
    table.create(columns)

    assert "collat" not in table.log.schema_text.lower()
    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}


@pytest.mark.parametrize("data_type", ["CHAR(3)", "VARCHAR(3)"])
def test_char_and_varchar_with_collation_are_rejected(table: Table, data_type: str) -> None:
    with pytest.raises(AnalysisException) as error:
        table.create(f"c {data_type} COLLATE UNICODE_CI")

    condition = "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.CHAR_VARCHAR"
    assert error.value.getCondition() == (CHAR_VARCHAR_ERROR or condition)
    if not CHAR_VARCHAR_ERROR:
        assert f"Column c cannot have the type {data_type}" in str(error.value)
    assert not table.path.exists()


def test_schema_json_uses_spark_spelling_of_collation_names(table: Table) -> None:
    table.create("a STRING COLLATE unicode_rtrim_ai_ci, b STRING COLLATE SR_CYRL_srb")

    assert table.log.collations("a") == {"a": "icu.UNICODE_CI_AI_RTRIM"}
    assert table.log.collations("b") == {"b": "icu.sr_Cyrl_SRB"}


@pytest.mark.parametrize(
    ("columns", "path", "collations"),
    [
        pytest.param(
            "c ARRAY<ARRAY<STRING COLLATE de>>",
            ["c"],
            {"c.element.element": "icu.de"},
            id="nested arrays",
        ),
        pytest.param(
            "c MAP<INT, MAP<INT, STRING COLLATE de>>",
            ["c"],
            {"c.value.value": "icu.de"},
            id="nested maps",
        ),
        pytest.param(
            "c MAP<INT, STRUCT<f: STRING COLLATE de>>",
            ["c", "value", "f"],
            {"f": "icu.de"},
            id="struct in map starts a new path",
        ),
        pytest.param("`a.b` STRING COLLATE de", ["a.b"], {"a.b": "icu.de"}, id="name with a dot"),
        pytest.param(
            "`a.b.element` ARRAY<STRING COLLATE de>",
            ["a.b.element"],
            {"a.b.element.element": "icu.de"},
            id="name that looks like a path",
        ),
        pytest.param(
            "element ARRAY<STRING COLLATE de>",
            ["element"],
            {"element.element": "icu.de"},
            id="column named element",
        ),
        pytest.param(
            "`value` MAP<INT, STRING COLLATE de>",
            ["value"],
            {"value.value": "icu.de"},
            id="column named value",
        ),
        pytest.param("`key` STRING COLLATE de", ["key"], {"key": "icu.de"}, id="column named key"),
    ],
)
def test_schema_json_round_trips_nested_positions_and_unusual_names(
    table: Table, columns: str, path: list[str], collations: Json
) -> None:
    table.create(columns, **COLUMN_MAPPING)
    created = table.sql("SELECT * FROM {t}").schema
    table.sql("ALTER TABLE {t} ADD COLUMN more INT")

    assert table.log.collations(*path) == collations
    assert table.sql("SELECT * FROM {t}").schema[0].dataType == created[0].dataType
    assert "collate de" in created[0].dataType.simpleString()


def test_alter_table_keeps_collations_and_metadata_of_other_columns(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI COMMENT 'who', s STRUCT<f: STRING COLLATE de>",
        **COLUMN_MAPPING,
    )
    before = table.log.field("name")["metadata"]
    assert before.keys() >= {"comment", "delta.columnMapping.id", "__COLLATIONS"}

    table.sql("ALTER TABLE {t} ADD COLUMNS (n INT FIRST, m STRING COLLATE sv AFTER id)")
    table.sql("ALTER TABLE {t} DROP COLUMN id")
    table.sql("ALTER TABLE {t} ALTER COLUMN m COMMENT 'more'")
    table.sql("ALTER TABLE {t} ALTER COLUMN m FIRST")
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('made.by' = 'me')")

    assert table.log.field("name")["metadata"] == before
    assert table.log.collations("s", "f") == {"f": "icu.de"}
    assert table.log.collations("m") == {"m": "icu.sv"}


def test_rename_column_updates_its_own_collation_paths(table: Table) -> None:
    table.create(
        "name STRING COLLATE UNICODE_CI, tags ARRAY<STRING COLLATE sv>, "
        "s STRUCT<f: STRING COLLATE de>",
        **COLUMN_MAPPING,
    ).insert("'Bob', array('a'), struct('x')")
    for old, new in (("name", "who"), ("tags", "labels"), ("s", "t"), ("t.f", "g")):
        table.sql(f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}")

    assert table.log.collations("who") == {"who": "icu.UNICODE_CI"}
    assert table.log.collations("labels") == {"labels.element": "icu.sv"}
    assert table.log.collations("t", "g") == {"g": "icu.de"}
    assert table.log.collations("t") is None
    assert table.column("SELECT labels[0] FROM {t} WHERE who = 'BOB'") == ["a"]


def test_type_widening_and_collations_share_field_metadata(table: Table) -> None:
    table.create("m MAP<INT, STRING COLLATE de>", **{"delta.enableTypeWidening": "true"})
    table.sql("ALTER TABLE {t} ALTER COLUMN m.key TYPE BIGINT")

    metadata = table.log.field("m")["metadata"]
    assert metadata["__COLLATIONS"] == {"m.value": "icu.de"}
    assert [change["fieldPath"] for change in metadata["delta.typeChanges"]] == ["key"]


def test_replace_clone_and_restore_keep_feature_and_collations(
    spark: SparkSession, table: Table
) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'")
    clone = Table(spark, table.path.parent / "clone")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {table.name}")
    assert clone.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert clone.log.protocol["writerFeatures"] == FEATURES
    assert clone.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]

    table.sql("REPLACE TABLE {t} (name STRING COLLATE de) USING delta")
    assert table.log.collations("name") == {"name": "icu.de"}
    table.sql("REPLACE TABLE {t} USING delta AS SELECT 'x' COLLATE sv AS word")
    assert table.log.collations("word") == {"word": "icu.sv"}
    table.sql("REPLACE TABLE {t} (plain STRING) USING delta")
    assert "__COLLATIONS" not in table.log.schema_text
    assert table.log.protocol["writerFeatures"] == FEATURES

    table.sql("RESTORE TABLE {t} TO VERSION AS OF 1")
    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]


def test_convert_to_delta_keeps_collations_of_parquet_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    for folder, query, collation in (
        ("plain", "SELECT 'Bob' AS name", None),
        ("collated", "SELECT 'Bob' COLLATE UNICODE_CI AS name", {"name": "icu.UNICODE_CI"}),
    ):
        table = Table(spark, tmp_path / folder)
        spark.sql(query).write.parquet(str(table.path))
        spark.sql(f"CONVERT TO DELTA parquet.`{table.path}`")
        assert table.log.collations("name") == collation
        assert ("writerFeatures" in table.log.protocol) == (collation is not None)


def test_default_collation_of_table_or_schema_applies_to_columns(spark: SparkSession) -> None:
    # Default collations of schemas require a setting that Spark does not document yet.
    spark.conf.set("spark.sql.collation.schemaLevel.enabled", "true")
    schema_default = "" if IS_OLDEST else "DEFAULT COLLATION sv"
    spark.sql(f"CREATE SCHEMA nordic {schema_default}")
    spark.sql("CREATE TABLE nordic.words (word STRING) USING delta")
    spark.sql("CREATE TABLE defaults (name STRING, n INT) USING delta DEFAULT COLLATION UNICODE_CI")
    spark.sql("ALTER TABLE defaults ADD COLUMN nick STRING")
    try:
        words = spark.table("nordic.words").schema["word"].dataType.simpleString()
        names = [each.dataType.simpleString() for each in spark.table("defaults").schema]
    finally:
        spark.sql("DROP TABLE defaults")
        spark.sql("DROP SCHEMA nordic CASCADE")
        spark.conf.unset("spark.sql.collation.schemaLevel.enabled")

    assert words == ("string" if IS_OLDEST else "string collate sv")
    assert names == ["string collate UNICODE_CI", "int", "string collate UNICODE_CI"]


def test_table_feature_can_be_enabled_without_collated_column(table: Table) -> None:
    table.create("id INT", **{"delta.feature.collations": "supported"})

    assert {"collations", "domainMetadata"} <= set(table.log.protocol["writerFeatures"])
    assert "delta.feature.collations" not in json.dumps(table.log.actions("metaData"))


def test_column_mapping_keeps_collations_when_enabled_later(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'")
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]


@pytest.mark.parametrize(
    "compat",
    [f"delta.enableIcebergCompatV{version}" for version in (1, 2, 3)],
)
def test_iceberg_compat_and_collations_are_mutually_exclusive(
    spark: SparkSession, tmp_path: Path, compat: str
) -> None:
    collated = Table(spark, tmp_path / "collated").create(
        "c STRING COLLATE UNICODE_CI", **COLUMN_MAPPING
    )
    compatible = Table(spark, tmp_path / "iceberg").create(
        "id INT", **COLUMN_MAPPING, **{compat: "true"}
    )
    for table, change in (
        (collated, f"SET TBLPROPERTIES ('{compat}' = 'true')"),
        (compatible, "ADD COLUMN c STRING COLLATE UNICODE_CI"),
    ):
        with pytest.raises(AnalysisException) as error:
            table.sql(f"ALTER TABLE {{t}} {change}")
        assert error.value.getCondition() == "COLLATIONS_UNSUPPORTED_ICEBERG"
        assert compat in str(error.value)
        assert len(table.log.commits) == 1


def test_collated_partition_column_of_other_writer_matches_with_collation(
    spark: SparkSession, tmp_path: Path
) -> None:
    foreign = ForeignTable(
        tmp_path / "t",
        [field("id", "integer"), collated("p", "spark.UTF8_LCASE")],
        FEATURES,
        partition_columns=["p"],
    )
    table = Table(spark, foreign.write()).insert("1, 'a'", "2, 'A'", "3, 'b'")

    assert sorted(table.column("SELECT id FROM {t} WHERE p = 'A'")) == [1, 2]
    partitions = [add["partitionValues"]["p"] for add in table.log.actions("add")]
    assert sorted(partitions) == ["A", "a", "b"]


@pytest.mark.parametrize("features", [[], None], ids=["writer version 7", "writer version 2"])
def test_first_write_adds_missing_table_feature(
    spark: SparkSession, tmp_path: Path, features: list[str] | None
) -> None:
    foreign = ForeignTable(tmp_path / "t", [collated("c", "icu.UNICODE_CI")], features)
    table = Table(spark, foreign.write())
    assert table.rows("SELECT c FROM {t} WHERE c = 'BOB'") == []

    table.insert("'Bob'")

    assert table.column("SELECT c FROM {t} WHERE c = 'BOB'") == ["Bob"]
    assert {"collations", "domainMetadata"} <= set(table.log.protocol["writerFeatures"])
