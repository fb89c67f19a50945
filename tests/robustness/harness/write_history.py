# SPDX-License-Identifier: Apache-2.0

"""Computes the expected content of a table from its log and from the journals of its writers.

Rows are inserted and deleted in batches. The names of a batch differ only in case, and every
operation applies to whole batches. So the content of a table follows from the operations in its
log, in their order, without a query.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from support.tables import Json

Row = tuple[int, int, str, str]

ROWS_PER_BATCH = 5
# Words whose case mappings are reversible, so that all collations of the tables agree on them.
WORDS = ("Åsa", "zoë", "Éclair", "Ωmega", "ñandú", "Bob", "Ýrsa", "żółw", "Ёлка", "mike")
# Batches that all processes share and increment, so that they conflict.
COUNTERS = range(4)


def key(batch: int) -> str:
    """Return the name of a batch, which is unique under every collation of the tables."""
    return f"{WORDS[batch // 3 % len(WORDS)]}-{batch:08}"


def rows_of(batch: int, revision: int) -> list[Row]:
    """Return the rows of a batch: their names equal its key, in different spellings."""
    name = key(batch)
    forms = (name, name.upper(), name.lower(), name.swapcase(), name.capitalize())
    return [
        (batch * 10 + number, revision, form, f"Nick {form}") for number, form in enumerate(forms)
    ]


def as_values(batches: Iterable[int]) -> str:
    """Return the rows of new batches for a ``VALUES`` clause."""
    rows = (row for batch in batches for row in rows_of(batch, 0))
    return ", ".join(f"({number}, {rev}, '{name}', '{nick}')" for number, rev, name, nick in rows)


@dataclass(frozen=True)
class Operation:
    """One statement: its name in the log, and its effect on batches when it is committed."""

    name: str
    kind: str
    insert: list[int] = field(default_factory=list)
    bump: list[int] = field(default_factory=list)
    delete: list[int] = field(default_factory=list)
    since: int = -1

    @property
    def changes_rows(self) -> bool:
        """Whether rows are inserted, updated or deleted."""
        return bool(self.insert or self.bump or self.delete)


@dataclass(frozen=True)
class Outcome:
    """The recorded outcome of an operation; empty if the process was killed before its end."""

    operation: Operation
    done: bool = False
    error: str | None = None
    until: int = -1
    result: Json = field(default_factory=dict)


class Journal:
    """The file in which one process records each operation before and after it runs."""

    def __init__(self, path: Path) -> None:
        """Append to the file if it exists."""
        self._path = path

    def note(self, **entry: Any) -> None:  # noqa: ANN401
        """Write one line and flush it to disk."""
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def started(self, operation: Operation) -> None:
        """Record an operation before it runs."""
        self.note(started=asdict(operation))

    def succeeded(self, operation: Operation, **result: Any) -> None:  # noqa: ANN401
        """Record the result of an operation."""
        self.note(done=operation.name, result=result)

    def failed(self, operation: Operation, error: str, until: int) -> None:
        """Record the error of an operation, and the latest version of the table at that time."""
        self.note(failed=operation.name, error=error, until=until)


def entries(folder: Path) -> Iterator[Json]:
    """Read all journals; skip a line that a killed process left unfinished."""
    for path in sorted(folder.glob("*.journal")):
        for line in path.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                yield json.loads(line)


def outcomes(folder: Path) -> dict[str, Outcome]:
    """Return the outcomes in the journals by the name of the operation."""
    found: dict[str, Outcome] = {}
    for entry in entries(folder):
        if "started" in entry:
            operation = Operation(**entry["started"])
            found[operation.name] = Outcome(operation)
        elif "done" in entry:
            operation = found[entry["done"]].operation
            found[operation.name] = Outcome(operation, done=True, result=entry["result"])
        elif "failed" in entry:
            operation = found[entry["failed"]].operation
            found[operation.name] = Outcome(operation, error=entry["error"], until=entry["until"])
    return found


def latest_version(table: Path) -> int:
    """Return the number of the last commit."""
    return max(int(path.stem) for path in (table / "_delta_log").glob("*[0-9].json"))


def committed(commits: list[list[Json]]) -> list[str | None]:
    """Return the name that its writer gave to each commit."""
    infos = [
        next(line["commitInfo"] for line in lines if "commitInfo" in line) for lines in commits
    ]
    return [info.get("userMetadata") for info in infos]


@dataclass
class Content:
    """The batches of a table and their revisions after some of its commits."""

    revisions: dict[int, int] = field(default_factory=dict)

    def apply(self, operation: Operation) -> None:
        """Apply the effect of a committed operation."""
        for batch in operation.insert:
            assert batch not in self.revisions, f"{operation.name} inserts {batch} again"
            self.revisions[batch] = 0
        for batch in operation.bump:
            self.revisions[batch] += 1
        for batch in operation.delete:
            del self.revisions[batch]

    @property
    def rows(self) -> list[Row]:
        """All rows, sorted."""
        return sorted(row for pair in self.revisions.items() for row in rows_of(*pair))


def replay(commits: list[list[Json]], known: dict[str, Outcome]) -> Iterator[Content]:
    """Yield the expected content after each commit; it is the same object, updated in place."""
    content = Content()
    for name in committed(commits):
        if name in known:
            content.apply(known[name].operation)
        yield content


def expected(commits: list[list[Json]], folder: Path) -> Content:
    """Return the expected content after all commits."""
    *_, last = replay(commits, outcomes(folder))
    return last


def digest(rows: Iterable[Row]) -> str:
    """Return a hash that changes when a row is lost, duplicated or changed."""
    return hashlib.sha256(repr(sorted(rows)).encode()).hexdigest()[:16]


def disagreements(commits: list[list[Json]], known: dict[str, Outcome]) -> list[str]:
    """Return where the log and the journals disagree on what was committed."""
    times = Counter(committed(commits))
    found = []
    for name, outcome in known.items():
        operation = outcome.operation
        needs_commit = operation.changes_rows or outcome.result.get("files_refreshed", 0) > 0
        if operation.changes_rows and times[name] > 1:
            found.append(f"{name} ({operation.kind}) was committed {times[name]} times")
        if outcome.done and needs_commit and times[name] == 0:
            found.append(f"{name} ({operation.kind}) succeeded, but is not in the log")
        if outcome.error and times[name]:
            found.append(f"{name} ({operation.kind}) failed, but is in the log: {outcome.error}")
    return found
