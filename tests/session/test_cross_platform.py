# SPDX-License-Identifier: Apache-2.0
"""One table written by each Spark version in turn: no version loses statistics or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.other_platforms import oldest_to_newest, platform_environment
from support.processes import run_in_new_process
from support.tables import Log

if TYPE_CHECKING:
    from pathlib import Path

# Runs the statements, then prints for each name the matching rows and the number of files read.
SCRIPT = """
import re, sys
from io import StringIO
from contextlib import redirect_stdout
from pyspark.sql import SparkSession
from delta_collations import configure_spark_with_collations

path, statements, *names = sys.argv[1:]
builder = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.databricks.delta.snapshotPartitions", "1")
)
spark = configure_spark_with_collations(builder).getOrCreate()
table = f"delta.`{path}`"
spark.sql(f"CREATE TABLE IF NOT EXISTS {table} (name STRING COLLATE UNICODE_CI) USING delta")
for statement in filter(None, statements.split(";")):
    spark.sql(statement.replace("{t}", table))
for name in names:
    found = spark.sql(f"SELECT name FROM {table} WHERE name = '{name.upper()}'")
    with redirect_stdout(StringIO()) as plan:
        found.explain("formatted")
    files = re.search("FilesRead: ([0-9]+)", plan.getvalue())[1]
    print(*[row[0] for row in found.collect()], files)
"""


def run_on(platform: str, table: Path, statements: str, *names: str) -> list[str]:
    """Run the script in a new process on a platform and return the lines it printed."""
    settings = platform_environment(platform)
    return run_in_new_process(SCRIPT, table, statements, *names, **settings).splitlines()


def stats_versions(table: Path) -> list[list[str]]:
    """Return the ICU versions that each file has collated bounds for, in the order of the log."""
    return [
        [key.removeprefix("icu.UNICODE_CI.") for key in sorted(stats["statsWithCollation"])]
        for stats in Log(table).stats
    ]


def test_every_spark_reads_and_writes_the_same_table(tmp_path: Path) -> None:
    table = tmp_path / "table"
    spark40, spark41, spark42 = oldest_to_newest()
    insert = "INSERT INTO {t} VALUES "

    # Files with bounds of other ICU versions only are read. Writers add bounds for all versions
    # that the table lists, because those versions are proven to order these names the same way.
    assert run_on(spark40, table, insert + "('Anna')", "Anna") == ["Anna 1"]
    assert run_on(spark41, table, insert + "('Mia')", "Anna", "Mia") == ["Anna 1", "Mia 2"]
    assert run_on(spark42, table, insert + "('Zoe')", "Anna", "Zoe") == ["Anna 2", "Zoe 3"]
    assert stats_versions(table) == [["76.1"], ["76.1", "77.1"], ["76.1", "77.1", "78.3"]]

    refresh = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
    assert run_on(spark42, table, refresh, "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    all_versions = ["76.1", "77.1", "78.3"]
    assert sorted(stats_versions(table)) == [all_versions, all_versions, ["76.1", "78.3"]]

    assert run_on(spark40, table, "", "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    update = "UPDATE {t} SET name = 'Anne' WHERE name = 'ANNA'"
    assert run_on(spark41, table, update, "Anne", "Anna", "Mia") == ["Anne 1", "0", "Mia 1"]
    assert stats_versions(table) == [all_versions] * 3
    assert run_on(spark42, table, "", "Anne", "Mia", "Zoe") == ["Anne 1", "Mia 1", "Zoe 1"]
