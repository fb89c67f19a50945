# SPDX-License-Identifier: Apache-2.0
"""Kills writers, refreshes and OPTIMIZE with ``kill -9``; fills disks or makes them read-only.

A process works on six tables at once, so that one kill interrupts six operations. The tables are
kept across all kills. After each kill, every table is compared with the journals of the killed
processes, its statistics are compared with its rows, and some tables are refreshed.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from robustness.harness import failing_disks, verify, write_history
from robustness.harness.sessions import create, journal_folder, start
from robustness.harness.watch import MOMENTS, Watch
from robustness.harness.worker import WorkerConfig
from robustness.harness.worker_processes import (
    HANG_TIMEOUT,
    Process,
    poll_until_finished,
    running_workers,
)
from support.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from support.tables import Json

# A refresh does not write data files.
IN_THE_LOG = [moment for moment in MOMENTS if "data" not in moment]
AT_RANDOM = "at random"
VECTORS = (False, True)
BETWEEN = "between operations"
# Seconds to wait for a moment within an operation; some moments occur only with checkpoints.
MOMENT_TIMEOUT = 60


class Victim(NamedTuple):
    """The operations of a thread, the kinds during which it is killed, and the moments for it."""

    tasks: dict[str, int]
    kinds: set[str]
    moments: list[str]


VICTIMS = {
    "writer": Victim(
        {"append": 1, "append_without_stats": 1, "merge": 1, "delete": 2},
        {"append", "append without statistics", "merge", "delete"},
        list(MOMENTS),
    ),
    "refresh": Victim(
        {"append_without_stats": 1, "refresh": 1, "alter": 1}, {"refresh"}, IN_THE_LOG
    ),
    "optimize": Victim({"append": 1, "optimize": 1}, {"optimize"}, list(MOMENTS)),
}


class KillRun:
    """Tables for each kind of victim, and processes that are killed one after the other."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        seed: int,
        vectors: Sequence[bool],
        archive: str | None = None,
    ) -> None:
        """Create a table per kind of victim and per element of ``vectors``."""
        self.tables = {
            (victim, with_vectors): create(
                Table(spark, folder / f"{victim}-{with_vectors}"),
                deletion_vectors=with_vectors,
                checkpoint_interval=3,
            )
            for victim in VICTIMS
            for with_vectors in vectors
        }
        self.archive = archive
        self.random = random.Random(seed)  # noqa: S311
        self.kills: Counter[str] = Counter()
        self.interrupted: Counter[str] = Counter()
        self.faults: list[str] = []
        self.checked: set[str] = set()

    def process(self, number: int) -> Process:
        """Start a process; it waits for ``go``."""
        return Process(
            *(
                WorkerConfig(
                    f"process-{number}",
                    1,
                    str(table.path),
                    str(journal_folder(table)),
                    VICTIMS[victim].tasks,
                    self.random.randrange(1 << 30),
                    archive=self.archive,
                )
                for (victim, _), table in self.tables.items()
            )
        )

    def run(self, kills: int, seconds: float = math.inf, ahead: int = 1) -> KillRun:
        """Kill this number of processes, within a time limit; start some of them in advance."""
        end = time.monotonic() + seconds
        waiting: list[Process] = []
        try:
            for number in range(1, kills + 1):
                while len(waiting) <= ahead and number + len(waiting) <= kills:
                    waiting.append(self.process(number + len(waiting)))
                waiting[0].wait_until_ready()
                self.kill(waiting[0], number)
                waiting.pop(0)
                self.verify(number)
                if time.monotonic() > end:
                    break
        finally:
            for process in waiting:
                process.kill()
        return self

    def kill(self, process: Process, number: int) -> None:
        """Let a process work, and kill it at a random moment of one of its threads."""
        (victim, _), table = self.random.choice(list(self.tables.items()))
        moment = self.random.choice([*VICTIMS[victim].moments, AT_RANDOM])
        with Watch(table.path, journal_folder(table) / f"process-{number}.journal") as watch:
            process.go()
            self.wait_for_operation(process, watch, VICTIMS[victim].kinds)
            if moment == AT_RANDOM:
                time.sleep(self.random.uniform(0, 2))
            elif not watch.wait_for(moment, VICTIMS[victim].kinds, MOMENT_TIMEOUT):
                moment = AT_RANDOM
            elif self.random.random() < 0.5:
                time.sleep(self.random.uniform(0, 0.01))
            if not process.is_running:
                self.faults.append(f"process {number} ended by itself: {process.error_output}")
            process.kill()
        self.kills[moment if moment == AT_RANDOM else f"{victim}: {moment}"] += 1
        self.interrupted.update(
            self.interrupted_operation(table, number) for table in self.tables.values()
        )

    def wait_for_operation(self, process: Process, watch: Watch, kinds: set[str]) -> None:
        """Wait for the first operation of these kinds; a process may take long to start."""
        end = time.monotonic() + HANG_TIMEOUT
        while process.is_running and not watch.wait_for_operation(kinds, 5):
            assert time.monotonic() < end, f"no operation starts: {process.error_output}"

    def interrupted_operation(self, table: Table, number: int) -> str:
        """Return the operation of a thread that was interrupted, and whether it was committed."""
        known = write_history.outcomes(journal_folder(table)).values()
        mine = [one for one in known if one.operation.name.startswith(f"process-{number}/")]
        if not mine or mine[-1].done or mine[-1].error:
            return BETWEEN
        operation = mine[-1].operation
        committed = operation.name in write_history.committed(table.log.commits)
        return f"{operation.kind}, {'committed' if committed else 'not committed'}"

    def verify(self, number: int) -> None:
        """Compare all tables with the journals, and refresh some of them."""
        refreshed = list(VICTIMS)[number % len(VICTIMS)]
        for (victim, _), table in self.tables.items():
            found = verify.faults_of(table, self.checked)
            known = write_history.outcomes(journal_folder(table)).values()
            found += [f"{one.operation.kind} failed: {one.error}" for one in known if one.error]
            if victim in {refreshed, "refresh"}:
                found += verify.refresh_faults(table)
            self.faults += [f"{table.path.name}, kill {number}: {fault}" for fault in found]


