# SPDX-License-Identifier: Apache-2.0

"""Whether the log of a table is right, read as text: the domain ``collations``, and conflicts."""

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
    """Return the versioned identifiers that one file has statistics under."""
    stats = json.loads(add.get("stats") or "{}")
    return set(stats.get("statsWithCollation") or {})


def listed(lines: list[Json]) -> set[str] | None:
    """Return the versioned identifiers that a commit lists, or None if it lists none."""
    for line in lines:
        domain = line.get("domainMetadata")
        if domain and domain["domain"] == "collations":
            assert not domain["removed"]
            versions = json.loads(domain["configuration"])["writeVersions"]
            return {f"{name}.{version}" for name, all_ in versions.items() for version in all_}
    return None


def domain_faults(commits: list[list[Json]]) -> list[str]:
    """Return where the domain does not list exactly what statistics were written under so far."""
    found = []
    written: set[str] = set()
    in_force: set[str] = set()
    for version, lines in enumerate(commits):
        for line in lines:
            if "add" in line:
                written |= keys_of(line["add"])
        said = listed(lines)
        if said is not None:
            in_force = said
        if in_force != written:
            found.append(f"version {version} lists {sorted(in_force)}, not {sorted(written)}")
    return found


def conflict_of(error: str) -> str | None:
    """Return the kind of a conflict, or None if the error is none."""
    kinds = re.search(
        r"DELTA_(CONCURRENT_\w+|METADATA_CHANGED|SCHEMA_CHANGE_SINCE_ANALYSIS)", error
    )
    return kinds[1] if kinds else None


def unexplained_failures(commits: list[list[Json]], known: dict[str, Outcome]) -> list[str]:
    """Return failures that are no conflict with a commit that came in between and is in the way."""
    found = []
    names = committed(commits)
    for name, outcome in known.items():
        if not outcome.error:
            continue
        operation = outcome.operation
        kind = conflict_of(outcome.error)
        between = range(operation.since + 1, outcome.until + 1)
        others = [commits[version] for version in between if names[version] != name]
        if kind is None or not any(in_the_way(kind, operation.kind, lines) for lines in others):
            found.append(f"{name} ({operation.kind}) failed: {outcome.error}")
    return found


def in_the_way(kind: str, loser: str, winner: list[Json]) -> bool:
    """Tell whether a commit can be the reason of a conflict of this kind.

    A change of the metadata stops everybody. Apart from that an append meets nobody, as it reads
    nothing, and who only puts the same rows elsewhere does not mind rows that come. Who changes
    rows does: all tables of open-source Delta are serializable.
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
