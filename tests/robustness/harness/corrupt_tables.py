# SPDX-License-Identifier: Apache-2.0

"""Checks real tables with corrupt statistics in their logs."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812
from robustness.harness.corrupt_stats import CORRUPTIONS, HUGE
from support.random_strings import sql_literal
from support.tables import Json, Table, collated, setting, without_codegen, write_checkpoint
from support.tables import field as column

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

SKIPPING = "spark.deltaCollations.skipping.enabled"
FEATURES = ["appendOnly", "invariants", "domainMetadata", "collations"]
SCHEMA: list[Json] = [
    collated("name", "icu.UNICODE_CI"),
    collated("low", "spark.UTF8_LCASE"),
    column("home", {"type": "struct", "fields": [collated("city", "icu.UNICODE_CI")]}),
]
# The values in every column for each kind of file.
CONTENTS: list[list[str | None]] = [
    ["Anna", "bob", "zoë"],
    ["Émile", "Zoe"],
    ["MIKE", None],
    ["straße", "STRASSE"],
    ["mm", "mn"],
    ["", "x" * 60],
]
PREDICATES = [
    "name = 'BOB'", "name IN ('zoe', 'MIKE')", "name < 'b'", "name >= 'zo'", "low = 'mike'",
    "low > 'mm'", "home.city = 'Mm'", "home.city <= 'anna' OR low = 'ZOE'",
    "name COLLATE UTF8_BINARY = 'Zoe'", "startswith(low, 'ST')", "name = ''", "NOT (name > 'MM')",
]  # fmt: skip
# For one statement, on a busy machine.
MAX_SECONDS = 600


@dataclass
class Findings:
    """The number of cases by kind, and the faults."""

    cases: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0
    slowest: str = ""

    def timed(self, what: str, seconds: float) -> None:
        """Record the slowest case, and cases that took too long."""
        if seconds > self.longest:
            self.longest, self.slowest = seconds, what
        if seconds > MAX_SECONDS:
            self.wrong.append(f"{what}: {seconds:.0f} s")


class ValidFiles:
    """One file of each kind with its correct statistics, as Spark wrote it."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        """Write the files, and compute with Spark which predicates match rows of which files."""
        self.table = Table(spark, path)
        self.table.create(
            "name STRING COLLATE UNICODE_CI, low STRING COLLATE UTF8_LCASE, "
            "home STRUCT<city: STRING COLLATE UNICODE_CI>"
        )
        for values in CONTENTS:
            literals = ["NULL" if value is None else sql_literal(value) for value in values]
            rows = ", ".join(f"({text}, {text}, {text})" for text in literals)
            self.table.sql(
                "INSERT INTO {t} SELECT /*+ COALESCE(1) */ a, b, named_struct('city', c) "
                f"FROM VALUES {rows} AS rows(a, b, c)"
            )
        self.files = list(self.table.log.files.values())
        key = next(iter(self.files[0]["stats"]["statsWithCollation"]))
        self.version = ".".join(key.split(".")[2:])
        holds = F.array(*[F.max(F.expr(predicate)) for predicate in PREDICATES])
        name = F.col("_metadata.file_name")
        found = spark.read.format("delta").load(str(path)).groupBy(name).agg(holds).collect()
        matches = {row[0]: row[1] for row in found}
        names = [Path(file["path"]).name for file in self.files]
        self.matching = [
            {kind for kind, name in enumerate(names) if matches[name][number]}
            for number in range(len(PREDICATES))
        ]


@dataclass(frozen=True)
class CorruptTable:
    """A table of many files whose statistics are corrupted in random ways."""

    valid: ValidFiles
    table: Table
    kinds: list[int]

    @staticmethod
    def write(  # noqa: PLR0913, PLR0917
        valid: ValidFiles,
        path: Path,
        rng: random.Random,
        files: int,
        findings: Findings,
        properties: dict[str, str],
        *,
        huge: int = 0,
    ) -> CorruptTable:
        """Write the table without Spark, as another engine or a broken disk would leave it.

        The first ``huge`` files have statistics of many megabytes.
        """
        (path / "_delta_log").mkdir(parents=True)
        kinds = [rng.randrange(len(CONTENTS)) for _ in range(files)]
        more: Json = {}
        if "delta.checkpointPolicy" in properties:
            features = {"writerFeatures": [*FEATURES, "v2Checkpoint"]}
            more = {"minReaderVersion": 3, "readerFeatures": ["v2Checkpoint"]} | features
        lines = [line(protocol(**more)), line(metadata(json.dumps(struct(SCHEMA)), properties))]
        for number, kind in enumerate(kinds):
            source = valid.files[kind]
            name = f"{number:06}.parquet"
            os.link(valid.table.path / source["path"], path / name)
            corruption = HUGE[number] if number < huge else rng.choice(CORRUPTIONS)
            findings.cases[f"statistics: {corruption.__name__}"] += 1
            add = {
                "path": name,
                "partitionValues": {},
                "size": source["size"],
                "modificationTime": 1767611870645,
                "dataChange": True,
                "stats": corruption(rng, source["stats"], valid.version),
            }
            lines.append(line({"add": add}))
        (path / "_delta_log" / f"{0:020}.json").write_bytes(b"".join(lines))
        return CorruptTable(valid, Table(valid.table.spark, path), kinds)

    def lost(self, findings: Findings) -> list[str]:
        """Return files that have a match but are skipped, with the predicate."""
        lost = []
        with without_codegen(self.table.spark):
            for number, predicate in enumerate(PREDICATES):
                started = time.monotonic()
                frame = self.table.sql(f"SELECT name FROM {{t}} WHERE {predicate}")
                read = {Path(name).name for name in frame.inputFiles()}
                findings.timed(predicate, time.monotonic() - started)
                lost += [
                    f"{predicate}: file {file:06} of {CONTENTS[kind]}"
                    for file, kind in enumerate(self.kinds)
                    if kind in self.valid.matching[number] and f"{file:06}.parquet" not in read
                ]
        return lost

    def rows(self, predicate: str) -> Counter[Any]:
        """Count the rows that match a predicate."""
        found = self.table.sql(f"SELECT low FROM {{t}} WHERE {predicate}").collect()
        return Counter(row[0] for row in found)

    @property
    def values(self) -> Counter[str | None]:
        """The expected rows."""
        return Counter(value for kind in self.kinds for value in CONTENTS[kind])


def protocol(**more: Any) -> Json:  # noqa: ANN401
    return {
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": FEATURES}
        | more
    }


def struct(fields: list[Json]) -> Json:
    return {"type": "struct", "fields": fields}


def metadata(schema: str, properties: dict[str, str] | None = None) -> Json:
    return {
        "metaData": {
            "id": "78826329-cc1a-44fb-a53f-40cb24fc4109",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": schema,
            "partitionColumns": [],
            "configuration": properties or {},
            "createdTime": 1767611863078,
        }
    }


def line(action: Json) -> bytes:
    """Return a line of a commit."""
    return json.dumps(action).encode() + b"\n"


def outcome(statement: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return the result of a statement, or a description if its failure is not acceptable.

    A failure is acceptable if it has an error condition, or if it comes from Spark or Delta alone,
    because it would be the same without this library.
    """
    try:
        return statement(), None
    except PySparkException as error:
        if error.getCondition() is not None:
            return None, None
        trace = str(
            getattr(error, "_stackTrace", None) or getattr(error, "stackTrace", "") or error
        )
        return None, _root_cause_in_our_code(trace)
    except Py4JError as error:
        return None, _root_cause_in_our_code(str(error))


