# SPDX-License-Identifier: Apache-2.0
"""Tables of other writers in Spark, and collated tables in other readers."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from support.processes import run_in_new_process
from support.tables import ForeignTable, Json, Table, collated, field

DATABRICKS_FEATURES = [
    "deletionVectors",
    "collations",
    "domainMetadata",
    "invariants",
    "appendOnly",
]


def people(path: Path, writer_features: list[str], identifier: str = "icu.UNICODE_CI") -> Path:
    """Write a table of two files like Databricks, with binary and collated bounds."""
    schema = [field("id", "integer"), collated("name", identifier)]
    reader_features = ["deletionVectors"] if "deletionVectors" in writer_features else None
    rows = {1: "Müller", 2: "adam"}

    def file(number: int, name: str) -> tuple[Json, Json]:
        bounds = {"id": number, "name": name}
        stats = {
            "numRecords": 1,
            "minValues": bounds,
            "maxValues": bounds,
            "nullCount": {"id": 0, "name": 0},
            "tightBounds": True,
            "statsWithCollation": {
                f"{identifier}.75.1": {"minValues": {"name": name}, "maxValues": {"name": name}}
            },
        }
        return {"id": pa.array([number], pa.int32()), "name": [name]}, stats

    table = ForeignTable(path, schema, writer_features, reader_features)
    return table.write(*(file(*row) for row in rows.items()))


def test_databricks_table_is_read_with_its_collation(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, people(tmp_path / "t", DATABRICKS_FEATURES))

    # The literal is outside the file's binary bounds but matches a row in the collation.
    assert table.rows("SELECT id, name FROM {t} WHERE name = 'MÜLLER'") == [(1, "Müller")]
    assert table.column("SELECT name FROM {t} ORDER BY name") == ["adam", "Müller"]


def test_databricks_table_keeps_protocol_and_schema_when_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, people(tmp_path / "t", DATABRICKS_FEATURES))
    before = (table.log.protocol, table.log.schema_text)

    table.insert("3, 'Zoë'")
    table.sql("UPDATE {t} SET name = 'Adam' WHERE name = 'ADAM'")

    assert sorted(table.rows()) == [(1, "Müller"), (2, "Adam"), (3, "Zoë")]
    assert (table.log.protocol, table.log.schema_text) == before
    kinds = [{kind for action in commit for kind in action} for commit in table.log.commits[1:]]
    # The first commit with statistics lists their collation version.
    assert kinds == [{"add", "commitInfo", "domainMetadata"}, {"add", "commitInfo", "remove"}]


def test_empty_databricks_table_accepts_first_rows(spark: SparkSession, tmp_path: Path) -> None:
    columns = [
        field("id", "integer"),
        field("plain", "string"),
        collated("lower", "spark.UTF8_LCASE"),
        collated("unicode", "icu.UNICODE"),
    ]
    features = ["domainMetadata", "collations", "appendOnly", "invariants"]
    foreign = ForeignTable(tmp_path / "t", columns, features)
    table = Table(spark, foreign.write()).insert("1, 'a', 'b', 'c'")

    assert table.column("SELECT id FROM {t} WHERE lower = 'B'") == [1]
    assert table.column("SELECT id FROM {t} WHERE plain = 'A' OR unicode = 'C'") == []
    assert table.log.schema_text == foreign.schema_text


def test_preview_feature_name_is_kept_when_table_is_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    features = ["appendOnly", "collations-preview", "domainMetadata", "invariants"]
    table = Table(spark, people(tmp_path / "t", features)).insert("3, 'Zoë'")
    table.sql("ALTER TABLE {t} ADD COLUMN nick STRING COLLATE UTF8_LCASE")

    assert table.log.protocol["writerFeatures"] == features
    assert table.log.collations("nick") == {"nick": "spark.UTF8_LCASE"}
    assert table.column("SELECT id FROM {t} WHERE name = 'ZOË'") == [3]


@pytest.mark.parametrize("name", ["collations", "collations-preview"])
def test_domain_metadata_feature_is_added_when_metadata_changes(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    features = ["appendOnly", name, "invariants"]
    table = Table(spark, people(tmp_path / "t", features)).insert("3, 'Zoë'")
    assert table.log.protocol["writerFeatures"] == features

    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.appendOnly' = 'false')")
    assert table.log.protocol["writerFeatures"] == sorted([*features, "domainMetadata"])


def test_unsupported_writer_feature_still_blocks_writes(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, people(tmp_path / "t", [*DATABRICKS_FEATURES, "fromTheFuture"]))

    assert table.column("SELECT id FROM {t} WHERE name = 'ADAM'") == [2]
    with pytest.raises(Exception, match="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE") as error:
        table.insert("3, 'Zoë'")
    assert "fromTheFuture" in str(error.value)
    assert len(table.log.commits) == 1


def test_deltalake_reads_collated_table(table: Table) -> None:
    table.create(
        "id INT, name STRING COLLATE UNICODE_CI, tags ARRAY<STRING COLLATE UTF8_LCASE>, "
        "m MAP<INT, STRING COLLATE de>, s STRUCT<city: STRING COLLATE sv>"
    ).insert("1, 'Müller', array('a', 'B'), map(1, 'x'), struct('Åre')")

    assert DeltaTable(str(table.path)).to_pyarrow_table().to_pylist() == [
        {
            "id": 1,
            "name": "Müller",
            "tags": ["a", "B"],
            "m": [(1, "x")],
            "s": {"city": "Åre"},
        }
    ]


def test_delta_without_extension_reads_but_does_not_write_collated_table(table: Table) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI").insert("1, 'Müller'")

    output = run_in_new_process(
        """
        import json, sys
        from pyspark.sql import SparkSession

        spark = (
            SparkSession.builder.master("local[1]")
            .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
            .config("spark.sql.catalog.spark_catalog",
                    "org.apache.spark.sql.delta.catalog.DeltaCatalog")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.databricks.delta.snapshotPartitions", "1")
            .getOrCreate()
        )
        table = f"delta.`{sys.argv[1]}`"
        rows = [list(row) for row in spark.sql(f"SELECT * FROM {table}").collect()]
        try:
            spark.sql(f"INSERT INTO {table} VALUES (2, 'Zoë')")
            message = "nothing"
        except Exception as error:
            message = str(error)
        print(json.dumps([rows, message]))
        """,
        table.path,
    )

    rows, message = json.loads(output)
    assert rows == [[1, "Müller"]]
    assert "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE" in message
    assert "collations" in message
    assert len(table.log.commits) == 2
