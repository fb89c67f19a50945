# SPDX-License-Identifier: Apache-2.0

"""Simulates the log of a table with many files, and measures the bytes sent to the driver."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ROWS_PER_FILE = 10
FILES_PER_COMMIT = 50_000
# Of this number of files, one has statistics of an older ICU version, and one has none.
FILES_PER_GAP = 10_000
OLDER = "75.1"

Json = dict[str, Any]


def name(row: int) -> str:
    """Return the name in a row."""
    return f"Näme {row:09d}"


@dataclass(frozen=True)
class SimulatedTable:
    """The log of a table of many files, of which only those exist that a refresh has to read.

    A table without a collation is the same, except for the collation and its statistics.
    """

    path: Path
    files: int
    version: str
    is_collated: bool

    def write(self) -> None:
        """Write the commits; Delta writes the checkpoint."""
        (self.path / "_delta_log").mkdir(parents=True)
        self._commit(0, map(json.dumps, self._head()))
        for number, first in enumerate(range(0, self.files, FILES_PER_COMMIT), 1):
            some = range(first, min(first + FILES_PER_COMMIT, self.files))
            self._commit(number, map(self._add, some))

    @property
    def files_to_refresh(self) -> int:
        """The number of files without statistics of the current ICU version."""
        return sum(self._key(number) != self._current_key for number in range(self.files))

    def _commit(self, version: int, lines: Iterator[str]) -> None:
        with (self.path / "_delta_log" / f"{version:020}.json").open("w", encoding="utf-8") as log:
            log.writelines(line + "\n" for line in lines)

    def _head(self) -> list[Json]:
        metadata = {"__COLLATIONS": {"name": "icu.UNICODE_CI"}} if self.is_collated else {}
        fields = [
            {"name": "id", "type": "long", "nullable": True, "metadata": {}},
            {"name": "name", "type": "string", "nullable": True, "metadata": metadata},
        ]
        schema = json.dumps({"type": "struct", "fields": fields})
        features = ["collations", "domainMetadata"] if self.is_collated else ["appendOnly"]
        protocol = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": features}
        return [
            {"protocol": protocol},
            {
                "metaData": {
                    "id": str(uuid.UUID(int=self.files)),
                    "format": {"provider": "parquet", "options": {}},
                    "schemaString": schema,
                    "partitionColumns": [],
                    "configuration": {},
                    "createdTime": 1767611863078,
                }
            },
        ]

    @property
    def _current_key(self) -> str:
        return f"icu.UNICODE_CI.{self.version}"

    def _key(self, number: int) -> str | None:
        """Return the key of the collated statistics of a file, or None."""
        place = number % FILES_PER_GAP
        return {11: f"icu.UNICODE_CI.{OLDER}", 12: None}.get(place, self._current_key)

    def _add(self, number: int) -> str:
        """Return an action as Delta writes it; string formatting is fast enough for a million."""
        first, key = number * ROWS_PER_FILE, self._key(number)
        last = first + ROWS_PER_FILE - 1
        # A name as Delta creates it, whose order is unrelated to the content of the file.
        mixed = number * 2654435761 % (1 << 32)
        unique = f"{mixed:08x}-7c1e-4b0f-8a52-{number:012x}"
        path = f"part-{number % 200:05d}-{unique}-c000.snappy.parquet"
        low, high = f'{{"name":"{name(first)}"}}', f'{{"name":"{name(last)}"}}'
        stats = (
            f'{{"numRecords":{ROWS_PER_FILE},"minValues":{{"id":{first},{low[1:]},'
            f'"maxValues":{{"id":{last},{high[1:]},"nullCount":{{"id":0,"name":0}}'
        )
        size = 1_000_000
        if self.is_collated and key:
            stats += f',"statsWithCollation":{{"{key}":{{"minValues":{low},"maxValues":{high}}}}}'
        if self.is_collated and key != self._current_key:
            size = self._data(self.path / path, range(first, last + 1))
        quoted = stats.replace('"', '\\"') + "}"
        return (
            f'{{"add":{{"path":"{path}","partitionValues":{{}},"size":{size},'
            f'"modificationTime":{1767611870645 + number},"dataChange":true,"stats":"{quoted}"}}}}'
        )

    def _data(self, path: Path, rows: range) -> int:
        pq.write_table(pa.table({"id": list(rows), "name": [name(row) for row in rows]}), path)
        return path.stat().st_size


class Driver:
    """Measures what the tasks of a session send to the driver."""

    def __init__(self, spark: SparkSession) -> None:
        """Start to measure."""
        self._context = spark._jsc.sc()  # noqa: SLF001
        self._seen = 0
        self.received()

    def received(self, about: str = "") -> tuple[float, int]:
        """Return the CPU seconds of tasks since the last call, and the bytes they sent.

        ``about`` selects tasks by a part of the description of their job.
        """
        self._context.listenerBus().waitUntilEmpty()
        store = self._context.statusStore()
        defaults = [getattr(store, f"stageList$default${place}")() for place in range(2, 6)]
        stages = store.stageList(None, *defaults)
        found = [stages.apply(place) for place in range(stages.size())]
        new = [stage for stage in found if stage.stageId() >= self._seen]
        selected = [stage for stage in new if about in str(stage.description())]
        self._seen = max((stage.stageId() + 1 for stage in found), default=0)
        seconds = sum(int(stage.executorCpuTime()) for stage in selected) / 1e9
        return seconds, sum(int(stage.resultSize()) for stage in selected)

    def bytes_received(self, about: str = "") -> int:
        """Return the bytes that tasks sent to the driver since the last call."""
        return self.received(about)[1]


def plan(query: DataFrame) -> None:
    """Plan a query, which finds its files, without running it."""
    query._jdf.queryExecution().executedPlan()  # noqa: SLF001
