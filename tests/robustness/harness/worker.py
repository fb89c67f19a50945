# SPDX-License-Identifier: Apache-2.0

"""A process with a JVM of its own that works on tables until it is told to stop, or is killed.

It has a thread for each. It says ``ready`` when its session is up, and waits for a line before it
starts.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import traceback
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from robustness.harness import write_history
from robustness.harness.sessions import start
from robustness.harness.write_history import Journal, Operation
from support.tables import Json, Log, Table

USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
STATISTICS = "spark.deltaCollations.stats.enabled"
SKIPPING = "spark.deltaCollations.skipping.enabled"

COLLATIONS = ("UNICODE_CI", "UNICODE_CI_AI")


@dataclass(frozen=True)
class Orders:
    """What a worker is to do: each kind of operation as often as its weight says."""

    name: str
    number: int
    table: str
    folder: str
    kinds: dict[str, int] = field(default_factory=dict)
    seed: int = 0
    log_store: str | None = None
    archive: str | None = None
    most: int | None = None


class Worker:
    """Knows what its batches are, and notes every operation before and after."""

    def __init__(self, orders: Orders, table: Table) -> None:
        """Take over the batches of the worker that had this number before, as the log has them."""
        folder = Path(orders.folder)
        self.orders = orders
        self.table = table
        self.journal = Journal(folder / f"{orders.name}.journal")
        self.random = random.Random(orders.seed)  # noqa: S311
        self.done = 0
        held = write_history.expected(Log(table.path).commits, folder).revisions
        first = orders.number * 1_000_000
        self.mine = [batch for batch in held if first <= batch < first + 1_000_000 and first]
        started = [
            batch
            for outcome in write_history.outcomes(folder).values()
            for batch in outcome.operation.insert
            if first <= batch < first + 1_000_000
        ]
        self.next = max(started, default=first - 1) + 1

    def work(self) -> None:
        """Do operations until the folder has a file ``stop``, or it has done the most it may."""
        kinds, weights = list(self.orders.kinds), list(self.orders.kinds.values())
        while not (Path(self.orders.folder) / "stop").exists() and self.done != self.orders.most:
            [kind] = self.random.choices(kinds, weights)
            getattr(self, kind)()

    def run(self, kind: str, statement: str, **effect: list[int]) -> Json | None:
        """Run one statement; return what it said, or None if another commit was in its way."""
        self.done += 1
        operation = Operation(
            f"{self.orders.name}/{self.done}",
            kind,
            since=write_history.latest_version(self.table.path),
            **effect,
        )
        self.table.spark.conf.set(USER_METADATA, operation.name)
        self.journal.announce(operation)
        try:
            rows = self.table.sql(statement).collect()
        except Exception as error:  # noqa: BLE001
            until = write_history.latest_version(self.table.path)
            self.journal.failed(operation, message_of(error), until)
            return None
        finally:
            self.table.spark.conf.unset(USER_METADATA)
        said = rows[0].asDict() if kind == "refresh" else {}
        self.journal.succeeded(operation, **said)
        return said

    def fresh(self) -> list[int]:
        """Return batches that nobody has inserted yet; those of a failure are not used again."""
        batches = list(range(self.next, self.next + self.random.randint(1, 4)))
        self.next = batches[-1] + 1
        return batches

    def append(self, kind: str = "append") -> None:
        """Insert new batches, in one file."""
        batches = self.fresh()
        values = write_history.as_values(batches)
        select = f"SELECT /*+ COALESCE(1) */ * FROM VALUES {values}"
        if self.run(kind, f"INSERT INTO {{t}} {select}", insert=batches) is not None:
            self.mine += batches

    def bare_append(self) -> None:
        """Insert without statistics, so that a refresh has something to do."""
        self.table.spark.conf.set(STATISTICS, "false")
        self.append("append without statistics")
        self.table.spark.conf.unset(STATISTICS)

    def merge(self) -> None:
        """Change one batch and insert others; half of the time only where skipping can look."""
        if not self.mine:
            self.append()
            return
        old, new = self.random.choice(self.mine), self.fresh()
        name = write_history.key(old).upper()
        narrow = f" AND t.name = '{name}'" if self.random.random() < 0.5 else ""
        statement = f"""
            MERGE INTO {{t}} t
            USING (
              SELECT * FROM VALUES
                (CAST(NULL AS BIGINT), 0, '{name}', ''), {write_history.as_values(new)}
              AS s(id, rev, name, nick)) s
            ON t.name = s.name COLLATE UNICODE_CI{narrow}
            WHEN MATCHED THEN UPDATE SET rev = t.rev + 1
            WHEN NOT MATCHED THEN INSERT (id, rev, name, nick) VALUES (s.id, s.rev, s.name, s.nick)
        """
        if self.run("merge", statement, bump=[old], insert=new) is not None:
            self.mine += new

    def delete(self) -> None:
        """Delete by the name alone, in another spelling: a file wrongly skipped leaves rows."""
        if len(self.mine) < 4:
            self.append()
            return
        gone = self.random.sample(self.mine, 3 if len(self.mine) > 60 else 1)
        names = ", ".join(f"'{write_history.key(batch).swapcase()}'" for batch in gone)
        if (
            self.run("delete", f"DELETE FROM {{t}} WHERE name IN ({names})", delete=gone)
            is not None
        ):
            self.mine = [batch for batch in self.mine if batch not in gone]

    def count(self) -> None:
        """Count in a batch that all share: of two at the same time, one has to lose."""
        shared = self.random.choice(write_history.COUNTERS)
        name = write_history.key(shared).upper()
        statement = f"UPDATE {{t}} SET rev = rev + 1 WHERE name = '{name}'"
        self.run("count", statement, bump=[shared])

    def optimize(self) -> None:
        """Compact small files."""
        self.run("optimize", "OPTIMIZE {t}")

    def refresh(self) -> None:
        """Collect the statistics that files lack."""
        self.run("refresh", "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")

    def alter(self) -> None:
        """Give the names the other collation."""
        now = self.table.spark.table(self.table.name).schema["name"].dataType
        other = next(name for name in COLLATIONS if f"'{name}'" not in repr(now))
        self.run("alter", f"ALTER TABLE {{t}} ALTER COLUMN name TYPE STRING COLLATE {other}")

    def read(self) -> None:
        """Read all rows, and look for batches with and without skipping."""
        before = write_history.latest_version(self.table.path)
        rows = self.table.rows("SELECT id, rev, name, nick FROM {t}")
        after = write_history.latest_version(self.table.path)
        self.journal.note(
            read=write_history.digest(rows), rows=len(rows), versions=[before, after], seen=after
        )
        held = sorted({row[0] // 10 for row in rows})
        self.look_for(self.random.choice(held), after)

    def look_for(self, batch: int, version: int) -> None:
        """Look for a batch, and around it, in a version, with and without skipping."""
        name = write_history.key(batch)
        for literal in (name.swapcase(), plain(name), f"{plain(name)[:3]}"):
            for sign in ("=", ">=", "<"):
                query = (
                    f"SELECT id FROM {{t}} VERSION AS OF {version} WHERE name {sign} '{literal}'"
                )
                found = sorted(self.table.column(query))
                self.table.spark.conf.set(SKIPPING, "false")
                unskipped = sorted(self.table.column(query))
                self.table.spark.conf.unset(SKIPPING)
                same = sign == "=" and literal == name.swapcase()
                self.journal.note(
                    looked=query,
                    version=version,
                    found=len(found),
                    agrees=found == unskipped,
                    **({"batch": batch, "ids": found} if same else {}),
                )


def plain(name: str) -> str:
    """Return a name without some of its accents: another string, equal under some collations."""
    return name.translate(str.maketrans("ÅéÉëñúżółÝ", "AeEenuzolY"))


def message_of(error: Exception) -> str:
    """Return what an error says and what it says of its causes, without their stack traces."""
    lines = str(error).splitlines()
    traced = [line for line in lines if line.lstrip().startswith(("at ", "... "))]
    return "\n".join(line for line in lines if line not in traced)[:3000]


def end_with_parent() -> None:
    """End when nobody is left who could tell this process to stop; its JVM ends with it."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    orders = [Orders(**order) for order in json.loads(sys.argv[1])]
    spark = start(orders[0].log_store, archive=orders[0].archive)
    # Settings are those of a session: so are the names that commits are given.
    tables = [Table(spark.newSession(), Path(order.table)) for order in orders]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    threading.Thread(target=end_with_parent, daemon=True).start()
    workers = [Worker(order, table) for order, table in zip(orders, tables, strict=True)]
    with ThreadPoolExecutor(len(workers)) as pool:
        done = wait([pool.submit(worker.work) for worker in workers], return_when=FIRST_EXCEPTION)
        for error in filter(None, (one.exception() for one in done.done)):
            # The other threads would go on, and nobody would know.
            traceback.print_exception(error)
            os._exit(1)
    spark.stop()


if __name__ == "__main__":
    main()
