# SPDX-License-Identifier: Apache-2.0
"""The driver receives few bytes, even for many files; ``./dev bench scale`` is the long version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from robustness.harness.simulated_log import Driver, SimulatedTable, plan
from support.refresh import REFRESH
from support.tables import Table, write_checkpoint

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = 20_000
EVERYTHING = "name >= 'A'"
# Each task sends a few values. A path is mostly random: it takes more than 20 bytes compressed.
FEW_BYTES = 100_000
BYTES_OF_ALL_PATHS = 20 * FILES


@pytest.fixture(scope="module")
def simulated(version: str, tmp_path_factory: pytest.TempPathFactory) -> SimulatedTable:
    path = tmp_path_factory.mktemp("scale") / "table"
    simulated = SimulatedTable(path, FILES, version, is_collated=True)
    simulated.write()
    return simulated


@pytest.fixture(scope="module")
def table(spark: SparkSession, simulated: SimulatedTable) -> Table:
    """Return the simulated table with a checkpoint that Delta has written and read."""
    table = Table(spark, simulated.path)
    write_checkpoint(table)
    plan(table.sql("SELECT * FROM {t} WHERE name = 'x'"))
    return table


def test_lookup_sends_only_files_to_read_to_driver(table: Table) -> None:
    driver = Driver(table.spark)

    plan(table.sql("SELECT * FROM {t} WHERE name = 'NÄME 000100005'"))

    assert 0 < driver.bytes_received() < FEW_BYTES
    # The measurement works: Delta collects every file that a query reads.
    plan(table.sql("SELECT * FROM {t} WHERE name >= 'A'"))
    assert driver.bytes_received() > BYTES_OF_ALL_PATHS


def test_collation_status_sends_only_totals_to_driver(
    table: Table, simulated: SimulatedTable
) -> None:
    driver = Driver(table.spark)

    rows = table.rows("SELECT files, files_covered FROM collation_status('{t}') WHERE is_current")

    assert rows == [(FILES, FILES - simulated.files_to_refresh)]
    assert 0 < driver.bytes_received() < FEW_BYTES


@pytest.mark.parametrize("predicate", [EVERYTHING, "id >= 0", "true", "length(name) > 3"])
def test_collation_explain_sends_no_files_to_driver(table: Table, predicate: str) -> None:
    driver = Driver(table.spark)

    query = f"SELECT outcome, files FROM collation_explain('{{t}}', \"{predicate}\")"

    read = [files for outcome, files in table.rows(query) if outcome == "read"]
    assert sum(read) == FILES
    assert driver.bytes_received() < FEW_BYTES


def test_query_finds_its_files_after_collation_explain(table: Table) -> None:
    query = f"SELECT files FROM collation_explain('{{t}}', \"{EVERYTHING}\") WHERE outcome = 'read'"

    assert sum(table.column(query)) == FILES
    assert len(table.sql("SELECT * FROM {t} WHERE name >= 'A'").inputFiles()) == FILES


def test_refresh_sends_one_batch_at_a_time_to_driver(
    table: Table, simulated: SimulatedTable
) -> None:
    driver = Driver(table.spark)

    assert table.rows(REFRESH)[0][:2] == (FILES, simulated.files_to_refresh)

    assert driver.bytes_received() < FEW_BYTES
    # The other files do not exist, so the refresh fails at the first batch.
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE")
    driver.bytes_received()
    with pytest.raises(Exception, match=r"part-00000-[0-9a-f-]+-c000"):
        table.sql(REFRESH)
    assert 0 < driver.bytes_received("looking for files without bounds") < FEW_BYTES
    assert f"files 1 to 10000 of {FILES}" in last_job(table)


def last_job(table: Table) -> str:
    """Return the description of the last job."""
    jobs = table.spark._jsc.sc().statusStore().jobsList(None)  # noqa: SLF001
    newest = max((jobs.apply(place) for place in range(jobs.size())), key=lambda job: job.jobId())
    return str(newest.description())
