# SPDX-License-Identifier: Apache-2.0
"""Tables of other writers with collation identifiers that Spark spells differently or lacks."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from support.processes import conf_dir_with_warnings, run_in_new_process
from support.tables import ForeignTable, Json, Table, field

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]
# Delta Kernel cannot open tables with such metadata.
KERNEL_CANNOT_READ = pytest.mark.closed_to_other_readers
NAMES = ["Zebra", "Ärger", "apfel"]


def foreign_table(spark: SparkSession, path: Path, collations: Any) -> Table:  # noqa: ANN401
    """Write a table without Spark whose column ``name`` has the given ``__COLLATIONS``."""
    schema = [field("id", "integer"), field("name", "string", __COLLATIONS=collations)]
    ids = pa.array(range(1, 4), pa.int32())
    return Table(
        spark, ForeignTable(path, schema, FEATURES).write(({"id": ids, "name": NAMES}, None))
    )


@pytest.mark.parametrize(
    ("identifier", "ordered", "equal_to_zebra"),
    [
        pytest.param("ICU.de_DE", ["apfel", "Ärger", "Zebra"], 0, id="locale with country"),
        pytest.param("ICU.en_US", ["apfel", "Ärger", "Zebra"], 0, id="example of the RFC"),
        pytest.param("ICU.sv_SE", ["apfel", "Zebra", "Ärger"], 0, id="locale with its own order"),
        pytest.param(
            "ICU.UNICODE_CI", ["apfel", "Ärger", "Zebra"], 1, id="uppercase provider, as in Kernel"
        ),
        pytest.param(
            "SPARK.UTF8_LCASE", ["apfel", "Zebra", "Ärger"], 1, id="uppercase provider spark"
        ),
        pytest.param("icu.UNICODE.75.1", ["apfel", "Ärger", "Zebra"], 0, id="versioned identifier"),
        pytest.param("acme.X", ["Zebra", "apfel", "Ärger"], 0, id="unsupported provider"),
        pytest.param("icu.KLINGON", ["Zebra", "apfel", "Ärger"], 0, id="unsupported name"),
        pytest.param(
            "UNICODE", ["Zebra", "apfel", "Ärger"], 0, id="no provider", marks=KERNEL_CANNOT_READ
        ),
    ],
)
def test_foreign_identifier_is_resolved_when_supported_and_kept_verbatim(
    spark: SparkSession, tmp_path: Path, identifier: str, ordered: list[str], equal_to_zebra: int
) -> None:
    table = foreign_table(spark, tmp_path / "t", {"name": identifier})

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


def test_foreign_identifier_follows_rename_and_drop_of_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = foreign_table(spark, tmp_path / "t", {"name": "ICU.de_DE"})
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO word")

    assert table.log.collations("word") == {"word": "ICU.de_DE"}
    assert table.column("SELECT word FROM {t} ORDER BY word") == ["apfel", "Ärger", "Zebra"]

    table.sql("ALTER TABLE {t} DROP COLUMN word")
    assert "__COLLATIONS" not in table.log.schema_text


@pytest.mark.parametrize(
    "collations",
    [
        pytest.param({"nobody": "icu.UNICODE_CI"}, id="path of a missing column"),
        pytest.param({"NAME": "icu.UNICODE_CI"}, id="path in another letter case"),
        pytest.param({"name.element": "icu.UNICODE_CI"}, id="path into a string"),
        pytest.param({"name": 7}, id="non-string entry", marks=KERNEL_CANNOT_READ),
        pytest.param("icu.UNICODE_CI", id="string instead of object", marks=KERNEL_CANNOT_READ),
    ],
)
def test_invalid_collations_metadata_is_ignored_and_kept(
    spark: SparkSession, tmp_path: Path, collations: Json
) -> None:
    table = foreign_table(spark, tmp_path / "t", collations).insert("4, 'Öl'")
    table.sql("ALTER TABLE {t} ADD COLUMN note STRING")

    assert table.column("SELECT count(*) FROM {t} WHERE name = 'ZEBRA'") == [0]
    assert table.log.collations("name") == collations


@KERNEL_CANNOT_READ
def test_collation_on_non_string_column_is_rejected_with_its_path(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = [field("id", "integer", __COLLATIONS={"id": "icu.UNICODE_CI"})]
    table = Table(spark, ForeignTable(tmp_path / "t", schema, FEATURES).write())

    with pytest.raises(AnalysisException) as error:
        table.rows()

    assert error.value.getCondition() == "COLLATIONS_INVALID_SCHEMA"
    assert "assigns a collation to id, which has type integer" in str(error.value)


@KERNEL_CANNOT_READ
def test_collated_map_key_of_other_writer_is_read_and_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    map_type = {
        "type": "map",
        "keyType": "string",
        "valueType": "integer",
        "valueContainsNull": True,
    }
    schema = [field("m", map_type, __COLLATIONS={"m.key": "icu.UNICODE_CI"})]
    foreign = ForeignTable(tmp_path / "t", schema, FEATURES)
    table = Table(spark, foreign.write()).insert("map('Bob', 1)")

    assert table.column("SELECT m['BOB'] FROM {t}") == [1]
    assert table.log.schema_text == foreign.schema_text


def test_clone_and_copy_of_foreign_table_keep_its_collation(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = foreign_table(spark, tmp_path / "t", {"name": "ICU.de_DE"})
    clone, copy = Table(spark, tmp_path / "clone"), Table(spark, tmp_path / "copy")
    clone.sql(f"CREATE TABLE {{t}} SHALLOW CLONE {source.name}")
    copy.sql(f"CREATE TABLE {{t}} USING delta AS SELECT * FROM {source.name}")

    assert clone.log.collations("name") == {"name": "ICU.de_DE"}
    assert copy.log.collations("name") in ({"name": "ICU.de_DE"}, {"name": "icu.de"})
    assert copy.log.protocol["writerFeatures"] == FEATURES
    for each in (clone, copy):
        assert each.column("SELECT name FROM {t} ORDER BY name") == ["apfel", "Ärger", "Zebra"]


def test_drop_feature_is_rejected_while_schema_has_unsupported_collation(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = foreign_table(spark, tmp_path / "t", {"name": "acme.X"})
    with pytest.raises(AnalysisException) as error:
        table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert error.value.getCondition() == "COLLATIONS_FEATURE_IN_USE"

    # Spark already reads the column as UTF8_BINARY, so it must get a supported collation first.
    for collation in ("UNICODE", "UTF8_BINARY"):
        table.sql(f"ALTER TABLE {{t}} ALTER COLUMN name TYPE STRING COLLATE {collation}")
    assert table.log.collations("name") is None
    table.sql("ALTER TABLE {t} DROP FEATURE collations")
    assert "collations" not in table.log.protocol["writerFeatures"]


def test_unsupported_collation_is_logged_once(spark: SparkSession, tmp_path: Path) -> None:
    table = foreign_table(spark, tmp_path / "t", {"name": "acme.X"})
    output = run_in_new_process(
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

    assert output.count("WARN SchemaSerialization$: A table uses the collation acme.X") == 1, output
