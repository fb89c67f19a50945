# SPDX-License-Identifier: Apache-2.0
"""The command line reads commits and checkpoints of every form, and what is in force."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.command_line import ICU, OLD, status, verdicts
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
