# SPDX-License-Identifier: Apache-2.0
"""What the tests of skipping share: which files a query reads, and logs with other statistics."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.tables import Json, Table, clear_log_cache, explain, setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

SKIPPING_ENABLED = "spark.deltaCollations.skipping.enabled"


@dataclass(frozen=True)
class Scan:
    """What a query found, and what its plan says of the files of its only scan."""

    rows: list[tuple[Any, ...]]
    files: list[str]
    in_table: int
    by_partition: int
    by_binary: int
    by_collated: int
    reasons: list[str]


def scan(table: Table, query: str) -> Scan:
    """Run ``query``, and again with the switch off: it has to find the same rows.

    Switched off, collated statistics leave out nothing. So every look at what is skipped has its
    twin that shows that it would not be, were it not for the collated statistics.
    """
    with without_codegen(table.spark):
        found = _scan(table, query)
        with setting(table.spark, SKIPPING_ENABLED, "false"):
            twin = _scan(table, query)
    assert twin.rows == found.rows, query
    assert twin.by_collated == 0
    assert len(twin.files) == len(found.files) + found.by_collated
    assert set(twin.files) >= set(found.files)
    return found


def _scan(table: Table, query: str) -> Scan:
    frame = table.sql(query)
    said = explain(frame, "formatted")
    [total] = re.findall(r"FilesInTable: (\d+)", said)
    [pruned] = re.findall(r"FilesPruned: (.*)", said)
    [read] = re.findall(r"FilesRead: (.*)", said)
    partition, binary, collated = re.findall(r"(\d+) by \w+", pruned)
    number, _, listed = read.rstrip(")").partition(" (")
    reasons = listed.split(", ") if listed else []
    files = sorted(Path(path).name for path in frame.inputFiles())
    assert len(files) == int(number)
    assert int(total) == sum(map(int, (partition, binary, collated, number)))
    rows = sorted((tuple(row) for row in frame.collect()), key=repr)
    return Scan(rows, files, int(total), int(partition), int(binary), int(collated), reasons)


@contextmanager
def without_codegen(spark: SparkSession) -> Iterator[None]:
    """Run the block without compiling queries: many are planned, for a few rows each."""
    with (
        setting(spark, "spark.sql.codegen.wholeStage", "false"),
        setting(spark, "spark.sql.codegen.factoryMode", "NO_CODEGEN"),
        setting(spark, "spark.sql.adaptive.enabled", "false"),
    ):
        yield


def copy_table(table: Table, path: Path) -> Table:
    """Return a table with the same log and files at another place."""
    shutil.copytree(table.path, path)
    return Table(table.spark, path)


def rewrite_stats(table: Table, change: Callable[[str, Json], Json | str | None]) -> Table:
    """Let every file have the statistics that ``change`` makes of its path and its own.

    What it returns is written as JSON, a text as it is, and None leaves them out.
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
