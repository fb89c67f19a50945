# SPDX-License-Identifier: Apache-2.0
"""Creating a collated table: the protocol and schema in its log, and rejected definitions."""

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from support.tables import Table

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]


def test_create_table_adds_writer_feature_for_collated_column(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")

    assert table.log.protocol == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": FEATURES,
    }


def test_create_table_adds_no_feature_without_collated_column(table: Table) -> None:
    table.create("id INT, name STRING, tags ARRAY<STRING>, m MAP<STRING, STRING>")

    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}
    assert "__COLLATIONS" not in table.log.schema_text


@pytest.mark.parametrize(
    ("columns", "path", "collations"),
    [
        pytest.param("c STRING COLLATE UTF8_LCASE", ["c"], {"c": "spark.UTF8_LCASE"}, id="column"),
        pytest.param(
            "c STRING COLLATE UTF8_BINARY_RTRIM",
            ["c"],
            {"c": "spark.UTF8_BINARY_RTRIM"},
            id="UTF8_BINARY_RTRIM",
        ),
        pytest.param(
            "c ARRAY<STRING COLLATE UNICODE_CI>",
            ["c"],
            {"c.element": "icu.UNICODE_CI"},
            id="array element",
        ),
        pytest.param("c MAP<INT, STRING COLLATE de>", ["c"], {"c.value": "icu.de"}, id="map value"),
        pytest.param(
            "c STRUCT<f: STRING COLLATE sv_CI_AI>",
            ["c", "f"],
            {"f": "icu.sv_CI_AI"},
            id="struct field",
        ),
        pytest.param(
            "c ARRAY<STRUCT<f: STRING COLLATE UNICODE>>",
            ["c", "element", "f"],
            {"f": "icu.UNICODE"},
            id="struct field in array",
        ),
    ],
)
def test_schema_json_has_collation_at_nearest_field_and_type_string(
    table: Table, columns: str, path: list[str], collations: dict[str, str]
) -> None:
    table.create(columns)

    assert table.log.collations(*path) == collations
    assert "collate" not in table.log.schema_text.lower().replace("__collations", "")
    assert table.log.protocol["writerFeatures"] == FEATURES


def test_create_table_as_select_keeps_collation_of_query(table: Table) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'Bob' COLLATE UNICODE_CI AS name")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB'") == [("Bob",)]


def test_dataframe_save_creates_collated_table(spark: SparkSession, table: Table) -> None:
    spark.sql("SELECT 'Bob' COLLATE UTF8_LCASE AS name").write.format("delta").save(str(table.path))

    assert table.log.protocol["writerFeatures"] == FEATURES
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB'") == [("Bob",)]


def test_catalog_table_is_created_described_and_dropped(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE people (name STRING COLLATE UNICODE_CI) USING delta")
    spark.sql("INSERT INTO people VALUES ('Bob')")

    described = {row.col_name: row.data_type for row in spark.sql("DESCRIBE people").collect()}
    found = spark.table("people").where("name = 'BOB'").count()
    spark.sql("DROP TABLE people")

    assert described == {"name": "string collate UNICODE_CI"}
    assert found == 1


def test_add_column_upgrades_protocol_in_same_commit(table: Table) -> None:
    table.create("id INT").sql("ALTER TABLE {t} ADD COLUMN name STRING COLLATE UNICODE_CI")

    kinds = {kind for action in table.log.commits[1] for kind in action}
    assert kinds == {"commitInfo", "metaData", "protocol"}
    assert table.log.protocol == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": FEATURES,
    }


def test_reader_features_do_not_include_collations(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI", **{"delta.enableDeletionVectors": "true"})

    assert table.log.protocol == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": sorted([*FEATURES, "deletionVectors"]),
    }


def test_add_column_keeps_older_reader_version(table: Table) -> None:
    table.create("id INT", **{"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}).sql(
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    table.sql("ALTER TABLE {t} ADD COLUMN name STRING COLLATE UNICODE_CI")

    assert table.log.protocol["minReaderVersion"] == 2
    assert "readerFeatures" not in table.log.protocol
    assert {"columnMapping", "collations"} <= set(table.log.protocol["writerFeatures"])


@pytest.mark.parametrize(
    ("columns", "condition", "message"),
    [
        pytest.param("i INT COLLATE UNICODE", "PARSE_SYNTAX_ERROR", "COLLATE", id="numeric column"),
        pytest.param(
            "name STRING COLLATE KLINGON",
            "COLLATION_INVALID_NAME",
            "KLINGON",
            id="unsupported collation",
        ),
        pytest.param(
            "m MAP<STRING COLLATE UNICODE_CI, INT>",
            "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.MAP_KEY",
            "Column m ",
            id="map key",
        ),
        pytest.param(
            "s STRUCT<a: ARRAY<MAP<STRING COLLATE UNICODE_CI, INT>>>",
            "COLLATIONS_UNSUPPORTED_COLUMN_TYPE.MAP_KEY",
            "Column s.a.element ",
            id="nested map key",
        ),
    ],
)
def test_create_table_leaves_nothing_behind_when_collation_is_rejected(
    table: Table, columns: str, condition: str, message: str
) -> None:
    with pytest.raises(AnalysisException) as error:
        table.create(columns)

    assert error.value.getCondition() == condition
    assert message in str(error.value)
    assert not table.path.exists()


def test_create_table_rejects_unsupported_type_next_to_collated_column(table: Table) -> None:
    with pytest.raises(PySparkException, match="DELTA_UNSUPPORTED_DATA_TYPES") as error:
        table.create("name STRING COLLATE UNICODE_CI, gap INTERVAL YEAR")

    assert "gap" in str(error.value)
    assert "name" not in str(error.value).split("]")[1]
    assert not table.path.exists()


def test_create_table_leaves_nothing_behind_when_path_is_not_writable(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    blocked = Table(spark, tmp_path / "file" / "table")

    with pytest.raises(Py4JJavaError, match=r"DELTA_CANNOT_CREATE_LOG_PATH.*file/table/_delta_log"):
        blocked.create("name STRING COLLATE UNICODE_CI")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_stats_columns_property_accepts_collated_column(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UTF8_LCASE", **{"delta.dataSkippingStatsColumns": "name"}
    ).insert("1, 'Bob'")

    (stats,) = table.log.stats
    assert stats["nullCount"] == {"name": 0}
    assert stats["minValues"] == {"name": "Bob"}


@pytest.mark.parametrize(
    ("columns", "column"),
    [
        pytest.param("id INT, name STRING COLLATE UTF8_LCASE", "name", id="column"),
        pytest.param(
            "id INT, s STRUCT<name: STRING COLLATE UTF8_LCASE>", "s.name", id="struct field"
        ),
    ],
)
def test_cluster_by_accepts_collated_column(table: Table, columns: str, column: str) -> None:
    table.sql(f"CREATE TABLE {{t}} ({columns}) USING delta CLUSTER BY ({column})")
    for name in ["b", "A", "B", "a"]:
        value = f"'{name}'" if column == "name" else f"struct('{name}')"
        table.insert(f"1, {value}")
    table.sql("OPTIMIZE {t}")

    assert sorted(table.column(f"SELECT {column} FROM {{t}} WHERE {column} = 'B'")) == ["B", "b"]
    assert len(table.log.actions("remove")) == 4


def test_cluster_by_rejects_collated_column_without_stats(table: Table) -> None:
    with pytest.raises(PySparkException, match="name"):
        table.sql(
            "CREATE TABLE {t} (id INT, name STRING COLLATE UTF8_LCASE) USING delta "
            "CLUSTER BY (name) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id')"
        )

    assert not table.path.exists()
