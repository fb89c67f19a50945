# SPDX-License-Identifier: Apache-2.0
"""Planning, status, refresh and the driver's memory for tables of up to a million files."""

from __future__ import annotations

import itertools
import json
import re
import resource
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from delta_collations import bundled_jar
from delta_collations._spark_conf import spark_defaults
from pyspark.sql import SparkSession
from robustness.harness.simulated_log import ROWS_PER_FILE, Driver, SimulatedTable, name, plan
from robustness.harness.spark_home import cluster
from support.processes import python_environment

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (100_000, 1_000_000)
# How often each thing is asked of a table that is known already.
REPEATS = 2
# Heaps of a driver, in megabytes, that are tried on the largest table.
HEAPS = (256,)
# Seconds for one thing; a heap in which it takes longer is too small.
PATIENCE = 600

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
EXTENSIONS = {
    "plain": DELTA,
    "collated": f"{DELTA},org.deltacollations.CollationsExtension",
}
EVERYTHING = "name >= 'A'"
LOOKING = "looking for files without bounds"
REFRESH = "ANALYZE TABLE delta.`{0}` COMPUTE DELTA STATISTICS"


class Session:
    """A JVM of its own, since what the extension changes in Delta is changed for a whole JVM."""

    def __init__(self, kind: str, heap: int | None = None) -> None:
        """Start it; with a heap, as the driver of an executor that is another JVM."""
        arguments = [kind] if heap is None else [kind, str(heap)]
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--session", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=python_environment(),
            text=True,
        )

    def do(self, command: str, *arguments: object) -> Any:  # noqa: ANN401
        """Have ``command`` run in it, and return what that returns; False if it has died."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps([command, *arguments]), file=stdin, flush=True)
        line = stdout.readline()
        return json.loads(line) if line else False

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()


class Worker:
    """The other end of it."""

    def __init__(self, kind: str, heap: str | None = None) -> None:
        """Start Spark."""
        builder = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", "1536m")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.extensions", EXTENSIONS[kind])
            .config("spark.jars", f"{spark_defaults()['spark.jars']},{bundled_jar()}")
            .config(
                "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
            )
        )
        if heap is not None:
            cluster(builder, "local-cluster[1,2,1536]")
            builder.config("spark.driver.memory", f"{heap}m")
            # Else Spark refuses to start a driver with less than 450 MB.
            builder.config("spark.testing.reservedMemory", "0")
        self.spark = builder.getOrCreate()
        self.driver = Driver(self.spark)

    def icu(self) -> str:
        """Return the version of the ICU in this JVM."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        info = jvm.com.ibm.icu.util.VersionInfo.ICU_VERSION
        return f"{info.getMajor()}.{info.getMinor()}"

    def checkpoint(self, path: str) -> None:
        """Have Delta write one."""
        jvm, session = self.spark._jvm, self.spark._jsparkSession  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, path).checkpoint()

    def forget(self) -> None:
        """Forget what is known of any table."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        jvm.System.gc()

    def plan(self, path: str, predicate: str) -> list[Any]:
        """Have the files of a query found; return the seconds, and the bytes for the driver."""
        query = f"SELECT id FROM delta.`{path}` WHERE {predicate}"
        return self._measured(lambda: plan(self.spark.sql(query)))[:2]

    def ask(self, query: str) -> list[Any]:
        """Run a query; return the seconds, the bytes for the driver, and the rows as a text."""
        return self._measured(lambda: str([tuple(row) for row in self.spark.sql(query).collect()]))

    def refresh_all(self, path: str) -> list[Any]:
        """Return what it takes to find out that every file lacks bounds, and which comes first.

        A changed collation makes all of them lack bounds. They are not there, so nothing is read.
        """
        change = f"ALTER TABLE delta.`{path}` ALTER COLUMN name TYPE STRING COLLATE "
        self.spark.sql(change + "UNICODE")
        self.ask(f"SELECT * FROM collation_status('delta.`{path}`')")
        said = ""
        try:
            self.spark.sql(REFRESH.format(path)).collect()
        except Exception as error:  # noqa: BLE001
            said = str(error)
        found = self.driver.received(LOOKING)
        self.spark.sql(change + "UNICODE_CI")
        return [*found, "".join(re.findall(r"part-\d+-[0-9a-f-]{36}", said)[:1])]

    def _measured(self, body: Callable[[], object]) -> list[Any]:
        """Return the seconds of CPU, which no neighbour changes much, the bytes, and the result."""
        self.driver.received()
        started = self._cpu()
        result = body()
        seconds = self._cpu() - started
        return [seconds, self.driver.received()[1], result]

    def _cpu(self) -> float:
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        info = jvm.java.lang.ProcessHandle.current().info()
        return float(info.totalCpuDuration().get().toNanos()) / 1e9


def serve(*arguments: str) -> None:
    """Do what comes in by the line until nothing comes."""
    worker = Worker(*arguments)
    for line in sys.stdin:
        command, *rest = json.loads(line)
        print(json.dumps(getattr(worker, command)(*rest)), flush=True)


class Figures:
    """The best seconds, and the bytes, of each thing that was tried."""

    def __init__(self, files: int) -> None:
        """Start with nothing."""
        self.files = files
        self._known: dict[str, tuple[float, float]] = {}

    def add(self, label: str, seconds: float, received: float) -> None:
        """Keep the better."""
        best, most = self._known.get(label, (float("inf"), 0))
        self._known[label] = min(best, seconds), max(most, received)

    def show(self, baseline: str) -> None:
        """Print a line for each, with the ratio to one of them."""
        for label, (seconds, received) in self._known.items():
            ratio = seconds / self._known[baseline][0]
            each = seconds / self.files * 1e6
            print(
                f"{self.files:>9,}  {label:<52}{seconds:>9.2f}{ratio:>8.2f}"
                f"{each:>9.1f}{received / 1000:>11,.0f}",
                flush=True,
            )


def lookup(files: int, turn: int) -> str:
    """Return a predicate for one row, another one each time."""
    return f"name = '{name(turn * 7919 * ROWS_PER_FILE % (files * ROWS_PER_FILE))}'"


def measure(sessions: dict[str, Session], tables: dict[str, SimulatedTable]) -> None:
    """Print what planning, status, explain and refresh cost for tables of one size."""
    table = tables["collated"]
    files = table.files
    figures = Figures(files)
    ours = sessions["collated"]
    explain = f"SELECT outcome, files FROM collation_explain('delta.`{table.path}`', \"{{0}}\")"
    status = f"SELECT status FROM collation_status('delta.`{table.path}`')"
    for kind, session in sessions.items():
        session.do("forget")
        planned = session.do("plan", str(tables[kind].path), lookup(files, 1))
        figures.add(f"{kind}: first lookup, planned", *planned)
    for turn in range(REPEATS):
        predicate = lookup(files, 2 + turn)
        for kind, session in sessions.items():
            planned = session.do("plan", str(tables[kind].path), predicate)
            figures.add(f"{kind}: lookup, planned", *planned)
        *found, rows = ours.do("ask", explain.format(predicate))
        figures.add("collated: collation_explain of a lookup", *found)
        assert f"('read', {table.gaps // 2})" in rows, rows
        *found, _ = ours.do("ask", status)
        figures.add("collated: collation_status", *found)
    for kind, session in sessions.items():
        planned = session.do("plan", str(tables[kind].path), EVERYTHING)
        figures.add(f"{kind}: scan of everything, planned", *planned)
    *found, rows = ours.do("ask", explain.format(EVERYTHING))
    figures.add("collated: collation_explain of that scan", *found)
    assert f"('pruned by collated statistics', 0), ('read', {files - table.gaps})" in rows, rows
    *found, rows = ours.do("ask", REFRESH.format(table.path))
    figures.add(f"collated: refresh of {table.gaps} files, in full", *found)
    assert f"({files}, {table.gaps}, " in rows, rows
    for _ in range(REPEATS):
        *found, rows = ours.do("ask", REFRESH.format(table.path))
        figures.add("collated: refresh that finds nothing to do", *found)
        assert rows == f"[({files}, 0, 0, 0)]", rows
    figures.add("collated: command line, without Spark", *command_line(table))
    *found, missing = ours.do("refresh_all", str(table.path))
    assert missing.startswith("part-00000"), missing
    figures.add("collated: refresh of every file, planned", *found)
    figures.show("plain: lookup, planned")


def command_line(table: SimulatedTable) -> tuple[float, float]:
    """Return the seconds of CPU of a status without Spark, and the most memory it had, in bytes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "delta_collations", "status", str(table.path), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    [row, *_] = json.loads(done.stdout)
    assert row["status"] == "healthy", row
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss * 1024


