# SPDX-License-Identifier: Apache-2.0
"""The schema in the log stays right through every change that can be made to a table."""

import json
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.platforms import CHAR_VARCHAR_ERROR, IS_OLDEST
from support.tables import ForeignTable, Json, Table, collated, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]
MAPPED = {"delta.columnMapping.mode": "name"}


@pytest.mark.parametrize(
    "columns",
    [
        "c STRING COLLATE UTF8_BINARY",
        "c ARRAY<STRING COLLATE UTF8_BINARY>",
        "c MAP<STRING COLLATE UTF8_BINARY, STRING COLLATE UTF8_BINARY>",
        "c STRUCT<f: STRING COLLATE UTF8_BINARY>",
    ],
)
def test_binary_order_by_name_is_a_plain_string_in_the_log(table: Table, columns: str) -> None:
    table.create(columns)

    assert "collat" not in table.log.schema_text.lower()
    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}


@pytest.mark.parametrize("data_type", ["CHAR(3)", "VARCHAR(3)"])
def test_a_fixed_length_string_with_a_collation_is_refused(table: Table, data_type: str) -> None:
    with pytest.raises(AnalysisException) as refused:
        table.create(f"c {data_type} COLLATE UNICODE_CI")

    ours = "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.CHAR_VARCHAR"
    assert refused.value.getCondition() == (CHAR_VARCHAR_ERROR or ours)
    if not CHAR_VARCHAR_ERROR:
        assert f"Column c cannot have the type {data_type}" in str(refused.value)
    assert not table.path.exists()


def test_names_are_written_as_spark_spells_them(table: Table) -> None:
    table.create("a STRING COLLATE unicode_rtrim_ai_ci, b STRING COLLATE SR_CYRL_srb")

    assert table.log.collations("a") == {"a": "icu.UNICODE_CI_AI_RTRIM"}
    assert table.log.collations("b") == {"b": "icu.sr_Cyrl_SRB"}


@pytest.mark.parametrize(
    ("columns", "where", "collations"),
    [
        pytest.param(
            "c ARRAY<ARRAY<STRING COLLATE de>>", ["c"], {"c.element.element": "icu.de"}, id="arrays"
        ),
        pytest.param(
            "c MAP<INT, MAP<INT, STRING COLLATE de>>", ["c"], {"c.value.value": "icu.de"}, id="maps"
        ),
        pytest.param(
            "c MAP<INT, STRUCT<f: STRING COLLATE de>>",
            ["c", "value", "f"],
            {"f": "icu.de"},
            id="a struct ends the path",
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
            id="element",
        ),
        pytest.param(
            "`value` MAP<INT, STRING COLLATE de>", ["value"], {"value.value": "icu.de"}, id="value"
        ),
        pytest.param("`key` STRING COLLATE de", ["key"], {"key": "icu.de"}, id="key"),
    ],
)
def test_unusual_positions_and_names_come_back_as_they_were_written(
    table: Table, columns: str, where: list[str], collations: Json
) -> None:
    table.create(columns, **MAPPED)
    created = table.sql("SELECT * FROM {t}").schema
    table.sql("ALTER TABLE {t} ADD COLUMN more INT")

    assert table.log.collations(*where) == collations
    assert table.sql("SELECT * FROM {t}").schema[0].dataType == created[0].dataType
    assert "collate de" in created[0].dataType.simpleString()


