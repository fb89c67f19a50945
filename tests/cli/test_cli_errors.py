# SPDX-License-Identifier: Apache-2.0
"""The command line says in one sentence why it cannot read a log."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from support.command_line import ICU, refusal, status, verdict
from support.log_builder import (
    NAME,
    UUID,
    add,
    bounds,
    checkpoint,
    commit,
    meta,
    parquet,
    protocol,
    table,
)
from support.tables import Json, field

if TYPE_CHECKING:
    from pathlib import Path

NOBODY = 65534


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
