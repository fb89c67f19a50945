# SPDX-License-Identifier: Apache-2.0
"""A refresh that fails halfway, its job descriptions, and concurrent writers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from support.refresh import (
    COLLATED,
    NOTHING_REFRESHED,
    collated_bounds,
    insert_one_file,
    refresh,
    without_collated_stats,
)
from support.tables import ForeignTable, Table, collated

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_refresh_resumes_after_failed_batch(spark: SparkSession, tmp_path: Path) -> None:
    schema = [collated("name", "icu.UNICODE_CI")]
    foreign = ForeignTable(tmp_path / "table", schema, ["collations", "domainMetadata"])
    table = Table(spark, foreign.write(({"name": ["Bob"]}, None), ({"name": ["Eve"]}, None)))
    log = table.path / "_delta_log" / f"{0:020}.json"
    text = log.read_text()
    for add in table.log.files.values():
        text = text.replace(f'"size": {add["size"]}', f'"size": {60 << 30}')
        extend(table.path / add["path"], 60 << 30)
    log.write_text(text)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100g")
    hidden = (table.path / "part-1.parquet").rename(tmp_path / "hidden")
    try:
        with pytest.raises(Exception, match=r"part-1\.parquet"):
            refresh(table)
        assert collated_bounds(table, "name") == [("Bob", "Bob"), (None, None)]
        hidden.rename(table.path / "part-1.parquet")
        done = refresh(table)
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")

    assert done == {
        **NOTHING_REFRESHED,
        "files_checked": 2,
        "files_refreshed": 1,
        "bytes_read": 60 << 30,
    }
    assert collated_bounds(table, "name") == [("Bob", "Bob"), ("Eve", "Eve")]
    jobs = spark._jsc.sc().statusStore().jobsList(None)  # noqa: SLF001
    shown = {str(jobs.apply(number).description()) for number in range(jobs.size())}
    for progress in ("looking for files without bounds", "files 1 to 1 of 2", "files 2 to 2 of 2"):
        assert f"Some(Refreshing statistics of delta.`file:{table.path}`: {progress})" in shown


def extend(path: Path, size: int) -> None:
    """Extend a Parquet file to ``size`` bytes, with a sparse hole before its footer."""
    content = path.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    with path.open("r+b") as file:
        file.seek(size - footer)
        file.write(content[-footer:])


def test_refresh_restores_job_description(table: Table) -> None:
    with without_collated_stats(table.create(COLLATED)):
        table.insert("'Bob'")
    context = table.spark.sparkContext
    context.setJobDescription("mine")
    try:
        refresh(table)
        assert context.getLocalProperty("spark.job.description") == "mine"
    finally:
        context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def test_refresh_loses_no_row_with_concurrent_writers(table: Table) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.enableDeletionVectors": "true"})
    with without_collated_stats(table), ThreadPoolExecutor() as pool:
        for first in TENS:
            insert_one_file(table, *rows(first))
        writers = [pool.submit(write, table) for write in (append, delete, rewrite)]
        while any(not writer.done() for writer in writers):
            refresh(table)
        for writer in writers:
            writer.result()
        refresh(table)

    gone = {first + five for first in TENS for five in (0, 5)} | {21}
    left = {number: f"n{number:03}" for number in [*range(40), *range(100, 140)]} | {7: "a"}
    assert sorted(table.rows()) == sorted(row for row in left.items() if row[0] not in gone)
    bounds, values = collated_bounds(table, "name"), table.rows(VALUES_BY_FILE)
    assert len(bounds) == len(values)
    for low, high in values:
        assert any(a and b and a <= low and high <= b for a, b in bounds)
    operations = {info["operation"] for info in table.log.actions("commitInfo")}
    assert {"WRITE", "DELETE", "UPDATE", "OPTIMIZE", "COMPUTE STATS"} <= operations


TENS = range(0, 40, 10)
VALUES_BY_FILE = "SELECT min(name), max(name) FROM {t} GROUP BY _metadata.file_path"


def rows(first: int) -> list[str]:
    return [f"{number}, 'n{number:03}'" for number in range(first, first + 10)]


def append(table: Table) -> None:
    for first in TENS:
        insert_one_file(table, *rows(first + 100))


def delete(table: Table) -> None:
    for first in TENS:
        retry_on_conflict(
            table, f"DELETE FROM {{t}} WHERE id = {first} OR name = 'N{first + 5:03}'"
        )


def rewrite(table: Table) -> None:
    retry_on_conflict(table, "UPDATE {t} SET name = 'a' WHERE id = 7")
    retry_on_conflict(table, "OPTIMIZE {t}")
    retry_on_conflict(table, "DELETE FROM {t} WHERE id = 21")


def retry_on_conflict(table: Table, statement: str) -> None:
    """Run ``statement`` again whenever a concurrent commit changed the same files."""
    try:
        table.sql(statement)
    except Exception as conflict:
        if "DELTA_CONCURRENT" not in str(conflict):
            raise
        retry_on_conflict(table, statement)
