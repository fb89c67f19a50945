# SPDX-License-Identifier: Apache-2.0
"""A collated table is created: what its log says, and what is refused."""

from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from support.tables import Table

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]


def test_a_collated_table_announces_the_feature_to_writers_only(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI")

    assert table.log.protocol == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": FEATURES,
    }


def test_a_table_without_a_collation_does_not_announce_the_feature(table: Table) -> None:
    table.create("id INT, name STRING, tags ARRAY<STRING>, m MAP<STRING, STRING>")

    assert table.log.protocol == {"minReaderVersion": 1, "minWriterVersion": 2}
    assert "__COLLATIONS" not in table.log.schema_text


@pytest.mark.parametrize(
    ("columns", "where", "collations"),
    [
        pytest.param(
            "c STRING COLLATE UTF8_LCASE", ["c"], {"c": "spark.UTF8_LCASE"}, id="plain column"
        ),
        pytest.param(
            "c STRING COLLATE UTF8_BINARY_RTRIM",
            ["c"],
            {"c": "spark.UTF8_BINARY_RTRIM"},
            id="binary but for trailing blanks",
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
            id="field of a struct",
        ),
        pytest.param(
            "c ARRAY<STRUCT<f: STRING COLLATE UNICODE>>",
            ["c", "element", "f"],
            {"f": "icu.UNICODE"},
            id="field of a struct in an array",
        ),
    ],
)
def test_a_collation_is_written_at_the_nearest_field_and_the_type_stays_string(
    table: Table, columns: str, where: list[str], collations: dict[str, str]
) -> None:
    table.create(columns)

    assert table.log.collations(*where) == collations
    assert "collate" not in table.log.schema_text.lower().replace("__collations", "")
    assert table.log.protocol["writerFeatures"] == FEATURES


def test_create_table_as_select_keeps_the_collation_of_the_query(table: Table) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'Bob' COLLATE UNICODE_CI AS name")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB'") == [("Bob",)]


def test_a_dataframe_with_a_collated_column_is_saved_as_a_collated_table(
    spark: SparkSession, table: Table
) -> None:
    spark.sql("SELECT 'Bob' COLLATE UTF8_LCASE AS name").write.format("delta").save(str(table.path))

    assert table.log.protocol["writerFeatures"] == FEATURES
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB'") == [("Bob",)]


def test_a_table_in_the_catalog_is_created_described_and_dropped(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE people (name STRING COLLATE UNICODE_CI) USING delta")
    spark.sql("INSERT INTO people VALUES ('Bob')")

    described = {row.col_name: row.data_type for row in spark.sql("DESCRIBE people").collect()}
    found = spark.table("people").where("name = 'BOB'").count()
    spark.sql("DROP TABLE people")

    assert described == {"name": "string collate UNICODE_CI"}
    assert found == 1


def test_adding_a_collated_column_upgrades_the_protocol_in_the_same_commit(table: Table) -> None:
    table.create("id INT").sql("ALTER TABLE {t} ADD COLUMN name STRING COLLATE UNICODE_CI")

    kinds = {kind for action in table.log.commits[1] for kind in action}
    assert kinds == {"commitInfo", "metaData", "protocol"}
    assert table.log.protocol == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": FEATURES,
    }


def test_reader_features_of_a_collated_table_hold_only_what_readers_need(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI", **{"delta.enableDeletionVectors": "true"})

    assert table.log.protocol == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": sorted([*FEATURES, "deletionVectors"]),
    }


def test_a_table_on_an_older_reader_version_keeps_it(table: Table) -> None:
    table.create("id INT", **{"delta.minReaderVersion": "2", "delta.minWriterVersion": "5"}).sql(
        "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    table.sql("ALTER TABLE {t} ADD COLUMN name STRING COLLATE UNICODE_CI")

    assert table.log.protocol["minReaderVersion"] == 2
    assert "readerFeatures" not in table.log.protocol
    assert {"columnMapping", "collations"} <= set(table.log.protocol["writerFeatures"])


@pytest.mark.parametrize(
    ("columns", "condition", "said"),
    [
        pytest.param(
            "i INT COLLATE UNICODE", "PARSE_SYNTAX_ERROR", "COLLATE", id="collation on a number"
        ),
        pytest.param(
            "name STRING COLLATE KLINGON", "COLLATION_INVALID_NAME", "KLINGON", id="unknown name"
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
            id="map key deep inside",
        ),
    ],
)
def test_what_cannot_be_collated_is_refused_and_nothing_is_left_behind(
    table: Table, columns: str, condition: str, said: str
) -> None:
    with pytest.raises(AnalysisException) as refused:
        table.create(columns)

    assert refused.value.getCondition() == condition
    assert said in str(refused.value)
    assert not table.path.exists()


def test_types_that_delta_does_not_store_stay_refused_beside_a_collation(table: Table) -> None:
    with pytest.raises(PySparkException, match="DELTA_UNSUPPORTED_DATA_TYPES") as refused:
        table.create("name STRING COLLATE UNICODE_CI, gap INTERVAL YEAR")

    assert "gap" in str(refused.value)
    assert "name" not in str(refused.value).split("]")[1]
    assert not table.path.exists()


def test_a_place_that_cannot_be_written_gives_an_error_and_no_table(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    blocked = Table(spark, tmp_path / "file" / "table")

    with pytest.raises(Py4JJavaError, match=r"DELTA_CANNOT_CREATE_LOG_PATH.*file/table/_delta_log"):
        blocked.create("name STRING COLLATE UNICODE_CI")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_statistics_can_be_asked_for_on_a_collated_column(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UTF8_LCASE", **{"delta.dataSkippingStatsColumns": "name"}
    ).insert("1, 'Bob'")

    (statistics,) = table.log.stats
    assert statistics["nullCount"] == {"name": 0}
    assert statistics["minValues"] == {"name": "Bob"}


@pytest.mark.parametrize(
    ("columns", "by"),
    [
        pytest.param("id INT, name STRING COLLATE UTF8_LCASE", "name", id="column"),
        pytest.param("id INT, s STRUCT<name: STRING COLLATE UTF8_LCASE>", "s.name", id="field"),
    ],
)
def test_a_table_is_clustered_by_a_collated_column(table: Table, columns: str, by: str) -> None:
    table.sql(f"CREATE TABLE {{t}} ({columns}) USING delta CLUSTER BY ({by})")
    for name in ["b", "A", "B", "a"]:
        value = f"'{name}'" if by == "name" else f"struct('{name}')"
        table.insert(f"1, {value}")
    table.sql("OPTIMIZE {t}")

    assert sorted(table.column(f"SELECT {by} FROM {{t}} WHERE {by} = 'B'")) == ["B", "b"]
    assert len(table.log.actions("remove")) == 4


def test_a_table_is_not_clustered_by_a_collated_column_without_statistics(table: Table) -> None:
    with pytest.raises(PySparkException, match="name"):
        table.sql(
            "CREATE TABLE {t} (id INT, name STRING COLLATE UTF8_LCASE) USING delta "
            "CLUSTER BY (name) TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id')"
        )

    assert not table.path.exists()
