# SPDX-License-Identifier: Apache-2.0
"""Point lookups on a collated column in tables of up to 10,000 files.

It also counts the files that filters read, by collation and predicate; with ``--files``, only that.
Sizes of tables as arguments replace the default ones.
"""

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
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

SIZES = (100, 1_000, 10_000)
ROWS_PER_FILE = 10
# The number of times that a table is opened, and of lookups after each.
OPENINGS, LOOKUPS = 2, 10

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
EXTENSIONS = {
    "plain": DELTA,
    "ours": f"{DELTA},org.deltacollations.CollationsExtension",
}
COLUMNS = {"plain": "STRING", "ours": "STRING COLLATE UNICODE_CI"}

# The kinds of the session that runs the lookup and of the session that created the table.
VARIANTS = {
    "plain column, plain Delta": ("plain", "plain"),
    "collated column, ours": ("ours", "ours"),
    "collated column, plain Delta": ("plain", "ours"),
}


# The files of the table for the filters, which all have the same strings in all columns.
FILTERED_FILES = 100
COLLATIONS = (
    "UTF8_LCASE", "UTF8_BINARY_RTRIM", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UNICODE_AI",
    "UNICODE_CI_RTRIM", "de_CI_AI", "sv", "tr_CI", "th", "fr_CAN", "fr_CAN_AI",
)  # fmt: skip
# The middle of file 50, and a part of it.
VALUE, PREFIX = "NÄME 00000505", "NÄME 0000050"
FILTERS = {
    "=": f"{{c}} = '{VALUE}'",
    "<=>": f"{{c}} <=> '{VALUE}'",
    "IN": f"{{c}} IN ('{VALUE}', 'NÄME 00000995')",
    "<": f"{{c}} < '{VALUE}'",
    ">=": f"{{c}} >= '{VALUE}'",
    "BETWEEN": f"{{c}} BETWEEN '{VALUE}' AND 'NÄME 00000525'",
    "OR": f"{{c}} < 'NÄME 00000015' OR {{c}} = '{VALUE}'",
    "startswith": f"startswith({{c}}, '{PREFIX}')",
    "LIKE": f"{{c}} LIKE '{PREFIX}%'",
    "NOT =": f"NOT {{c}} = '{VALUE}'",
    "= UNICODE": "{c} COLLATE UNICODE = 'Näme 00000505'",
    "= BINARY": "{c} COLLATE UTF8_BINARY = 'Näme 00000505'",
}


class Session:
    """A separate JVM, since the extension patches Delta for the whole JVM."""

    def __init__(self, kind: str) -> None:
        """Start the worker process."""
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--session", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def do(self, command: str, *arguments: object) -> Any:  # noqa: ANN401
        """Run ``command`` in the worker and return its result."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        print(json.dumps([command, *arguments]), file=stdin, flush=True)
        return json.loads(stdout.readline())


class Worker:
    """Runs the commands of a ``Session`` in its process."""

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
        """Create a table with the given number of files."""
        self.spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, name {column}) USING delta")
        rows = self.spark.range(0, files * ROWS_PER_FILE, 1, files)
        names = rows.selectExpr("id", "concat('Näme ', lpad(id, 8, '0')) AS name")
        names.write.format("delta").mode("append").save(path)

    def make_filtered(self, path: str) -> None:
        """Create a table with a column for each collation."""
        columns = ", ".join(f"{name} STRING COLLATE {name}" for name in COLLATIONS)
        self.spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")
        rows = self.spark.range(0, FILTERED_FILES * ROWS_PER_FILE, 1, FILTERED_FILES)
        value = "concat('Näme ', lpad(id, 8, '0'))"
        names = rows.selectExpr(*(f"{value} AS {name}" for name in COLLATIONS))
        names.write.format("delta").mode("append").save(path)

    def files_read(self, path: str, predicate: str, skipping: str) -> tuple[int, int] | None:
        """Return the files and rows of a filter; None if Spark does not support it."""
        self.spark.conf.set("spark.deltaCollations.skipping.enabled", skipping)
        try:
            found = self.spark.sql(f"SELECT * FROM delta.`{path}` WHERE {predicate}")
        except AnalysisException:
            return None
        return len(found.inputFiles()), len(found.collect())

    def clear_log_cache(self) -> None:
        """Clear Delta's cache of logs."""
        jvm = self.spark._jvm  # noqa: SLF001
        assert jvm is not None
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def look_up(self, path: str, name: str) -> tuple[float, float, int]:
        """Return the time to plan a lookup, its total time, and the number of files read."""
        started = time.monotonic()
        found = self.spark.sql(f"SELECT id FROM delta.`{path}` WHERE name = '{name}'")
        found._jdf.queryExecution().executedPlan()  # noqa: SLF001
        planned = time.monotonic()
        assert len(found.collect()) == 1
        return planned - started, time.monotonic() - started, len(found.inputFiles())


