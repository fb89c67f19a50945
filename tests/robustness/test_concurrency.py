# SPDX-License-Identifier: Apache-2.0
"""Concurrent processes on one table; ``./dev bench concurrency`` is the long version."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from robustness.harness import log_checks, verify, write_history
from robustness.harness.concurrency import faults_after, worker_configs
from robustness.harness.sessions import compiled_log_store, create, journal_folder
from robustness.harness.worker import Worker, WorkerConfig
from robustness.harness.worker_processes import poll_until_finished, running_workers
from support.random_strings import SEED
from support.scans import copy_table, rewrite_stats
from support.tables import Json, Table, clear_log_cache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

# Operations of each process that must succeed or fail.
OPERATIONS = 6
# Reads during that time; the limit matters on a slow machine.
READS = 2

WORKLOADS: dict[str, dict[str, int]] = {
    "writer": {"append": 3, "append_without_stats": 1, "merge": 2, "delete": 2, "count": 2},
    "maintenance": {"append": 2, "optimize": 1, "refresh": 2, "count": 2, "alter": 1},
}


def test_concurrent_processes_lose_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    table = create(Table(spark, tmp_path / "table"), deletion_vectors=True)
    folder = str(journal_folder(table))
    reader = Worker(WorkerConfig("reader", 9, str(table.path), folder), table)

    log_store = compiled_log_store(tmp_path)
    with running_workers(worker_configs(table, WORKLOADS, log_store, SEED, OPERATIONS)) as workers:
        for pause in poll_until_finished(OPERATIONS, workers):
            if pause < READS:
                reader.read()
            time.sleep(0.2)

    assert faults_after(table, lookups=1) == [], f"seed {SEED}"
    done = verify.summary(table)
    assert done["commits"] > 5
    assert done["reads"] > 0


@pytest.fixture(scope="module")
def written_table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table that one worker has written without faults."""
    path = tmp_path_factory.mktemp("written") / "table"
    table = create(Table(spark, path), deletion_vectors=False)
    worker = Worker(WorkerConfig("writer", 1, str(path), str(journal_folder(table))), table)
    for _ in range(2):
        worker.append()
    worker.refresh()
    assert verify.faults_of(table) == []
    return table


def rewrite(table: Table, version: int, change: Callable[[list[Json]], list[Json]]) -> None:
    """Rewrite the actions of a commit."""
    path = table.path / "_delta_log" / f"{version:020}.json"
    lines = change([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def remove_file(table: Table) -> None:
    rewrite(table, 2, lambda lines: [line for line in lines if "add" not in line])


def duplicate_file(table: Table) -> None:
    [add] = [line["add"] for line in table.log.commits[2] if "add" in line]
    shutil.copy(table.path / add["path"], table.path / "twice.parquet")
    rewrite(table, 2, lambda lines: [*lines, {"add": {**add, "path": "twice.parquet"}}])


def remove_last_commit(table: Table) -> None:
    last = write_history.latest_version(table.path)
    (table.path / "_delta_log" / f"{last:020}.json").unlink()


def lower_max_values(table: Table) -> None:
    def lowered(_: str, stats: Json) -> Json:
        for bounds in stats["statsWithCollation"].values():
            bounds["maxValues"] = dict.fromkeys(bounds["maxValues"], "0")
        return stats

    rewrite_stats(table, lowered)


def remove_domain_metadata(table: Table) -> None:
    rewrite(table, 1, lambda lines: [line for line in lines if "domainMetadata" not in line])


@pytest.mark.parametrize(
    ("corrupt", "fault"),
    [
        (remove_file, "lost"),
        (duplicate_file, "duplicated"),
        (remove_last_commit, "is not in the log"),
        (lower_max_values, "outside its bounds"),
        (remove_domain_metadata, "lists []"),
    ],
)
def test_verify_detects_corrupt_table(
    written_table: Table, tmp_path: Path, corrupt: Callable[[Table], None], fault: str
) -> None:
    table = copy_table(written_table, tmp_path / "table")
    shutil.copytree(journal_folder(written_table), journal_folder(table))
    corrupt(table)
    clear_log_cache(table)

    assert any(fault in found for found in verify.faults_of(table))


def test_verify_checks_bounds_again_when_they_change(written_table: Table, tmp_path: Path) -> None:
    checked: set[str] = set()
    assert verify.outside_bounds(written_table, checked) == []
    assert verify.UncheckedLog(written_table.path, checked).files == {}

    table = copy_table(written_table, tmp_path / "table")
    lower_max_values(table)
    clear_log_cache(table)

    assert verify.outside_bounds(table, checked)


def test_verify_detects_failure_without_conflicting_commit(written_table: Table) -> None:
    commits = written_table.log.commits
    error = "[DELTA_CONCURRENT_DELETE_READ] another commit was first"
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


def test_verify_detects_read_of_partial_commit(written_table: Table, tmp_path: Path) -> None:
    table = copy_table(written_table, tmp_path / "table")
    shutil.copytree(journal_folder(written_table), journal_folder(table))
    rows = write_history.expected(table.log.commits, journal_folder(table)).rows
    last = write_history.latest_version(table.path)
    journal = write_history.Journal(journal_folder(table) / "reader.journal")
    journal.note(read=write_history.digest(rows), rows=len(rows), versions=[last, last])
    assert verify.wrong_reads(table) == []

    journal.note(read=write_history.digest(rows[:-1]), rows=len(rows) - 1, versions=[0, last])
    journal.note(lookup="SELECT", version=last, agrees=True, batch=0, ids=[0, 1])
    journal.note(lookup="SELECT", version=last, agrees=False)
    assert len(verify.wrong_reads(table)) == 3
