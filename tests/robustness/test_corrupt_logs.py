# SPDX-License-Identifier: Apache-2.0
"""Damaged and malicious logs: no row is lost, nothing fails without words. The short form."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from delta_collations.cli import main
from robustness.harness import corrupt_checkpoints, corrupt_cli_logs, corrupt_metadata
from robustness.harness.corrupt_tables import DamagedTable, Findings, Sound, forms, outcome, used
from support.command_line import error_message, run, single_status
from support.log_builder import add, bounds, commit, meta, parquet, protocol, table
from support.tables import collated

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.closed_to_other_readers

SEED = 7
FILES = 60


@pytest.fixture(scope="module")
def sound(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """Return one file of each kind, with its true statistics."""
    return Sound(spark, tmp_path_factory.mktemp("sound") / "table")


@pytest.mark.parametrize("number", [0, 5], ids=["commits", "V2 checkpoint, parsed only"])
def test_no_row_is_lost_by_damaged_statistics_and_a_refresh_mends_them(
    sound: Sound, tmp_path: Path, number: int
) -> None:
    findings, chance = Findings(), random.Random(SEED)  # noqa: S311
    name, properties, settings = list(forms())[number]

    damaged = DamagedTable.write(sound, tmp_path / "table", chance, FILES, findings, properties)
    used(damaged, name, settings, findings)

    assert findings.wrong == []


def test_damaged_schemas_domains_and_checkpoints_give_rows_or_an_error_with_a_condition(
    sound: Sound, tmp_path: Path
) -> None:
    findings, chance = Findings(), random.Random(SEED)  # noqa: S311

    for number in (2, 4):
        corrupt_metadata.next_table(sound, tmp_path, chance, number, findings)
    for number in (0, 1):
        corrupt_checkpoints.next_table(sound, tmp_path, chance, number, findings)

    assert findings.wrong == []


def test_the_command_line_answers_or_says_in_one_line_why_not(tmp_path: Path) -> None:
    findings = Findings()

    corrupt_cli_logs.tried(tmp_path, SEED, 300, findings)

    assert findings.wrong == []


def test_a_lie_and_a_failure_are_found_out(sound: Sound, tmp_path: Path) -> None:
    findings, chance = Findings(), random.Random(SEED)  # noqa: S311
    damaged = DamagedTable.write(sound, tmp_path / "table", chance, 1, findings, {})
    log = tmp_path / "table" / "_delta_log" / f"{0:020}.json"
    *others, last = log.read_text().splitlines()
    action = json.loads(last)
    kind = damaged.kinds[0]
    lie = {"minValues": {"name": "\uffff"}, "maxValues": {"name": "\uffff"}}
    key = f"icu.UNICODE_CI.{sound.version}"
    stats = {**sound.files[kind]["stats"], "statsWithCollation": {key: lie}}
    action["add"]["stats"] = json.dumps(stats)
    log.write_text("\n".join([*others, json.dumps(action)]))

    assert damaged.lost(findings)
    assert corrupt_cli_logs.judged(tmp_path, run=lambda _: 1 // 0)
    assert corrupt_cli_logs.judged(tmp_path, run=lambda _: print("\x1b[2J") or 0)  # noqa: T201
    assert "org.deltacollations" in str(outcome(lambda: _fails_in_our_code(sound.table.spark))[1])


def _fails_in_our_code(spark: SparkSession) -> object:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    return jvm.org.deltacollations.protocol.CollationId.parse(None)


# --- the command line, one by one -----------------------------------------------------------------


def test_a_sidecar_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    secret = parquet(tmp_path / "secret.parquet", add("x", bounds("78.3")))
    log = tmp_path / "table"
    manifest = log / "_delta_log" / f"{0:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    manifest.parent.mkdir(parents=True)
    for path in ("..%2F..%2F..%2Fsecret.parquet", str(secret), "../../../secret.parquet"):
        actions = [
            protocol(),
            meta(collated("name", "icu.UNICODE_CI")),
            {"sidecar": {"path": path}},
        ]
        manifest.write_text("\n".join(map(json.dumps, actions)))
        assert "_sidecars/secret.parquet does not exist" in error_message(log)
    actions[-1] = {"sidecar": {"path": ".."}}
    manifest.write_text("\n".join(map(json.dumps, actions)))
    assert "is not the name of a sidecar" in error_message(log)


def test_names_in_a_log_move_no_cursor_and_stay_on_their_line(tmp_path: Path) -> None:
    name = "a\n\x1b[31m\ud800\u202e"
    table(tmp_path, fields=[collated(name, "icu.UNICODE_CI")])

    code, said, _ = run("columns", tmp_path, "--icu-version", "78.3")
    assert code == 0
    assert r"`a\u000a\u001b[31m\ud800\u202e`" in said
    _, said, _ = run("columns", tmp_path, "--icu-version", "78.3", "--json")
    assert json.loads(said)[0]["column"] == f"`{name}`"
    assert said.encode()

    commit(tmp_path, 0, protocol("x\ny"), meta(collated("name", "icu.UNICODE_CI")))
    assert r"x\u000ay" in error_message(tmp_path)


@pytest.mark.parametrize(
    "stats",
    [
        json.dumps(bounds("78.3")) + "{}",
        json.dumps(bounds("78.3"))[:-1] + ', "statsWithCollation": {}}',
        json.dumps(bounds("78.3") | {"x": float("nan")}),
        json.dumps(bounds("78.3")).replace('"a"', r'"\ud800"'),
        json.dumps(bounds("78.3")).replace('"a"', "7"),
        json.dumps(bounds("78.3.") | {"numRecords": 10**30}),
    ],
    ids=["goes on", "says two things", "NaN", "half a character", "a number", "absurd numbers"],
)
def test_damaged_statistics_are_none(tmp_path: Path, stats: str) -> None:
    table(tmp_path, add("a", stats))

    assert not single_status(tmp_path).startswith("healthy")


def test_a_log_with_too_many_or_too_long_versions_is_told_of_in_a_few_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = [f"{number}.1" for number in range(1000)] + ["9" * 5000, "x" * 5000]
    table(tmp_path, add("a", bounds(*versions)), add("b", bounds("78.3", *versions)))

    assert main(["status", str(tmp_path), "--icu-version", "78.3"]) == 1
    said = capsys.readouterr().out
    assert said.count("\n") < 30
    assert "partial: 1 of 2 files" in said


@pytest.mark.parametrize("depth", [2000, 100_000])
def test_a_log_that_goes_too_deep_is_refused_in_one_line(tmp_path: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    file = commit(tmp_path, 0, protocol(), meta(collated("name", "icu.UNICODE_CI")))
    file.write_text(file.read_text() + f'{{"add": {deep}}}\n')
    assert "is corrupt" in error_message(tmp_path)

    action = meta()
    action["metaData"]["schemaString"] = f'{{"fields": {deep}}}'
    commit(tmp_path, 0, protocol(), action)
    assert "is not valid" in error_message(tmp_path)
