# SPDX-License-Identifier: Apache-2.0
"""New Python processes, their environment, and jobs in other threads."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

ROOT = Path(os.environ["DELTA_COLLATIONS_ROOT"])

T = TypeVar("T")


def run_in_new_process(
    script: str, *arguments: object, command_prefix: Sequence[str] = (), **environment: str
) -> str:
    """Run ``script`` in a new Python process with its own JVM and return its output."""
    source = textwrap.dedent(script)
    done = subprocess.run(
        [*command_prefix, sys.executable, "-c", source, *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_environment() -> dict[str, str]:
    """Return an environment in which another Python finds the same modules as this one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def conf_dir_with_warnings(folder: Path) -> str:
    """Copy Spark's configuration without the logging settings, so that Spark prints warnings."""
    folder.mkdir()
    defaults = Path(os.environ["SPARK_CONF_DIR"]) / "spark-defaults.conf"
    (folder / defaults.name).write_text(defaults.read_text())
    return str(folder)


@contextmanager
def run_in_background(job: Callable[[], T], started: Path, go: Path) -> Iterator[Future[T]]:
    """Run the block once ``job`` has created ``started``, then create ``go`` and wait."""
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(job)
        try:
            while not started.exists() and not outcome.done():
                time.sleep(0.05)
            yield outcome
        finally:
            go.touch()
