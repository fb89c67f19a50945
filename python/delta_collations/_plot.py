# SPDX-License-Identifier: Apache-2.0
"""Draws the files of a table as bars in the order of a collation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from pyspark.sql import DataFrame, SparkSession

# More bars could not be told apart, and would take too much memory on the driver.
MAX_FILES = 20_000

READ, OTHER, LINE = "#d95f02", "#9aa5b1", "#1b4f8f"
# Bars of files that are read have at least this width, unless there are too many of them.
MIN_READ_WIDTH, MAX_WIDE_BARS = 3.0, 200

NUM_LABELS = 8
MAX_LABEL_LENGTH = 14
MAX_PREDICATE_LENGTH = 60


class Bar(NamedTuple):
    """A file: the ranks of its bounds, and whether a query reads it."""

    start: float
    end: float
    is_read: bool
    has_bounds: bool


def plot_files(
    spark: SparkSession,
    table: str,
    columns: DataFrame,
    predicate: str | None,
    column: str | None,
) -> Figure:
    """Implement ``CollatedTable.plot``."""
    name, collation, num_files = _choose_column(columns, predicate, column)
    arguments = [table, name] if predicate is None else [table, name, predicate]
    markers = ", ".join("?" * len(arguments))
    files = spark.sql(
        f"SELECT min, max, is_read FROM collation_files({markers}) LIMIT {MAX_FILES}",  # noqa: S608
        arguments,
    ).collect()
    literals = _string_literals(predicate or "")
    bounds = {value for row in files for value in (row["min"], row["max"]) if value is not None}
    ranks = _ranks(spark, sorted(bounds.union(literals)), collation)
    last = max(ranks.values(), default=1)
    bars = sorted(
        Bar(
            ranks.get(row["min"], 0),
            ranks.get(row["max"], last),
            bool(row["is_read"]),
            row["min"] is not None,
        )
        for row in files
    )
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    _draw_bars(axes, bars, has_predicate=predicate is not None)
    _draw_literals(axes, literals, ranks)
    _label_bounds(axes, ranks, bounds)
    axes.set_title(_escape(_title(table, num_files, bars, predicate)), loc="left", fontsize=10)
    axes.set_xlabel(_escape(f"{name}, in the order of {collation}"))
    axes.set_ylabel("files")
    return figure


def _choose_column(
    columns: DataFrame, predicate: str | None, column: str | None
) -> tuple[str, str, int]:
    """Return the column to draw, its collation, and the number of files in the table."""
    rows = columns.collect()
    if not rows:
        raise ValueError("The table has no collated columns.")
    matching = [row for row in rows if column is None or row["column"].lower() == column.lower()]
    if not matching:
        names = ", ".join(row["column"] for row in rows)
        raise ValueError(f"The table has no collated column {column}. Its columns are: {names}.")
    in_predicate = [row for row in matching if predicate and row["column"] in predicate]
    first = (in_predicate or matching)[0]
    return first["column"], first["collation"], first["files"]


def _string_literals(predicate: str) -> list[str]:
    """Return the string literals in a predicate."""
    return [text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", predicate)]


def _ranks(spark: SparkSession, values: Sequence[str], collation: str) -> dict[str, int]:
    """Return the rank of each value in the order; equal values have the same rank."""
    if not values:
        return {}
    rows = spark.createDataFrame([(value,) for value in values], "value STRING")
    groups = rows.groupBy(F.collate("value", collation).alias("key"))
    ordered = groups.agg(F.collect_list("value").alias("equal")).orderBy("key").collect()
    return {value: rank for rank, row in enumerate(ordered) for value in row["equal"]}


def _draw_bars(axes: Axes, bars: Sequence[Bar], *, has_predicate: bool) -> None:
    """Draw the bars from the bottom up, those of files that are read on top of the others."""
    numbered = list(enumerate(bars))
    thickness = min(9.0, max(1.0, 210 / max(len(bars), 1)))
    # Makes a file with a single value visible among thousands.
    edge = max(0.3, 0.003 * max((bar.end for bar in bars), default=0))
    shown: list[Artist] = []
    for is_read in (False, True):
        lines = [
            [(bar.start - edge, number), (bar.end + edge, number)]
            for number, bar in numbered
            if bar.is_read == is_read
        ]
        color = READ if is_read else OTHER
        label = ("read" if is_read else "skipped") if has_predicate else "file"
        is_wide = is_read and len(lines) <= MAX_WIDE_BARS
        width = max(thickness, MIN_READ_WIDTH) if is_wide else thickness
        if lines:
            axes.add_collection(
                LineCollection(lines, linewidths=width, colors=color, capstyle="butt", label=label)
            )
            shown.append(Patch(color=color, label=label))
    unbounded = [number for number, bar in numbered if not bar.has_bounds]
    if unbounded:
        starts = [-edge] * len(unbounded)
        label = "no statistics"
        shown += axes.plot(starts, unbounded, "x", color=LINE, markersize=4, label=label)
    axes.set_ylim(-1, max(len(bars), 1))
    axes.set_yticks([])
    axes.autoscale(axis="x")
    if shown and (has_predicate or unbounded):
        axes.legend(handles=shown, loc="upper left", fontsize=8, framealpha=0.9)


def _draw_literals(axes: Axes, literals: Sequence[str], ranks: dict[str, int]) -> None:
    for text in literals:
        axes.axvline(ranks[text], color=LINE, linestyle="--", linewidth=1.2)
        axes.annotate(
            _short(text),
            (ranks[text], 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -10),
            textcoords="offset points",
            color=LINE,
            fontsize=8,
        )


def _label_bounds(axes: Axes, ranks: dict[str, int], bounds: set[str]) -> None:
    """Label the axis with some of the bounds."""
    ordered = sorted((ranks[value], value) for value in bounds)
    step = max(1, -(-len(ordered) // NUM_LABELS))
    shown = ordered[::step]
    axes.set_xticks([rank for rank, _ in shown])
    axes.set_xticklabels([_short(value) for _, value in shown], rotation=30, ha="right", fontsize=8)


def _title(table: str, num_files: int, bars: Sequence[Bar], predicate: str | None) -> str:
    """Return the number of files and, with a predicate, how many of them it reads."""
    shown = "" if len(bars) == num_files else f" ({len(bars):,} shown)"
    files = f"{table}: {num_files:,} files{shown}"
    if predicate is None:
        return files
    read = sum(bar.is_read for bar in bars)
    shown_predicate = predicate if len(predicate) <= MAX_PREDICATE_LENGTH else "the predicate"
    return f"{files}, {read:,} read for {shown_predicate}"


def _short(text: str) -> str:
    return _escape(text if len(text) <= MAX_LABEL_LENGTH else text[: MAX_LABEL_LENGTH - 1] + "…")


def _escape(text: str) -> str:
    # A dollar sign would start a formula.
    return text.replace("$", r"\$")
