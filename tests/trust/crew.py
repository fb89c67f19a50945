# SPDX-License-Identifier: Apache-2.0

"""Starting workers, and ending them: by asking, or by ``kill -9``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trust.worker import Orders


class Process:
    """A Python and the JVM it started, in a group of their own, at work on one table or more."""

    def __init__(self, *orders: Orders) -> None:
        """Start it; it will say when it is ready."""
        self.orders = orders
        self._said = Path(orders[0].folder) / f"{orders[0].name}.stderr"
        text = json.dumps([asdict(order) for order in orders])
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("worker.py")), text],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        """Wait for its session; what it said instead is the error."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == "ready\n", f"{self._said.name}: {self._said.read_text()[-3000:]}"

    def go(self) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill Python and JVM in one blow."""
        if self.runs:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def finish(self, seconds: float) -> None:
        """Wait for one that was told to stop."""
        code = self._process.wait(seconds)
        assert code == 0, f"{self._said.name}: {self._said.read_text()[-3000:]}"


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
            worker.finish(600)
    finally:
        for worker in workers:
            worker.kill()
