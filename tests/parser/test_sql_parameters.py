# SPDX-License-Identifier: Apache-2.0
"""Parameter markers (``:name`` and ``?``), whose values Delta's parser would drop."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.platforms import IS_OLDEST
from support.tables import Table

NAMES = "SELECT name FROM {t} ORDER BY name"


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table of two people with a single column."""
    return table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'", "'Zoë'")


def test_query_accepts_named_and_positional_parameters(people: Table) -> None:
    select = f"SELECT * FROM {people.name} WHERE "
    named = people.spark.sql(select + "name = :p", args={"p": "BOB"})
    positional = people.spark.sql(select + "name IN (?, ?)", args=["x", "ZOË"])

    assert [row.name for row in named.collect()] == ["Bob"]
    assert [row.name for row in positional.collect()] == ["Zoë"]


def test_parameter_is_compared_with_collation_of_query(people: Table) -> None:
    query = f"SELECT * FROM {people.name} WHERE name = :p COLLATE icu.UNICODE"

    assert people.spark.sql(query, args={"p": "BOB"}).count() == 0
    assert people.spark.sql(query, args={"p": "Bob"}).count() == 1


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        pytest.param("INSERT INTO {t} VALUES (:p)", ["Bob", "BOB", "Zoë"], id="INSERT"),
        pytest.param("DELETE FROM {t} WHERE name = :p", ["Zoë"], id="DELETE"),
        pytest.param("UPDATE {t} SET name = 'Al' WHERE name = :p", ["Al", "Zoë"], id="UPDATE"),
        pytest.param(
            "MERGE INTO {t} AS t USING (SELECT 1) ON t.name = :p WHEN MATCHED THEN DELETE",
            ["Zoë"],
            id="MERGE",
        ),
        pytest.param(
            "EXECUTE IMMEDIATE 'DELETE FROM {t} WHERE name = :q' USING :p AS q",
            ["Zoë"],
            id="EXECUTE IMMEDIATE",
            marks=pytest.mark.skipif(IS_OLDEST, reason="Spark 4.0 requires an explicit COLLATE"),
        ),
    ],
)
def test_statement_accepts_parameters(people: Table, statement: str, names: list[str]) -> None:
    people.spark.sql(statement.replace("{t}", people.name), args={"p": "BOB"})

    assert sorted(people.column(NAMES)) == sorted(names)


def test_analyze_table_accepts_identifier_parameter(people: Table) -> None:
    people.spark.sql(
        "ANALYZE TABLE IDENTIFIER(:t) COMPUTE DELTA STATISTICS", args={"t": people.name}
    )


def test_unbound_parameter_is_rejected_with_its_name(spark: SparkSession) -> None:
    for arguments in ({"other": "x"}, {}):
        with pytest.raises(AnalysisException) as error:
            spark.sql("SELECT :p", args=arguments)

        assert error.value.getCondition() == "UNBOUND_SQL_PARAMETER"
        assert error.value.getMessageParameters() == {"name": "p"}
