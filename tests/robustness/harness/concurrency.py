# SPDX-License-Identifier: Apache-2.0
"""Writers, readers, OPTIMIZE, refresh and ALTER on one table, in processes of their own.

Afterwards the table must hold what the processes say, every version that was read must have been
one, and every failure must be a conflict with a commit that came in between and was in the way.
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
from robustness.harness.sessions import compiled_log_store, create, journals, start
from robustness.harness.worker import Orders
from robustness.harness.worker_processes import crew
from support.tables import Table, clear_log_cache

if TYPE_CHECKING:
    from support.tables import Json

# What the processes do, and how often each of it.
CREW: dict[str, dict[str, int]] = {
    "writer-1": {"append": 4, "bare_append": 1, "merge": 3, "delete": 3, "count": 2},
    "writer-2": {"append": 4, "bare_append": 1, "merge": 3, "delete": 3, "count": 2},
    "keeper": {"optimize": 2, "refresh": 3, "count": 3, "alter": 1},
    "reader": {"read": 1},
}


def orders(
    table: Table,
    tasks: dict[str, dict[str, int]],
    log_store: str | None,
    seed: int,
    most: int | None = None,
) -> list[Orders]:
    """Return what each process is to do; the numbers keep their batches apart."""
    folder = str(journals(table))
    return [
        Orders(name, number, str(table.path), folder, kinds, seed + number, log_store, most=most)
        for number, (name, kinds) in enumerate(tasks.items(), start=1)
    ]


def faults_after(table: Table, looks: int = 4) -> list[str]:
    """Return everything that went wrong in a run that is over."""
    clear_log_cache(table)
    commits, known = table.log.commits, write_history.outcomes(journals(table))
    batches = list(write_history.expected(commits, journals(table)).revisions)
    return [
        *verify.faults_of(table),
        *verify.wrong_skips(table, random.Random(0).sample(batches, looks)),  # noqa: S311
        *verify.wrong_reads(table),
        *log_checks.unexplained_failures(commits, known),
        *verify.unfinished_refresh(table),
    ]


def one_round(folder: Path, number: int, seconds: float, *, stock: bool) -> tuple[Json, list[str]]:
    """Let all work on a new table for a while, and return what was done and what was wrong."""
    log_store = None if stock else compiled_log_store(folder)
    spark = start(cores=2)
    table = create(Table(spark, folder / f"table-{number}"), deletion_vectors=number % 2 == 1)
    with crew(orders(table, CREW, log_store, time.time_ns())) as workers:
        end = time.time() + seconds
        while time.time() < end and all(worker.runs for worker in workers):
            time.sleep(0.2)
    return verify.summary(table), faults_after(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3, help="tables; every second has vectors")
    parser.add_argument(
        "--stock-log-store",
        action="store_true",
        help="commit by Delta's log store for local disks, which is not safe between processes",
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
