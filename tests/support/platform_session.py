# SPDX-License-Identifier: Apache-2.0
"""A Python process with a session of another Spark version, which runs one request after another.

Starting Spark takes longer than most requests. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

from support.other_platforms import platform_environment
from support.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from support.tables import Json


class PlatformSession:
    """The process and its session, as a context manager."""

    def __init__(self, platform: str) -> None:
        """Start the process, or skip the test if the platform is not installed."""
        environment = platform_environment(platform)
        environment["PYTHONPATH"] += os.pathsep + str(ROOT / "tests")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.platform_session"],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run_tests(self, path: str) -> tuple[int, str]:
        """Run tests with a session of their own, and return pytest's exit code and output."""
        code, output = self._ask({"tests": path})
        return int(code), output

    def run_statements(self, table: Path, statements: Sequence[str], *names: str) -> list[str]:
        """Do what the function of this name does, in the process."""
        return self._ask({"table": str(table), "statements": statements, "names": names})

    def _ask(self, request: dict[str, object]) -> list[str]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process has ended; its error is above"
        lines: list[str] = json.loads(answer)
        return lines

    def close(self) -> None:
        """End the process and its JVM."""
        self._process.communicate()


def run_statements(
    spark: SparkSession, table: str, statements: Sequence[str], *names: str
) -> list[str]:
    """Run the statements. Return for each name the matching rows and the number of files read."""
    for statement in statements:
        spark.sql(statement.replace("{t}", f"delta.`{table}`"))
    lines = []
    for name in names:
        found = spark.sql(f"SELECT name FROM delta.`{table}` WHERE name = '{name.upper()}'")
        with redirect_stdout(StringIO()) as plan:
            found.explain("formatted")
        files = re.search("FilesRead: ([0-9]+)", plan.getvalue())
        assert files
        lines.append(" ".join([*(row[0] for row in found.collect()), files[1]]))
    return lines


def _answer(request: Json) -> list[str]:
    if "tests" in request:
        with redirect_stdout(StringIO()) as output:
            code = pytest.main(["-q", request["tests"]])
        return [str(int(code)), output.getvalue()]
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
    )
    spark = SparkSession.getActiveSession()
    spark = spark or configure_spark_with_collations(builder).getOrCreate()
    return run_statements(spark, request["table"], request["statements"], *request["names"])


def main() -> None:
    """Answer requests until the standard input ends."""
    for line in sys.stdin:
        answer = json.dumps(_answer(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
