# SPDX-License-Identifier: Apache-2.0
"""The values of `:name` and `?` reach queries and statements, which Delta's parser would drop."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.platforms import IS_OLDEST
from support.tables import Table

NAMES = "SELECT name FROM {t} ORDER BY name"


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table of two people, told apart by nothing but their names."""
    return table.create("name STRING COLLATE UNICODE_CI").insert("'Bob'", "'Zoë'")


def test_a_query_takes_named_and_positional_values(people: Table) -> None:
    select = f"SELECT * FROM {people.name} WHERE "
    named = people.spark.sql(select + "name = :p", args={"p": "BOB"})
    in_order = people.spark.sql(select + "name IN (?, ?)", args=["x", "ZOË"])

    assert [row.name for row in named.collect()] == ["Bob"]
    assert [row.name for row in in_order.collect()] == ["Zoë"]


def test_a_value_is_compared_by_the_collation_that_the_query_names(people: Table) -> None:
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
            marks=pytest.mark.skipif(IS_OLDEST, reason="Spark 4.0 wants a COLLATE there"),
        ),
    ],
)
def test_a_statement_takes_values(people: Table, statement: str, names: list[str]) -> None:
    people.spark.sql(statement.replace("{t}", people.name), args={"p": "BOB"})

    assert sorted(people.column(NAMES)) == sorted(names)


def test_the_table_to_refresh_may_be_a_value(people: Table) -> None:
    people.spark.sql(
        "ANALYZE TABLE IDENTIFIER(:t) COMPUTE DELTA STATISTICS", args={"t": people.name}
    )


def test_a_marker_without_a_value_is_refused_by_its_name(spark: SparkSession) -> None:
    for arguments in ({"other": "x"}, {}):
        with pytest.raises(AnalysisException) as refused:
            spark.sql("SELECT :p", args=arguments)

        assert refused.value.getCondition() == "UNBOUND_SQL_PARAMETER"
        assert refused.value.getMessageParameters() == {"name": "p"}