def smallest_heaps(tables: dict[str, SimulatedTable]) -> None:
    """Print for each heap of a driver how far it gets, from what needs least to what needs most."""
    path = tables["collated"].path
    status = f"SELECT status FROM collation_status('delta.`{path}`')"
    explain = f"SELECT * FROM collation_explain('delta.`{path}`', \"{EVERYTHING}\")"
    trials: dict[str, list[tuple[str, str, list[object]]]] = {
        kind: [
            ("lookup, planned", "plan", [table.path, lookup(table.files, 1)]),
            ("scan of everything, planned", "plan", [table.path, EVERYTHING]),
        ]
        for kind, table in tables.items()
    }
    trials["collated"][1:1] = [
        ("collation_status", "ask", [status]),
        ("collation_explain of a scan of everything", "ask", [explain]),
        ("refresh of every file, planned", "refresh_all", [path]),
    ]
    print("\nA driver whose executor is another JVM, by its heap:", flush=True)
    for heap, (kind, steps) in itertools.product(HEAPS, trials.items()):
        session = Session(kind, heap)
        for label, command, arguments in steps:
            guard = threading.Timer(PATIENCE, session.end)
            guard.start()
            done = session.do(command, *map(str, arguments))
            guard.cancel()
            outcome = f"{done[0]:.1f} s" if done else "out of memory"
            print(f"{heap:>6} MB  {kind}: {label:<46}{outcome:>14}", flush=True)
            if not done:
                break
        session.end()


def main(*sizes: int) -> None:
    """Simulate tables, plain and collated, size by size; then try small drivers on the largest."""
    sessions = {kind: Session(kind) for kind in EXTENSIONS}
    version = sessions["collated"].do("icu")
    print(
        f"Seconds of CPU, best of {REPEATS}, the first and whole ones apart, alternating; ratio to"
    )
    print("the lookup in a plain column; kB that tasks sent to the driver")
    print("(for the command line: the most memory it had).\n")
    print(f"{'files':>9}  {'':<52}{'seconds':>9}{'ratio':>8}{'µs/file':>9}{'kB':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for files in sizes:
            tables = {
                kind: SimulatedTable(
                    Path(folder) / f"{kind}-{files}", files, version, kind == "collated"
                )
                for kind in EXTENSIONS
            }
            for kind, table in tables.items():
                table.write()
                sessions[kind].do("checkpoint", str(table.path))
            measure(sessions, tables)
        for session in sessions.values():
            session.end()
        smallest_heaps(tables)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        serve(*sys.argv[2:])
    else:
        main(*(int(size) for size in sys.argv[1:] or SIZES))
