# SPDX-License-Identifier: Apache-2.0
"""Checks parsers, the command line and tables with tens of thousands of corrupt logs.

``./dev bench corrupt-logs [CASES] [SEED]``: six tenths of the cases are corrupt JSON for the
parsers of the jar, three tenths are corrupt logs for the command line. The others are files of real
tables.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from robustness.harness import corrupt_checkpoints, corrupt_cli_logs, corrupt_metadata
from robustness.harness.corrupt_stats import HUGE
from robustness.harness.corrupt_tables import (
    CorruptTable,
    Findings,
    ValidFiles,
    check_table,
    log_formats,
)
from support.processes import ROOT

FILES = 400
MEMORY = "1g"


def main() -> None:
    """Run all cases, print their number by kind, and fail if anything is wrong."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 1_000_000_000
    print(f"{cases} cases, seed {seed}", flush=True)
    json_cases = [str(ROOT / "dev"), "bench", "corrupt-json", str(cases * 6 // 10), str(seed)]
    is_broken = subprocess.run(json_cases, check=False).returncode != 0
    findings = Findings()
    with tempfile.TemporaryDirectory() as folder:
        corrupt_cli_logs.check_logs(Path(folder) / "logs", seed, cases * 3 // 10, findings)
        spark = session(Path(folder))
        valid = ValidFiles(spark, Path(folder) / "valid")
        rng = random.Random(seed)  # noqa: S311
        number = 0
        while sum(findings.cases.values()) < cases * 4 // 10:
            number += 1
            for name, properties, settings in log_formats():
                path = Path(folder) / f"table {number} {name}"
                huge = len(HUGE) if name == "commits" else 0
                table = CorruptTable.write(valid, path, rng, FILES, findings, properties, huge=huge)
                check_table(table, name, settings, findings)
        for number in range(cases // 2000):
            corrupt_metadata.next_table(valid, Path(folder), rng, number, findings)
            corrupt_checkpoints.next_table(valid, Path(folder), rng, number, findings)
        spark.stop()
    for kind, count in sorted(findings.cases.items()):
        print(f"{count:8,}  {kind}")
    python = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{sum(findings.cases.values()):8,}  in all, in addition to the JSON")
    print(f"longest: {findings.longest:.1f} s, {findings.slowest}")
    print(f"memory: a heap of {MEMORY} was enough, Python used {python} MB")
    print(f"{len(findings.wrong)} wrong", *findings.wrong[:50], sep="\n")
    sys.exit(1 if findings.wrong or is_broken else 0)


def session(folder: Path) -> SparkSession:
    """Start a session with little memory."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", MEMORY)
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.snapshotPartitions", "2")
    )
    return configure_spark_with_collations(builder).getOrCreate()


if __name__ == "__main__":
    main()
