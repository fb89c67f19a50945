# SPDX-License-Identifier: Apache-2.0

"""What happens to the files of a table, told by the kernel as it happens."""

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

# The moments at which a process is worth killing: what must have happened, and to what.
MOMENTS = {
    "a data file is begun": (CREATED, r"(part-|deletion_vector_).*"),
    "a data file is written": (CLOSED, r"(part-|deletion_vector_).*"),
    "a commit is begun": (CREATED, r"\.\d{20}\.json\..*tmp"),
    "a commit is written": (CLOSED, r"\.\d{20}\.json\..*tmp"),
    "a commit is visible": (MOVED_IN, r"\d{20}\.json"),
    "a checksum is begun": (CREATED, r"\.\d{20}\.crc\..*tmp"),
    "a checkpoint is begun": (CREATED, r"\.?\d{20}\.checkpoint\..*"),
    "a checkpoint is visible": (MOVED_IN, r"\d{20}\.checkpoint\..*parquet"),
    "the last checkpoint is noted": (CREATED, r"\.?_last_checkpoint.*"),
}


class Watch:
    """Sees the files of one table come, and which operation a worker is at."""

    def __init__(self, table: Path, journal: Path) -> None:
        """Look at the table, its log, and the journal from now on."""
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
        """Wait until that happens in an operation of these kinds."""
        wanted, name = MOMENTS[moment]
        end = time.time() + seconds
        while time.time() < end:
            for mask, file in self._events(0.5):
                if file == self._journal.name:
                    self._read_journal()
                elif self.operation in kinds and mask & wanted and re.fullmatch(name, file):
                    return True
        return False

    def wait_for_operation(self, kinds: set[str], seconds: float) -> bool:
        """Wait until an operation of these kinds has begun."""
        end = time.time() + seconds
        while time.time() < end:
            for _, file in self._events(0.5):
                if file == self._journal.name:
                    self._read_journal()
                    if self.operation in kinds:
                        return True
        return False

    def __enter__(self) -> Self:
        """Return itself: it watches already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Watch no longer."""
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
                    self.operation = entry["announced"]["kind"] if "announced" in entry else ""