def work(kind: str) -> None:
    """Run one command per line of standard input until its end."""
    worker = Worker(kind)
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, command)(*arguments)), flush=True)


def measure(sessions: dict[str, Session], folder: str, files: int) -> dict[str, list[float]]:
    """Return files read and the best times of first plan, later plans and lookups by variant."""
    best: dict[str, list[float]] = {}
    # Look up a different name each time, far from the previous ones.
    numbers = itertools.count(0, 7919)

    def look_up(variant: str, *, first: bool) -> None:
        reader, creator = VARIANTS[variant]
        name = f"Näme {next(numbers) % (files * ROWS_PER_FILE):08d}"
        plan, total, read = sessions[reader].do("look_up", f"{folder}/{creator}-{files}", name)
        times = best.setdefault(variant, [read, plan, float("inf"), float("inf")])
        times[0] = max(times[0], read)
        if first:
            times[1] = min(times[1], plan)
        else:
            times[2:] = [min(times[2], plan), min(times[3], total)]

    for opening in range(OPENINGS):
        for variant, (reader, creator) in VARIANTS.items():
            if reader == creator or opening == 0:
                sessions[reader].do("clear_log_cache")
                look_up(variant, first=True)
        for lookup in range(LOOKUPS):
            for variant, (reader, creator) in VARIANTS.items():
                if reader == creator or opening == lookup == 0:
                    look_up(variant, first=False)
    return best


def count_files(sessions: dict[str, Session], folder: str) -> None:
    """Print the files that each filter reads, by collation, and compare the rows."""
    path = f"{folder}/filtered"
    sessions["ours"].do("make_filtered", path)
    print(f"Files that a filter reads, of {FILTERED_FILES}: ours / plain Delta / ours with")
    print(f"skipping disabled. The value is in the middle of one file: {VALUE}\n")
    print(f"{'':<18}" + "".join(f"{name:>13}" for name in FILTERS))
    for collation in COLLATIONS:
        cells = []
        for filter_ in FILTERS.values():
            query = path, filter_.format(c=collation)
            answers = [
                sessions[kind].do("files_read", *query, skipping)
                for kind, skipping in (("ours", "true"), ("plain", "true"), ("ours", "false"))
            ]
            if None in answers:
                cells.append("-")
            else:
                assert len({rows for _, rows in answers}) == 1, (query, answers)
                cells.append("/".join(str(files) for files, _ in answers))
        print(f"{collation:<18}" + "".join(f"{cell:>13}" for cell in cells), flush=True)
    print()


def measure_lookups(sessions: dict[str, Session], folder: str, sizes: list[int]) -> None:
    """Alternate between the variants and print the best times with ratios for each size."""
    print(f"Lookup of one name; seconds, best of {OPENINGS} openings with {LOOKUPS} lookups each,")
    print("alternating; in parentheses, the ratio to the plain column. The variant that reads all")
    print("files runs only once.\n")
    print(f"{'files':>6}  {'':<30}{'read':>7}{'first plan':>16}{'plan':>16}{'lookup':>16}")
    for files in sizes:
        for kind, session in sessions.items():
            session.do("make", f"{folder}/{kind}-{files}", COLUMNS[kind], files)
        best = measure(sessions, folder, files)
        plain = next(iter(best.values()))
        for variant, (read, *seconds) in best.items():
            ratios = zip(seconds, plain[1:], strict=True)
            cells = "".join(f"{own:>9.3f} ({own / other:.2f})" for own, other in ratios)
            print(f"{files:>6}  {variant:<30}{read:>7}{cells}", flush=True)


def main(arguments: list[str]) -> None:
    """Count the files of filters, and measure lookups unless ``--files`` is given."""
    sessions = {kind: Session(kind) for kind in EXTENSIONS}
    with tempfile.TemporaryDirectory() as folder:
        count_files(sessions, folder)
        if arguments != ["--files"]:
            measure_lookups(sessions, folder, [int(size) for size in arguments] or list(SIZES))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        work(sys.argv[2])
    else:
        main(sys.argv[1:])
