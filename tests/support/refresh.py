# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of ``ANALYZE TABLE … COMPUTE DELTA STATISTICS``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.tables import icu_version, setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.tables import Json, Table

COLLATED = "name STRING COLLATE UNICODE_CI"
REFRESH = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
NOTHING_REFRESHED = {"files_refreshed": 0, "bytes_read": 0, "files_relabeled": 0}


@contextmanager
def without_collated_stats(table: Table) -> Iterator[Table]:
    """Disable collated statistics on write within the block."""
    with setting(table.spark, "spark.deltaCollations.stats.enabled", "false"):
        yield table


def insert_one_file(table: Table, *rows: str) -> Table:
    """Insert rows, each given as SQL without parentheses, into one file."""
    values = ", ".join(f"({row})" for row in rows)
    table.sql(f"INSERT INTO {{t}} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")
    return table


def refresh(table: Table) -> Json:
    """Run the statement and return its result."""
    [row] = table.sql(REFRESH).collect()
    return dict(row.asDict())


def current_stats_key(table: Table) -> str:
    """Return the key of ``UNICODE_CI`` in the statistics, with the current ICU version."""
    return "icu.UNICODE_CI." + icu_version(table.spark)


def collated_bounds(table: Table, *path: str) -> list[tuple[str | None, str | None]]:
    """Return the collated bounds of one column for each file, sorted."""
    found = []
    for add in table.log.files.values():
        stats = (add["stats"] or {}).get("statsWithCollation", {}).get(current_stats_key(table), {})
        low, high = stats.get("minValues", {}), stats.get("maxValues", {})
        for name in path:
            low, high = (low or {}).get(name), (high or {}).get(name)
        found.append((low, high))
    return sorted(found, key=repr)


def fields_refresh_keeps(adds: dict[str, Json]) -> list[Json]:
    """Return all fields that a refresh must not change, including the tags of other writers."""
    return [
        {
            **{key: add[key] for key in add if key not in {"stats", "dataChange", "tags"}},
            "tags": {
                name: value
                for name, value in add.get("tags", {}).items()
                if name != "deltaCollations.codePoints"
            },
        }
        for _, add in sorted(adds.items())
    ]


def commit_count(table: Table) -> int:
    return len(table.log.commits)
