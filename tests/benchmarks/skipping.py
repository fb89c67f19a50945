# SPDX-License-Identifier: Apache-2.0
"""What a point lookup on a collated column costs in tables of up to 10,000 files."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from typing import Any

from delta_collations import bundled_jar
from delta_collations._spark_conf import spark_defaults
from pyspark.sql import SparkSession

SIZES = (100, 1_000, 10_000)
ROWS_PER_FILE = 10
# How often a table is opened anew, and how often it is asked after that.
OPENINGS, LOOKUPS = 2, 10

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
EXTENSIONS = {
    "plain": DELTA,
    "ours": f"{DELTA},org.deltacollations.CollationsExtension",
}
COLUMNS = {"plain": "STRING", "ours": "STRING COLLATE UNICODE_CI"}

# Which session looks up in the table that which session made.
WAYS = {
    "plain column, plain Delta": ("plain", "plain"),
    "collated column, ours": ("ours", "ours"),
    "collated column, plain Delta": ("plain", "ours"),
}


class Session:
    """A JVM of its own, since what the extension changes in Delta is changed for a whole JVM."""

    def __init__(self, kind: str) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            [sys.executable, __file__, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def do(self, command: str, *arguments: object) -> Any:  # noqa: ANN401
        """Have ``command`` run in it, and return what that returns."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        print(json.dumps([command, *arguments]), file=stdin, flush=True)
        return json.loads(stdout.readline())


class Worker:
    """The other end of it."""

    def __init__(self, kind: str) -> None:
        """Start Spark."""
        builder = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", "3g")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.extensions", EXTENSIONS[kind])
            .config("spark.jars", f"{spark_defaults()['spark.jars']},{bundled_jar()}")
            .config(
                "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
            )
        )
        self.spark = builder.getOrCreate()

    def make(self, path: str, column: str, files: int) -> None:
        """Make a table of so many files."""
        self.spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, name {column}) USING delta")
        rows = self.spark.range(0, files * ROWS_PER_FILE, 1, files)
        names = rows.selectExpr("id", "concat('Näme ', lpad(id, 8, '0')) AS name")
        names.write.format("delta").mode("append").save(path)

    def forget(self) -> None:
        """Forget what is known of any table."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def look_up(self, path: str, name: str) -> tuple[float, float, int]:
        """Return the seconds to plan a lookup, those for all of it, and the number of files."""
        started = time.monotonic()
        found = self.spark.sql(f"SELECT id FROM delta.`{path}` WHERE name = '{name}'")
        found._jdf.queryExecution().executedPlan()  # noqa: SLF001
        planned = time.monotonic()
        assert len(found.collect()) == 1
        return planned - started, time.monotonic() - started, len(found.inputFiles())


def work(kind: str) -> None:
    """Do what comes in by the line until nothing comes."""
    worker = Worker(kind)
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, command)(*arguments)), flush=True)


def measure(sessions: dict[str, Session], folder: str, files: int) -> dict[str, list[float]]:
    """Return, by way: files read, best first plan, best further plan, best of all of a lookup."""
    best: dict[str, list[float]] = {}
    # Far apart, and none twice, so that nothing is found where it was found before.
    numbers = itertools.count(0, 7919)

    def look_up(way: str, *, first: bool) -> None:
        reader, maker = WAYS[way]
        name = f"Näme {next(numbers) % (files * ROWS_PER_FILE):08d}"
        plan, everything, read = sessions[reader].do("look_up", f"{folder}/{maker}-{files}", name)
        known = best.setdefault(way, [read, plan, float("inf"), float("inf")])
        known[0] = max(known[0], read)
        if first:
            known[1] = min(known[1], plan)
        else:
            known[2:] = [min(known[2], plan), min(known[3], everything)]

    for opening in range(OPENINGS):
        for way, (reader, maker) in WAYS.items():
            if reader == maker or opening == 0:
                sessions[reader].do("forget")
                look_up(way, first=True)
        for lookup in range(LOOKUPS):
            for way, (reader, maker) in WAYS.items():
                if reader == maker or opening == lookup == 0:
                    look_up(way, first=False)
    return best


def main() -> None:
    """Alternate the ways, keep the best of each, print a table with ratios per size."""
    sessions = {kind: Session(kind) for kind in EXTENSIONS}
    print(f"Lookup of one name; seconds, best of {OPENINGS} openings and {LOOKUPS} lookups after")
    print("each, alternating; in brackets the ratio to the plain column. All is read once only.\n")
    print(f"{'files':>6}  {'':<30}{'read':>7}{'first plan':>16}{'plan':>16}{'lookup':>16}")
    with tempfile.TemporaryDirectory() as folder:
        for files in SIZES:
            for kind, session in sessions.items():
                session.do("make", f"{folder}/{kind}-{files}", COLUMNS[kind], files)
            best = measure(sessions, folder, files)
            plain = next(iter(best.values()))
            for way, (read, *seconds) in best.items():
                ratios = zip(seconds, plain[1:], strict=True)
                cells = "".join(f"{own:>9.3f} ({own / other:.2f})" for own, other in ratios)
                print(f"{files:>6}  {way:<30}{read:>7}{cells}", flush=True)


if __name__ == "__main__":
    work(sys.argv[1]) if len(sys.argv) > 1 else main()
