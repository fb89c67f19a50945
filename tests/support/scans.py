# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of data skipping: the files a query reads, and rewritten statistics."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.tables import Json, Table, clear_log_cache, explain, setting, without_codegen

if TYPE_CHECKING:
    from collections.abc import Callable

SKIPPING_ENABLED = "spark.deltaCollations.skipping.enabled"


@dataclass(frozen=True)
class Scan:
    """The result of a query, and what its plan reports about the files of its only scan."""

    rows: list[tuple[Any, ...]]
    files: list[str]
    in_table: int
    by_partition: int
    by_binary: int
    by_collated: int
    reasons: list[str]


def scan(table: Table, query: str) -> Scan:
    """Run ``query`` with and without skipping, and compare the results.

    Both runs must return the same rows. The run without skipping must read all files that the other
    run skips, which shows that the collated statistics caused the skipping.
    """
    with without_codegen(table.spark):
        found = _scan(table, query)
        with setting(table.spark, SKIPPING_ENABLED, "false"):
            unskipped = _scan(table, query)
    assert unskipped.rows == found.rows, query
    assert unskipped.by_collated == 0
    assert len(unskipped.files) == len(found.files) + found.by_collated
    assert set(unskipped.files) >= set(found.files)
    return found


def _scan(table: Table, query: str) -> Scan:
    frame = table.sql(query)
    plan = explain(frame, "formatted")
    [total] = re.findall(r"FilesInTable: (\d+)", plan)
    [pruned] = re.findall(r"FilesPruned: (.*)", plan)
    [read] = re.findall(r"FilesRead: (.*)", plan)
    partition, binary, collated = re.findall(r"(\d+) by \w+", pruned)
    number, _, listed = read.rstrip(")").partition(" (")
    reasons = listed.split(", ") if listed else []
    files = sorted(Path(path).name for path in frame.inputFiles())
    assert len(files) == int(number)
    assert int(total) == sum(map(int, (partition, binary, collated, number)))
    rows = sorted((tuple(row) for row in frame.collect()), key=repr)
    return Scan(rows, files, int(total), int(partition), int(binary), int(collated), reasons)


def copy_table(table: Table, path: Path) -> Table:
    """Copy the log and the files of a table to another path."""
    shutil.copytree(table.path, path)
    return Table(table.spark, path)


def rewrite_stats(table: Table, change: Callable[[str, Json], Json | str | None]) -> Table:
    """Replace the statistics of every file by what ``change`` returns for its path and statistics.

    A dict is written as JSON and a string verbatim; None removes the statistics.
    """
    for commit in (table.path / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in commit.read_text("utf-8").splitlines()]
        for add in (action["add"] for action in actions if "add" in action):
            stats = change(add["path"], json.loads(add.pop("stats")))
            if stats is not None:
                text = stats if isinstance(stats, str) else json.dumps(stats, ensure_ascii=False)
                add["stats"] = text
        commit.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
    clear_log_cache(table)
    return table
