# SPDX-License-Identifier: Apache-2.0
"""Every other Spark version: the smoke tests, and one table that all versions write in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.other_platforms import oldest_to_newest
from support.platform_session import PlatformSession, run_statements
from support.platforms import CURRENT, PLATFORMS
from support.tables import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

# ./dev test --platform runs the tests on one platform only.
OTHERS = oldest_to_newest()[:-1] if PLATFORMS[0] == CURRENT else []


@pytest.fixture(scope="module")
def session_of() -> Iterator[Callable[[str], PlatformSession]]:
    """Return a function that starts a session on a platform, or returns the running one."""
    sessions: dict[str, PlatformSession] = {}

    def started(platform: str) -> PlatformSession:
        if platform not in sessions:
            sessions[platform] = PlatformSession(platform)
        return sessions[platform]

    yield started
    for session in sessions.values():
        session.close()


@pytest.mark.parametrize("platform", OTHERS)
def test_smoke_tests_pass_on_other_spark(
    platform: str, session_of: Callable[[str], PlatformSession]
) -> None:
    code, output = session_of(platform).run_tests("tests/session/test_platform_smoke.py")

    assert code == 0, output
    assert " passed in " in output
    assert "skipped" not in output


def stats_versions(table: Path) -> list[list[str]]:
    """Return the ICU versions that each file has collated bounds for, in the order of the log."""
    return [
        [key.removeprefix("icu.UNICODE_CI.") for key in sorted(stats["statsWithCollation"])]
        for stats in Log(table).stats
    ]


@pytest.mark.skipif(not OTHERS, reason="./dev test --platform runs one platform only")
def test_every_spark_reads_and_writes_the_same_table(
    spark: SparkSession, tmp_path: Path, session_of: Callable[[str], PlatformSession]
) -> None:
    table = tmp_path / "table"
    spark40, spark41 = (session_of(platform).run_statements for platform in OTHERS)

    def spark42(table: Path, statements: list[str], *names: str) -> list[str]:
        return run_statements(spark, str(table), statements, *names)

    create = "CREATE TABLE {t} (name STRING COLLATE UNICODE_CI) USING delta"
    insert = "INSERT INTO {t} VALUES "

    # Files with bounds of other ICU versions only are read. Writers add bounds for all versions
    # that the table lists, because those versions are proven to order these names the same way.
    assert spark40(table, [create, insert + "('Anna')"], "Anna") == ["Anna 1"]
    assert spark41(table, [insert + "('Mia')"], "Anna", "Mia") == ["Anna 1", "Mia 2"]
    assert spark42(table, [insert + "('Zoe')"], "Anna", "Zoe") == ["Anna 2", "Zoe 3"]
    assert stats_versions(table) == [["76.1"], ["76.1", "77.1"], ["76.1", "77.1", "78.3"]]

    refresh = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
    assert spark42(table, [refresh], "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    all_versions = ["76.1", "77.1", "78.3"]
    assert sorted(stats_versions(table)) == [all_versions, all_versions, ["76.1", "78.3"]]

    assert spark40(table, [], "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    update = "UPDATE {t} SET name = 'Anne' WHERE name = 'ANNA'"
    assert spark41(table, [update], "Anne", "Anna", "Mia") == ["Anne 1", "0", "Mia 1"]
    assert stats_versions(table) == [all_versions] * 3
    assert spark42(table, [], "Anne", "Mia", "Zoe") == ["Anne 1", "Mia 1", "Zoe 1"]
