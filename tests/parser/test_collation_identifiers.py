# SPDX-License-Identifier: Apache-2.0
"""A collation is named as the log names it: in SQL and in DataFrames, in any letter case."""

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from support.platforms import IS_OLDEST
from support.tables import Table


@pytest.mark.parametrize(
    ("columns", "where", "collations"),
    [
        pytest.param(
            "c STRING COLLATE icu.UNICODE_CI", ["c"], {"c": "icu.UNICODE_CI"}, id="as in the log"
        ),
        pytest.param(
            "c string collate SPARK.utf8_lcase", ["c"], {"c": "spark.UTF8_LCASE"}, id="other case"
        ),
        pytest.param("c STRING COLLATE ICU.de_DE", ["c"], {"c": "icu.de"}, id="locale of ICU"),
        pytest.param(
            "c STRING COLLATE `icu`.`UNICODE`", ["c"], {"c": "icu.UNICODE"}, id="back-quoted"
        ),
        pytest.param(
            "c STRING COLLATE SYSTEM.BUILTIN.UNICODE",
            ["c"],
            {"c": "icu.UNICODE"},
            id="Spark's own name in full",
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
            id="field of a struct",
        ),
    ],
)
def test_a_column_is_declared_by_an_identifier_and_the_log_has_the_usual_spelling(
    table: Table, columns: str, where: list[str], collations: dict[str, str]
) -> None:
    table.create(columns)

    assert table.log.collations(*where) == collations


def test_identifiers_serve_where_columns_are_added_and_tables_made_from_queries(
    table: Table,
) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'Bob' COLLATE icu.UNICODE_CI AS name")
    table.sql("ALTER TABLE {t} ADD COLUMN town STRING COLLATE spark.UTF8_LCASE")
    table.insert("'Zoe', 'Bonn'")

    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert table.log.collations("town") == {"town": "spark.UTF8_LCASE"}
    assert table.rows("SELECT name FROM {t} WHERE name = 'BOB' OR town = 'BONN' ORDER BY name") == [
        ("Bob",),
        ("Zoe",),
    ]


def test_the_default_collation_of_a_table_is_an_identifier(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE defaults (name STRING) USING delta DEFAULT COLLATION icu.UNICODE_CI")
    found = spark.table("defaults").schema.simpleString()
    spark.sql("DROP TABLE defaults")

    assert found == "struct<name:string collate UNICODE_CI>"


def test_a_view_keeps_the_name_that_every_spark_knows(spark: SparkSession) -> None:
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
        pytest.param("collate(name, 'ICU.unicode_ci') = 'BOB'", ["bob"], id="function"),
        pytest.param(
            "name COLLATE IDENTIFIER('icu.UNICODE_CI') = 'BOB'",
            ["bob"],
            id="identifier clause",
            marks=pytest.mark.skipif(IS_OLDEST, reason="Spark 4.0 has no such clause there"),
        ),
        pytest.param("name COLLATE ICU.sv_SE > 'z'", ["Åsa"], id="order of a language"),
        pytest.param("name COLLATE icu.UNICODE = 'BOB'", [], id="case counts"),
        pytest.param("name = 'collate icu.UNICODE_CI'", [], id="text that only looks like it"),
    ],
)
def test_a_query_compares_by_the_collation_of_the_identifier(
    table: Table, predicate: str, names: list[str]
) -> None:
    table.create("name STRING").insert("'bob'", "'Åsa'")

    assert table.column(f"SELECT name FROM {{t}} WHERE {predicate}") == names
    assert [row.name for row in table.sql("SELECT * FROM {t}").where(predicate).collect()] == names


def test_the_function_collate_takes_an_identifier(spark: SparkSession) -> None:
    names = spark.createDataFrame([("bob",), ("Zoe",)], "name STRING")

    found = names.where(f.collate("name", "icu.UNICODE_CI") == "BOB")
    typed = names.select(f.collate("name", "ICU.de_DE").alias("name"))

    assert [row.name for row in found.collect()] == ["bob"]
    assert typed.schema.simpleString() == "struct<name:string collate de>"


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        pytest.param("UNICORN", "UNICODE", id="no such name"),
        pytest.param("icu.UNICORN", "UNICODE", id="no such name of the provider"),
        pytest.param("acme.UNICODE", "UNICODE", id="no such provider"),
        pytest.param("icu.UNICODE.78.3", "icu.UNICODE", id="a version cannot be asked for"),
    ],
)
def test_an_unknown_name_is_refused_wherever_it_stands(
    spark: SparkSession, name: str, proposed: str
) -> None:
    statements = [
        f"CREATE TABLE refused (name STRING COLLATE {name}) USING delta",
        f"SELECT 'a' COLLATE {name}",
        f"SELECT collate('a', '{name}')",
    ]
    for statement in statements:
        with pytest.raises(AnalysisException) as refused:
            spark.sql(statement)

        assert refused.value.getCondition() == "COLLATION_INVALID_NAME"
        assert refused.value.getMessageParameters() == {
            "collationName": name,
            "proposals": proposed,
        }
    assert not spark.catalog.tableExists("refused")


def test_an_error_points_at_the_identifier(spark: SparkSession) -> None:
    with pytest.raises(ParseException) as refused:
        spark.sql("SELECT 1,\n'a' COLLATE icu.KLINGON")

    assert "\n'a' COLLATE icu.KLINGON\n------------^^^\n" in str(refused.value)
