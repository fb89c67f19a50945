# SPDX-License-Identifier: Apache-2.0
"""Runs writers, readers, OPTIMIZE, refresh and ALTER on one table in concurrent processes.

At the end, the table must contain the rows that the processes recorded, every read must match a
version of the table, and every failure must be a conflict with a concurrent commit.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from robustness.harness import log_checks, verify, write_history
from robustness.harness.sessions import compiled_log_store, create, journal_folder, start
from robustness.harness.worker import WorkerConfig
from robustness.harness.worker_processes import running_workers
from support.tables import Table, clear_log_cache

if TYPE_CHECKING:
    from support.tables import Json

# The operations of each process with their weights.
WORKLOADS: dict[str, dict[str, int]] = {
    "writer-1": {"append": 4, "append_without_stats": 1, "merge": 3, "delete": 3, "count": 2},
    "writer-2": {"append": 4, "append_without_stats": 1, "merge": 3, "delete": 3, "count": 2},
    "maintenance": {"optimize": 2, "refresh": 3, "count": 3, "alter": 1},
    "reader": {"read": 1},
}


def worker_configs(
    table: Table,
    workloads: dict[str, dict[str, int]],
    log_store: str | None,
    seed: int,
    max_operations: int | None = None,
) -> list[WorkerConfig]:
    """Return the configuration of each process; process numbers keep their batches apart."""
    folder = str(journal_folder(table))
    return [
        WorkerConfig(
            name,
            number,
            str(table.path),
            folder,
            kinds,
            seed + number,
            log_store,
            max_operations=max_operations,
        )
        for number, (name, kinds) in enumerate(workloads.items(), start=1)
    ]


def faults_after(table: Table, lookups: int = 4) -> list[str]:
    """Return all faults of a finished run."""
    clear_log_cache(table)
    commits, known = table.log.commits, write_history.outcomes(journal_folder(table))
    batches = list(write_history.expected(commits, journal_folder(table)).revisions)
    return [
        *verify.faults_of(table),
        *verify.wrong_skips(table, random.Random(0).sample(batches, lookups)),  # noqa: S311
        *verify.wrong_reads(table),
        *log_checks.unexplained_failures(commits, known),
        *verify.refresh_faults(table),
    ]


def one_round(folder: Path, number: int, seconds: float, *, stock: bool) -> tuple[Json, list[str]]:
    """Run all processes on a new table for a while; return a summary and the faults."""
    log_store = None if stock else compiled_log_store(folder)
    spark = start(cores=2)
    table = create(Table(spark, folder / f"table-{number}"), deletion_vectors=number % 2 == 1)
    with running_workers(worker_configs(table, WORKLOADS, log_store, time.time_ns())) as workers:
        end = time.time() + seconds
        while time.time() < end and all(worker.is_running for worker in workers):
            time.sleep(0.2)
    return verify.summary(table), faults_after(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=6.0)
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help="number of tables; every second one has deletion vectors",
    )
    parser.add_argument(
        "--stock-log-store",
        action="store_true",
        help="commit with Delta's log store for local disks, which is not safe between processes",
    )
    arguments = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            done, faults = one_round(
                Path(folder),
                number,
                arguments.minutes * 60 / arguments.rounds,
                stock=arguments.stock_log_store,
            )
            failed = failed or bool(faults)
            text = json.dumps({"round": number, **done, "faults": faults}, ensure_ascii=False)
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
    sys.exit(failed)


if __name__ == "__main__":
    main()
