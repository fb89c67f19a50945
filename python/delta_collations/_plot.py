# SPDX-License-Identifier: Apache-2.0
"""Files of a table as bars over the order of a collation."""

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

# More bars than that are no picture, and have no place in the memory of a driver.
MOST_FILES = 20_000

READ, OTHER, LINE = "#d95f02", "#9aa5b1", "#1b4f8f"
# So thick at least are the bars of files that are read, if they are no more than so many.
FEW_READ, MOST_FEW = 3.0, 200

LABELS = 8
LONGEST_LABEL = 14
LONGEST_PREDICATE = 60


class Bar(NamedTuple):
    """A file: where its values begin and end in the order, and whether a query reads it."""

    start: float
    end: float
    is_read: bool
    has_bounds: bool


def drawn(
    spark: SparkSession,
    table: str,
    columns: DataFrame,
    predicate: str | None,
    column: str | None,
) -> Figure:
    """Return the picture of a table, see ``CollatedTable.plot``."""
    name, collation, in_table = _chosen(columns, predicate, column)
    arguments = [table, name] if predicate is None else [table, name, predicate]
    places = ", ".join("?" * len(arguments))
    files = spark.sql(
        f"SELECT min, max, is_read FROM collation_files({places}) LIMIT {MOST_FILES}",  # noqa: S608
        arguments,
    ).collect()
    asked = _strings(predicate or "")
    bounds = {value for row in files for value in (row["min"], row["max"]) if value is not None}
    ranks = _ranks(spark, sorted(bounds.union(asked)), collation)
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
    _draw_strings(axes, asked, ranks)
    _label_order(axes, ranks, bounds)
    axes.set_title(_plain(_title(table, in_table, bars, predicate)), loc="left", fontsize=10)
    axes.set_xlabel(_plain(f"{name}, in the order of {collation}"))
    axes.set_ylabel("files")
    return figure


def _chosen(columns: DataFrame, predicate: str | None, column: str | None) -> tuple[str, str, int]:
    """Return the column to draw, its collation, and how many files there are."""
    rows = columns.collect()
    if not rows:
        raise ValueError("The table has no collated column, so there is no order to draw.")
    named = [row for row in rows if column is None or row["column"].lower() == column.lower()]
    if not named:
        known = ", ".join(row["column"] for row in rows)
        raise ValueError(f"There is no collated column {column}. Collated columns are: {known}.")
    in_predicate = [row for row in named if predicate and row["column"] in predicate]
    first = (in_predicate or named)[0]
    return first["column"], first["collation"], first["files"]


def _strings(predicate: str) -> list[str]:
    """Return the strings that stand in a predicate."""
    return [text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", predicate)]


def _ranks(spark: SparkSession, values: Sequence[str], collation: str) -> dict[str, int]:
    """Return the place of each value in the order; equal ones share a place."""
    if not values:
        return {}
    rows = spark.createDataFrame([(value,) for value in values], "value STRING")
    groups = rows.groupBy(F.collate("value", collation).alias("key"))
    ordered = groups.agg(F.collect_list("value").alias("equal")).orderBy("key").collect()
    return {value: place for place, row in enumerate(ordered) for value in row["equal"]}


def _draw_bars(axes: Axes, bars: Sequence[Bar], *, has_predicate: bool) -> None:
    """Draw the bars from the bottom up; what is read comes last, so that nothing hides it."""
    numbered = list(enumerate(bars))
    thickness = min(9.0, max(1.0, 210 / max(len(bars), 1)))
    # A file of one value must show among thousands.
    edge = max(0.3, 0.003 * max((bar.end for bar in bars), default=0))
    shown: list[Artist] = []
    for is_read in (False, True):
        lines = [
            [(bar.start - edge, number), (bar.end + edge, number)]
            for number, bar in numbered
            if bar.is_read == is_read
        ]
        colour = READ if is_read else OTHER
        label = ("read" if is_read else "left out") if has_predicate else "file"
        width = max(thickness, FEW_READ) if is_read and len(lines) <= MOST_FEW else thickness
        if lines:
            axes.add_collection(
                LineCollection(lines, linewidths=width, colors=colour, capstyle="butt", label=label)
            )
            shown.append(Patch(color=colour, label=label))
    unknown = [number for number, bar in numbered if not bar.has_bounds]
    if unknown:
        starts = [-edge] * len(unknown)
        label = "without statistics"
        shown += axes.plot(starts, unknown, "x", color=LINE, markersize=4, label=label)
    axes.set_ylim(-1, max(len(bars), 1))
    axes.set_yticks([])
    axes.autoscale(axis="x")
    if shown and (has_predicate or unknown):
        axes.legend(handles=shown, loc="upper left", fontsize=8, framealpha=0.9)


def _draw_strings(axes: Axes, asked: Sequence[str], ranks: dict[str, int]) -> None:
    for text in asked:
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


def _label_order(axes: Axes, ranks: dict[str, int], bounds: set[str]) -> None:
    """Name some of the bounds along the order."""
    ordered = sorted((ranks[value], value) for value in bounds)
    step = max(1, -(-len(ordered) // LABELS))
    shown = ordered[::step]
    axes.set_xticks([rank for rank, _ in shown])
    axes.set_xticklabels([_short(value) for _, value in shown], rotation=30, ha="right", fontsize=8)


def _title(table: str, in_table: int, bars: Sequence[Bar], predicate: str | None) -> str:
    """Say how many files there are and, of a predicate, how many it reads."""
    shown = "" if len(bars) == in_table else f" ({len(bars):,} shown)"
    files = f"{table}: {in_table:,} files{shown}"
    if predicate is None:
        return files
    read = sum(bar.is_read for bar in bars)
    asked = predicate if len(predicate) <= LONGEST_PREDICATE else "the predicate"
    return f"{files}, {read:,} read for {asked}"


def _short(text: str) -> str:
    return _plain(text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…")


def _plain(text: str) -> str:
    # A dollar sign would begin a formula.
    return text.replace("$", r"\$")