def _root_cause_in_our_code(trace: str) -> str | None:
    """Return the root cause of a failure if it is in our code."""
    root = trace.rpartition("Caused by: ")[2]
    frames = re.findall(r"at ([\w.$]+)\(", root)
    is_ours = any(frame.startswith("org.deltacollations") for frame in frames[:12])
    return root[:800] if is_ours else None


def log_formats() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Yield formats of a log: a name, table properties, and settings to write a checkpoint."""
    parsed = {
        "delta.checkpoint.writeStatsAsJson": "false",
        "delta.checkpoint.writeStatsAsStruct": "true",
    }
    parts = {"spark.databricks.delta.checkpoint.partSize": "60"}
    yield "commits", {}, {}
    yield "checkpoint", {}, {}
    yield "checkpoint, parsed statistics only", parsed, {}
    yield "checkpoint in parts", {}, parts
    yield "checkpoint in parts, parsed statistics only", parsed, parts
    yield "V2 checkpoint, parsed statistics only", parsed | {"delta.checkpointPolicy": "v2"}, parts


def check_table(
    corrupt: CorruptTable, log_format: str, settings: dict[str, str], findings: Findings
) -> None:
    """Query a table, change it, and query it again; no row may be lost."""
    table = corrupt.table

    def run(what: str, statement: Callable[[], object]) -> None:
        started = time.monotonic()
        _, wrong = outcome(statement)
        findings.timed(f"{log_format}: {what}", time.monotonic() - started)
        findings.wrong += [] if wrong is None else [f"{log_format}: {what}: {wrong}"]

    def check(when: str) -> None:
        findings.wrong += [f"{log_format}, {when}: {lost}" for lost in corrupt.lost(findings)]
        found = corrupt.rows("true")
        if found != corrupt.values:
            findings.wrong.append(f"{log_format}, {when}: {found} is not {corrupt.values}")

    if log_format != "commits":
        with ExitStack() as stack:
            for key, value in settings.items():
                stack.enter_context(setting(table.spark, key, value))
            run("writing a checkpoint", lambda: write_checkpoint(table))
    check("before the refresh")
    for statement in STATEMENTS:
        run(statement, partial(table.rows, statement))
    check("after the refresh")
    wrong_rows = [
        row
        for row in table.rows('SELECT status FROM collation_status("{t}") WHERE is_current')
        # Files can overlap although all of them have statistics.
        if row[0] != "healthy" and not row[0].startswith("overlapping")
    ]
    findings.wrong += [
        f"{log_format}: after a refresh, the status is {row[0]}" for row in wrong_rows
    ]
    table.sql("DELETE FROM {t} WHERE name = 'BOB'")
    left = Counter({value: count for value, count in corrupt.values.items() if value != "bob"})
    if corrupt.rows("true") != left:
        findings.wrong.append(f"{log_format}: after a DELETE, the rows are {corrupt.rows('true')}")


STATEMENTS = [
    'SELECT * FROM collation_status("{t}")',
    'SELECT * FROM collation_files("{t}", "name", "name = \'BOB\'")',
    'SELECT * FROM collation_explain("{t}", "name = \'BOB\'")',
    "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS",
]
