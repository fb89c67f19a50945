# SPDX-License-Identifier: Apache-2.0
"""Writers, refresh and OPTIMIZE under kill -9, again and again; full and read-only disks.

A process works on six tables at once, so that one kill cuts off six operations, and each table
lives through all kills. After each, it is opened and compared with what the killed processes had
noted, its statistics are compared with its rows, and a refresh goes on.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from toolbox import Table
from trust import disks, ledger, verify
from trust.crew import Process
from trust.sessions import create, journals, start
from trust.watch import MOMENTS, Watch
from trust.worker import Orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from toolbox import Json

# A refresh writes no data files.
IN_THE_LOG = [moment for moment in MOMENTS if "data" not in moment]
AT_RANDOM = "at random"
VECTORS = (False, True)
BETWEEN = "between operations"
# How long a moment is waited for, in seconds; some come only when a checkpoint is due.
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
        self, spark: SparkSession, folder: Path, seed: int, vectors: Sequence[bool]
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
        self.random = random.Random(seed)  # noqa: S311
        self.kills: Counter[str] = Counter()
        self.fates: Counter[str] = Counter()
        self.faults: list[str] = []

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
                )
                for (victim, _), table in self.tables.items()
            )
        )

    def run(self, kills: int) -> Killed:
        """Kill that many; the next process starts while one is at work."""
        process = self.process(1)
        try:
            for number in range(1, kills + 1):
                process.wait_until_ready()
                upcoming = self.process(number + 1) if number < kills else process
                self.kill(process, number)
                process = upcoming
                self.verify(number)
        finally:
            process.kill()
        return self

    def kill(self, process: Process, number: int) -> None:
        """Let a process work, and kill it at a moment of our choice in one of its threads."""
        (victim, _), table = self.random.choice(list(self.tables.items()))
        moment = self.random.choice([*VICTIMS[victim].moments, AT_RANDOM])
        with Watch(table.path, journals(table) / f"process-{number}.journal") as watch:
            process.go()
            if moment == AT_RANDOM:
                watch.wait_for_operation(VICTIMS[victim].kinds, PATIENCE)
                time.sleep(self.random.uniform(0, 2))
            elif not watch.wait_for(moment, VICTIMS[victim].kinds, PATIENCE):
                moment = AT_RANDOM
            elif self.random.random() < 0.5:
                time.sleep(self.random.uniform(0, 0.01))
            process.kill()
        self.kills[moment if moment == AT_RANDOM else f"{victim}: {moment}"] += 1
        self.fates.update(self.fate(table, number) for table in self.tables.values())

    def fate(self, table: Table, number: int) -> str:
        """Return what a thread was at when it died, and whether that was committed."""
        known = ledger.outcomes(journals(table)).values()
        mine = [one for one in known if one.operation.name.startswith(f"process-{number}/")]
        if not mine or mine[-1].done or mine[-1].error:
            return BETWEEN
        operation = mine[-1].operation
        committed = operation.name in ledger.committed(table.log.commits)
        return f"{operation.kind}, {'committed' if committed else 'not committed'}"

    def verify(self, number: int) -> None:
        """Compare all tables with what was noted, and go on with the refresh of some."""
        continued = list(VICTIMS)[number % len(VICTIMS)]
        for (victim, _), table in self.tables.items():
            found = verify.faults_of(table)
            known = ledger.outcomes(journals(table)).values()
            found += [f"{one.operation.kind} failed: {one.error}" for one in known if one.error]
            if victim in {continued, "refresh"}:
                found += verify.unfinished_refresh(table)
            self.faults += [f"{table.path.name}, kill {number}: {fault}" for fault in found]


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
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
    say(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        spark = start(cores=2)
        faults = disks.long_run(spark, Path(folder), say)
        killed = Killed(spark, Path(folder), arguments.seed, VECTORS).run(arguments.rounds)
        for name, value in report(killed).items():
            say(f"{name}: {value}")
        faults += killed.faults
    for fault in faults:
        say(f"FAULT {fault}")
    say(f"{len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
