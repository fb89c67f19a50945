# SPDX-License-Identifier: Apache-2.0
"""The command line reads the log of a table, and nothing else, and says what to do about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from delta_collations.cli import main
from support.command_line import ICU, refusal, run, status, verdict, verdicts
from support.log_builder import (
    NAME,
    add,
    bounds,
    checkpoint,
    commit,
    meta,
    parquet,
    protocol,
    remove,
    table,
    vector,
)
from support.tables import Json, collated, field

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD = "77.1"
UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"
NOBODY = 65534


# --- verdicts -------------------------------------------------------------------------------------


def test_a_table_whose_files_all_have_bounds_of_the_running_version_is_healthy(
    tmp_path: Path,
) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD, ICU)))

    assert status(tmp_path)[0] == {
        "column": "name",
        "collation": "icu.UNICODE_CI",
        "version": ICU,
        "is_running": True,
        "verdict": "healthy",
        "command": None,
        "files": 2,
        "files_covered": 2,
        "files_other_version": 0,
        "files_missing": 0,
        "rows_covered": 20,
        "rows_other_version": 0,
        "rows_missing": 0,
        "bytes_covered": 200,
        "bytes_other_version": 0,
        "bytes_missing": 0,
    }


def test_a_table_without_files_is_healthy(tmp_path: Path) -> None:
    assert verdict(table(tmp_path)) == "healthy"


def test_a_table_without_any_bounds_is_missing_them(tmp_path: Path) -> None:
    table(tmp_path, add("a", {"numRecords": 3, "minValues": {"name": "a"}}), add("b", size=7))

    (row,) = status(tmp_path)

    assert row["verdict"] == "missing: no file has statistics"
    assert row["command"] == f"ANALYZE TABLE delta.`{tmp_path}` COMPUTE DELTA STATISTICS"
    assert (row["files_missing"], row["rows_missing"], row["bytes_missing"]) == (2, 3, 107)


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ([OLD], "77.1"),
        ([OLD, "9.1"], "9.1 and 77.1"),
        ([OLD, "75.1", "76.1"], "75.1, 76.1 and 77.1"),
    ],
)
def test_a_table_with_bounds_of_other_versions_only_is_stale(
    tmp_path: Path, versions: list[str], said: str
) -> None:
    table(tmp_path, add("none", {"numRecords": 0}), *(add(v, bounds(v)) for v in versions))

    assert verdict(tmp_path) == f"stale: written by ICU {said}, running 78.3"


def test_a_table_with_some_files_lacking_is_partial(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)), add("b", bounds(OLD)), add("c"))

    (running, old) = status(tmp_path)

    assert running["verdict"] == "partial: 2 of 3 files without statistics of ICU 78.3"
    assert [running[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3
    assert running["command"]
    assert old["verdict"] == "not used: written by ICU 77.1, running 78.3"
    assert (old["version"], old["is_running"], old["command"]) == (OLD, False, None)
    assert [old[f"files_{kind}"] for kind in ("covered", "other_version", "missing")] == [1] * 3


def test_old_bounds_beside_new_ones_are_partial_not_stale(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b", bounds(ICU)))

    assert verdict(tmp_path) == "partial: 1 of 2 files without statistics of ICU 78.3"


def test_old_bounds_beside_files_with_none_are_partial_not_stale(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD)), add("b"))

    assert verdict(tmp_path) == "partial: 2 of 2 files without statistics of ICU 78.3"


def test_other_versions_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds("100.1", ICU, "9.2", "9.10", "75.1")))

    assert [row["version"] for row in status(tmp_path)] == [ICU, "9.2", "9.10", "75.1", "100.1"]


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 0}, id="no rows"),
        pytest.param({"numRecords": 4, "nullCount": {"name": 4}}, id="only nulls"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"maxValues": {"name": "z"}}}},
            id="one bound, and no count",
        ),
        pytest.param(bounds(ICU, key="ICU.unicode_ci"), id="another letter case"),
    ],
)
def test_a_file_is_covered_by_one_bound_or_if_it_needs_none(tmp_path: Path, stats: Json) -> None:
    assert verdict(table(tmp_path, add("a", stats))) == "healthy"


@pytest.mark.parametrize(
    "stats",
    [
        pytest.param({"numRecords": 4, "nullCount": {"name": 3}}, id="some nulls"),
        pytest.param({"numRecords": 4, "nullCount": {"name": {}}}, id="nulls of another type"),
        pytest.param(bounds(ICU, key="icu.UNICODE"), id="another collation"),
        pytest.param(bounds(ICU, column="names"), id="another column"),
        pytest.param({"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {}}}, id="no bounds"),
        pytest.param(
            {"statsWithCollation": {f"icu.UNICODE_CI.{ICU}": {"minValues": {"name": 7}}}},
            id="a bound that is no text",
        ),
        pytest.param(
            {"statsWithCollation": {"icu.UNICODE_CI": {}, "": 1, ".": []}}, id="no versions"
        ),
        pytest.param("{", id="no JSON"),
        pytest.param("[1]", id="no object"),
        pytest.param("[" * 100_000, id="JSON without end"),
    ],
)
def test_what_bounds_nothing_counts_as_missing(tmp_path: Path, stats: Json | str) -> None:
    assert verdict(table(tmp_path, add("a", stats))) == "missing: no file has statistics"


@pytest.mark.parametrize(
    ("identifier", "key"),
    [
        ("ICU.de_DE", "icu.de"),
        ("ICU.en_US_CI", "icu.en_USA_CI"),
        ("icu.zh_TW", "icu.zh_Hant_TWN"),
        ("icu.sr_Latn_ME", "icu.sr_Latn"),
        ("icu.as_AS", "icu.as"),
        ("icu.UNICODE_RTRIM_AI_CI", "icu.UNICODE_CI_AI_RTRIM"),
        ("icu.unicode_cs.75.1", "icu.UNICODE"),
        ("SPARK.utf8_lcase_rtrim", "spark.UTF8_LCASE_RTRIM"),
    ],
)
def test_an_identifier_is_understood_as_spark_would(
    tmp_path: Path, identifier: str, key: str
) -> None:
    table(tmp_path, add("a", bounds(ICU, key=key)), fields=[collated("name", identifier)])

    (row,) = status(tmp_path)

    assert (row["collation"], row["verdict"]) == (identifier, "healthy")


@pytest.mark.parametrize(
    "identifier",
    ["acme.X", "icu.KLINGON", "UNICODE", "icu.UNICODE_CI_CS", "spark.UTF8_LCASE_CI", "icu.de_DE_X"],
)
def test_a_collation_that_spark_does_not_have_is_unknown(tmp_path: Path, identifier: str) -> None:
    stats = bounds(ICU, key=identifier) | {"numRecords": 0}
    table(tmp_path, add("a", stats), fields=[collated("name", identifier)])

    (row,) = status(tmp_path)

    assert (row["verdict"], row["version"], row["command"]) == ("unknown collation", None, None)
    assert row["files_missing"] == row["files"] == 1


def test_the_default_order_is_no_collation(tmp_path: Path) -> None:
    table(tmp_path, add("a"), fields=[collated("name", "SPARK.UTF8_BINARY")])

    assert status(tmp_path) == []
    assert run("status", tmp_path, "--icu", ICU) == (0, "The table has no collated columns.\n", "")


def test_a_column_for_which_nothing_can_be_collected_says_why(tmp_path: Path) -> None:
    ages = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
    person = {"type": "struct", "fields": [NAME]}
    people = {"type": "array", "elementType": person, "containsNull": True}
    fields = [
        collated("day", "icu.UNICODE_AI"),
        field("ages", ages, __COLLATIONS={"ages.value": "icu.de", "ages.key": "icu.UNICODE"}),
        field("people", people),
        collated("word", "icu.UNICODE_AI_RTRIM"),
        collated("both", "icu.UNICODE_CI_AI"),
        collated("last", "icu.UNICODE"),
        collated("end", "acme.X"),
    ]
    table(tmp_path, add("a"), fields=fields, partitions=["day"], dataSkippingNumIndexedCols="4")

    assert verdicts(tmp_path) == [
        ("day", "no statistics: partition column"),
        ("ages.key", "no statistics: inside an array or map"),
        ("ages.value", "no statistics: inside an array or map"),
        ("people.element.name", "no statistics: inside an array or map"),
        ("word", "no statistics: no total order"),
        ("both", "missing: no file has statistics"),
        ("last", "no statistics: not an indexed column"),
        ("end", "unknown collation"),
    ]
    assert [row["column"] for row in status(tmp_path) if row["command"]] == ["both"]
    code, said, _ = run("columns", tmp_path, "--icu", ICU, "--json")
    assert code == 0
    assert [(row["position"], row["statistics"]) for row in json.loads(said)] == [
        (1, "partition column"),
        (2, "inside an array or map"),
        (2, "inside an array or map"),
        (3, "inside an array or map"),
        (4, "no total order"),
        (5, "collected"),
        (6, "not an indexed column"),
        (7, "unknown collation"),
    ]


@pytest.mark.parametrize(
    ("properties", "indexed"),
    [
        ({}, ["a.b", "a.c.d", "e", "f`g"]),
        ({"dataSkippingNumIndexedCols": "2"}, ["a.b", "a.c.d"]),
        ({"dataSkippingNumIndexedCols": "0"}, []),
        ({"dataSkippingNumIndexedCols": "-1"}, ["a.b", "a.c.d", "e", "f`g", "z"]),
        ({"dataSkippingStatsColumns": "A.c, `f``g`"}, ["a.c.d", "f`g"]),
        ({"dataSkippingStatsColumns": "a", "dataSkippingNumIndexedCols": "0"}, ["a.b", "a.c.d"]),
    ],
)
def test_only_indexed_columns_are_asked_for_statistics(
    tmp_path: Path, properties: dict[str, str], indexed: list[str]
) -> None:
    def struct(name: str, *fields: Json) -> Json:
        return field(name, {"type": "struct", "fields": list(fields)})

    def string(name: str) -> Json:
        return collated(name, "icu.UNICODE")

    fields = [struct("a", string("b"), struct("c", string("d"))), string("e"), string("f`g")]
    fields += [*(field(f"n{number}", "long") for number in range(28)), string("z")]
    table(tmp_path, add("x"), fields=fields, **properties)

    found = [
        name.strip("`").replace("``", "`") for name, said in verdicts(tmp_path) if "missing" in said
    ]

    assert found == indexed


def test_a_name_is_written_as_sql_needs_it(tmp_path: Path) -> None:
    names = ["plain_1", "two words", "a.b", "tick`ed", "12", "größe"]
    table(tmp_path, fields=[collated(name, "icu.UNICODE") for name in names])

    assert [name for name, _ in verdicts(tmp_path)] == [
        "plain_1",
        "`two words`",
        "`a.b`",
        "`tick``ed`",
        "`12`",
        "`größe`",
    ]


def test_bounds_of_nested_and_renamed_columns_are_found_by_their_physical_names(
    tmp_path: Path,
) -> None:
    mapped = {"delta.columnMapping.physicalName": "col-2"}
    inner = field("name", "string", __COLLATIONS={"name": "icu.UNICODE_CI"}, **mapped)
    other = field("alias", "string", __COLLATIONS={"col-3": "icu.UNICODE_CI"})
    other["metadata"]["delta.columnMapping.physicalName"] = "col-3"
    outer = field("who", {"type": "struct", "fields": [inner, other]})
    outer["metadata"]["delta.columnMapping.physicalName"] = "col-1"
    table(tmp_path, add("a", bounds(ICU, column="col-1.col-2")), fields=[outer])

    assert verdicts(tmp_path) == [
        ("who.name", "healthy"),
        ("who.alias", "missing: no file has statistics"),
    ]


# --- the log --------------------------------------------------------------------------------------


def test_the_newest_action_about_a_file_counts(tmp_path: Path) -> None:
    table(tmp_path, add("a"), add("b"), add("c", bounds(ICU)))
    commit(tmp_path, 1, remove("b"), add("a", bounds(OLD)))
    commit(tmp_path, 2, add("a", bounds(ICU)), remove("c"), add("d", bounds(ICU)))

    (row,) = status(tmp_path)

    assert (row["files"], row["verdict"]) == (2, "healthy")


def test_a_file_that_comes_back_counts_once(tmp_path: Path) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 1, remove("a"))
    commit(tmp_path, 2, add("a", bounds(ICU)))

    assert status(tmp_path)[0]["files"] == 1


def test_a_file_with_other_rows_deleted_is_another_file(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)))
    commit(tmp_path, 1, remove("a"), add("a", bounds(ICU), vector("v")))
    assert status(tmp_path)[0]["files"] == 1

    commit(tmp_path, 2, add("a", bounds(OLD), vector("w")), remove("a", vector("v")))

    commit(tmp_path, 3, remove("a", vector("v")))

    (row, _) = status(tmp_path)
    assert (row["files"], row["verdict"]) == (1, "stale: written by ICU 77.1, running 78.3")


def test_the_newest_schema_counts(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU, column="city")))
    commit(tmp_path, 1, meta(collated("city", "icu.UNICODE_CI")))

    assert verdicts(tmp_path) == [("city", "healthy")]


def checkpoints(path: Path) -> Iterator[str]:
    """Write the same checkpoint in every form, one after the other."""
    properties = {"dataSkippingNumIndexedCols": "1"}
    state = [protocol(), meta(field("id", "long"), NAME, **properties)]
    files = [add("a", bounds(ICU), vector("v")), add("b", bounds(OLD)), add("c")]
    tombstone = remove("gone")
    parquet(checkpoint(path, 5), *state, *files, tombstone)
    yield "classic"
    checkpoint(path, 5).unlink()
    parts = [f"{part:010}.0000000002.parquet" for part in (1, 2)]
    parquet(checkpoint(path, 5, parts[0]), files[2], *state)
    parquet(checkpoint(path, 5, parts[1]), *files[:2], tombstone)
    yield "multi-part"
    for part in parts:
        checkpoint(path, 5, part).unlink()
    sidecars = path / "_delta_log" / "_sidecars"
    parquet(sidecars / "one.parquet", files[2])
    parquet(sidecars / "two 2.parquet", *files[:2], tombstone)
    manifest: list[Json] = [{"checkpointMetadata": {"version": 5}}, *state]
    manifest += [{"sidecar": {"path": name}} for name in ("one.parquet", "x/y/two%202.parquet")]
    parquet(checkpoint(path, 5, f"{UUID}.parquet"), *manifest)
    yield "V2 in Parquet"
    checkpoint(path, 5, f"{UUID}.parquet").unlink()
    checkpoint(path, 5, f"{UUID}.json").write_text("\n".join(json.dumps(line) for line in manifest))
    yield "V2 in JSON"


def test_every_form_of_checkpoint_is_read_and_the_commits_after_it(tmp_path: Path) -> None:
    # What is before the newest checkpoint may be gone or not.
    parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("old"))
    commit(tmp_path, 4, {"damaged": True}).write_text("{")
    commit(tmp_path, 6, remove("a", vector("v")), add("d", bounds(ICU)))
    for form in checkpoints(tmp_path):
        commit(tmp_path, 7, meta(NAME))
        running, old = status(tmp_path)
        kinds = ("covered", "other_version", "missing")
        assert [running[f"files_{kind}"] for kind in kinds] == [1, 1, 1], form
        assert (old["version"], old["bytes_covered"]) == (OLD, 100), form
        # Without it, the schema and the properties of the checkpoint count.
        commit(tmp_path, 7, remove("c"))
        (running, old) = status(tmp_path)
        assert running["verdict"] == "no statistics: not an indexed column", form
        assert running["files"] == 2, form


def test_statistics_that_a_checkpoint_holds_as_columns_only_are_read(tmp_path: Path) -> None:
    files = [add("a"), add("b"), add("c"), add("d", bounds(ICU))]
    files[0]["add"]["stats_parsed"] = bounds(ICU)
    files[1]["add"]["stats_parsed"] = {"numRecords": 5, "nullCount": {"name": 5}}
    files[2]["add"]["stats_parsed"] = bounds(OLD)
    # The text says more than the columns, which hold one version.
    files[3]["add"]["stats_parsed"] = {"numRecords": 1}
    parquet(checkpoint(tmp_path, 1), protocol(), meta(NAME), *files)

    running, old = status(tmp_path)

    assert (running["files_covered"], running["rows_covered"]) == (3, 25)
    assert (old["version"], running["files_other_version"]) == (OLD, 1)


def test_a_checkpoint_that_is_not_complete_yet_is_left_alone(tmp_path: Path) -> None:
    table(tmp_path, add("a"))
    parquet(checkpoint(tmp_path, 0), protocol(), meta(NAME), add("a"))
    commit(tmp_path, 1, add("b"))
    parquet(checkpoint(tmp_path, 1, "0000000001.0000000002.parquet"), protocol(), meta(NAME))
    commit(tmp_path, 2, add("c"))
    checkpoint(tmp_path, 2).touch()
    (tmp_path / "_delta_log" / "_last_checkpoint").write_text('{"version": 2, "size"')
    (tmp_path / "_delta_log" / f".{3:020}.json.tmp").write_text("{")
    (tmp_path / "_delta_log" / f"{0:020}.{1:020}.compacted.json").write_text("{")

    assert status(tmp_path)[0]["files"] == 3


def test_a_uri_names_a_table_too(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    code, said, _ = run("status", f"{tmp_path.as_uri()}/", "--icu", ICU)

    assert code == 1
    assert f"delta.`{tmp_path.as_uri()}`" in said


# --- what is said ---------------------------------------------------------------------------------


def test_the_report_is_a_table_with_the_command_once_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it`s"
    table(
        path,
        add("a", bounds(OLD)),
        fields=[NAME, collated("x y", "acme.X"), collated("z", "icu.de")],
    )
    monkeypatch.chdir(tmp_path)

    code, said, error = run("status", "it`s", "--icu", ICU)

    assert (code, error) == (1, "")
    versions = "written by ICU 77.1, running 78.3"
    stale, missing = f"stale: {versions}", "missing: no file has statistics"
    assert (
        said
        == f"""\
