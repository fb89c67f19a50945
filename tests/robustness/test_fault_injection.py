# SPDX-License-Identifier: Apache-2.0
"""Killed processes and failing disks; ``./dev bench fault-injection`` is the long form."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from robustness.harness import failing_disks
from robustness.harness.fault_injection import Killed

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_a_killed_process_loses_nothing_that_it_had_committed_and_leaves_no_half(
    spark: SparkSession, tmp_path: Path
) -> None:
    seed = time.time_ns()
    killed = Killed(spark, tmp_path, seed, [False]).run(1)

    assert killed.faults == [], f"seed {seed}"
    assert killed.fates.total() == 3


@pytest.fixture
def mounts() -> None:
    """Skip where no disk can be mounted, which needs the rights of root."""
    reason = failing_disks.refused()
    if reason:
        pytest.skip(reason)


@pytest.mark.usefixtures("mounts")
def test_on_a_full_disk_statements_say_so_and_the_table_stays_as_it_was(
    spark: SparkSession, tmp_path: Path
) -> None:
    with failing_disks.trial(spark, tmp_path / "table") as trial:
        for kind, left in (("append", 0), ("refresh", 0), ("delete", 3)):
            trial.attempt(
                kind, failing_disks.full(trial.table, left * failing_disks.PAGE), failing_disks.FULL
            )

    assert trial.faults == []
    assert trial.outcomes["append: refused"] == 1
    assert trial.outcomes["refresh: refused"] == 1


@pytest.mark.usefixtures("mounts")
def test_when_the_log_turns_read_only_commits_say_so_and_the_table_stays_as_it_was(
    spark: SparkSession, tmp_path: Path
) -> None:
    with failing_disks.trial(spark, tmp_path / "table") as trial:
        for kind in ("append", "refresh"):
            trial.attempt(kind, failing_disks.read_only_log(trial.table), failing_disks.READ_ONLY)

    assert trial.faults == []
    assert trial.outcomes.total() == 2
    assert all("refused" in outcome for outcome in trial.outcomes)
