# SPDX-License-Identifier: Apache-2.0
"""Measures planning, status, refresh and driver memory for tables of up to a million files.

With ``--lookups``, it measures only the planning of lookups and the bytes of Delta's cache.
"""

from __future__ import annotations

import itertools
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from delta_collations import bundled_jar
from delta_collations._spark_conf import spark_defaults
from pyspark.sql import SparkSession
from robustness.harness.simulated_log import ROWS_PER_FILE, Driver, SimulatedTable, name, plan
from robustness.harness.spark_home import cluster
from support.processes import python_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = (100_000, 1_000_000)
LOOKUP_SIZES = (10_000, 100_000, 1_000_000)
# With --lookups: how often a table is opened, and the lookups after each.
OPENINGS, LOOKUPS = 3, 8
# Repetitions of each measurement on a table whose log is cached.
REPEATS = 2
# Heap sizes of a driver in megabytes, tried on the largest table.
HEAPS = (256,)
# Seconds for one step; a heap with which it takes longer is too small.
TIMEOUT_SECONDS = 600

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
EXTENSIONS = {
    "plain": DELTA,
    "collated": f"{DELTA},org.deltacollations.CollationsExtension",
}
EVERYTHING = "name >= 'A'"
FINDING_FILES = "looking for files without bounds"
REFRESH = "ANALYZE TABLE delta.`{0}` COMPUTE DELTA STATISTICS"


