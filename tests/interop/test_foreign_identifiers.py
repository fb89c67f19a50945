# SPDX-License-Identifier: Apache-2.0
"""Tables whose schema names collations that Spark does not know, or names them another way."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.processes import conf_dir_with_warnings, run_in_new_process
from support.tables import ForeignTable, Json, Table, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]
# Delta Kernel does not open what these tests find in a log.
CLOSED = pytest.mark.closed_to_other_readers
NAMES = ["Zebra", "Ärger", "apfel"]


def foreign(spark: SparkSession, path: Path, collations: Any) -> Table:  # noqa: ANN401
    """Return a table of another writer whose column ``name`` has the given ``__COLLATIONS``."""
    schema = [field("id", "integer"), field("name", "string", __COLLATIONS=collations)]
    ids = pa.array(range(1, 4), pa.int32())
    return Table(
        spark, ForeignTable(path, schema, FEATURES).write(({"id": ids, "name": NAMES}, None))
    )


@pytest.mark.parametrize(
    ("identifier", "ordered", "equal_to_zebra"),
    [
        pytest.param("ICU.de_DE", ["apfel", "Ärger", "Zebra"], 0, id="locale with its country"),
        pytest.param("ICU.en_US", ["apfel", "Ärger", "Zebra"], 0, id="the proposal's own example"),
        pytest.param("ICU.sv_SE", ["apfel", "Zebra", "Ärger"], 0, id="a language that sorts apart"),
        pytest.param(
            "ICU.UNICODE_CI", ["apfel", "Ärger", "Zebra"], 1, id="upper case, as by Kernel"
        ),
        pytest.param("SPARK.UTF8_LCASE", ["apfel", "Zebra", "Ärger"], 1, id="upper-case provider"),
        pytest.param("icu.UNICODE.75.1", ["apfel", "Ärger", "Zebra"], 0, id="with a version"),
        pytest.param("acme.X", ["Zebra", "apfel", "Ärger"], 0, id="unknown provider"),
        pytest.param("icu.KLINGON", ["Zebra", "apfel", "Ärger"], 0, id="unknown name"),
        pytest.param("UNICODE", ["Zebra", "apfel", "Ärger"], 0, id="no dot", marks=CLOSED),
    ],
)
def test_a_foreign_identifier_is_understood_if_it_can_be_and_kept_letter_by_letter(
    spark: SparkSession, tmp_path: Path, identifier: str, ordered: list[str], equal_to_zebra: int
) -> None:
    table = foreign(spark, tmp_path / "t", {"name": identifier})

    assert table.column("SELECT name FROM {t} ORDER BY name") == ordered
    assert table.column("SELECT count(*) FROM {t} WHERE name = 'ZEBRA'") == [equal_to_zebra]

    table.insert("4, 'Öl'")
    table.sql("UPDATE {t} SET name = 'Ast' WHERE id = 1")
    table.sql("ALTER TABLE {t} ADD COLUMN note STRING COLLATE UNICODE_CI")
    table.sql("ALTER TABLE {t} ALTER COLUMN name COMMENT 'who'")
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('made.by' = 'me')")
    table.sql("ALTER TABLE {t} ALTER COLUMN name FIRST")

    assert table.log.collations("name") == {"name": identifier}
    assert table.log.collations("note") == {"note": "icu.UNICODE_CI"}
    assert "AS_WRITTEN" not in str(table.log.actions("metaData"))
    assert sorted(table.column("SELECT name FROM {t}")) == ["Ast", "apfel", "Ärger", "Öl"]


def test_a_foreign_identifier_follows_a_rename_and_leaves_with_its_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = foreign(spark, tmp_path / "t", {"name": "ICU.de_DE"})
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO word")

    assert table.log.collations("word") == {"word": "ICU.de_DE"}
    assert table.column("SELECT word FROM {t} ORDER BY word") == ["apfel", "Ärger", "Zebra"]

    table.sql("ALTER TABLE {t} DROP COLUMN word")
    assert "__COLLATIONS" not in table.log.schema_text


@pytest.mark.parametrize(
    "collations",
    [
        pytest.param({"nobody": "icu.UNICODE_CI"}, id="path that leads nowhere"),
        pytest.param({"NAME": "icu.UNICODE_CI"}, id="path of another letter case"),
        pytest.param({"name.element": "icu.UNICODE_CI"}, id="path into a string"),
        pytest.param({"name": 7}, id="entry that is no text", marks=CLOSED),
        pytest.param("icu.UNICODE_CI", id="text in place of entries", marks=CLOSED),
    ],
)
def test_collations_that_mean_nothing_are_read_as_none_and_kept(
    spark: SparkSession, tmp_path: Path, collations: Json
) -> None:
    table = foreign(spark, tmp_path / "t", collations).insert("4, 'Öl'")
    table.sql("ALTER TABLE {t} ADD COLUMN note STRING")

    assert table.column("SELECT count(*) FROM {t} WHERE name = 'ZEBRA'") == [0]
    assert table.log.collations("name") == collations


@CLOSED
def test_a_collation_on_something_else_than_a_string_is_told_with_its_path(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = [field("id", "integer", __COLLATIONS={"id": "icu.UNICODE_CI"})]
    table = Table(spark, ForeignTable(tmp_path / "t", schema, FEATURES).write())

    with pytest.raises(AnalysisException) as refused:
        table.rows()

    assert refused.value.getCondition() == "COLLATIONS_INVALID_SCHEMA"
    assert "gives a collation to id, which is integer" in str(refused.value)


@CLOSED
def test_a_collated_map_key_of_another_writer_is_read_and_appended_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    map_type = {
        "type": "map",
        "keyType": "string",
        "valueType": "integer",
        "valueContainsNull": True,
    }
    schema = [field("m", map_type, __COLLATIONS={"m.key": "icu.UNICODE_CI"})]
    foreign_table = ForeignTable(tmp_path / "t", schema, FEATURES)
    table = Table(spark, foreign_table.write()).insert("map('Bob', 1)")

    assert table.column("SELECT m['BOB'] FROM {t}") == [1]
    assert table.log.schema_text == foreign_table.schema_text


def test_a_copy_of_a_foreign_table_keeps_its_identifiers(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = foreign(spark, tmp_path / "t", {"name": "ICU.de_DE"})
    clone, copy = Table(spark, tmp_path / "clone"), Table(spark, tmp_path / "copy")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {source.name}")
    copy.sql(f"CREATE TABLE {{t}} USING delta AS SELECT * FROM {source.name}")

    assert clone.log.collations("name") == {"name": "ICU.de_DE"}
    assert copy.log.collations("name") in ({"name": "ICU.de_DE"}, {"name": "icu.de"})
    assert copy.log.protocol["writerFeatures"] == FEATURES
    for each in (clone, copy):
        assert each.column("SELECT name FROM {t} ORDER BY name") == ["apfel", "Ärger", "Zebra"]


def test_the_feature_is_in_use_as_long_as_the_log_names_a_collation_nobody_knows(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = foreign(spark, tmp_path / "t", {"name": "acme.X"})
    with pytest.raises(AnalysisException) as refused:
        table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert refused.value.getCondition() == "COLLATIONS_FEATURE_IN_USE"

    # To Spark the column is plain already, so a collation it knows has to come in between.
    for collation in ("UNICODE", "UTF8_BINARY"):
        table.sql(f"ALTER TABLE {{t}} ALTER COLUMN name TYPE STRING COLLATE {collation}")
    assert table.log.collations("name") is None
    table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert "collations" not in table.log.protocol["writerFeatures"]


def test_a_collation_nobody_knows_is_warned_of_once(spark: SparkSession, tmp_path: Path) -> None:
    table = foreign(spark, tmp_path / "t", {"name": "acme.X"})
    said = run_in_new_process(
        """
        import os, sys
        from delta_collations import configure_spark_with_collations
        from pyspark.sql import SparkSession

        os.dup2(1, 2)
        builder = SparkSession.builder.master("local[1]")
        spark = configure_spark_with_collations(builder).getOrCreate()
        for name in ("first", "second"):
            spark.sql(f"ALTER TABLE delta.`{sys.argv[1]}` SET TBLPROPERTIES ('{name}' = 'yes')")
            spark.sql(f"SELECT * FROM delta.`{sys.argv[1]}`").collect()
        """,
        table.path,
        SPARK_CONF_DIR=conf_dir_with_warnings(tmp_path / "conf"),
    )

    assert said.count("WARN SchemaSerialization$: A table uses the collation acme.X") == 1, said
