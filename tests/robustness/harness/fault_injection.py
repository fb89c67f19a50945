# SPDX-License-Identifier: Apache-2.0
"""Writers, refresh and OPTIMIZE under kill -9, again and again; full and read-only disks.

A process works on six tables at once, so that one kill cuts off six operations, and each table
lives through all kills. After each, it is opened and compared with what the killed processes had
noted, its statistics are compared with its rows, and a refresh goes on.
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
from robustness.harness.sessions import create, journals, start
from robustness.harness.watch import MOMENTS, Watch
from robustness.harness.worker import Orders
from robustness.harness.worker_processes import HANGS, Process, crew, until_each_has_ended
from support.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from support.tables import Json

# A refresh writes no data files.
IN_THE_LOG = [moment for moment in MOMENTS if "data" not in moment]
AT_RANDOM = "at random"
VECTORS = (False, True)
BETWEEN = "between operations"
# Seconds that a moment is waited for, once there was an operation; some come with checkpoints only.
PATIENCE = 60


class Victim(NamedTuple):
    """What a thread does to its table, the operations it is killed in, and the moments for that."""

    tasks: dict[str, int]
    kinds: set[str]
    moments: list[str]


VICTIMS = {
    "writer": Victim(
        {"append": 1, "bare_append": 1, "merge": 1, "delete": 2},
        {"append", "append without statistics", "merge", "delete"},
        list(MOMENTS),
    ),
    "refresh": Victim({"bare_append": 1, "refresh": 1, "alter": 1}, {"refresh"}, IN_THE_LOG),
    "optimize": Victim({"append": 1, "optimize": 1}, {"optimize"}, list(MOMENTS)),
}


class Killed:
    """Tables for each kind of victim, and the processes that are killed on them one by one."""

    def __init__(
        self,
        spark: SparkSession,
        folder: Path,
        seed: int,
        vectors: Sequence[bool],
        archive: str | None = None,
    ) -> None:
        """Create the tables, each without deletion vectors or with them, or both."""
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
        self.fates: Counter[str] = Counter()
        self.faults: list[str] = []
        self.checked: set[str] = set()

    def process(self, number: int) -> Process:
        """Start a process; it waits until it is told to go."""
        return Process(
            *(
                Orders(
                    f"process-{number}",
                    1,
                    str(table.path),
                    str(journals(table)),
                    VICTIMS[victim].tasks,
                    self.random.randrange(1 << 30),
                    archive=self.archive,
                )
                for (victim, _), table in self.tables.items()
            )
        )

    def run(self, kills: int, seconds: float = math.inf, ahead: int = 1) -> Killed:
        """Kill that many, or as many as the time allows; others start while one is at work."""
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
        """Let a process work, and kill it at a moment of our choice in one of its threads."""
        (victim, _), table = self.random.choice(list(self.tables.items()))
        moment = self.random.choice([*VICTIMS[victim].moments, AT_RANDOM])
        with Watch(table.path, journals(table) / f"process-{number}.journal") as watch:
            process.go()
            self.wait_for_operation(process, watch, VICTIMS[victim].kinds)
            if moment == AT_RANDOM:
                time.sleep(self.random.uniform(0, 2))
            elif not watch.wait_for(moment, VICTIMS[victim].kinds, PATIENCE):
                moment = AT_RANDOM
            elif self.random.random() < 0.5:
                time.sleep(self.random.uniform(0, 0.01))
            if not process.runs:
                self.faults.append(f"process {number} ended by itself: {process.said}")
            process.kill()
        self.kills[moment if moment == AT_RANDOM else f"{victim}: {moment}"] += 1
        self.fates.update(self.fate(table, number) for table in self.tables.values())

    def wait_for_operation(self, process: Process, watch: Watch, kinds: set[str]) -> None:
        """Wait for the first operation of these kinds, however long the process takes to begin."""
        end = time.monotonic() + HANGS
        while process.runs and not watch.wait_for_operation(kinds, 5):
            assert time.monotonic() < end, f"no operation begins: {process.said}"

    def fate(self, table: Table, number: int) -> str:
        """Return what a thread was at when it died, and whether that was committed."""
        known = write_history.outcomes(journals(table)).values()
        mine = [one for one in known if one.operation.name.startswith(f"process-{number}/")]
        if not mine or mine[-1].done or mine[-1].error:
            return BETWEEN
        operation = mine[-1].operation
        committed = operation.name in write_history.committed(table.log.commits)
        return f"{operation.kind}, {'committed' if committed else 'not committed'}"

    def verify(self, number: int) -> None:
        """Compare all tables with what was noted, and go on with the refresh of some."""
        continued = list(VICTIMS)[number % len(VICTIMS)]
        for (victim, _), table in self.tables.items():
            found = verify.faults_of(table, self.checked)
            known = write_history.outcomes(journals(table)).values()
            found += [f"{one.operation.kind} failed: {one.error}" for one in known if one.error]
            if victim in {continued, "refresh"}:
                found += verify.unfinished_refresh(table)
            self.faults += [f"{table.path.name}, kill {number}: {fault}" for fault in found]


def archived_classes(spark: SparkSession, folder: Path) -> str | None:
    """Have one process do something, and leave the classes it took for all that follow."""
    table = create(Table(spark, folder / "once"), deletion_vectors=True, checkpoint_interval=3)
    archive = folder / "classes.jsa"
    kinds = dict.fromkeys(("append", "merge", "optimize", "refresh"), 1)
    order = Orders("once", 1, str(table.path), str(journals(table)), kinds, archive=str(archive))
    with crew([order]) as workers:
        for _ in until_each_has_ended(8, workers):
            time.sleep(0.5)
    # The JVM writes it when it ends, after the Python that started it.
    end, size = time.monotonic() + 5 * PATIENCE, -1
    while time.monotonic() < end:
        time.sleep(3)
        if archive.exists() and archive.stat().st_size == size:
            return str(archive)
        size = archive.stat().st_size if archive.exists() else -1
    say("no archive of classes was written; processes start without")
    return None


def report(killed: Killed) -> Json:
    """Return where kills fell, and what tables went through."""
    tables = killed.tables.values()
    return {
        "processes killed": killed.kills.total(),
        "operations cut off": killed.fates.total() - killed.fates[BETWEEN],
        "killed at": dict(sorted(killed.kills.items())),
        "cut off": dict(sorted(killed.fates.items())),
        "commits of the tables": [len(table.log.commits) for table in tables],
        "unfinished commits left behind": sum(verify.leftovers(table.path) for table in tables),
    }


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=40, help="processes to kill")
    parser.add_argument("--minutes", type=float, default=math.inf, help="kill none after that")
    parser.add_argument("--ahead", type=int, default=1, help="processes that start meanwhile")
    parser.add_argument("--no-disks", action="store_true", help="kill only")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
    say(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        spark = start(cores=2)
        faults = [] if arguments.no_disks else failing_disks.long_run(spark, Path(folder), say)
        if arguments.rounds:
            archive = archived_classes(spark, Path(folder))
            killed = Killed(spark, Path(folder), arguments.seed, VECTORS, archive)
            killed.run(arguments.rounds, arguments.minutes * 60, arguments.ahead)
            # Once more with the bounds of all files, known or not.
            killed.checked.clear()
            killed.verify(killed.kills.total())
            for name, value in report(killed).items():
                say(f"{name}: {value}")
            faults += killed.faults
    for fault in faults:
        say(f"FAULT {fault}")
    say(f"{len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
