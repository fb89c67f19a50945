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
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

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
    [found] = scans(table, [query])
    return found


def scans(table: Table, queries: Sequence[str]) -> list[Scan]:
    """Do what ``scan`` does for each query, in one query of all, since planning takes longest.

    The queries must return the same types.
    """
    with without_codegen(table.spark):
        found = _scans(table, queries)
        with setting(table.spark, SKIPPING_ENABLED, "false"):
            unskipped = _scans(table, queries)
    for query, ours, all_files in zip(queries, found, unskipped, strict=True):
        assert all_files.rows == ours.rows, query
        assert all_files.by_collated == 0, query
        assert len(all_files.files) == len(ours.files) + ours.by_collated, query
        assert set(all_files.files) >= set(ours.files), query
    return found


def _scans(table: Table, queries: Sequence[str]) -> list[Scan]:
    if len(queries) == 1:
        frame = table.sql(queries[0])
    else:
        numbered = [f"SELECT {number}, * FROM ({each})" for number, each in enumerate(queries)]
        frame = table.sql(" UNION ALL ".join(numbered))
    plan = explain(frame, "formatted")
    totals = re.findall(r"FilesInTable: (\d+)", plan)
    pruned = re.findall(r"FilesPruned: (.*)", plan)
    read = re.findall(r"FilesRead: (.*)", plan)
    files = _files_of_scans(frame)
    rows: list[list[tuple[Any, ...]]] = [[] for _ in queries]
    for row in frame.collect():
        if len(queries) == 1:
            rows[0].append(tuple(row))
        else:
            rows[row[0]].append(tuple(row[1:]))
    return [_scan_of(*each) for each in zip(totals, pruned, read, files, rows, strict=True)]


def _files_of_scans(frame: DataFrame) -> list[list[str]]:
    """Return the names of the files that each scan of the plan reads."""
    leaves = frame._jdf.queryExecution().optimizedPlan().collectLeaves()  # noqa: SLF001
    nodes = (leaves.apply(number) for number in range(leaves.size()))
    scanned = [node for node in nodes if node.nodeName() == "LogicalRelation"]
    return [sorted(Path(path).name for path in node.relation().inputFiles()) for node in scanned]


def _scan_of(
    total: str, pruned: str, read: str, files: list[str], rows: list[tuple[Any, ...]]
) -> Scan:
    partition, binary, collated = re.findall(r"(\d+) by \w+", pruned)
    number, _, listed = read.rstrip(")").partition(" (")
    reasons = listed.split(", ") if listed else []
    assert len(files) == int(number)
    assert int(total) == sum(map(int, (partition, binary, collated, number)))
    ordered = sorted(rows, key=repr)
    return Scan(ordered, files, int(total), int(partition), int(binary), int(collated), reasons)


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
