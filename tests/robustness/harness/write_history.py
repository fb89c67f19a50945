# SPDX-License-Identifier: Apache-2.0

"""What processes say they did to a table, and what its log says: together, its expected content.

Rows come and go in batches. A batch has rows of its own, whose names differ in case alone, and
every operation takes whole batches; so what a table must hold follows from the operations in its
log, in their order, and nothing is asked of Spark.
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
# Letters whose case has one mapping there and back, so that all collations here agree on it.
WORDS = ("Åsa", "zoë", "Éclair", "Ωmega", "ñandú", "Bob", "Ýrsa", "żółw", "Ёлка", "mike")
# Batches that no process owns: all count in them, and get in each other's way.
COUNTERS = range(4)


def key(batch: int) -> str:
    """Return the name of a batch; under every collation of the tables, no other has it."""
    return f"{WORDS[batch // 3 % len(WORDS)]}-{batch:08}"


def rows_of(batch: int, revision: int) -> list[Row]:
    """Return the rows of a batch: all equal to its key, no two the same."""
    name = key(batch)
    forms = (name, name.upper(), name.lower(), name.swapcase(), name.capitalize())
    return [
        (batch * 10 + number, revision, form, f"Nick {form}") for number, form in enumerate(forms)
    ]


def as_values(batches: Iterable[int]) -> str:
    """Return new batches as SQL writes them in ``VALUES``."""
    rows = (row for batch in batches for row in rows_of(batch, 0))
    return ", ".join(f"({number}, {rev}, '{name}', '{nick}')" for number, rev, name, nick in rows)


@dataclass(frozen=True)
class Operation:
    """One statement: its name in the log, and what becomes of which batches if it is committed."""

    name: str
    kind: str
    insert: list[int] = field(default_factory=list)
    bump: list[int] = field(default_factory=list)
    delete: list[int] = field(default_factory=list)
    since: int = -1

    @property
    def changes_rows(self) -> bool:
        """Whether rows come, go or change."""
        return bool(self.insert or self.bump or self.delete)


@dataclass(frozen=True)
class Outcome:
    """What a process saw of an operation: none, if it was killed before it could tell."""

    operation: Operation
    done: bool = False
    error: str | None = None
    until: int = -1
    said: Json = field(default_factory=dict)


class Journal:
    """The file in which one process notes what it is about to do, and what came of it."""

    def __init__(self, path: Path) -> None:
        """Go on with the file, if there is one."""
        self._path = path

    def note(self, **entry: Any) -> None:  # noqa: ANN401
        """Write one line, and have it on the disk before anything else happens."""
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def announce(self, operation: Operation) -> None:
        """Note what is about to be done."""
        self.note(announced=asdict(operation))

    def succeeded(self, operation: Operation, **said: Any) -> None:  # noqa: ANN401
        """Note that it is done, and what it said."""
        self.note(done=operation.name, said=said)

    def failed(self, operation: Operation, error: str, until: int) -> None:
        """Note why it is not done, and how far the table was by then."""
        self.note(failed=operation.name, error=error, until=until)


def entries(folder: Path) -> Iterator[Json]:
    """Read all journals; a line that a killed process left unfinished was not written."""
    for path in sorted(folder.glob("*.journal")):
        for line in path.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                yield json.loads(line)


def outcomes(folder: Path) -> dict[str, Outcome]:
    """Return what the journals say, by the name of the operation."""
    found: dict[str, Outcome] = {}
    for entry in entries(folder):
        if "announced" in entry:
            operation = Operation(**entry["announced"])
            found[operation.name] = Outcome(operation)
        elif "done" in entry:
            known = found[entry["done"]].operation
            found[known.name] = Outcome(known, done=True, said=entry["said"])
        elif "failed" in entry:
            known = found[entry["failed"]].operation
            found[known.name] = Outcome(known, error=entry["error"], until=entry["until"])
    return found


def latest_version(table: Path) -> int:
    """Return the number of the last commit."""
    return max(int(path.stem) for path in (table / "_delta_log").glob("*[0-9].json"))


def committed(commits: list[list[Json]]) -> list[str | None]:
    """Return the name that each commit was given by the process that made it."""
    infos = [
        next(line["commitInfo"] for line in lines if "commitInfo" in line) for lines in commits
    ]
    return [info.get("userMetadata") for info in infos]


@dataclass
class Content:
    """The batches of a table with their revisions, after some of its commits."""

    revisions: dict[int, int] = field(default_factory=dict)

    def apply(self, operation: Operation) -> None:
        """Do what a committed operation does."""
        for batch in operation.insert:
            assert batch not in self.revisions, f"{operation.name} inserts {batch} once more"
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
    """Return what the table must hold after each commit; the same object grows."""
    content = Content()
    for name in committed(commits):
        if name in known:
            content.apply(known[name].operation)
        yield content


def expected(commits: list[list[Json]], folder: Path) -> Content:
    """Return what the table must hold after all of them."""
    *_, last = replay(commits, outcomes(folder))
    return last


def digest(rows: Iterable[Row]) -> str:
    """Return a short text that differs when a row is lost, doubled or changed."""
    return hashlib.sha256(repr(sorted(rows)).encode()).hexdigest()[:16]


def disagreements(commits: list[list[Json]], known: dict[str, Outcome]) -> list[str]:
    """Return where the log and the processes do not agree on what was committed."""
    times = Counter(committed(commits))
    found = []
    for name, outcome in known.items():
        operation = outcome.operation
        must = operation.changes_rows or outcome.said.get("files_refreshed", 0) > 0
        if operation.changes_rows and times[name] > 1:
            found.append(f"{name} ({operation.kind}) was committed {times[name]} times")
        if outcome.done and must and times[name] == 0:
            found.append(f"{name} ({operation.kind}) succeeded, and is not in the log")
        if outcome.error and times[name]:
            found.append(f"{name} ({operation.kind}) failed, and is in the log: {outcome.error}")
    return found
