# SPDX-License-Identifier: Apache-2.0
"""Processes that work on one table at once; ``./dev bench concurrency`` is the long form."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from robustness.harness import log_checks, verify, write_history
from robustness.harness.concurrency import faults_after, orders
from robustness.harness.sessions import compiled_log_store, create, journals
from robustness.harness.worker import Orders, Worker
from robustness.harness.worker_processes import crew, until_each_has_ended
from support.scans import copy_table, rewrite_stats
from support.tables import Json, Table, clear_log_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

# What each process comes to the end of, well or not.
OPERATIONS = 6
# What is read meanwhile, and no more on a machine that takes long.
READS = 2

CREW: dict[str, dict[str, int]] = {
    "writer": {"append": 3, "bare_append": 1, "merge": 2, "delete": 2, "count": 2},
    "keeper": {"append": 2, "optimize": 1, "refresh": 2, "count": 2, "alter": 1},
}


def test_processes_beside_each_other_lose_no_row_and_skip_no_file_wrongly(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = create(Table(spark, tmp_path / "table"), deletion_vectors=True)
    folder = str(journals(table))
    reader = Worker(Orders("reader", 9, str(table.path), folder), table)
    seed = time.time_ns()

    log_store = compiled_log_store(tmp_path)
    with crew(orders(table, CREW, log_store, seed, OPERATIONS)) as workers:
        for pause in until_each_has_ended(OPERATIONS, workers):
            if pause < READS:
                reader.read()
            time.sleep(0.2)

    assert faults_after(table, looks=1) == [], f"seed {seed}"
    done = verify.summary(table)
    assert done["commits"] > 5
    assert done["reads"] > 0


@pytest.fixture(scope="module")
def worked_on(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table that one worker has written, without any fault."""
    path = tmp_path_factory.mktemp("worked") / "table"
    table = create(Table(spark, path), deletion_vectors=False)
    worker = Worker(Orders("writer", 1, str(path), str(journals(table))), table)
    for _ in range(2):
        worker.append()
    worker.refresh()
    assert verify.faults_of(table) == []
    return table


def rewrite(table: Table, version: int, change: Callable[[list[Json]], list[Json]]) -> None:
    """Put other lines into a commit."""
    path = table.path / "_delta_log" / f"{version:020}.json"
    lines = change([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def lose_a_file(table: Table) -> None:
    rewrite(table, 2, lambda lines: [line for line in lines if "add" not in line])


def double_a_file(table: Table) -> None:
    [add] = [line["add"] for line in table.log.commits[2] if "add" in line]
    shutil.copy(table.path / add["path"], table.path / "twice.parquet")
    rewrite(table, 2, lambda lines: [*lines, {"add": {**add, "path": "twice.parquet"}}])


def lose_a_commit(table: Table) -> None:
    last = write_history.latest_version(table.path)
    (table.path / "_delta_log" / f"{last:020}.json").unlink()


def lower_a_bound(table: Table) -> None:
    def lowered(_: str, stats: Json) -> Json:
        for below in stats["statsWithCollation"].values():
            below["maxValues"] = dict.fromkeys(below["maxValues"], "0")
        return stats

    rewrite_stats(table, lowered)


def forget_a_version(table: Table) -> None:
    rewrite(table, 1, lambda lines: [line for line in lines if "domainMetadata" not in line])


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lose_a_file, "lost"),
        (double_a_file, "doubled"),
        (lose_a_commit, "is not in the log"),
        (lower_a_bound, "outside its bounds"),
        (forget_a_version, "lists []"),
    ],
)
def test_what_is_damaged_by_hand_is_found_out(
    worked_on: Table, tmp_path: Path, damage: Callable[[Table], None], found: str
) -> None:
    table = copy_table(worked_on, tmp_path / "table")
    shutil.copytree(journals(worked_on), journals(table))
    damage(table)
    clear_log_cache(table)

    assert any(found in fault for fault in verify.faults_of(table))


def test_bounds_that_were_true_are_compared_with_rows_again_once_they_change(
    worked_on: Table, tmp_path: Path
) -> None:
    checked: set[str] = set()
    assert verify.outside_bounds(worked_on, checked) == []
    assert verify.Unchecked(worked_on.path, checked).files == {}

    table = copy_table(worked_on, tmp_path / "table")
    lower_a_bound(table)
    clear_log_cache(table)

    assert verify.outside_bounds(table, checked)


def test_a_failure_without_a_commit_that_was_in_the_way_is_found_out(worked_on: Table) -> None:
    commits = worked_on.log.commits
    error = "[DELTA_CONCURRENT_DELETE_READ] another one was first"
    failed = write_history.Outcome(
        write_history.Operation("x/1", "delete", since=0), error=error, until=2
    )
    append = write_history.Outcome(
        write_history.Operation("x/2", "append", since=0), error=error, until=2
    )
    other = write_history.Outcome(
        write_history.Operation("x/3", "delete", since=0), error="[OTHER]", until=2
    )

    for outcome in (failed, append, other):
        assert log_checks.unexplained_failures(commits, {"x": outcome})
    removing = [*commits[:2], [*commits[2], {"remove": {}}]]
    assert not log_checks.unexplained_failures(removing, {"x": failed})


def test_a_reader_that_saw_half_of_a_commit_is_found_out(worked_on: Table, tmp_path: Path) -> None:
    table = copy_table(worked_on, tmp_path / "table")
    shutil.copytree(journals(worked_on), journals(table))
    rows = write_history.expected(table.log.commits, journals(table)).rows
    last = write_history.latest_version(table.path)
    journal = write_history.Journal(journals(table) / "reader.journal")
    journal.note(read=write_history.digest(rows), rows=len(rows), versions=[last, last])
    assert verify.wrong_reads(table) == []

    journal.note(read=write_history.digest(rows[:-1]), rows=len(rows) - 1, versions=[0, last])
    journal.note(looked="SELECT", version=last, agrees=True, batch=0, ids=[0, 1])
    journal.note(looked="SELECT", version=last, agrees=False)
    assert len(verify.wrong_reads(table)) == 3
