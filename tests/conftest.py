# SPDX-License-Identifier: Apache-2.0
"""Fixtures: one Spark session for all tests, and a new table for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from delta_collations import configure_spark_with_collations
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from support import platforms
from support.tables import Table, icu_version, kernel_schema, without_codegen

# The files with the longest tests, longest first, as `--durations` shows them.
LONGEST_FILES = (
    "test_other_platforms.py",
    "test_key_shapes.py",
    "test_merge_keys.py",
    "test_removed_hooks.py",
    "test_session.py",
    "test_icu_upgrade.py",
    "test_code_point_tags.py",
    "test_executors.py",
    "test_stats_operations.py",
    "test_spark_suites.py",
    "test_speed.py",
    "test_readme.py",
    "test_skipping.py",
    "test_foreign_identifiers.py",
    "test_skipping_properties.py",
    "test_refresh.py",
    "test_corrupt_logs.py",
    "test_concurrency.py",
    "test_random_queries.py",
)

# The folders of tests that do not depend on how Spark executes a plan. Generating code and adapting
# plans takes a fifth of the time of their statements.
WITHOUT_CODEGEN = {"inspection", "refresh", "schema"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files, so that no worker is left with one of them at the end."""
    order = {name: place for place, name in enumerate(LONGEST_FILES)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start a session as in the README, with settings for small tables."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        # RESTORE and VACUUM start this many tasks, 10,000 by default.
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
    )
    session = configure_spark_with_collations(builder).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def version(spark: SparkSession) -> str:
    """Return the ICU version of this JVM, as ICU reports it."""
    return icu_version(spark)


@pytest.fixture(autouse=True)
def interpreted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Disable code generation where it is not what a test is about."""
    if "spark" not in request.fixturenames or request.path.parent.name not in WITHOUT_CODEGEN:
        yield
        return
    spark: SparkSession = request.getfixturevalue("spark")
    with without_codegen(spark):
        yield


@pytest.fixture(autouse=True)
def other_readers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Open all tables of a test with engines that do not support collations."""
    if not {"spark", "tmp_path"} <= set(request.fixturenames) or request.node.get_closest_marker(
        "closed_to_other_readers"
    ):
        yield
        return
    spark: SparkSession = request.getfixturevalue("spark")
    tmp_path: Path = request.getfixturevalue("tmp_path")
    yield
    for log in tmp_path.rglob("_delta_log"):
        assert DeltaTable(str(log.parent)).schema().fields
        assert not platforms.HAS_KERNEL or kernel_schema(spark, log.parent)


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Table:
    """Return a table that does not exist yet."""
    return Table(spark, tmp_path / "table")
