# SPDX-License-Identifier: Apache-2.0
"""Streams that read a Delta table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, Row
    from pyspark.sql.streaming.query import StreamingQuery

    from support.tables import Table


def stream_of(table: Table, where: str = "true", **options: str) -> DataFrame:
    """Return a stream of the table, which reads its current schema."""
    frame = table.spark.readStream.format("delta").options(**options).load(str(table.path))
    return frame.where(where)


def run_stream(frame: DataFrame, checkpoint: Path) -> list[Row]:
    """Start or restart a stream, and return the rows that it has not read before."""
    rows: list[Row] = []
    start_stream(frame, checkpoint, rows, availableNow=True).awaitTermination()
    return rows


def start_stream(
    frame: DataFrame, checkpoint: Path, rows: list[Row], **trigger: bool
) -> StreamingQuery:
    """Start or restart a stream that appends all rows to ``rows``."""
    writer = frame.writeStream.foreachBatch(lambda batch, _: rows.extend(batch.collect()))
    if trigger:
        writer = writer.trigger(**trigger)
    return writer.option("checkpointLocation", str(checkpoint)).start()
