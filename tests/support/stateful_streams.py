# SPDX-License-Identifier: Apache-2.0
"""Random rows that arrive in micro-batches, and queries that run on them as a stream."""

from __future__ import annotations

import json
import os
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    Query = Callable[[DataFrame], DataFrame]

COLLATION = "UNICODE_CI"
# Values that the collation equates are spelled in several ways.
NAMES = [
    "bob",
    "BOB",
    "Bob",
    "Zoe",
    "ZOE",
    "zoé",
    "ZOÉ",
    "zoe\u0301",
    "",
    "ж",
    "Ж",
    "東京",
    "\uff42ob",
]
OTHERS = ["x", "X", "é", "É"]
NULL_CHANCE = 0.1
SECONDS_PER_ROW = 10
FIRST_FILE_SECONDS = 1_700_000_000


def schema(collation: str | None = COLLATION) -> str:
    """Return the columns of the rows; without a collation, those of the canonical rows."""
    name = f"STRING COLLATE {collation}" if collation else "STRING"
    other = "STRING COLLATE UTF8_LCASE" if collation else "STRING"
    struct = f"STRUCT<f: {name}, n: INT>"
    return f"id INT, ts TIMESTAMP, name {name}, other {other}, s {struct}, a ARRAY<{name}>"


class Source:
    """A directory of JSON files, of which a stream reads one per micro-batch."""

    def __init__(self, spark: SparkSession, folder: Path, chance: random.Random) -> None:
        """Start without rows."""
        self.spark, self.folder, self.chance = spark, folder, chance
        self.rows: list[dict[str, Any]] = []
        self.files = 0
        self.collation = COLLATION
        for each in ("rows", "canonical"):
            (folder / each).mkdir(parents=True, exist_ok=True)

    def add(self, count: int = 6, *, late_seconds: int = 0) -> None:
        """Add a file with random rows. Time advances with every row."""
        self.add_rows([self._row(number, late_seconds) for number in range(count)])

    def add_rows(self, rows: list[dict[str, Any]]) -> None:
        """Add a file with these rows, and the same rows without the differences in spelling."""
        for folder, each in ("rows", rows), ("canonical", [canonical(row) for row in rows]):
            text = "".join(json.dumps(row) + "\n" for row in each)
            path = self.folder / folder / f"{self.files:04}.json"
            path.write_text(text, "utf-8")
            # Streams read files in the order of their times.
            os.utime(path, (FIRST_FILE_SECONDS + self.files,) * 2)
        self.files += 1
        self.rows += rows

    def _row(self, number: int, late_seconds: int) -> dict[str, Any]:
        def name() -> str | None:
            return None if self.chance.random() < NULL_CHANCE else self.chance.choice(NAMES)

        place = len(self.rows) + number
        seconds = place * SECONDS_PER_ROW - self.chance.randint(0, late_seconds)
        struct = {"f": name(), "n": place % 2}
        return {
            "id": place,
            "ts": f"2026-01-01 {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}",
            "name": name(),
            "other": self.chance.choice([*OTHERS, None]),
            "s": None if self.chance.random() < NULL_CHANCE else struct,
            "a": [name(), name()],
        }

    def batch(self) -> DataFrame:
        """Return all rows that were added so far."""
        return self.spark.read.schema(schema(self.collation)).json(str(self.folder / "rows"))

    def stream(self, *, is_canonical: bool = False) -> DataFrame:
        """Return the rows as a stream, as they are or in canonical form without collations."""
        folder, collation = ("canonical", None) if is_canonical else ("rows", self.collation)
        reader = self.spark.readStream.schema(schema(collation)).option("maxFilesPerTrigger", "1")
        return reader.json(str(self.folder / folder))

    def run(
        self, query: Query, mode: str, checkpoint: str = "checkpoint", *, is_canonical: bool = False
    ) -> list[list[Row]]:
        """Start or restart the query as a stream, and return the rows of each of its batches."""
        batches: list[list[Row]] = []
        writer = query(self.stream(is_canonical=is_canonical)).writeStream.outputMode(mode)
        writer = writer.foreachBatch(lambda batch, _: batches.append(batch.collect()))
        writer = writer.option("checkpointLocation", str(self.folder / checkpoint))
        writer.trigger(availableNow=True).start().awaitTermination()
        return batches

    def run_in_steps(self, query: Query, mode: str, steps: int = 3) -> list[list[Row]]:
        """Add files and restart the stream several times; return the rows of all batches."""
        batches = []
        for _ in range(steps):
            self.add()
            self.add()
            batches += self.run(query, mode)
        return batches


def canonical(value: Any) -> Any:  # noqa: ANN401
    """Return a value that is the same for all values that the collations equate."""
    if isinstance(value, str):
        return unicodedata.normalize("NFKC", value).lower()
    if isinstance(value, dict):
        return {key: canonical(each) for key, each in value.items()}
    if isinstance(value, Row | tuple):
        return tuple(canonical(each) for each in value)
    if isinstance(value, list):
        return tuple(canonical(each) for each in value)
    return value


def counted(rows: Iterable[Any]) -> Counter[Any]:
    """Count rows, regardless of how their strings are spelled."""
    return Counter(canonical(row) for row in rows)


def latest(batches: list[list[Row]], keys: int) -> list[Row]:
    """Return the last row of each key (the first columns) in the output mode ``update``."""
    return list({canonical(row[:keys]): row for batch in batches for row in batch}.values())