class Session:
    """A session in its own JVM, because the extension changes Delta for a whole JVM."""

    def __init__(self, kind: str, heap: int | None = None) -> None:
        """Start the session; with ``heap``, its executor is another JVM."""
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
        """Run a command in the session, and return its result, or False if the session has died."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps([command, *arguments]), file=stdin, flush=True)
        line = stdout.readline()
        return json.loads(line) if line else False

    def end(self) -> None:
        """Kill the session."""
        self.process.kill()
        self.process.wait()


class Worker:
    """The process that runs the commands of a session."""

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
            # Otherwise, Spark rejects a driver with less than 450 MB.
            builder.config("spark.testing.reservedMemory", "0")
        self.spark = builder.getOrCreate()
        self.driver = Driver(self.spark)

    def icu(self) -> str:
        """Return the ICU version of this JVM."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        info = jvm.com.ibm.icu.util.VersionInfo.ICU_VERSION
        return f"{info.getMajor()}.{info.getMinor()}"

    def checkpoint(self, path: str) -> None:
        """Write a checkpoint with Delta."""
        jvm, session = self.spark._jvm, self.spark._jsparkSession  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, path).checkpoint()

    def clear_cache(self) -> None:
        """Clear Delta's cache of tables."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        jvm.System.gc()

    def plan(self, path: str, predicate: str) -> list[Any]:
        """Plan a query; return the seconds, and the bytes sent to the driver."""
        query = f"SELECT id FROM delta.`{path}` WHERE {predicate}"
        return self._measured(lambda: plan(self.spark.sql(query)))[:2]

    def cached_bytes(self) -> int:
        """Return the bytes of the parsed statistics that Delta has cached last."""
        infos = self.spark._jsc.sc().getRDDStorageInfo()  # noqa: SLF001
        newest = max((info for info in infos if "with Stats" in info.name()), key=lambda i: i.id())
        return int(newest.memSize() + newest.diskSize())

    def query(self, query: str) -> list[Any]:
        """Run a query; return the seconds, the bytes for the driver, and the rows as a string."""
        return self._measured(lambda: str([tuple(row) for row in self.spark.sql(query).collect()]))

    def refresh_all(self, path: str) -> list[Any]:
        """Plan a refresh of every file; return the seconds, the bytes and the first missing file.

        After a change of the collation, no file has bounds. The files do not exist, so the refresh
        fails when it reads the first one.
        """
        change = f"ALTER TABLE delta.`{path}` ALTER COLUMN name TYPE STRING COLLATE "
        self.spark.sql(change + "UNICODE")
        self.query(f"SELECT * FROM collation_status('delta.`{path}`')")
        message = ""
        try:
            self.spark.sql(REFRESH.format(path)).collect()
        except Exception as error:  # noqa: BLE001
            message = str(error)
        found = self.driver.received(FINDING_FILES)
        self.spark.sql(change + "UNICODE_CI")
        return [*found, "".join(re.findall(r"part-\d+-[0-9a-f-]{36}", message)[:1])]

    def _measured(self, body: Callable[[], object]) -> list[Any]:
        """Return the CPU seconds, which depend little on other load, the bytes, and the result."""
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
    """Run the commands from stdin, one per line."""
    worker = Worker(*arguments)
    for line in sys.stdin:
        command, *rest = json.loads(line)
        print(json.dumps(getattr(worker, command)(*rest)), flush=True)


class Figures:
    """The best time and the most bytes of each measurement."""

    def __init__(self, files: int) -> None:
        """Start without measurements."""
        self.files = files
        self._known: dict[str, tuple[float, float]] = {}

    def add(self, label: str, seconds: float, received: float) -> None:
        """Add a measurement; keep the best time and the most bytes."""
        best, most = self._known.get(label, (float("inf"), 0))
        self._known[label] = min(best, seconds), max(most, received)

    def show(self, baseline: str) -> None:
        """Print a line for each measurement, with its ratio to the baseline."""
        for label, (seconds, received) in self._known.items():
            ratio = seconds / self._known[baseline][0]
            each = seconds / self.files * 1e6
            print(
                f"{self.files:>9,}  {label:<52}{seconds:>9.2f}{ratio:>8.2f}"
                f"{each:>9.1f}{received / 1000:>11,.0f}",
                flush=True,
            )


def lookup(files: int, turn: int) -> str:
    """Return a predicate for one row, which differs by ``turn``."""
    return f"name = '{name(turn * 7919 * ROWS_PER_FILE % (files * ROWS_PER_FILE))}'"


def measure(sessions: dict[str, Session], tables: dict[str, SimulatedTable]) -> None:
    """Print the cost of planning, status, explain and refresh for tables of one size."""
    table = tables["collated"]
    files = table.files
    figures = Figures(files)
    ours = sessions["collated"]
    explain = f"SELECT outcome, files FROM collation_explain('delta.`{table.path}`', \"{{0}}\")"
    status = f"SELECT status FROM collation_status('delta.`{table.path}`')"
    for kind, session in sessions.items():
        session.do("clear_cache")
        planned = session.do("plan", str(tables[kind].path), lookup(files, 1))
        figures.add(f"{kind}: first lookup, planned", *planned)
    for turn in range(REPEATS):
        predicate = lookup(files, 2 + turn)
        for kind, session in sessions.items():
            planned = session.do("plan", str(tables[kind].path), predicate)
            figures.add(f"{kind}: lookup, planned", *planned)
        *found, rows = ours.do("query", explain.format(predicate))
        figures.add("collated: collation_explain of a lookup", *found)
        assert f"('read', {table.files_to_refresh // 2})" in rows, rows
        *found, _ = ours.do("query", status)
        figures.add("collated: collation_status", *found)
    for kind, session in sessions.items():
        planned = session.do("plan", str(tables[kind].path), EVERYTHING)
        figures.add(f"{kind}: scan of everything, planned", *planned)
    *found, rows = ours.do("query", explain.format(EVERYTHING))
    figures.add("collated: collation_explain of that scan", *found)
    assert (
        f"('pruned by collated statistics', 0), ('read', {files - table.files_to_refresh})" in rows
    ), rows
    *found, rows = ours.do("query", REFRESH.format(table.path))
    figures.add(f"collated: refresh of {table.files_to_refresh} files, in full", *found)
    assert f"({files}, {table.files_to_refresh}, " in rows, rows
    for _ in range(REPEATS):
        *found, rows = ours.do("query", REFRESH.format(table.path))
        figures.add("collated: refresh that finds nothing to do", *found)
        assert rows == f"[({files}, 0, 0, 0)]", rows
    figures.add("collated: command line, without Spark", *command_line(table))
    *found, missing = ours.do("refresh_all", str(table.path))
    assert missing.startswith("part-00000"), missing
    figures.add("collated: refresh of every file, planned", *found)
    figures.show("plain: lookup, planned")


def measure_lookups(sessions: dict[str, Session], tables: dict[str, SimulatedTable]) -> None:
    """Print the cost of planning a lookup for tables of one size, and the size of the cache."""
    first: dict[str, list[float]] = {kind: [] for kind in sessions}
    later: dict[str, list[float]] = {kind: [] for kind in sessions}
    cached: dict[str, float] = {}
    files = tables["plain"].files
    turns = itertools.count(1)
    for _ in range(OPENINGS):
        for kind, session in sessions.items():
            session.do("clear_cache")
            seconds, _ = session.do("plan", str(tables[kind].path), lookup(files, next(turns)))
            first[kind].append(seconds)
            cached[kind] = session.do("cached_bytes") / files
        for _ in range(LOOKUPS):
            predicate = lookup(files, next(turns))
            for kind, session in sessions.items():
                later[kind].append(session.do("plan", str(tables[kind].path), predicate)[0])
    for label, times in (("first lookup", first), ("later lookup", later)):
        plain, ours = (min(times[kind]) for kind in EXTENSIONS)
        middle = [statistics.median(times[kind]) for kind in EXTENSIONS]
        print(
            f"{files:>9,}  {label:<14}{plain:>9.2f}{ours:>9.2f}{ours / plain:>8.2f}"
            f"{middle[0]:>9.2f}{middle[1]:>9.2f}{middle[1] / middle[0]:>8.2f}",
            flush=True,
        )
    print(
        f"{files:>9,}  cached bytes per file: {cached['plain']:.0f} and {cached['collated']:.0f}\n",
        flush=True,
    )


def command_line(table: SimulatedTable) -> tuple[float, float]:
    """Return the CPU seconds and the peak memory in bytes of the command line."""
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
    """Print which steps a driver completes with each heap, starting with the smallest step."""
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
        ("collation_status", "query", [status]),
        ("collation_explain of a scan of everything", "query", [explain]),
        ("refresh of every file, planned", "refresh_all", [path]),
    ]
    print("\nA driver whose executor is another JVM, by its heap:", flush=True)
    for heap, (kind, steps) in itertools.product(HEAPS, trials.items()):
        session = Session(kind, heap)
        for label, command, arguments in steps:
            timeout = threading.Timer(TIMEOUT_SECONDS, session.end)
            timeout.start()
            done = session.do(command, *map(str, arguments))
            timeout.cancel()
            outcome = f"{done[0]:.1f} s" if done else "out of memory"
            print(f"{heap:>6} MB  {kind}: {label:<46}{outcome:>14}", flush=True)
            if not done:
                break
        session.end()


@contextmanager
def simulated(sessions: dict[str, Session], files: int) -> Iterator[dict[str, SimulatedTable]]:
    """Write a table for each kind of session, with a checkpoint."""
    version = sessions["collated"].do("icu")
    with tempfile.TemporaryDirectory() as folder:
        tables = {
            kind: SimulatedTable(Path(folder) / kind, files, version, kind == "collated")
            for kind in EXTENSIONS
        }
        for kind, table in tables.items():
            table.write()
            sessions[kind].do("checkpoint", str(table.path))
        yield tables


def main(sizes: list[int]) -> None:
    """Measure simulated tables of each size, and then small drivers on the largest table."""
    sessions = {kind: Session(kind) for kind in EXTENSIONS}
    print(f"CPU seconds, best of {REPEATS} (first lookups and scans of everything: once); ratio to")
    print("the lookup in a UTF8_BINARY column; kB that tasks sent to the driver")
    print("(for the command line: peak memory).\n")
    print(f"{'files':>9}  {'':<52}{'seconds':>9}{'ratio':>8}{'µs/file':>9}{'kB':>11}")
    for files in sizes:
        with simulated(sessions, files) as tables:
            measure(sessions, tables)
            if files == max(sizes):
                for session in sessions.values():
                    session.end()
                smallest_heaps(tables)


def main_of_lookups(sizes: list[int]) -> None:
    """Measure only lookups in simulated tables of each size."""
    sessions = {kind: Session(kind) for kind in EXTENSIONS}
    print("CPU seconds to plan a lookup, for a UTF8_BINARY column and for a collated column, and")
    print(f"their ratio: best and median. Each table is opened {OPENINGS} times, alternating, with")
    print(f"{LOOKUPS} later lookups each.\n")
    print(f"{'files':>9}  {'':<14}" + f"{'plain':>9}{'ours':>9}{'ratio':>8}" * 2)
    for files in sizes:
        with simulated(sessions, files) as tables:
            measure_lookups(sessions, tables)
    for session in sessions.values():
        session.end()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--session"]:
        serve(*arguments[1:])
    elif arguments[:1] == ["--lookups"]:
        main_of_lookups([int(size) for size in arguments[1:]] or list(LOOKUP_SIZES))
    else:
        main([int(size) for size in arguments] or list(SIZES))
