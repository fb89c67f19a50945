# SPDX-License-Identifier: Apache-2.0
"""The command line reports in one sentence why it cannot read a log."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from support.command_line import ICU, error_message, single_status, status
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


def test_error_names_a_path_that_does_not_exist(tmp_path: Path) -> None:
    assert error_message(tmp_path / "no") == f"{tmp_path}/no does not exist."


def test_error_says_that_a_folder_without_a_log_is_not_a_delta_table(tmp_path: Path) -> None:
    assert error_message(tmp_path) == f"{tmp_path} is not a Delta table: it has no commits."


def test_error_names_a_file_that_is_not_a_delta_table(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")

    assert f"{tmp_path}/file" in error_message(tmp_path / "file")


def test_error_names_an_unsupported_file_system() -> None:
    assert error_message("nowhere://bucket/t").startswith("nowhere://bucket/t cannot be read: ")


@pytest.mark.parametrize("name", ["_delta_log", f"_delta_log/{0:020}.json"])
def test_error_says_permission_denied(tmp_path: Path, name: str) -> None:
    unreadable = table(tmp_path / "t", add("a")) / name
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    unreadable.chmod(0)
    user = os.geteuid()
    try:
        if user == 0:
            os.seteuid(NOBODY)
        assert error_message(tmp_path / "t").startswith("Permission denied: ")
    finally:
        os.seteuid(user)
        unreadable.chmod(0o700)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"add": {"path": "b", "si', id="truncated"),
        pytest.param("", id="empty"),
        pytest.param("\xff\n", id="malformed UTF-8"),
        pytest.param("[]\n", id="not an object"),
        pytest.param('{"add": {"size": 1}}\n', id="add action without a path"),
        pytest.param('{"remove": null}\n', id="remove action that is null"),
        pytest.param('{"metaData": {}}\n', id="metadata without a schema"),
        pytest.param('{"protocol": {}}\n', id="protocol without a version"),
        pytest.param(
            '{"protocol": {"minReaderVersion": 3, "readerFeatures": 7}}\n',
            id="features that are a number",
        ),
    ],
)
def test_error_names_a_corrupt_commit(tmp_path: Path, text: str) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 1).write_bytes(text.encode("latin-1"))

    assert f"{1:020}.json is corrupt or still being written: " in error_message(tmp_path)


@pytest.mark.parametrize("length", [8, 100, -9])
def test_error_names_a_truncated_checkpoint(tmp_path: Path, length: int) -> None:
    file = parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a"))
    file.write_bytes(file.read_bytes()[:length])

    assert error_message(tmp_path).startswith(f"{file} is corrupt or still being written: ")


def test_error_names_a_checkpoint_with_corrupt_content(tmp_path: Path) -> None:
    file = parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a", bounds(ICU)))
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4)
    file.write_bytes(content)

    assert str(file) in error_message(tmp_path)


def test_error_names_a_missing_commit(tmp_path: Path) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 2, add("b"))

    assert error_message(tmp_path) == (
        f"The log of {tmp_path} has a gap: version 1 is missing, but version 2 exists."
    )


def test_error_names_a_missing_commit_after_a_checkpoint(tmp_path: Path) -> None:
    parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("a"))
    commit(tmp_path, 5, add("b"))

    assert "version 4 is missing" in error_message(tmp_path)


def test_error_names_a_missing_sidecar(tmp_path: Path) -> None:
    manifest = [protocol(), meta(NAME), {"sidecar": {"path": "one.parquet"}}]
    parquet(checkpoint(tmp_path, 3, f"{UUID}.parquet"), *manifest)

    assert error_message(tmp_path).startswith(
        f"{tmp_path}/_delta_log/_sidecars/one.parquet does not exist"
    )


def test_files_are_not_read_when_the_table_has_no_collated_columns(tmp_path: Path) -> None:
    manifest = [protocol(), meta(field("id", "long")), {"sidecar": {"path": "one.parquet"}}]
    parquet(checkpoint(tmp_path, 3, f"{UUID}.parquet"), *manifest)

    assert status(tmp_path) == []


@pytest.mark.parametrize("missing", ["protocol", "metaData"])
def test_error_names_a_missing_action(tmp_path: Path, missing: str) -> None:
    actions = [action for action in (protocol(), meta(NAME)) if missing not in action]
    commit(tmp_path, 0, *actions)

    assert error_message(tmp_path) == f"The log of {tmp_path} has no {missing} action."


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({"schemaString": "{"}, id="schema that is not JSON"),
        pytest.param({"schemaString": '{"fields": [7]}'}, id="field that is not an object"),
        pytest.param(
            {
                "schemaString": json.dumps({"fields": [NAME]}),
                "configuration": {"delta.dataSkippingNumIndexedCols": "many"},
            },
            id="number that is not valid",
        ),
    ],
)
def test_error_says_that_metadata_is_not_valid(tmp_path: Path, metadata: Json) -> None:
    commit(tmp_path, 0, protocol(), {"metaData": metadata})

    assert error_message(tmp_path).startswith("The metadata in the log is not valid: ")


def test_error_names_a_collated_column_that_is_not_a_string(tmp_path: Path) -> None:
    table(tmp_path, fields=[field("id", "integer", __COLLATIONS={"id": "icu.UNICODE"})])

    assert error_message(tmp_path) == (
        "The table schema assigns a collation to id, which has type integer instead of string."
    )


def test_error_names_unsupported_reader_features(tmp_path: Path) -> None:
    commit(tmp_path, 0, protocol("deletionVectors", "catalogManaged", "magic"), meta(NAME))

    assert error_message(tmp_path).endswith("does not support: catalogManaged, magic.")


def test_error_names_an_unsupported_reader_version(tmp_path: Path) -> None:
    commit(tmp_path, 0, protocol(version=4), meta(NAME))

    assert error_message(tmp_path).endswith("does not support: reader version 4.")


def test_tables_with_harmless_reader_features_are_supported(tmp_path: Path) -> None:
    features = "deletionVectors columnMapping timestampNtz v2Checkpoint typeWidening"
    commit(tmp_path, 0, protocol(*features.split(), "vacuumProtocolCheck"), meta(NAME))

    assert single_status(tmp_path) == "healthy"


@pytest.mark.parametrize("version", [1, 2])
def test_tables_with_legacy_reader_versions_are_supported(tmp_path: Path, version: int) -> None:
    commit(tmp_path, 0, protocol(version=version), meta(NAME))

    assert single_status(tmp_path) == "healthy"
