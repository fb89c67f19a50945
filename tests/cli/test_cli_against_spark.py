# SPDX-License-Identifier: Apache-2.0
"""What the command line knows without Spark is what Spark says, and what Spark writes is read."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from delta_collations.cli import main
from delta_collations.cli.collations import LOCALES, resolved
from pyspark.sql import SparkSession
from support.platforms import NEWER_LOCALES, OLD_ICU
from support.refresh import unmeasured
from support.tables import ForeignTable, Json, Table, collated, write_checkpoint

IDENTIFIERS = """
    ICU.de_DE ICU.de_AT icu.de_CH_CI icu.en_US icu.en_GB_AI_RTRIM icu.sv_SE icu.zh_TW icu.zh_CN
    icu.zh_HK icu.zh_MO icu.zh_US icu.kk_CN icu.uz_AF_CI icu.zh_SG icu.sr_Latn_ME icu.sr_RS
    icu.pa_IN icu.he_IL icu.as icu.as_AS icu.cs_CS icu.UNICODE_RTRIM_AI_CI icu.UNICODE_CI_CS
    icu.UNICODE_TRIM icu.KLINGON acme.X icu. spark.UNICODE icu.UTF8_LCASE SPARK.utf8_binary_rtrim
    spark.UTF8_LCASE_CI icu.unicode.75.1 spark.de_DE icu.unicode. .UNICODE UNICODE
    icu.UNICODE_CI_AI icu.de_DE_X icu._CI
"""


def test_the_locales_are_those_of_spark(spark: SparkSession) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None

    names = jvm.org.apache.spark.sql.catalyst.util.CollationFactory.getICULocaleNames()

    assert set(names) == LOCALES - NEWER_LOCALES


def test_identifiers_are_resolved_as_the_jar_does(spark: SparkSession) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    collations = jvm.org.deltacollations.collation.SparkCollations

    def by_jar(text: str) -> str | None:
        parsed = jvm.org.deltacollations.protocol.CollationId.parse(text)
        name = collations.nameOf(parsed.get()) if parsed.isDefined() else parsed
        return str(collations.identifier(name.get()).toString()) if name.isDefined() else None

    newer = {f"icu.{locale}" for locale in NEWER_LOCALES}
    texts = [text for text in IDENTIFIERS.split() if resolved(text) not in newer]
    assert [(text, resolved(text)) for text in texts] == [(text, by_jar(text)) for text in texts]


def status(table: Table, icu: str) -> list[Json]:
    """Return the report on a table."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["status", str(table.path), "--icu-version", icu, "--json"])
    rows: list[Json] = json.loads(out.getvalue())
    return rows


@pytest.mark.parametrize(
    "properties",
    [
        pytest.param({}, id="classic"),
        pytest.param({"delta.checkpointPolicy": "v2"}, id="V2"),
        pytest.param(
            {
                "delta.checkpoint.writeStatsAsJson": "false",
                "delta.checkpoint.writeStatsAsStruct": "true",
            },
            id="no JSON",
        ),
    ],
)
def test_checkpoints_by_spark_are_read(
    table: Table, version: str, properties: dict[str, str]
) -> None:
    mapped = {"delta.columnMapping.mode": "name", "delta.enableDeletionVectors": "true"}
    columns = "id INT, name STRING COLLATE UNICODE_CI, s STRUCT<word: STRING COLLATE de>"
    table.create(columns, **mapped, **properties)
    table.insert("1, 'Zo\u00eb', struct('a')", "2, 'x', struct('b')").insert("3, NULL, NULL")
    table.sql("DELETE FROM {t} WHERE id = 2")
    write_checkpoint(table)
    # Delta wants the commit of the checkpoint itself, and it adds but one of the files.
    for commit in range(3):
        (table.path / "_delta_log" / f"{commit:020}.json").unlink()
    table.insert("4, 'y', struct('c')")

    running = [(row["column"], row["verdict"], row["files"]) for row in status(table, version)]
    assert running == [("name", "healthy", 3), ("s.word", "healthy", 3)]
    stale = f"stale: written by ICU {version}, running 99.1"
    later = [row for row in status(table, "99.1") if row["is_running"]]
    assert [row["verdict"] for row in later] == [stale, stale]
    # Whatever the version, a column of nulls has no bounds.
    assert [row["files_covered"] for row in later] == [1, 1]
    assert sum(later[0][f"bytes_{kind}"] for kind in ("covered", "other_version")) == sum(
        Path(file).stat().st_size for file in data_files(table)
    )


def data_files(table: Table) -> list[str]:
    """Return the files that Spark reads for the table."""
    files = table.spark.read.format("delta").load(str(table.path)).inputFiles()
    return [file.removeprefix("file:") for file in files]


def test_the_verdicts_are_those_of_sql(spark: SparkSession, tmp_path: Path, version: str) -> None:
    odd = ["UNICODE_AI", "UNICODE_CI_AI", "th", "th_CI_RTRIM", "fr_CAN", "fr_CAN_CI_AI", "fr",
           "UTF8_LCASE_RTRIM"]  # fmt: skip
    columns = ", ".join(f"c{number} STRING COLLATE {name}" for number, name in enumerate(odd))
    many = Table(spark, tmp_path / "many").create(
        f"id INT, {columns}, "
        "`a b` STRUCT<m: MAP<INT, STRING COLLATE de>, `x``y`: STRING COLLATE sv>",
        **{"delta.dataSkippingNumIndexedCols": "9", "delta.columnMapping.mode": "name"},
    )
    many.insert("1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', NULL")
    with unmeasured(many):
        many.insert("2, 'a', 'b', 'c', 'd', 'e', 'f', NULL, 'h', NULL")
    bounds = {"minValues": {"name": "x"}}
    files = [
        ({"name": ["x"]}, {"numRecords": 1, "statsWithCollation": {f"ICU.de.{each}": bounds}})
        for each in (version, "9.1", OLD_ICU, "?")
    ]
    fields = [collated("name", "ICU.de_DE"), collated("other", "acme.X")]
    foreign = ForeignTable(tmp_path / "foreign", fields, ["collations"]).write(*files)

    for table in (many, Table(spark, foreign)):
        said = table.sql("SELECT * FROM collation_status('{t}')").collect()
        # What a refresh would do depends on proofs, which the jar alone has.
        by_sql = [
            {name: value for name, value in row.asDict().items() if "_to_re" not in name}
            for row in said
        ]
        assert status(table, version) == by_sql
        assert len(by_sql) > 2
