# SPDX-License-Identifier: Apache-2.0

"""Whether a table holds what its processes say, read by Spark and by a reader that knows us not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from deltalake import DeltaTable
from robustness.harness import log_checks, write_history
from robustness.harness.sessions import journals
from support import platforms
from support.tables import Log, Table, kernel_schema, setting, values_outside_bounds

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from support.tables import Json

SKIPPING = "spark.deltaCollations.skipping.enabled"


@dataclass(frozen=True)
class Unchecked(Log):
    """The log of a table without the files whose bounds were compared with their rows before.

    Rows of a file may go, and never come: bounds that were true stay true.
    """

    checked: set[str]

    @property
    def files(self) -> dict[str, Json]:
        """Those that are left."""
        return {
            path: file
            for path, file in super().files.items()
            if as_text(path, file) not in self.checked
        }


def as_text(path: str, file: Json) -> str:
    """Return a file with its bounds."""
    return json.dumps([path, file["stats"]])


def faults_of(table: Table, checked: set[str] | None = None) -> list[str]:
    """Return everything that is wrong with a table, in words.

    Files whose bounds are in ``checked`` are not asked again for theirs.
    """
    commits, known = table.log.commits, write_history.outcomes(journals(table))
    *_, content = write_history.replay(commits, known)
    held: list[write_history.Row] = table.rows("SELECT id, rev, name, nick FROM {t}")
    return [
        *write_history.disagreements(commits, known),
        *differences("Spark", held, content.rows),
        *differences("deltalake", read_without_us(table), content.rows),
        *log_checks.domain_faults(commits),
        *(f"outside its bounds: {place}" for place in outside_bounds(table, checked)),
    ]


def outside_bounds(table: Table, checked: set[str] | None) -> list[str]:
    """Return values outside the bounds of their files, and remember the files."""
    unchecked = Table(table.spark, table.path)
    unchecked.log = Unchecked(table.path, set() if checked is None else checked)
    files = unchecked.log.files
    found = values_outside_bounds(unchecked) if files else []
    unchecked.log.checked.update(as_text(*file) for file in files.items())
    return found


def differences(
    reader: str, held: Iterable[write_history.Row] | None, wanted: list[write_history.Row]
) -> list[str]:
    """Return rows that are lost, doubled, or should not be there."""
    if held is None:
        return []
    found = sorted(held)
    lost, extra = set(wanted) - set(found), set(found) - set(wanted)
    doubled = len(found) - len(set(found))
    if not (lost or extra or doubled):
        return []
    some = sorted(lost)[:3], sorted(extra)[:3]
    return [f"{reader}: {len(lost)} lost, {len(extra)} unexpected, {doubled} doubled: {some}"]


def read_without_us(table: Table) -> list[write_history.Row] | None:
    """Return the rows by ``deltalake``; it knows no deletion vectors, and Delta Kernel does."""
    features = table.log.protocol.get("readerFeatures", [])
    if "deletionVectors" in features:
        assert not platforms.HAS_KERNEL or kernel_schema(table.spark, table.path)
        return None
    rows = pa.table(DeltaTable(str(table.path)).to_pyarrow_table())
    return [tuple(row.values()) for row in rows.select(["id", "rev", "name", "nick"]).to_pylist()]


def wrong_skips(table: Table, batches: Iterable[int]) -> list[str]:
    """Return queries that find other rows when files are skipped than when none is."""
    found = []
    for batch in batches:
        for literal in (write_history.key(batch).swapcase(), write_history.key(batch)[:2].lower()):
            for sign in ("=", "<", ">="):
                query = f"SELECT id FROM {{t}} WHERE name {sign} '{literal}'"
                rows = sorted(table.column(query))
                with setting(table.spark, SKIPPING, "false"):
                    if rows != sorted(table.column(query)):
                        found.append(query)
    return found


def wrong_reads(table: Table) -> list[str]:
    """Return what readers saw that no version of the table holds which they can have read."""
    known = write_history.outcomes(journals(table))
    seen = [entry for entry in write_history.entries(journals(table)) if "read" in entry]
    looks = [entry for entry in write_history.entries(journals(table)) if "looked" in entry]
    digests, revisions = [], []
    for content in write_history.replay(table.log.commits, known):
        digests.append(write_history.digest(content.rows))
        revisions.append(dict(content.revisions))
    found = []
    for entry in seen:
        first, last = entry["versions"]
        if entry["read"] not in digests[first : last + 1]:
            found.append(f"{entry['rows']} rows that are no version from {first} to {last}")
    for entry in looks:
        if not entry["agrees"]:
            found.append(f"skipping changed the answer: {entry['looked']}")
        if "batch" in entry:
            held = revisions[entry["version"]]
            wanted = [
                row[0] for row in write_history.rows_of(entry["batch"], 0) if entry["batch"] in held
            ]
            if entry["ids"] != wanted:
                found.append(f"{entry['looked']} found {entry['ids']}")
    return found


def lacking(table: Table, version: str) -> int:
    """Count the files without bounds of a column in its collation and the running version."""
    wanted = {
        column: f"{table.log.collations(column)[column]}.{version}"  # type: ignore[index]
        for column in ("name", "nick")
    }
    return sum(1 for stats in table.log.stats if not has_bounds(stats, wanted))


def running_version(table: Table) -> str:
    [version] = table.column("SELECT DISTINCT icu_version FROM collations() WHERE name = 'UNICODE'")
    return ".".join(version.split(".")[:2])


def has_bounds(stats: Json | None, wanted: dict[str, str]) -> bool:
    below = (stats or {}).get("statsWithCollation") or {}
    return all(
        column in below.get(identifier, {}).get(end, {})
        for column, identifier in wanted.items()
        for end in ("minValues", "maxValues")
    )


def unfinished_refresh(table: Table) -> list[str]:
    """Refresh, and return what it did not do: all that lacked bounds, and then nothing."""
    version = running_version(table)
    missing = lacking(table, version)
    statement = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
    first, second = (table.sql(statement).collect()[0]["files_refreshed"] for _ in range(2))
    left = lacking(table, version)
    if (first, second, left) == (missing, 0, 0):
        return []
    return [f"{missing} lacked bounds, {first} then {second} were refreshed, {left} lack them"]


def leftovers(table: Path) -> int:
    """Count files of commits that were never finished; nobody may take them for commits."""
    return sum(1 for path in (table / "_delta_log").iterdir() if re.search(r"\.tmp$", path.name))


def summary(table: Table) -> Json:
    """Return how much was done, for the report."""
    known = write_history.outcomes(journals(table))
    done: dict[str, int] = {}
    conflicts: dict[str, int] = {}
    for outcome in known.values():
        if outcome.done:
            kind = outcome.operation.kind
            done[kind] = done.get(kind, 0) + 1
        elif outcome.error:
            conflict = log_checks.conflict_of(outcome.error)
            pair = f"{outcome.operation.kind}: {conflict}"
            conflicts[pair] = conflicts.get(pair, 0) + 1
    notes = list(write_history.entries(journals(table)))
    return {
        "commits": len(table.log.commits),
        "done": done,
        "conflicts": conflicts,
        "reads": sum("read" in note for note in notes),
        "looks": sum("looked" in note for note in notes),
    }
