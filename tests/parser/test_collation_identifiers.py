# SPDX-License-Identifier: Apache-2.0
"""Identifiers such as ``icu.UNICODE_CI`` as collation names in SQL and in DataFrames."""

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from support.platforms import IS_OLDEST
from support.tables import Table


@pytest.mark.parametrize(
    ("columns", "path", "collations"),
    [
        pytest.param(
            "c STRING COLLATE icu.UNICODE_CI", ["c"], {"c": "icu.UNICODE_CI"}, id="canonical"
        ),
        pytest.param(
            "c string collate SPARK.utf8_lcase",
            ["c"],
            {"c": "spark.UTF8_LCASE"},
            id="other letter case",
        ),
        pytest.param("c STRING COLLATE ICU.de_DE", ["c"], {"c": "icu.de"}, id="ICU locale"),
        pytest.param("c STRING COLLATE `icu`.`UNICODE`", ["c"], {"c": "icu.UNICODE"}, id="quoted"),
        pytest.param(
            "c STRING COLLATE SYSTEM.BUILTIN.UNICODE",
            ["c"],
            {"c": "icu.UNICODE"},
            id="qualified Spark name",
        ),
        pytest.param(
            "c ARRAY<STRING COLLATE icu.UNICODE_CI>",
            ["c"],
            {"c.element": "icu.UNICODE_CI"},
            id="array element",
        ),
        pytest.param(
            "c MAP<INT, STRING COLLATE icu.sv_CI>", ["c"], {"c.value": "icu.sv_CI"}, id="map value"
        ),
        pytest.param(
            "c STRUCT<f: STRING COLLATE icu.UNICODE>",
            ["c", "f"],
            {"f": "icu.UNICODE"},
            id="struct field",
        ),
    ],
)
def test_create_table_accepts_collation_identifier(
    table: Table, columns: str, path: list[str], collations: dict[str, str]
) -> None:
    table.create(columns)

    assert table.log.collations(*path) == collations


def test_add_column_and_create_table_as_select_accept_collation_identifier(table: Table) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'Bob' COLLATE icu.UNICODE_CI AS name")
    table.sql("ALTER TABLE {t} ADD COLUMN town STRING COLLATE spark.UTF8_LCASE")
    table.insert("'Zoe', 'Bonn'")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.log.collations("town") == {"town": "spark.UTF8_LCASE"}
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB' OR town = 'BONN' ORDER BY name") == [
        ("Bob",),
        ("Zoe",),
    ]


def test_default_collation_accepts_collation_identifier(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE defaults (name STRING) USING delta DEFAULT COLLATION icu.UNICODE_CI")
    found = spark.table("defaults").schema.simpleString()
    spark.sql("DROP TABLE defaults")

    assert found == "struct<name:string collate UNICODE_CI>"


def test_view_stores_spark_name_of_collation(spark: SparkSession) -> None:
    spark.sql("CREATE VIEW shouting AS SELECT 'Bob' COLLATE icu.UNICODE_CI AS name")
    statement = spark.sql("SHOW CREATE TABLE shouting").first()
    found = spark.sql("SELECT name FROM shouting WHERE name = 'BOB'").count()
    spark.sql("DROP VIEW shouting")

    assert statement is not None
    assert "icu." not in statement[0]
    assert found == 1


@pytest.mark.parametrize(
    ("predicate", "names"),
    [
        pytest.param("name COLLATE icu.UNICODE_CI = 'BOB'", ["bob"], id="COLLATE"),
        pytest.param("CAST(name AS STRING COLLATE icu.UNICODE_CI) = 'BOB'", ["bob"], id="CAST"),
        pytest.param("collate(name, 'ICU.unicode_ci') = 'BOB'", ["bob"], id="collate function"),
        pytest.param(
            "name COLLATE IDENTIFIER('icu.UNICODE_CI') = 'BOB'",
            ["bob"],
            id="IDENTIFIER",
            marks=pytest.mark.skipif(
                IS_OLDEST, reason="Spark 4.0 does not accept IDENTIFIER after COLLATE"
            ),
        ),
        pytest.param("name COLLATE ICU.sv_SE > 'z'", ["Åsa"], id="locale"),
        pytest.param("name COLLATE icu.UNICODE = 'BOB'", [], id="case-sensitive"),
        pytest.param("name = 'collate icu.UNICODE_CI'", [], id="string literal"),
    ],
)
def test_query_compares_with_collation_identifier(
    table: Table, predicate: str, names: list[str]
) -> None:
    table.create("name STRING").insert("'bob'", "'Åsa'")

    assert table.column(f"SELECT name FROM {{t}} WHERE {predicate}") == names
    assert [row.name for row in table.sql("SELECT * FROM {t}").where(predicate).collect()] == names


def test_collate_function_accepts_collation_identifier(spark: SparkSession) -> None:
    names = spark.createDataFrame([("bob",), ("Zoe",)], "name STRING")

    matching = names.where(f.collate("name", "icu.UNICODE_CI") == "BOB")
    collated = names.select(f.collate("name", "ICU.de_DE").alias("name"))

    assert [row.name for row in matching.collect()] == ["bob"]
    assert collated.schema.simpleString() == "struct<name:string collate de>"


@pytest.mark.parametrize(
    ("name", "proposal"),
    [
        pytest.param("UNICORN", "UNICODE", id="unsupported name"),
        pytest.param("icu.UNICORN", "UNICODE", id="unsupported name of provider"),
        pytest.param("acme.UNICODE", "UNICODE", id="unsupported provider"),
        pytest.param("icu.UNICODE.78.3", "icu.UNICODE", id="version"),
    ],
)
def test_unsupported_collation_name_is_rejected_in_every_position(
    spark: SparkSession, name: str, proposal: str
) -> None:
    statements = [
        f"CREATE TABLE refused (name STRING COLLATE {name}) USING delta",
        f"SELECT 'a' COLLATE {name}",
        f"SELECT collate('a', '{name}')",
    ]
    for statement in statements:
        with pytest.raises(AnalysisException) as error:
            spark.sql(statement)

        assert error.value.getCondition() == "COLLATION_INVALID_NAME"
        assert error.value.getMessageParameters() == {
            "collationName": name,
            "proposals": proposal,
        }
    assert not spark.catalog.tableExists("refused")


def test_parse_error_points_at_collation_identifier(spark: SparkSession) -> None:
    with pytest.raises(ParseException) as error:
        spark.sql("SELECT 1,\n'a' COLLATE icu.KLINGON")

    assert "\n'a' COLLATE icu.KLINGON\n------------^^^\n" in str(error.value)
