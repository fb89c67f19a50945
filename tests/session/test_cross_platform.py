# SPDX-License-Identifier: Apache-2.0
"""One table, written by every Spark in turn: keys stay, rows are right, files are skipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support.platforms import PLATFORMS
from support.processes import ROOT, run_in_new_process
from support.tables import Log

if TYPE_CHECKING:
    from pathlib import Path

WORK = ROOT / ".dev"

# Name and exact releases, which only the build's own list has.
FACTS = re.findall(
    r'Platform\("(.*?)", spark = "(.*?)", delta = "(.*?)"\)',
    (ROOT / "project" / "Platforms.scala").read_text("utf-8"),
)

# What each of them does: append a file, look for the names so far, and say how many files it read.
TURN = """
import re, sys
from io import StringIO
from contextlib import redirect_stdout
from pyspark.sql import SparkSession
from delta_collations import configure_spark_with_collations

path, statement, *known = sys.argv[1:]
builder = (
    SparkSession.builder.master("local[1]")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.databricks.delta.snapshotPartitions", "1")
)
spark = configure_spark_with_collations(builder).getOrCreate()
table = f"delta.`{path}`"
spark.sql(f"CREATE TABLE IF NOT EXISTS {table} (name STRING COLLATE UNICODE_CI) USING delta")
for each in filter(None, statement.split(";")):
    spark.sql(each.replace("{t}", table))
for name in known:
    found = spark.sql(f"SELECT name FROM {table} WHERE name = '{name.upper()}'")
    with redirect_stdout(StringIO()) as said:
        found.explain("formatted")
    files = re.search("FilesRead: ([0-9]+)", said.getvalue())[1]
    print(*[row[0] for row in found.collect()], files)
"""


def oldest_to_newest() -> list[str]:
    """Return one platform for each Spark, that with the newest Delta."""
    newest = {each["spark"]: each["name"] for each in reversed(PLATFORMS)}
    return [newest[spark] for spark in sorted(newest)]


def turn(platform: str, table: Path, statement: str, *known: str) -> list[str]:
    """Run one process on a platform and return the lines it printed."""
    name, spark, delta = next(found for found in FACTS if found[0] == platform)
    folders = [WORK / "python" / f"delta-{delta}", WORK / "python" / f"spark-{spark}"]
    if platform == PLATFORMS[0]["name"]:
        folders = []
    elif not all(folder.exists() for folder in folders):
        pytest.skip(f"{platform} is not set up; ./dev test without arguments does that")
    settings = {
        "SPARK_CONF_DIR": str(WORK / "conf" / name),
        "PYTHONPATH": ":".join(map(str, folders)),
    }
    return run_in_new_process(TURN, table, statement, *known, **settings).splitlines()


def versions(table: Path) -> list[list[str]]:
    """Return, for each file in the order they came, the versions it has collated bounds in."""
    return [
        [key.removeprefix("icu.UNICODE_CI.") for key in sorted(stats["statsWithCollation"])]
        for stats in Log(table).stats
    ]


def test_a_table_is_written_by_every_spark_in_turn(tmp_path: Path) -> None:
    table = tmp_path / "table"
    spark40, spark41, spark42 = oldest_to_newest()
    insert = "INSERT INTO {t} VALUES "

    # Bounds of another version alone say nothing, so that its files are read. Writers leave them
    # for all versions that the table lists, since they are proven to order these names alike.
    assert turn(spark40, table, insert + "('Anna')", "Anna") == ["Anna 1"]
    assert turn(spark41, table, insert + "('Mia')", "Anna", "Mia") == ["Anna 1", "Mia 2"]
    assert turn(spark42, table, insert + "('Zoe')", "Anna", "Zoe") == ["Anna 2", "Zoe 3"]
    assert versions(table) == [["76.1"], ["76.1", "77.1"], ["76.1", "77.1", "78.3"]]

    refresh = "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS"
    assert turn(spark42, table, refresh, "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    every = ["76.1", "77.1", "78.3"]
    assert sorted(versions(table)) == [every, every, ["76.1", "78.3"]]

    assert turn(spark40, table, "", "Anna", "Mia", "Zoe") == ["Anna 1", "Mia 1", "Zoe 1"]
    changes = "UPDATE {t} SET name = 'Anne' WHERE name = 'ANNA'"
    assert turn(spark41, table, changes, "Anne", "Anna", "Mia") == ["Anne 1", "0", "Mia 1"]
    assert versions(table) == [every] * 3
    assert turn(spark42, table, "", "Anne", "Mia", "Zoe") == ["Anne 1", "Mia 1", "Zoe 1"]