def test_changes_to_other_columns_leave_collations_and_other_metadata_alone(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI COMMENT 'who', s STRUCT<f: STRING COLLATE de>",
        **MAPPED,
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


def test_renaming_a_column_moves_its_collations_and_renaming_a_struct_does_not(
    table: Table,
) -> None:
    table.create(
        "name STRING COLLATE UNICODE_CI, tags ARRAY<STRING COLLATE sv>, "
        "s STRUCT<f: STRING COLLATE de>",
        **MAPPED,
    ).insert("'Bob', array('a'), struct('x')")
    for old, new in (("name", "who"), ("tags", "labels"), ("s", "t"), ("t.f", "g")):
        table.sql(f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}")

    assert table.log.collations("who") == {"who": "icu.UNICODE_CI"}
    assert table.log.collations("labels") == {"labels.element": "icu.sv"}
    assert table.log.collations("t", "g") == {"g": "icu.de"}
    assert table.log.collations("t") is None
    assert table.column("SELECT labels[0] FROM {t} WHERE who = 'BOB'") == ["a"]


def test_type_widening_and_collations_live_in_one_field(table: Table) -> None:
    table.create("m MAP<INT, STRING COLLATE de>", **{"delta.enableTypeWidening": "true"})
    table.sql("ALTER TABLE {t} ALTER COLUMN m.key TYPE BIGINT")

    metadata = table.log.field("m")["metadata"]
    assert metadata["__COLLATIONS"] == {"m.value": "icu.de"}
    assert [change["fieldPath"] for change in metadata["delta.typeChanges"]] == ["key"]


def test_replacing_cloning_and_restoring_a_table_carry_the_collations(
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


def test_parquet_files_are_converted_to_a_plain_table_or_a_collated_one(
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


def test_a_default_collation_of_the_table_or_the_schema_reaches_its_columns(
    spark: SparkSession,
) -> None:
    # Spark has this behind a setting that its documentation does not name yet.
    spark.conf.set("spark.sql.collation.schemaLevel.enabled", "true")
    of_schema = "" if IS_OLDEST else "DEFAULT COLLATION sv"
    spark.sql(f"CREATE SCHEMA nordic {of_schema}")
    spark.sql("CREATE TABLE nordic.words (word STRING) USING delta")
    spark.sql("CREATE TABLE names (name STRING, n INT) USING delta DEFAULT COLLATION UNICODE_CI")
    spark.sql("ALTER TABLE names ADD COLUMN nick STRING")
    try:
        words = spark.table("nordic.words").schema["word"].dataType.simpleString()
        names = [each.dataType.simpleString() for each in spark.table("names").schema]
    finally:
        spark.sql("DROP TABLE names")
        spark.sql("DROP SCHEMA nordic CASCADE")
        spark.conf.unset("spark.sql.collation.schemaLevel.enabled")

    assert words == ("string" if IS_OLDEST else "string collate sv")
    assert names == ["string collate UNICODE_CI", "int", "string collate UNICODE_CI"]


def test_the_feature_can_be_asked_for_before_there_is_a_collated_column(table: Table) -> None:
    table.create("id INT", **{"delta.feature.collations": "supported"})

    assert {"collations", "domainMetadata"} <= set(table.log.protocol["writerFeatures"])
    assert "delta.feature.collations" not in json.dumps(table.log.actions("metaData"))


def test_mapping_columns_by_name_keeps_the_collations(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'")
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]


@pytest.mark.parametrize(
    "compat",
    [f"delta.enableIcebergCompatV{version}" for version in (1, 2, 3)],
)
def test_iceberg_compatibility_and_collations_exclude_each_other(
    spark: SparkSession, tmp_path: Path, compat: str
) -> None:
    collated = Table(spark, tmp_path / "collated").create("c STRING COLLATE UNICODE_CI", **MAPPED)
    compatible = Table(spark, tmp_path / "iceberg").create("id INT", **MAPPED, **{compat: "true"})
    for table, change in (
        (collated, f"SET TBLPROPERTIES ('{compat}' = 'true')"),
        (compatible, "ADD COLUMN c STRING COLLATE UNICODE_CI"),
    ):
        with pytest.raises(AnalysisException) as refused:
            table.sql(f"ALTER TABLE {{t}} {change}")
        assert refused.value.getCondition() == "COLLATIONS_UNSUPPORTED_ICEBERG"
        assert compat in str(refused.value)
        assert len(table.log.commits) == 1


def test_a_collated_partition_column_of_another_writer_finds_every_spelling(
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
def test_a_table_with_collations_but_no_feature_gets_it_with_the_first_write(
    spark: SparkSession, tmp_path: Path, features: list[str] | None
) -> None:
    foreign = ForeignTable(tmp_path / "t", [collated("c", "icu.UNICODE_CI")], features)
    table = Table(spark, foreign.write())
    assert table.rows("SELECT c FROM {t} WHERE c = 'BOB'") == []

    table.insert("'Bob'")

    assert table.column("SELECT c FROM {t} WHERE c = 'BOB'") == ["Bob"]
    assert {"collations", "domainMetadata"} <= set(table.log.protocol["writerFeatures"])
