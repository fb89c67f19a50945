# SPDX-License-Identifier: Apache-2.0
"""Some of Spark's own tests pass with the extension; ``./dev bench spark-suites`` runs more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from robustness.harness.spark_suite_names import SQL, SUBSET
from robustness.harness.spark_suites import ABORTED, Report, SuiteTest, compared, differences
from support.platforms import CURRENT, PLATFORMS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    PLATFORMS[0] != CURRENT, reason="the suites belong to the Spark version of the first platform"
)

# A listed test that fails only with the extension, which shows that failures are detected.
INVALID_NAME = SuiteTest(
    f"{SQL}.collation.CollationSuite", "invalid collation name throws exception"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Run the subset once, in one JVM."""
    return compared(SUBSET, tmp_path_factory.mktemp("spark"))


def test_spark_suites_pass_with_extension(report: Report) -> None:
    assert report.unexplained == []
    assert set(report.run) == set(SUBSET)
    assert all(report.run[suite] >= len(names) for suite, names in SUBSET.items())


def test_spark_suites_detect_listed_difference(report: Report) -> None:
    assert report.listed == [INVALID_NAME]
    assert INVALID_NAME not in report.failed_without


def test_spark_suites_fail_when_suite_runs_no_test(tmp_path: Path) -> None:
    abstract = f"{SQL}.streaming.StreamingInnerJoinSuite"

    assert compared({abstract: ()}, tmp_path).unexplained == [SuiteTest(abstract, ABORTED)]


def test_spark_suites_list_reason_for_every_difference() -> None:
    for test, reason in differences().items():
        assert reason.endswith("."), test
