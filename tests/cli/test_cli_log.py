# SPDX-License-Identifier: Apache-2.0
"""The command line reads the latest snapshot from commits and checkpoints of all kinds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.command_line import ICU, OLD, column_statuses, status
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
    remove,
    table,
    vector,
)
from support.tables import Json, collated, field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_latest_action_of_a_file_wins(tmp_path: Path) -> None:
    table(tmp_path, add("a"), add("b"), add("c", bounds(ICU)))
    commit(tmp_path, 1, remove("b"), add("a", bounds(OLD)))
    commit(tmp_path, 2, add("a", bounds(ICU)), remove("c"), add("d", bounds(ICU)))

    (row,) = status(tmp_path)

    assert (row["files"], row["status"]) == (2, "healthy")


def test_file_that_is_added_again_counts_once(tmp_path: Path) -> None:
    table(tmp_path, add("a"))
    commit(tmp_path, 1, remove("a"))
    commit(tmp_path, 2, add("a", bounds(ICU)))

    assert status(tmp_path)[0]["files"] == 1


def test_file_with_another_deletion_vector_is_another_file(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU)))
    commit(tmp_path, 1, remove("a"), add("a", bounds(ICU), vector("v")))
    assert status(tmp_path)[0]["files"] == 1

    commit(tmp_path, 2, add("a", bounds(OLD), vector("w")), remove("a", vector("v")))

    commit(tmp_path, 3, remove("a", vector("v")))

    (row, _) = status(tmp_path)
    assert (row["files"], row["status"]) == (1, "stale: written by ICU 77.1, current is 78.3")


def test_latest_schema_wins(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(ICU, column="city")))
    commit(tmp_path, 1, meta(collated("city", "icu.UNICODE_CI")))

    assert column_statuses(tmp_path) == [("city", "healthy")]


def checkpoints(path: Path) -> Iterator[str]:
    """Write the same checkpoint as each kind, one after the other."""
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


def test_checkpoints_of_all_kinds_are_read_with_later_commits(tmp_path: Path) -> None:
    # Files from before the latest checkpoint may still exist.
    parquet(checkpoint(tmp_path, 3), protocol(), meta(NAME), add("old"))
    commit(tmp_path, 4, {"damaged": True}).write_text("{")
    commit(tmp_path, 6, remove("a", vector("v")), add("d", bounds(ICU)))
    for kind in checkpoints(tmp_path):
        commit(tmp_path, 7, meta(NAME))
        current, old = status(tmp_path)
        coverages = ("covered", "other_version", "missing")
        assert [current[f"files_{coverage}"] for coverage in coverages] == [1, 1, 1], kind
        assert (old["version"], old["bytes_covered"]) == (OLD, 100), kind
        # Without the metadata of the commit, that of the checkpoint applies.
        commit(tmp_path, 7, remove("c"))
        current, old = status(tmp_path)
        assert current["status"] == "not collected: not an indexed column", kind
        assert current["files"] == 2, kind


def test_stats_parsed_of_a_checkpoint_is_read(tmp_path: Path) -> None:
    files = [add("a"), add("b"), add("c"), add("d", bounds(ICU))]
    files[0]["add"]["stats_parsed"] = bounds(ICU)
    files[1]["add"]["stats_parsed"] = {"numRecords": 5, "nullCount": {"name": 5}}
    files[2]["add"]["stats_parsed"] = bounds(OLD)
    # The JSON string has priority over the columns, which may contain fewer versions.
    files[3]["add"]["stats_parsed"] = {"numRecords": 1}
    parquet(checkpoint(tmp_path, 1), protocol(), meta(NAME), *files)

    current, old = status(tmp_path)

    assert (current["files_covered"], current["rows_covered"]) == (3, 25)
    assert (old["version"], current["files_other_version"]) == (OLD, 1)


def test_incomplete_checkpoints_are_ignored(tmp_path: Path) -> None:
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
