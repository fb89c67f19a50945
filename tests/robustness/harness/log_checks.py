# SPDX-License-Identifier: Apache-2.0

"""Checks the ``collations`` domain in the log of a table, and the reasons of conflicts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from robustness.harness.write_history import committed

if TYPE_CHECKING:
    from robustness.harness.write_history import Outcome
    from support.tables import Json

APPENDS = {"append", "append without statistics"}
CHANGES = {"merge", "delete", "count"}


def keys_of(add: Json) -> set[str]:
    """Return the versioned identifiers of the collated statistics of a file."""
    stats = json.loads(add.get("stats") or "{}")
    return set(stats.get("statsWithCollation") or {})


def listed(lines: list[Json]) -> set[str] | None:
    """Return the versioned identifiers that a commit lists, or None if it has no list."""
    for line in lines:
        domain = line.get("domainMetadata")
        if domain and domain["domain"] == "collations":
            assert not domain["removed"]
            versions = json.loads(domain["configuration"])["writeVersions"]
            return {f"{name}.{version}" for name, all_ in versions.items() for version in all_}
    return None


def domain_faults(commits: list[list[Json]]) -> list[str]:
    """Return versions whose domain does not list exactly the identifiers written so far."""
    found = []
    written: set[str] = set()
    current: set[str] = set()
    for version, lines in enumerate(commits):
        for line in lines:
            if "add" in line:
                written |= keys_of(line["add"])
        new_list = listed(lines)
        if new_list is not None:
            current = new_list
        if current != written:
            found.append(f"version {version} lists {sorted(current)}, not {sorted(written)}")
    return found


def conflict_of(error: str) -> str | None:
    """Return the kind of a conflict, or None if the error is not a conflict."""
    kinds = re.search(
        r"DELTA_(CONCURRENT_\w+|METADATA_CHANGED|SCHEMA_CHANGE_SINCE_ANALYSIS)", error
    )
    return kinds[1] if kinds else None


def unexplained_failures(commits: list[list[Json]], known: dict[str, Outcome]) -> list[str]:
    """Return failures that are not conflicts with a concurrent commit."""
    found = []
    names = committed(commits)
    for name, outcome in known.items():
        if not outcome.error:
            continue
        operation = outcome.operation
        kind = conflict_of(outcome.error)
        between = range(operation.since + 1, outcome.until + 1)
        others = [commits[version] for version in between if names[version] != name]
        if kind is None or not any(conflicts(kind, operation.kind, lines) for lines in others):
            found.append(f"{name} ({operation.kind}) failed: {outcome.error}")
    return found


def conflicts(kind: str, loser: str, winner: list[Json]) -> bool:
    """Return whether a commit can cause a conflict of this kind.

    A change of the metadata conflicts with every operation. Otherwise, an append has no conflicts,
    because it reads nothing. OPTIMIZE and refresh only rewrite existing files, so they do not
    conflict with added rows. Changes of rows do, because tables of open-source Delta are
    serializable.
    """
    if kind in {"METADATA_CHANGED", "SCHEMA_CHANGE_SINCE_ANALYSIS"}:
        return any("metaData" in line for line in winner)
    if loser in APPENDS:
        return False
    if kind in {"CONCURRENT_DELETE_READ", "CONCURRENT_DELETE_DELETE"}:
        return any("remove" in line for line in winner)
    if kind == "CONCURRENT_APPEND" and loser in CHANGES:
        return any("add" in line for line in winner)
    return False
