# SPDX-License-Identifier: Apache-2.0

"""Starting workers, and ending them: by asking, or by ``kill -9``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from support.processes import python_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robustness.harness.worker import Orders

# Seconds without the end of any operation after which something hangs, on however slow a machine.
HANGS = 1200


class Process:
    """A Python and the JVM it started, in a group of their own, at work on one table or more."""

    def __init__(self, *orders: Orders) -> None:
        """Start it; it will say when it is ready."""
        self.orders = orders
        self._journals = [Path(one.folder) / f"{one.name}.journal" for one in orders]
        self._stderr = Path(orders[0].folder) / f"{orders[0].name}.stderr"
        text = json.dumps([asdict(order) for order in orders])
        with self._stderr.open("w") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("worker.py")), text],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=python_environment(),
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        """What it said last of what went wrong."""
        return f"{self._stderr.name}: {self._stderr.read_text()[-3000:]}"

    def wait_until_ready(self) -> None:
        """Wait for its session; what it said instead is the error."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == "ready\n", self.said

    def go(self) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def ended(self) -> int:
        """How many operations it has come to the end of, well or not."""
        assert self.runs or self._process.returncode == 0, self.said
        notes = [path.read_text("utf-8") for path in self._journals if path.exists()]
        return sum(note.count('{"done": ') + note.count('{"failed": ') for note in notes)

    def kill(self) -> None:
        """Kill Python and JVM in one blow."""
        if self.runs:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def finish(self) -> None:
        """Wait for one that was told to stop."""
        code = self._process.wait(HANGS)
        assert code == 0, self.said


@contextmanager
def crew(orders: list[Orders]) -> Iterator[list[Process]]:
    """Have workers ready and let them go at once; at the end tell them to stop, and wait."""
    folder = Path(orders[0].folder)
    workers = [Process(one) for one in orders]
    try:
        for worker in workers:
            worker.wait_until_ready()
        for worker in workers:
            worker.go()
        yield workers
        (folder / "stop").touch()
        for worker in workers:
            worker.finish()
    finally:
        for worker in workers:
            worker.kill()


def until_each_has_ended(operations: int, workers: list[Process]) -> Iterator[int]:
    """Count until each has come to the end of so many operations, however long that takes."""
    before, since = -1, time.monotonic()
    for number in count():
        ended = [worker.ended for worker in workers]
        if min(ended) >= operations:
            return
        if sum(ended) > before:
            before, since = sum(ended), time.monotonic()
        assert time.monotonic() - since < HANGS, f"nothing ends: {ended}"
        yield number
