# SPDX-License-Identifier: Apache-2.0
"""Other processes and threads: fresh Python processes, their environment, concurrent jobs."""

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
    script: str, *arguments: object, before: Sequence[str] = (), **environment: str
) -> str:
    """Run ``script`` in a Python and a JVM of its own and return what it printed."""
    source = textwrap.dedent(script)
    done = subprocess.run(
        [*before, sys.executable, "-c", source, *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_environment() -> dict[str, str]:
    """Return the environment in which another Python finds the modules that this one finds."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def conf_dir_with_warnings(folder: Path) -> str:
    """Make Spark's folder of settings anew, but for ours about logging: then it prints warnings."""
    folder.mkdir()
    defaults = Path(os.environ["SPARK_CONF_DIR"]) / "spark-defaults.conf"
    (folder / defaults.name).write_text(defaults.read_text())
    return str(folder)


@contextmanager
def run_in_background(job: Callable[[], T], started: Path, go: Path) -> Iterator[Future[T]]:
    """Run the block once ``job`` has made ``started``; when it ends, make ``go``, and wait."""
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(job)
        try:
            while not started.exists() and not outcome.done():
                time.sleep(0.05)
            yield outcome
        finally:
            go.touch()
