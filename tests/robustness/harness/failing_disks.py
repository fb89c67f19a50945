# SPDX-License-Identifier: Apache-2.0

"""Disks that are full, or read-only: small file systems in memory, mounted for the purpose."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from robustness.harness import verify, write_history
from robustness.harness.sessions import create, journals
from robustness.harness.worker import Orders, Worker
from support.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGE = 4096
KINDS = ("append", "bare_append", "merge", "delete", "optimize", "refresh", "alter")
FULL, READ_ONLY = "No space left on device", "Read-only file system"


def refused() -> str | None:
    """Return why this machine lets us mount nothing, or None if it does."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
        except (OSError, subprocess.CalledProcessError) as error:
            return f"no file system can be mounted: {getattr(error, 'stderr', None) or error}"
        unmount(folder)
    return None


def mount(*arguments: object) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True, capture_output=True, text=True)  # noqa: S607


def unmount(path: object) -> None:
    subprocess.run(["umount", "--lazy", str(path)], check=True, capture_output=True)  # noqa: S607


@contextmanager
def small_disk(path: Path) -> Iterator[Path]:
    """Have a disk of a few megabytes at ``path``."""
    path.mkdir()
    mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", path)
    try:
        yield path
    finally:
        unmount(path)


@contextmanager
def full(table: Table, left: int) -> Iterator[None]:
    """Leave that many bytes on the disk of a table, and no more."""
    filler = table.path / "_filler"
    room = os.statvfs(table.path)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(PAGE, room.f_bavail * room.f_frsize - left))
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(table: Table) -> Iterator[None]:
    """Let nobody write to the disk of a table."""
    mount("-o", "remount,ro", table.path)
    try:
        yield
    finally:
        mount("-o", "remount,rw", table.path)


@contextmanager
def read_only_log(table: Table) -> Iterator[None]:
    """Let data files be written, and their commit not."""
    log = table.path / "_delta_log"
    mount("--bind", log, log)
    try:
        mount("-o", "remount,bind,ro", log)
        yield
    finally:
        unmount(log)


@dataclass
class Trial:
    """Operations on a table whose disk fails, and what came of them."""

    table: Table
    worker: Worker
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)

    def attempt(self, kind: str, disk: AbstractContextManager[None], message: str) -> None:
        """Try one operation on the failing disk, and look at the table there and afterwards."""
        before = self.worker.done
        # Without these there would be nothing to compact or to refresh.
        for prepared in ("append", "bare_append"):
            getattr(self.worker, prepared)()
        with disk:
            getattr(self.worker, kind)()
            readable = self.faults_of_content()
        known = write_history.outcomes(journals(self.table))
        outcome = known[f"{self.worker.orders.name}/{self.worker.done}"]
        for name in (f"{self.worker.orders.name}/{number}" for number in (before + 1, before + 2)):
            if known[name].error:
                self.faults.append(f"{kind}: the disk is back, and yet {known[name].error}")
        if outcome.error and (message not in outcome.error or "[COLLATIONS_" in outcome.error):
            self.faults.append(f"{kind}: the error does not say why: {outcome.error}")
        self.outcomes[f"{kind}: {'refused' if outcome.error else 'done'}"] += 1
        self.faults += [f"{kind}, while the disk fails: {fault}" for fault in readable]
        afterwards = verify.faults_of(self.table, self.checked)
        self.faults += [f"{kind}, afterwards: {fault}" for fault in afterwards]

    def faults_of_content(self) -> list[str]:
        """Return where the table does not hold what its log says, read by Spark alone."""
        content = write_history.expected(self.table.log.commits, journals(self.table))
        held = self.table.rows("SELECT id, rev, name, nick FROM {t}")
        return verify.differences("Spark", held, content.rows)


@contextmanager
def trial(spark: SparkSession, path: Path) -> Iterator[Trial]:
    """Have a table on a small disk of its own, with some rows."""
    with small_disk(path):
        table = create(Table(spark, path), deletion_vectors=False)
        folder = str(journals(table))
        found = Trial(table, Worker(Orders(path.name, 1, str(path), folder), table))
        for _ in range(3):
            found.worker.append()
        yield found
        found.faults += verify.unfinished_refresh(table)


def long_run(spark: SparkSession, folder: Path, say: Callable[[str], None]) -> list[str]:
    """Try every operation with every little room left, and on disks that cannot be written."""
    reason = refused()
    if reason:
        say(f"disks: not tried, {reason}")
        return []
    with trial(spark, folder / "full") as on_full:
        for left in range(9):
            for kind in KINDS:
                on_full.attempt(kind, full(on_full.table, left * PAGE), FULL)
    say(f"disk full: {dict(sorted(on_full.outcomes.items()))}")
    with trial(spark, folder / "read-only") as on_read_only:
        for disk in (read_only, read_only_log):
            for kind in KINDS:
                on_read_only.attempt(kind, disk(on_read_only.table), READ_ONLY)
    say(f"disk read-only: {dict(sorted(on_read_only.outcomes.items()))}")
    return on_full.faults + on_read_only.faults
