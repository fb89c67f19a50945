# SPDX-License-Identifier: Apache-2.0

"""Runs random operations on tables, in a process with its own JVM, until it is stopped or killed.

The process has one thread per table. It prints ``ready`` when its session has started, and waits
for a line on stdin before it begins.
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
class WorkerConfig:
    """The configuration of a worker; ``kinds`` has the weight of each kind of operation."""

    name: str
    number: int
    table: str
    folder: str
    kinds: dict[str, int] = field(default_factory=dict)
    seed: int = 0
    log_store: str | None = None
    archive: str | None = None
    max_operations: int | None = None


class Worker:
    """Runs operations on its own batches, and records each one before and after it runs."""

    def __init__(self, config: WorkerConfig, table: Table) -> None:
        """Continue with the batches of the previous worker with this number, read from the log."""
        folder = Path(config.folder)
        self.config = config
        self.table = table
        self.journal = Journal(folder / f"{config.name}.journal")
        self.random = random.Random(config.seed)  # noqa: S311
        self.operation_count = 0
        batches = write_history.expected(Log(table.path).commits, folder).revisions
        first = config.number * 1_000_000
        self.own_batches = [
            batch for batch in batches if first <= batch < first + 1_000_000 and first
        ]
        started = [
            batch
            for outcome in write_history.outcomes(folder).values()
            for batch in outcome.operation.insert
            if first <= batch < first + 1_000_000
        ]
        self.next_batch = max(started, default=first - 1) + 1

    def work(self) -> None:
        """Run operations until the folder has a file ``stop``, or up to the maximum number."""
        kinds, weights = list(self.config.kinds), list(self.config.kinds.values())
        stop = Path(self.config.folder) / "stop"
        while not stop.exists() and self.operation_count != self.config.max_operations:
            [kind] = self.random.choices(kinds, weights)
            getattr(self, kind)()

    def run(self, kind: str, statement: str, **effect: list[int]) -> Json | None:
        """Run one statement; return its result, or None if it fails."""
        self.operation_count += 1
        operation = Operation(
            f"{self.config.name}/{self.operation_count}",
            kind,
            since=write_history.latest_version(self.table.path),
            **effect,
        )
        self.table.spark.conf.set(USER_METADATA, operation.name)
        self.journal.started(operation)
        try:
            rows = self.table.sql(statement).collect()
        except Exception as error:  # noqa: BLE001
            until = write_history.latest_version(self.table.path)
            self.journal.failed(operation, message_of(error), until)
            return None
        finally:
            self.table.spark.conf.unset(USER_METADATA)
        result = rows[0].asDict() if kind == "refresh" else {}
        self.journal.succeeded(operation, **result)
        return result

    def new_batches(self) -> list[int]:
        """Return new batches; batches of a failed operation are not used again."""
        batches = list(range(self.next_batch, self.next_batch + self.random.randint(1, 4)))
        self.next_batch = batches[-1] + 1
        return batches

    def append(self, kind: str = "append") -> None:
        """Insert new batches in one file."""
        batches = self.new_batches()
        values = write_history.as_values(batches)
        select = f"SELECT /*+ COALESCE(1) */ * FROM VALUES {values}"
        if self.run(kind, f"INSERT INTO {{t}} {select}", insert=batches) is not None:
            self.own_batches += batches

    def append_without_stats(self) -> None:
        """Insert without collated statistics, so that a refresh has files to update."""
        self.table.spark.conf.set(STATISTICS, "false")
        self.append("append without statistics")
        self.table.spark.conf.unset(STATISTICS)

    def merge(self) -> None:
        """Update one batch and insert others; half of the time with a condition for skipping."""
        if not self.own_batches:
            self.append()
            return
        old, new = self.random.choice(self.own_batches), self.new_batches()
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
            self.own_batches += new

    def delete(self) -> None:
        """Delete by name in another spelling; rows remain if a file is wrongly skipped."""
        if len(self.own_batches) < 4:
            self.append()
            return
        deleted = self.random.sample(self.own_batches, 3 if len(self.own_batches) > 60 else 1)
        names = ", ".join(f"'{write_history.key(batch).swapcase()}'" for batch in deleted)
        if (
            self.run("delete", f"DELETE FROM {{t}} WHERE name IN ({names})", delete=deleted)
            is not None
        ):
            self.own_batches = [batch for batch in self.own_batches if batch not in deleted]

    def count(self) -> None:
        """Increment a shared counter; of two concurrent increments, one must fail."""
        shared = self.random.choice(write_history.COUNTERS)
        name = write_history.key(shared).upper()
        statement = f"UPDATE {{t}} SET rev = rev + 1 WHERE name = '{name}'"
        self.run("count", statement, bump=[shared])

    def optimize(self) -> None:
        """Compact small files."""
        self.run("optimize", "OPTIMIZE {t}")

    def refresh(self) -> None:
        """Collect missing statistics."""
        self.run("refresh", "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")

    def alter(self) -> None:
        """Change the collation of the names to the other one."""
        current = self.table.spark.table(self.table.name).schema["name"].dataType
        other = next(name for name in COLLATIONS if f"'{name}'" not in repr(current))
        self.run("alter", f"ALTER TABLE {{t}} ALTER COLUMN name TYPE STRING COLLATE {other}")

    def read(self) -> None:
        """Read all rows, and look up a batch with and without skipping."""
        before = write_history.latest_version(self.table.path)
        rows = self.table.rows("SELECT id, rev, name, nick FROM {t}")
        after = write_history.latest_version(self.table.path)
        self.journal.note(
            read=write_history.digest(rows), rows=len(rows), versions=[before, after], seen=after
        )
        batches = sorted({row[0] // 10 for row in rows})
        self.look_for(self.random.choice(batches), after)

    def look_for(self, batch: int, version: int) -> None:
        """Look up a batch and its neighbors in a version, with and without skipping."""
        name = write_history.key(batch)
        for literal in (name.swapcase(), without_accents(name), f"{without_accents(name)[:3]}"):
            for sign in ("=", ">=", "<"):
                query = (
                    f"SELECT id FROM {{t}} VERSION AS OF {version} WHERE name {sign} '{literal}'"
                )
                found = sorted(self.table.column(query))
                self.table.spark.conf.set(SKIPPING, "false")
                without_skipping = sorted(self.table.column(query))
                self.table.spark.conf.unset(SKIPPING)
                finds_batch = sign == "=" and literal == name.swapcase()
                self.journal.note(
                    lookup=query,
                    version=version,
                    found=len(found),
                    agrees=found == without_skipping,
                    **({"batch": batch, "ids": found} if finds_batch else {}),
                )


def without_accents(name: str) -> str:
    """Return a name without some accents, which is equal under accent-insensitive collations."""
    return name.translate(str.maketrans("ÅéÉëñúżółÝ", "AeEenuzolY"))


def message_of(error: Exception) -> str:
    """Return the message of an error and of its causes, without stack traces."""
    lines = str(error).splitlines()
    traced = [line for line in lines if line.lstrip().startswith(("at ", "... "))]
    return "\n".join(line for line in lines if line not in traced)[:3000]


def end_with_parent() -> None:
    """Exit when the parent process is gone; the JVM ends with this process."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    configs = [WorkerConfig(**config) for config in json.loads(sys.argv[1])]
    spark = start(configs[0].log_store, archive=configs[0].archive)
    # The name of a commit is a setting of the session, so every thread needs its own session.
    tables = [Table(spark.newSession(), Path(config.table)) for config in configs]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    threading.Thread(target=end_with_parent, daemon=True).start()
    workers = [Worker(config, table) for config, table in zip(configs, tables, strict=True)]
    with ThreadPoolExecutor(len(workers)) as pool:
        done = wait([pool.submit(worker.work) for worker in workers], return_when=FIRST_EXCEPTION)
        for error in filter(None, (one.exception() for one in done.done)):
            # Otherwise the other threads would continue and hide the failure.
            traceback.print_exception(error)
            os._exit(1)
    spark.stop()


if __name__ == "__main__":
    main()
