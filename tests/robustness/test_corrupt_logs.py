# SPDX-License-Identifier: Apache-2.0
"""Corrupt logs lose no rows and cause clear errors; ``./dev bench corrupt-logs`` is longer."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from delta_collations.cli import main
from robustness.harness import corrupt_checkpoints, corrupt_cli_logs, corrupt_metadata
from robustness.harness.corrupt_tables import (
    CorruptTable,
    Findings,
    ValidFiles,
    check_table,
    log_formats,
    outcome,
)
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
def valid(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> ValidFiles:
    """Return one file of each kind with correct statistics."""
    return ValidFiles(spark, tmp_path_factory.mktemp("valid") / "table")


@pytest.mark.parametrize("number", [0, 5], ids=["commits", "V2 checkpoint, parsed only"])
def test_corrupt_stats_lose_no_rows_and_refresh_fixes_them(
    valid: ValidFiles, tmp_path: Path, number: int
) -> None:
    findings, rng = Findings(), random.Random(SEED)  # noqa: S311
    name, properties, settings = list(log_formats())[number]

    corrupt = CorruptTable.write(valid, tmp_path / "table", rng, FILES, findings, properties)
    check_table(corrupt, name, settings, findings)

    assert findings.wrong == []


def test_corrupt_metadata_and_checkpoints_return_rows_or_error_condition(
    valid: ValidFiles, tmp_path: Path
) -> None:
    findings, rng = Findings(), random.Random(SEED)  # noqa: S311

    for number in (2, 4):
        corrupt_metadata.next_table(valid, tmp_path, rng, number, findings)
    for number in (0, 1):
        corrupt_checkpoints.next_table(valid, tmp_path, rng, number, findings)

    assert findings.wrong == []


def test_cli_answers_or_prints_one_line_error_when_log_is_corrupt(tmp_path: Path) -> None:
    findings = Findings()

    corrupt_cli_logs.check_logs(tmp_path, SEED, 300, findings)

    assert findings.wrong == []


def test_corrupt_log_checks_detect_wrong_bounds_and_failures(
    valid: ValidFiles, tmp_path: Path
) -> None:
    findings, rng = Findings(), random.Random(SEED)  # noqa: S311
    corrupt = CorruptTable.write(valid, tmp_path / "table", rng, 1, findings, {})
    log = tmp_path / "table" / "_delta_log" / f"{0:020}.json"
    *others, last = log.read_text().splitlines()
    action = json.loads(last)
    kind = corrupt.kinds[0]
    wrong_bounds = {"minValues": {"name": "\uffff"}, "maxValues": {"name": "\uffff"}}
    key = f"icu.UNICODE_CI.{valid.version}"
    stats = {**valid.files[kind]["stats"], "statsWithCollation": {key: wrong_bounds}}
    action["add"]["stats"] = json.dumps(stats)
    log.write_text("\n".join([*others, json.dumps(action)]))

    assert corrupt.lost(findings)
    assert corrupt_cli_logs.find_problem(tmp_path, run=lambda _: 1 // 0)
    assert corrupt_cli_logs.find_problem(tmp_path, run=lambda _: print("\x1b[2J") or 0)  # noqa: T201
    assert "org.deltacollations" in str(outcome(lambda: _fails_in_our_code(valid.table.spark))[1])


def _fails_in_our_code(spark: SparkSession) -> object:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    return jvm.org.deltacollations.protocol.CollationId.parse(None)


# --- the command line -----------------------------------------------------------------------------


def test_cli_rejects_sidecar_path_outside_sidecar_folder(tmp_path: Path) -> None:
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


def test_cli_escapes_control_characters_of_names(tmp_path: Path) -> None:
    name = "a\n\x1b[31m\ud800\u202e"
    table(tmp_path, fields=[collated(name, "icu.UNICODE_CI")])

    code, output, _ = run("columns", tmp_path, "--icu-version", "78.3")
    assert code == 0
    assert r"`a\u000a\u001b[31m\ud800\u202e`" in output
    _, output, _ = run("columns", tmp_path, "--icu-version", "78.3", "--json")
    assert json.loads(output)[0]["column"] == f"`{name}`"
    assert output.encode()

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
    ids=["trailing tokens", "duplicate keys", "NaN", "lone surrogate", "number", "huge number"],
)
def test_cli_ignores_corrupt_stats(tmp_path: Path, stats: str) -> None:
    table(tmp_path, add("a", stats))

    assert not single_status(tmp_path).startswith("healthy")


def test_cli_status_is_short_when_log_has_many_or_long_versions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = [f"{number}.1" for number in range(1000)] + ["9" * 5000, "x" * 5000]
    table(tmp_path, add("a", bounds(*versions)), add("b", bounds("78.3", *versions)))

    assert main(["status", str(tmp_path), "--icu-version", "78.3"]) == 1
    output = capsys.readouterr().out
    assert output.count("\n") < 30
    assert "partial: 1 of 2 files" in output


@pytest.mark.parametrize("depth", [2000, 100_000])
def test_cli_reports_deeply_nested_log_in_one_line(tmp_path: Path, depth: int) -> None:
    deep = "[" * depth + "]" * depth
    file = commit(tmp_path, 0, protocol(), meta(collated("name", "icu.UNICODE_CI")))
    file.write_text(file.read_text() + f'{{"add": {deep}}}\n')
    assert "is corrupt" in error_message(tmp_path)

    action = meta()
    action["metaData"]["schemaString"] = f'{{"fields": {deep}}}'
    commit(tmp_path, 0, protocol(), action)
    assert "is not valid" in error_message(tmp_path)
