# SPDX-License-Identifier: Apache-2.0

"""Real tables whose log is damaged, and what must be true of them all the same."""

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
from robustness.harness.corrupt_stats import DAMAGES, HUGE
from support.random_strings import sql_literal
from support.scans import without_codegen
from support.tables import Json, Table, collated, setting, write_checkpoint
from support.tables import field as column

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

SWITCH = "spark.deltaCollations.skipping.enabled"
FEATURES = ["appendOnly", "invariants", "domainMetadata", "collations"]
SCHEMA: list[Json] = [
    collated("name", "icu.UNICODE_CI"),
    collated("low", "spark.UTF8_LCASE"),
    column("home", {"type": "struct", "fields": [collated("city", "icu.UNICODE_CI")]}),
]
# The values of each kind of file, in every column.
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
# For one statement, on a machine that has other work to do as well.
MOST_SECONDS = 600


@dataclass
class Findings:
    """What was tried, by kind, and what was wrong."""

    cases: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0
    slowest: str = ""

    def timed(self, what: str, seconds: float) -> None:
        """Remember what took longest, and whether it took too long."""
        if seconds > self.longest:
            self.longest, self.slowest = seconds, what
        if seconds > MOST_SECONDS:
            self.wrong.append(f"{what}: {seconds:.0f} s")


class Sound:
    """One file of each kind, with its true statistics, as Spark wrote it."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        """Write the files, and ask Spark which predicates are true in which of them."""
        self.table = Table(spark, path)
        self.table.create(
            "name STRING COLLATE UNICODE_CI, low STRING COLLATE UTF8_LCASE, "
            "home STRUCT<city: STRING COLLATE UNICODE_CI>"
        )
        for values in CONTENTS:
            texts = ["NULL" if value is None else sql_literal(value) for value in values]
            rows = ", ".join(f"({text}, {text}, {text})" for text in texts)
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
        truth = {row[0]: row[1] for row in found}
        names = [Path(file["path"]).name for file in self.files]
        self.matching = [
            {kind for kind, name in enumerate(names) if truth[name][number]}
            for number in range(len(PREDICATES))
        ]


@dataclass(frozen=True)
class DamagedTable:
    """A table of many files, each with statistics that were damaged in a way of its own."""

    sound: Sound
    table: Table
    kinds: list[int]

    @staticmethod
    def write(  # noqa: PLR0913, PLR0917
        sound: Sound,
        path: Path,
        chance: random.Random,
        files: int,
        findings: Findings,
        properties: dict[str, str],
        *,
        huge: int = 0,
    ) -> DamagedTable:
        """Write it without Spark, as another engine or a broken disk would leave it.

        The first few files have statistics of many megabytes.
        """
        (path / "_delta_log").mkdir(parents=True)
        kinds = [chance.randrange(len(CONTENTS)) for _ in range(files)]
        more: Json = {}
        if "delta.checkpointPolicy" in properties:
            features = {"writerFeatures": [*FEATURES, "v2Checkpoint"]}
            more = {"minReaderVersion": 3, "readerFeatures": ["v2Checkpoint"]} | features
        lines = [line(protocol(**more)), line(metadata(json.dumps(struct(SCHEMA)), properties))]
        for number, kind in enumerate(kinds):
            source = sound.files[kind]
            name = f"{number:06}.parquet"
            os.link(sound.table.path / source["path"], path / name)
            damage = HUGE[number] if number < huge else chance.choice(DAMAGES)
            findings.cases[f"statistics: {damage.__name__}"] += 1
            add = {
                "path": name,
                "partitionValues": {},
                "size": source["size"],
                "modificationTime": 1767611870645,
                "dataChange": True,
                "stats": damage(chance, source["stats"], sound.version),
            }
            lines.append(line({"add": add}))
        (path / "_delta_log" / f"{0:020}.json").write_bytes(b"".join(lines))
        return DamagedTable(sound, Table(sound.table.spark, path), kinds)

    def lost(self, findings: Findings) -> list[str]:
        """Return the files with a match that would not be read, with the predicate."""
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
                    if kind in self.sound.matching[number] and f"{file:06}.parquet" not in read
                ]
        return lost

    def rows(self, predicate: str) -> Counter[Any]:
        """Count the rows that a query finds."""
        found = self.table.sql(f"SELECT low FROM {{t}} WHERE {predicate}").collect()
        return Counter(row[0] for row in found)

    @property
    def values(self) -> Counter[str | None]:
        """All rows there should be."""
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
    """Return what a statement returns, or what is wrong with its failure.

    A failure is in order if it has an error condition, or comes from Spark or Delta alone: then it
    is the same without us.
    """
    try:
        return statement(), None
    except PySparkException as error:
        if error.getCondition() is not None:
            return None, None
        trace = str(
            getattr(error, "_stackTrace", None) or getattr(error, "stackTrace", "") or error
        )
        return None, _ours(trace)
    except Py4JError as error:
        return None, _ours(str(error))


def _ours(trace: str) -> str | None:
    """Return the failure if it began in our code; a chain of causes ends with the first of them."""
    root = trace.rpartition("Caused by: ")[2]
    frames = re.findall(r"at ([\w.$]+)\(", root)
    is_ours = any(frame.startswith("org.deltacollations") for frame in frames[:12])
    return root[:800] if is_ours else None


def forms() -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """Yield the forms of a log: the name, the properties of the table, the settings to write it."""
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


def used(damaged: DamagedTable, form: str, settings: dict[str, str], findings: Findings) -> None:
    """Look for rows in a table, then change it, and look again; all must be there every time."""
    table = damaged.table

    def run(what: str, statement: Callable[[], object]) -> None:
        started = time.monotonic()
        _, wrong = outcome(statement)
        findings.timed(f"{form}: {what}", time.monotonic() - started)
        findings.wrong += [] if wrong is None else [f"{form}: {what}: {wrong}"]

    def check(when: str) -> None:
        findings.wrong += [f"{form}, {when}: {lost}" for lost in damaged.lost(findings)]
        found = damaged.rows("true")
        if found != damaged.values:
            findings.wrong.append(f"{form}, {when}: {found} is not {damaged.values}")

    if form != "commits":
        with ExitStack() as stack:
            for key, value in settings.items():
                stack.enter_context(setting(table.spark, key, value))
            run("writing it", lambda: write_checkpoint(table))
    check("as it is")
    for statement in STATEMENTS:
        run(statement, partial(table.rows, statement))
    check("refreshed")
    wrong_rows = [
        row
        for row in table.rows('SELECT status FROM collation_status("{t}") WHERE is_current')
        if row[0] != "healthy"
    ]
    findings.wrong += [f"{form}: after a refresh it is {row[0]}" for row in wrong_rows]
    table.sql("DELETE FROM {t} WHERE name = 'BOB'")
    left = Counter({value: count for value, count in damaged.values.items() if value != "bob"})
    if damaged.rows("true") != left:
        findings.wrong.append(f"{form}: a DELETE leaves {damaged.rows('true')}")


STATEMENTS = [
    'SELECT * FROM collation_status("{t}")',
    'SELECT * FROM collation_files("{t}", "name", "name = \'BOB\'")',
    'SELECT * FROM collation_explain("{t}", "name = \'BOB\'")',
    "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS",
]