column  collation       version  files  covered  other version  missing  verdict
name    icu.UNICODE_CI  78.3         1        0              1        0  {stale}
name    icu.UNICODE_CI  77.1         1        1              0        0  not used: {versions}
`x y`   acme.X          -            1        0              0        1  unknown collation
z       icu.de          78.3         1        0              0        1  {missing}

Run in Spark:
  ANALYZE TABLE delta.`{tmp_path}/it``s` COMPUTE DELTA STATISTICS
"""
    )


def test_a_healthy_table_has_no_command_below_it(tmp_path: Path) -> None:
    code, said, _ = run("status", table(tmp_path, add("a", bounds(ICU))), "--icu", ICU)

    assert code == 0
    assert len(said.splitlines()) == 2


def test_columns_are_listed_with_the_files_that_are_of_use(tmp_path: Path) -> None:
    fields = [field("id", "long"), NAME]
    table(tmp_path, add("a", bounds(ICU)), add("b"), fields=fields)

    code, said, error = run("columns", tmp_path, "--icu", ICU)

    assert (code, error) == (0, "")
    assert (
        said
        == """\
column  collation       position  statistics  files  files usable
name    icu.UNICODE_CI         2  collected       2             1
"""
    )


def test_the_icu_of_the_installed_pyspark_counts_as_running(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    _, said, _ = run("status", tmp_path, "--json")

    import pyspark  # noqa: PLC0415

    (jar,) = Path(pyspark.__path__[0], "jars").glob("icu4j-*.jar")
    assert f"icu4j-{json.loads(said)[0]['version']}.jar" == jar.name


# --- what cannot be told --------------------------------------------------------------------------


def test_a_path_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no") == f"There is no {tmp_path}/no."


def test_a_folder_without_a_log_is_no_delta_table(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path} is not a Delta table: it has no commits."


def test_a_file_is_no_delta_table(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    assert f"{tmp_path}/file" in refusal(tmp_path / "file")


def test_a_store_that_nobody_knows_is_told() -> None:
    assert refusal("nowhere://bucket/t").startswith("nowhere://bucket/t cannot be read: ")


@pytest.mark.parametrize("what", ["_delta_log", f"_delta_log/{0:020}.json"])
def test_a_table_that_one_may_not_read_is_told(tmp_path: Path, what: str) -> None:
    closed = table(tmp_path / "t", add("a")) / what
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    closed.chmod(0)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(NOBODY)
        assert refusal(tmp_path / "t").startswith("You have no right to read ")
    finally:
        os.seteuid(user)
        closed.chmod(0o700)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"add": {"path": "b", "si', id="cut off"),
        pytest.param("", id="empty"),
        pytest.param("\xff\n", id="no UTF-8"),
        pytest.param("[]\n", id="no object"),
        pytest.param('{"add": {"size": 1}}\n', id="a file without a path"),
        pytest.param('{"remove": null}\n', id="a removal of nothing"),
        pytest.param('{"metaData": {}}\n', id="metadata without a schema"),
        pytest.param('{"protocol": {}}\n', id="a protocol without a version"),
        pytest.param(
            '{"protocol": {"minReaderVersion": 3, "readerFeatures": 7}}\n', id="features in number"
        ),
    ],
)
def test_a_damaged_commit_is_named(tmp_path: Path, text: str) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 1).write_bytes(text.encode("latin-1"))

    said = refusal(tmp_path)

    assert f"{1:020}.json is damaged or still being written: " in said


@pytest.mark.parametrize("kept", [8, 100, -9])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, kept: int) -> None:
    file = parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a"))
    file.write_bytes(file.read_bytes()[:kept])

    assert refusal(tmp_path).startswith(f"{file} is damaged or still being written: ")


def test_damage_inside_a_checkpoint_is_told(tmp_path: Path) -> None:
    file = parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a", bounds(ICU)))
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4)
    file.write_bytes(content)

    assert str(file) in refusal(tmp_path)


def test_a_missing_commit_is_named(tmp_path: Path) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 2, add("b"))

    assert refusal(tmp_path) == (
        f"The log of {tmp_path} has a gap: version 1 is missing, though version 2 is there."
    )


def test_a_missing_commit_after_a_checkpoint_is_named(tmp_path: Path) -> None:
    parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a"))
    commit(tmp_path, 5, add("b"))

    assert "version 4 is missing" in refusal(tmp_path)


def test_a_missing_sidecar_is_named(tmp_path: Path) -> None:
    manifest = [protocol(), meta(NAME), {"sidecar": {"path": "one.parquet"}}]
    parquet(checkpoint(tmp_path, 3, f"{UUID}.parquet"), *manifest)

    assert refusal(tmp_path).startswith(f"{tmp_path}/_delta_log/_sidecars/one.parquet is gone")


def test_the_files_of_a_table_without_collated_columns_are_not_read(tmp_path: Path) -> None:
    manifest = [protocol(), meta(field("id", "long")), {"sidecar": {"path": "one.parquet"}}]
    parquet(checkpoint(tmp_path, 3, f"{UUID}.parquet"), *manifest)

    assert status(tmp_path) == []


@pytest.mark.parametrize("left_out", ["protocol", "metaData"])
def test_a_log_without_its_first_actions_is_told(tmp_path: Path, left_out: str) -> None:
    actions = [action for action in (protocol(), meta(NAME)) if left_out not in action]
    commit(tmp_path, 0, *actions)

    assert refusal(tmp_path) == f"The log of {tmp_path} has no {left_out} action."


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({"schemaString": "{"}, id="schema that is no JSON"),
        pytest.param({"schemaString": '{"fields": [7]}'}, id="field that is no object"),
        pytest.param(
            {
                "schemaString": json.dumps({"fields": [NAME]}),
                "configuration": {"delta.dataSkippingNumIndexedCols": "many"},
            },
            id="number that is none",
        ),
    ],
)
def test_metadata_that_means_nothing_is_told(tmp_path: Path, metadata: Json) -> None:
    commit(tmp_path, 0, protocol(), {"metaData": metadata})

    assert refusal(tmp_path).startswith("The metadata in the log cannot be understood: ")


def test_a_collation_on_something_else_than_a_string_is_told(tmp_path: Path) -> None:
    table(tmp_path, fields=[field("id", "integer", __COLLATIONS={"id": "icu.UNICODE"})])

    assert refusal(tmp_path) == "The schema gives a collation to id, which is integer."


def test_a_feature_that_changes_what_the_log_means_is_named(tmp_path: Path) -> None:
    commit(tmp_path, 0, protocol("deletionVectors", "catalogManaged", "magic"), meta(NAME))

    assert refusal(tmp_path).endswith("does not know: catalogManaged, magic.")


def test_a_reader_version_of_the_future_is_named(tmp_path: Path) -> None:
    commit(tmp_path, 0, protocol(version=4), meta(NAME))

    assert refusal(tmp_path).endswith("does not know: reader version 4.")


def test_features_that_statistics_do_not_depend_on_are_fine(tmp_path: Path) -> None:
    features = "deletionVectors columnMapping timestampNtz v2Checkpoint typeWidening"
    commit(tmp_path, 0, protocol(*features.split(), "vacuumProtocolCheck"), meta(NAME))

    assert verdict(tmp_path) == "healthy"


@pytest.mark.parametrize("version", [1, 2])
def test_tables_from_before_features_are_fine(tmp_path: Path, version: int) -> None:
    commit(tmp_path, 0, protocol(version=version), meta(NAME))

    assert verdict(tmp_path) == "healthy"


@pytest.mark.parametrize(
    "arguments",
    [["status"], ["dance", "x"], ["status", "x", "--icu", "new"], []],
)
def test_arguments_that_mean_nothing_are_refused(arguments: list[str]) -> None:
    code, out, error = run(*arguments)

    assert (code, out) == (2, "")
    assert error.startswith("usage: delta-collations")


# --- what it needs --------------------------------------------------------------------------------


def fresh(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a Python of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_module_runs_and_imports_no_pyspark(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    done = fresh(
        """if True:
        import runpy, sys
        sys.argv[0] = "delta_collations"
        try:
            runpy.run_module("delta_collations", run_name="__main__", alter_sys=True)
        finally:
            print({"pyspark", "py4j", "delta"} & set(sys.modules))
        """,
        "status",
        tmp_path,
        "--icu",
        ICU,
    )

    assert "missing: no file has statistics" in done.stdout
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (1, "set()", "")


def test_the_package_imports_pyarrow_and_pyspark_only_when_it_needs_them() -> None:
    done = fresh(
        """if True:
        import sys, delta_collations
        print({"pyspark", "pyarrow"} & set(sys.modules), len(delta_collations.__all__))
        from delta_collations import *
        print("pyspark" in sys.modules, callable(configure_spark_with_collations))
        delta_collations.nothing
        """
    )

    assert done.stdout.splitlines() == [
        "set() 5",
        "True True",
    ]
    assert "AttributeError: module 'delta_collations' has no attribute 'nothing'" in done.stderr


def test_without_pyarrow_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path, add("a"))
    monkeypatch.delitem(sys.modules, "delta_collations.cli.delta_log", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert refusal(tmp_path) == "pyarrow is not installed: pip install 'delta-collations[cli]'"


def test_without_pyspark_it_asks_for_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    code, _, error = run("status", table(tmp_path, add("a")))

    assert code == 2
    assert error.endswith("say which version does, such as --icu 78.3.\n")


def test_the_package_installs_the_command() -> None:
    (script,) = entry_points(group="console_scripts", name="delta-collations")

    assert script.load() is main
