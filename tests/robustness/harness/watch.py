# SPDX-License-Identifier: Apache-2.0

"""Watches the files of a table with inotify."""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import struct
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

CLOSED, MOVED_IN, CREATED = 0x08, 0x80, 0x100

# The moments at which to kill a process: the inotify event and a pattern for the file name.
MOMENTS = {
    "data file created": (CREATED, r"(part-|deletion_vector_).*"),
    "data file written": (CLOSED, r"(part-|deletion_vector_).*"),
    "commit created": (CREATED, r"\.\d{20}\.json\..*tmp"),
    "commit written": (CLOSED, r"\.\d{20}\.json\..*tmp"),
    "commit visible": (MOVED_IN, r"\d{20}\.json"),
    "checksum created": (CREATED, r"\.\d{20}\.crc\..*tmp"),
    "checkpoint created": (CREATED, r"\.?\d{20}\.checkpoint\..*"),
    "checkpoint visible": (MOVED_IN, r"\d{20}\.checkpoint\..*parquet"),
    "_last_checkpoint created": (CREATED, r"\.?_last_checkpoint.*"),
}


class Watch:
    """Watches the files of one table and the current operation of a worker."""

    def __init__(self, table: Path, journal: Path) -> None:
        """Start to watch the table, its log and the journal."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = self._libc.inotify_init1(os.O_NONBLOCK)
        assert self._queue >= 0, os.strerror(ctypes.get_errno())
        self._journal = journal
        self._read = 0
        self.operation = ""
        for folder in (table, table / "_delta_log", journal.parent):
            mask = CLOSED | MOVED_IN | CREATED
            added = self._libc.inotify_add_watch(self._queue, os.fsencode(folder), mask)
            assert added >= 0, os.strerror(ctypes.get_errno())

    def wait_for(self, moment: str, kinds: set[str], seconds: float) -> bool:
        """Wait for a moment within an operation of these kinds; return whether it came in time."""
        event, name = MOMENTS[moment]
        end = time.time() + seconds
        while time.time() < end:
            for mask, file in self._events(0.5):
                if file == self._journal.name:
                    self._read_journal()
                elif self.operation in kinds and mask & event and re.fullmatch(name, file):
                    return True
        return False

    def wait_for_operation(self, kinds: set[str], seconds: float) -> bool:
        """Wait for the start of an operation of these kinds; return whether it came in time."""
        end = time.time() + seconds
        while time.time() < end:
            for _, file in self._events(0.5):
                if file == self._journal.name:
                    self._read_journal()
                    if self.operation in kinds:
                        return True
        return False

    def __enter__(self) -> Self:
        """Return itself, because it already watches."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching."""
        os.close(self._queue)

    def _events(self, seconds: float) -> list[tuple[int, str]]:
        if not select.select([self._queue], [], [], seconds)[0]:
            return []
        content = os.read(self._queue, 1 << 16)
        found, at = [], 0
        while at < len(content):
            _, mask, _, length = struct.unpack_from("iIII", content, at)
            name = content[at + 16 : at + 16 + length].rstrip(b"\0")
            found.append((mask, os.fsdecode(name)))
            at += 16 + length
        return found

    def _read_journal(self) -> None:
        with self._journal.open() as file:
            file.seek(self._read)
            for line in file:
                if line.endswith("\n"):
                    self._read += len(line.encode())
                    entry = json.loads(line)
                    self.operation = entry["started"]["kind"] if "started" in entry else ""
