# SPDX-License-Identifier: Apache-2.0

"""Starts worker processes, and stops them regularly or with ``kill -9``."""

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

    from robustness.harness.worker import WorkerConfig

# Seconds without progress after which a process counts as hanging, even on a slow machine.
HANG_TIMEOUT = 1200


class Process:
    """A Python process and its JVM, in their own process group, working on one or more tables."""

    def __init__(self, *configs: WorkerConfig) -> None:
        """Start the process; it prints a line when it is ready."""
        self.configs = configs
        self._journals = [Path(one.folder) / f"{one.name}.journal" for one in configs]
        self._stderr = Path(configs[0].folder) / f"{configs[0].name}.stderr"
        text = json.dumps([asdict(config) for config in configs])
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
    def error_output(self) -> str:
        """The end of its error output."""
        return f"{self._stderr.name}: {self._stderr.read_text()[-3000:]}"

    def wait_until_ready(self) -> None:
        """Wait until its session has started; fail with its error output otherwise."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == "ready\n", self.error_output

    def go(self) -> None:
        """Let the process begin its operations."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    @property
    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    @property
    def operations_ended(self) -> int:
        """The number of operations that succeeded or failed so far."""
        assert self.is_running or self._process.returncode == 0, self.error_output
        notes = [path.read_text("utf-8") for path in self._journals if path.exists()]
        return sum(note.count('{"done": ') + note.count('{"failed": ') for note in notes)

    def kill(self) -> None:
        """Kill Python and the JVM with one signal."""
        if self.is_running:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def finish(self) -> None:
        """Wait for the process to end after a request to stop."""
        code = self._process.wait(HANG_TIMEOUT)
        assert code == 0, self.error_output


@contextmanager
def running_workers(configs: list[WorkerConfig]) -> Iterator[list[Process]]:
    """Start workers, let them begin together, and stop them at the end of the block."""
    folder = Path(configs[0].folder)
    workers = [Process(one) for one in configs]
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


def poll_until_finished(operations: int, workers: list[Process]) -> Iterator[int]:
    """Count up until each worker has finished this number of operations, without a time limit."""
    before, since = -1, time.monotonic()
    for number in count():
        operations_ended = [worker.operations_ended for worker in workers]
        if min(operations_ended) >= operations:
            return
        if sum(operations_ended) > before:
            before, since = sum(operations_ended), time.monotonic()
        assert time.monotonic() - since < HANG_TIMEOUT, f"no progress: {operations_ended}"
        yield number
