# SPDX-License-Identifier: Apache-2.0
"""The command line agrees with Spark and the jar, and reads tables that Spark wrote."""

import contextlib
import io
import itertools
import json
import random
from pathlib import Path

import pytest
from delta_collations.cli import collations, main
from delta_collations.cli.collations import locales, resolve, statistics_collation
from delta_collations.cli.order_changes import changed_code_points
from pyspark.sql import SparkSession
from support.icu_upgrade import set_stats_version
from support.platforms import IS_OLDER, NEWER_LOCALES, OLD_ICU
from support.refresh import insert_one_file, without_collated_stats
from support.tables import ForeignTable, Json, Table, collated, write_checkpoint

IDENTIFIERS = """
    ICU.de_DE ICU.de_AT icu.de_CH_CI icu.en_US icu.en_GB_AI_RTRIM icu.sv_SE icu.zh_TW icu.zh_CN
    icu.zh_HK icu.zh_MO icu.zh_US icu.kk_CN icu.uz_AF_CI icu.zh_SG icu.sr_Latn_ME icu.sr_RS
    icu.pa_IN icu.he_IL icu.as icu.as_AS icu.cs_CS icu.UNICODE_RTRIM_AI_CI icu.UNICODE_CI_CS
    icu.UNICODE_TRIM icu.KLINGON acme.X icu. spark.UNICODE icu.UTF8_LCASE SPARK.utf8_binary_rtrim
    spark.UTF8_LCASE_CI icu.unicode.75.1 spark.de_DE icu.unicode. .UNICODE UNICODE
    icu.UNICODE_CI_AI icu.de_DE_X icu._CI
"""


def test_locales_are_those_of_spark(spark: SparkSession) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None

    names = jvm.org.apache.spark.sql.catalyst.util.CollationFactory.getICULocaleNames()

    assert set(names) == locales() - NEWER_LOCALES


def identifiers() -> list[str]:
    """Return identifiers with all kinds of locales, and all locales of the generated tables."""
    tables = collations._tables()  # noqa: SLF001
    # Older versions of ICU resolve some locales differently.
    generated = [] if IS_OLDER else [f"icu.{name}" for name in tables["locales"] if "*" not in name]
    scripts = ["DE_CYRL", "RU_LATN", "KO_LATN_KR", "DE_LATN_AT", "EN_QAAA_US"]
    pairs = list(itertools.product(sorted(tables["languages"]), sorted(tables["countries"])))
    sample = [f"{language}_{country}" for language, country in random.Random(7).sample(pairs, 100)]  # noqa: S311
    generated += [] if IS_OLDER else [f"icu.{name}" for name in [*scripts, *sample]]
    newer = {f"icu.{locale}" for locale in NEWER_LOCALES}
    return [text for text in [*IDENTIFIERS.split(), *generated] if resolve(text) not in newer]


def test_identifiers_resolve_as_in_the_jar(spark: SparkSession) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    spark_collations = jvm.org.deltacollations.collation.SparkCollations

    def resolve_in_jar(text: str) -> str | None:
        parsed = jvm.org.deltacollations.protocol.CollationId.parse(text)
        name = spark_collations.nameOf(parsed.get()) if parsed.isDefined() else parsed
        return str(spark_collations.identifier(name.get()).toString()) if name.isDefined() else None

    texts = identifiers()
    assert {text: resolve(text) for text in texts} == {text: resolve_in_jar(text) for text in texts}


def test_statistics_collations_are_those_of_the_jar(spark: SparkSession) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    modifiers = set(collations._tables()["modifiers"].values())  # noqa: SLF001
    names = sorted(locales() - NEWER_LOCALES)
    names += [name + each for name in ("UNICODE", "de", "fr_CAN", "th") for each in modifiers]

    coarser = jvm.org.deltacollations.collation.CoarserCollations
    string_type = jvm.org.apache.spark.sql.types.StringType
    nameOf = jvm.org.deltacollations.collation.CollatedString.nameOf  # noqa: N806

    def in_jar(name: str) -> str:
        return f"icu.{nameOf(coarser.forStatistics(string_type.apply(name)).get())}"

    found = {name: statistics_collation(f"icu.{name}") for name in names}
    assert found == {name: in_jar(name) for name in names}
    assert found["th_RTRIM"] == "icu.th_CI_AI_RTRIM"


@pytest.mark.parametrize(
    "collation", ["icu.UNICODE_CI", "icu.zh_Hant", "spark.UTF8_LCASE", "icu.blo"]
)
def test_order_changes_are_those_of_the_jar(spark: SparkSession, collation: str) -> None:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    changes = jvm.org.deltacollations.collation.versions.IcuOrderChanges.shipped()
    name = collation.partition(".")[2]

    for one, other in itertools.permutations(["75.1", "76.1", "77.1", "78.3", "79.1", "99.1"], 2):
        in_jar = changes.changedCodePoints(name, one, other)
        changed = changed_code_points(collation, one, other)
        assert (changed is not None) == in_jar.isDefined(), (one, other)
        if changed is not None:
            ranges = jvm.org.deltacollations.collation.unicode.CodePointSet.parse(
                " ".join(f"{first:x}-{last:x}" for first, last in changed.ranges)
            )
            assert ranges.get().toString() == in_jar.get().toString(), (one, other)


