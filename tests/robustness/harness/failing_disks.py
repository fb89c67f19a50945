# SPDX-License-Identifier: Apache-2.0

"""Runs operations on full and read-only disks, which are small ``tmpfs`` mounts."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from robustness.harness import verify, write_history
from robustness.harness.sessions import create, journal_folder
from robustness.harness.worker import Worker, WorkerConfig
from support.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGE = 4096
KINDS = ("append", "append_without_stats", "merge", "delete", "optimize", "refresh", "alter")
FULL, READ_ONLY = "No space left on device", "Read-only file system"


def mount_problem() -> str | None:
    """Return why file systems cannot be mounted, or None if they can."""
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
    """Mount a disk of a few megabytes at ``path``."""
    path.mkdir()
    mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", path)
    try:
        yield path
    finally:
        unmount(path)


@contextmanager
def full(table: Table, free_bytes: int) -> Iterator[None]:
    """Fill the disk of a table except for some bytes."""
    filler = table.path / "_filler"
    stats = os.statvfs(table.path)
    with filler.open("wb") as file:
        os.posix_fallocate(
            file.fileno(), 0, max(PAGE, stats.f_bavail * stats.f_frsize - free_bytes)
        )
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(table: Table) -> Iterator[None]:
    """Mount the disk of a table read-only."""
    mount("-o", "remount,ro", table.path)
    try:
        yield
    finally:
        mount("-o", "remount,rw", table.path)


@contextmanager
def read_only_log(table: Table) -> Iterator[None]:
    """Mount the log of a table read-only; data files can be written but not committed."""
    log = table.path / "_delta_log"
    mount("--bind", log, log)
    try:
        mount("-o", "remount,bind,ro", log)
        yield
    finally:
        unmount(log)


@dataclass
class Trial:
    """Operations on a table whose disk fails, with their outcomes."""

    table: Table
    worker: Worker
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)

    def attempt(self, kind: str, disk: AbstractContextManager[None], message: str) -> None:
        """Try one operation on the failing disk, and check the table during and after it."""
        before = self.worker.operation_count
        # Adds files to compact and to refresh.
        for prepared in ("append", "append_without_stats"):
            getattr(self.worker, prepared)()
        with disk:
            getattr(self.worker, kind)()
            readable = self.faults_of_content()
        known = write_history.outcomes(journal_folder(self.table))
        outcome = known[f"{self.worker.config.name}/{self.worker.operation_count}"]
        for name in (f"{self.worker.config.name}/{number}" for number in (before + 1, before + 2)):
            if known[name].error:
                self.faults.append(f"{kind}: fails although the disk works: {known[name].error}")
        if outcome.error and (message not in outcome.error or "[COLLATIONS_" in outcome.error):
            self.faults.append(f"{kind}: the error does not name the cause: {outcome.error}")
        self.outcomes[f"{kind}: {'failed' if outcome.error else 'done'}"] += 1
        self.faults += [f"{kind}, while the disk fails: {fault}" for fault in readable]
        afterwards = verify.faults_of(self.table, self.checked)
        self.faults += [f"{kind}, afterwards: {fault}" for fault in afterwards]

    def faults_of_content(self) -> list[str]:
        """Return differences between the rows that Spark reads and the expected content."""
        content = write_history.expected(self.table.log.commits, journal_folder(self.table))
        rows = self.table.rows("SELECT id, rev, name, nick FROM {t}")
        return verify.differences("Spark", rows, content.rows)


@contextmanager
def trial(spark: SparkSession, path: Path) -> Iterator[Trial]:
    """Create a table with some rows on its own small disk."""
    with small_disk(path):
        table = create(Table(spark, path), deletion_vectors=False)
        folder = str(journal_folder(table))
        found = Trial(table, Worker(WorkerConfig(path.name, 1, str(path), folder), table))
        for _ in range(3):
            found.worker.append()
        yield found
        found.faults += verify.refresh_faults(table)


def run_all(spark: SparkSession, folder: Path, print_line: Callable[[str], None]) -> list[str]:
    """Try every operation on nearly full and on read-only disks."""
    reason = mount_problem()
    if reason:
        print_line(f"disks: skipped, {reason}")
        return []
    with trial(spark, folder / "full") as on_full:
        for pages in range(9):
            for kind in KINDS:
                on_full.attempt(kind, full(on_full.table, pages * PAGE), FULL)
    print_line(f"disk full: {dict(sorted(on_full.outcomes.items()))}")
    with trial(spark, folder / "read-only") as on_read_only:
        for disk in (read_only, read_only_log):
            for kind in KINDS:
                on_read_only.attempt(kind, disk(on_read_only.table), READ_ONLY)
    print_line(f"disk read-only: {dict(sorted(on_read_only.outcomes.items()))}")
    return on_full.faults + on_read_only.faults
