# SPDX-License-Identifier: Apache-2.0
"""However many files a table has, what reaches the driver stays small; see ``harness/scale.py``."""

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
# A few words from each task. A path takes more than 50 bytes, and all of them more than a million.
FEW_BYTES = 100_000
BYTES_OF_ALL_PATHS = 50 * FILES


@pytest.fixture(scope="module")
def simulated(version: str, tmp_path_factory: pytest.TempPathFactory) -> SimulatedTable:
    path = tmp_path_factory.mktemp("scale") / "table"
    simulated = SimulatedTable(path, FILES, version, is_collated=True)
    simulated.write()
    return simulated


@pytest.fixture(scope="module")
def table(spark: SparkSession, simulated: SimulatedTable) -> Table:
    """Have Delta write a checkpoint of it, and read it back."""
    table = Table(spark, simulated.path)
    write_checkpoint(table)
    plan(table.sql("SELECT * FROM {t} WHERE name = 'x'"))
    return table


def test_a_lookup_brings_only_the_files_it_reads(table: Table) -> None:
    driver = Driver(table.spark)

    plan(table.sql("SELECT * FROM {t} WHERE name = 'NÄME 000100005'"))

    assert 0 < driver.bytes_received() < FEW_BYTES
    # So little is not for want of a good measure: Delta brings every file that a query reads.
    plan(table.sql("SELECT * FROM {t} WHERE name >= 'A'"))
    assert driver.bytes_received() > BYTES_OF_ALL_PATHS


def test_status_brings_a_few_sums(table: Table, simulated: SimulatedTable) -> None:
    driver = Driver(table.spark)

    rows = table.rows("SELECT files, files_covered FROM collation_status('{t}') WHERE is_current")

    assert rows == [(FILES, FILES - simulated.gaps)]
    assert 0 < driver.bytes_received() < FEW_BYTES


@pytest.mark.parametrize("predicate", [EVERYTHING, "id >= 0", "true", "length(name) > 3"])
def test_a_scan_that_is_explained_leaves_its_files_where_they_are(
    table: Table, predicate: str
) -> None:
    driver = Driver(table.spark)

    query = f"SELECT outcome, files FROM collation_explain('{{t}}', \"{predicate}\")"

    read = [files for outcome, files in table.rows(query) if outcome == "read"]
    assert sum(read) == FILES
    assert driver.bytes_received() < FEW_BYTES


def test_a_query_after_an_explained_one_finds_its_files(table: Table) -> None:
    query = f"SELECT files FROM collation_explain('{{t}}', \"{EVERYTHING}\") WHERE outcome = 'read'"

    assert sum(table.column(query)) == FILES
    assert len(table.sql("SELECT * FROM {t} WHERE name >= 'A'").inputFiles()) == FILES


def test_a_refresh_brings_a_batch_at_a_time(table: Table, simulated: SimulatedTable) -> None:
    driver = Driver(table.spark)

    assert table.rows(REFRESH)[0][:2] == (FILES, simulated.gaps)

    assert driver.bytes_received() < FEW_BYTES
    # None of the other files is there, so the refresh ends with the first batch that it reads.
    table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UNICODE")
    driver.bytes_received()
    with pytest.raises(Exception, match=r"part-00000-[0-9a-f-]+-c000"):
        table.sql(REFRESH)
    assert 0 < driver.bytes_received("looking for files without bounds") < FEW_BYTES
    assert f"files 1 to 10000 of {FILES}" in last_job(table)


def last_job(table: Table) -> str:
    """Return what was said to be done last."""
    jobs = table.spark._jsc.sc().statusStore().jobsList(None)  # noqa: SLF001
    newest = max((jobs.apply(place) for place in range(jobs.size())), key=lambda job: job.jobId())
    return str(newest.description())