def status(table: Table, icu: str) -> list[Json]:
    """Return the rows of ``status``."""
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
            id="without JSON",
        ),
    ],
)
def test_status_reads_checkpoints_of_spark(
    table: Table, version: str, properties: dict[str, str]
) -> None:
    mapped = {"delta.columnMapping.mode": "name", "delta.enableDeletionVectors": "true"}
    columns = "id INT, name STRING COLLATE UNICODE_CI, s STRUCT<word: STRING COLLATE de>"
    table.create(columns, **mapped, **properties)
    table.insert("1, 'Zo\u00eb', struct('a')", "2, 'x', struct('b')").insert("3, NULL, NULL")
    table.sql("DELETE FROM {t} WHERE id = 2")
    write_checkpoint(table)
    # Delta needs the commit of the checkpoint itself, which adds only one of the files.
    for commit in range(3):
        (table.path / "_delta_log" / f"{commit:020}.json").unlink()
    table.insert("4, 'y', struct('c')")

    current = [(row["column"], row["status"], row["files"]) for row in status(table, version)]
    assert current == [("name", "healthy", 3), ("s.word", "healthy", 3)]
    stale = f"stale: written by ICU {version}, current is 99.1"
    later = [row for row in status(table, "99.1") if row["is_current"]]
    assert [row["status"] for row in later] == [stale, stale]
    # A column of nulls has no bounds in any version.
    assert [row["files_covered"] for row in later] == [1, 1]
    assert sum(later[0][f"bytes_{kind}"] for kind in ("covered", "other_version")) == sum(
        Path(file).stat().st_size for file in data_files(table)
    )


def data_files(table: Table) -> list[str]:
    """Return the files that Spark reads for the table."""
    files = table.spark.read.format("delta").load(str(table.path)).inputFiles()
    return [file.removeprefix("file:") for file in files]


def test_status_equals_collation_status(spark: SparkSession, tmp_path: Path, version: str) -> None:
    odd = ["UNICODE_AI", "UNICODE_CI_AI", "th", "th_CI_RTRIM", "fr_CAN", "fr_CAN_CI_AI", "fr",
           "UTF8_LCASE_RTRIM"]  # fmt: skip
    columns = ", ".join(f"c{number} STRING COLLATE {name}" for number, name in enumerate(odd))
    many = Table(spark, tmp_path / "many").create(
        f"id INT, {columns}, "
        "`a b` STRUCT<m: MAP<INT, STRING COLLATE de>, `x``y`: STRING COLLATE sv>",
        **{"delta.dataSkippingNumIndexedCols": "9", "delta.columnMapping.mode": "name"},
    )
    many.insert("1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', NULL")
    with without_collated_stats(many):
        many.insert("2, 'a', 'b', 'c', 'd', 'e', 'f', NULL, 'h', NULL")
    bounds = {"minValues": {"name": "x"}}
    files = [
        ({"name": ["x"]}, {"numRecords": 1, "statsWithCollation": {f"ICU.de.{each}": bounds}})
        for each in (version, "9.1", OLD_ICU, "?")
    ]
    fields = [collated("name", "ICU.de_DE"), collated("other", "acme.X")]
    foreign = ForeignTable(tmp_path / "foreign", fields, ["collations"]).write(*files)

    for table in (many, Table(spark, foreign)):
        rows = table.sql("SELECT * FROM collation_status('{t}')").collect()
        in_sql = [row.asDict() for row in rows]
        assert status(table, version) == in_sql
        assert [list(row) for row in status(table, version)] == [list(row) for row in in_sql]
        assert len(in_sql) > 2


@pytest.mark.parametrize("has_checkpoint", [False, True])
def test_status_equals_collation_status_when_files_can_be_relabeled(
    table: Table, version: str, *, has_checkpoint: bool
) -> None:
    table.create("id INT, name STRING COLLATE UNICODE_CI, city STRING COLLATE de")
    for row in ("1, 'Bob', 'Ulm'", "2, 'Zo\u00eb', 'K\u00f6ln'", "3, '\u20a8', 'Bonn'"):
        insert_one_file(table, row)
    set_stats_version(table, OLD_ICU, version)
    if has_checkpoint:
        write_checkpoint(table)

    rows = table.sql("SELECT * FROM collation_status('{t}')").collect()

    assert status(table, version) == [row.asDict() for row in rows]
    assert {row["files_to_relabel"] for row in rows if row["is_current"]} == {2}
