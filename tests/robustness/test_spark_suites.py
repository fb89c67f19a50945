# SPDX-License-Identifier: Apache-2.0
"""Some of Spark's own tests pass with the extension; ``harness/spark_suites.py`` runs many more."""

from __future__ import annotations

import pytest
from robustness.harness.spark_suite_names import SQL, SUBSET
from robustness.harness.spark_suites import Report, SuiteTest, compared, differences
from support.platforms import CURRENT, PLATFORMS

pytestmark = pytest.mark.skipif(
    PLATFORMS[0] != CURRENT, reason="the suites are those of the first platform's Spark"
)

# Fails with the extension only, and is listed: so the run does see a failure.
INVALID_NAME = SuiteTest(
    f"{SQL}.collation.CollationSuite", "invalid collation name throws exception"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Run the subset once, all in one JVM."""
    return compared(SUBSET, tmp_path_factory.mktemp("spark"))


def test_spark_suites_pass_with_extension(report: Report) -> None:
    assert report.unexplained == []
    assert set(report.run) == set(SUBSET)
    assert all(report.run[suite] >= len(names) for suite, names in SUBSET.items())


def test_spark_suite_difference_is_found_when_a_test_asks_for_another_class(report: Report) -> None:
    assert report.listed == [INVALID_NAME]
    assert INVALID_NAME not in report.failed_without


def test_every_listed_difference_has_a_reason() -> None:
    for test, reason in differences().items():
        assert reason.endswith("."), test
