# SPDX-License-Identifier: Apache-2.0
"""Killed processes and failing disks; ``./dev bench fault-injection`` is the long version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from robustness.harness import failing_disks
from robustness.harness.fault_injection import KillRun
from support.random_strings import SEED

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_killed_process_keeps_commits_and_leaves_no_partial_commit(
    spark: SparkSession, tmp_path: Path
) -> None:
    killed = KillRun(spark, tmp_path, SEED, [False]).run(1)

    assert killed.faults == [], f"seed {SEED}"
    assert killed.interrupted.total() == 3


@pytest.fixture
def mounts() -> None:
    """Skip the test if disks cannot be mounted, which requires root."""
    reason = failing_disks.mount_problem()
    if reason:
        pytest.skip(reason)


@pytest.mark.usefixtures("mounts")
def test_full_disk_fails_statements_and_keeps_table(spark: SparkSession, tmp_path: Path) -> None:
    with failing_disks.trial(spark, tmp_path / "table") as trial:
        for kind, pages in (("append", 0), ("refresh", 0), ("delete", 3)):
            trial.attempt(
                kind,
                failing_disks.full(trial.table, pages * failing_disks.PAGE),
                failing_disks.FULL,
            )

    assert trial.faults == []
    assert trial.outcomes["append: failed"] == 1
    assert trial.outcomes["refresh: failed"] == 1


@pytest.mark.usefixtures("mounts")
def test_read_only_log_fails_commits_and_keeps_table(spark: SparkSession, tmp_path: Path) -> None:
    with failing_disks.trial(spark, tmp_path / "table") as trial:
        for kind in ("append", "refresh"):
            trial.attempt(kind, failing_disks.read_only_log(trial.table), failing_disks.READ_ONLY)

    assert trial.faults == []
    assert trial.outcomes.total() == 2
    assert all("failed" in outcome for outcome in trial.outcomes)