def class_archive(spark: SparkSession, folder: Path) -> str | None:
    """Run one process that writes an archive of its classes for all later processes."""
    table = create(Table(spark, folder / "once"), deletion_vectors=True, checkpoint_interval=3)
    archive = folder / "classes.jsa"
    kinds = dict.fromkeys(("append", "merge", "optimize", "refresh"), 1)
    config = WorkerConfig(
        "once", 1, str(table.path), str(journal_folder(table)), kinds, archive=str(archive)
    )
    with running_workers([config]) as workers:
        for _ in poll_until_finished(8, workers):
            time.sleep(0.5)
    # The JVM writes the archive when it exits, which is after the Python process has ended.
    end, size = time.monotonic() + 5 * MOMENT_TIMEOUT, -1
    while time.monotonic() < end:
        time.sleep(3)
        if archive.exists() and archive.stat().st_size == size:
            return str(archive)
        size = archive.stat().st_size if archive.exists() else -1
    print_line("no class archive was written; processes start without one")
    return None


def report(killed: KillRun) -> Json:
    """Return the moments of the kills, the interrupted operations and the commits."""
    tables = killed.tables.values()
    return {
        "processes killed": killed.kills.total(),
        "operations interrupted": killed.interrupted.total() - killed.interrupted[BETWEEN],
        "killed at": dict(sorted(killed.kills.items())),
        "interrupted": dict(sorted(killed.interrupted.items())),
        "commits of the tables": [len(table.log.commits) for table in tables],
        "unfinished commits left behind": sum(
            verify.unfinished_commits(table.path) for table in tables
        ),
    }


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=40, help="processes to kill")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time")
    parser.add_argument("--ahead", type=int, default=1, help="processes to start in advance")
    parser.add_argument("--no-disks", action="store_true", help="skip full and read-only disks")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
    print_line(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        spark = start(cores=2)
        faults = (
            [] if arguments.no_disks else failing_disks.run_all(spark, Path(folder), print_line)
        )
        if arguments.rounds:
            archive = class_archive(spark, Path(folder))
            killed = KillRun(spark, Path(folder), arguments.seed, VECTORS, archive)
            killed.run(arguments.rounds, arguments.minutes * 60, arguments.ahead)
            # Compare the bounds of all files again, including those that were already compared.
            killed.checked.clear()
            killed.verify(killed.kills.total())
            for name, value in report(killed).items():
                print_line(f"{name}: {value}")
            faults += killed.faults
    for fault in faults:
        print_line(f"FAULT {fault}")
    print_line(f"{len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
