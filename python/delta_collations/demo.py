# SPDX-License-Identifier: Apache-2.0
"""Demonstrates the package on a table of multilingual names.

Run it with ``python -m delta_collations.demo``.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from delta_collations.session import configure_spark_with_collations

GIVEN = """
    Zoë ZOE zoe Åsa Émile EMILE Jürgen JURGEN Łukasz Lukasz Çağla Cagla İpek Ñuria Nuria Søren
    Soren Göran Änne Anne Œdipe Þóra Đorđe Željko Zeljko Михаил МИХАИЛ Ольга Ελένη ελένη 静香
    さくら サクラ 지민 محمد नेहा
"""
FAMILY = """
    Müller MÜLLER Mueller Muller Östlund Zimmermann Ågren Nuñez NUNEZ Dvořák Dvorak Straße STRASSE
    Strasse Şahin Sahin O'Neill o'neill Иванов ИВАНОВ Παππάς 山田 김 González Gonzalez
"""


def main() -> None:
    """Run the demo in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="delta-collations-demo-") as folder:
        with _step("Starting Spark with Delta and delta-collations"), _quiet():
            spark = _session(folder)
        try:
            _show(spark, Path(folder))
        finally:
            spark.stop()


def _session(folder: str) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("delta-collations demo")
        .config("spark.sql.warehouse.dir", folder)
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    return configure_spark_with_collations(builder).getOrCreate()


def _show(spark: SparkSession, folder: Path) -> None:
    _title("A Delta table with names that ignore case and accents")
    _sql(
        spark,
        "CREATE TABLE people (id INT, given STRING COLLATE UNICODE_CI_AI,\n"
        "                     family STRING COLLATE UNICODE_CI_AI) USING delta",
    )
    people = product(GIVEN.split(), FAMILY.split())
    rows = [(number, *name) for number, name in enumerate(people)]
    with _step(f"Writing {len(rows)} names in nine scripts"):
        names = spark.createDataFrame(rows, "id INT, given STRING, family STRING")
        names.write.insertInto("people")

    _title("Find a name in any spelling")
    _table(
        _sql(
            spark,
            "SELECT DISTINCT given COLLATE UTF8_BINARY AS spelling FROM people\n"
            "WHERE given = 'zoe' ORDER BY spelling",
        )
    )
    _table(
        _sql(
            spark,
            "SELECT family AS name, count(*) AS people FROM people\n"
            "WHERE family IN ('muller', 'STRASSE', 'иванов', \"o'NEILL\")\n"
            "GROUP BY family ORDER BY family",
        )
    )

    _title("Read only the files that can match")
    _sql(
        spark,
        "CREATE TABLE book (id INT, given STRING, family STRING COLLATE UNICODE_CI_AI) USING delta",
    )
    with _step("Writing the names to eight files, sorted by family name"):
        spark.table("people").repartitionByRange(8, "family").write.insertInto("book")
    _files(_sql(spark, "EXPLAIN FORMATTED SELECT * FROM book WHERE family = 'MULLER'"))

    _title("Inspect the statistics, and the files that a query reads")
    _table(_sql(spark, "SELECT column, collation, version, status FROM collation_status('book')"))
    _table(
        _sql(
            spark,
            "SELECT outcome, files, reason FROM collation_explain('book', \"family < 'c'\")\n"
            "WHERE files > 0",
        )
    )

    _title("Update and delete rows by name")
    _sql(
        spark,
        "UPDATE people SET family = 'Müller-Åberg'\nWHERE family = 'MULLER' AND given = 'asa'",
    )
    _sql(spark, "DELETE FROM people WHERE family = 'gonzalez'")
    _table(_sql(spark, "SELECT * FROM people WHERE family = 'muller-aberg' ORDER BY id"))

    _title("Sort by the rules of a language")
    _sql(
        spark,
        "CREATE TABLE words (de STRING COLLATE de, sv STRING COLLATE sv, bytes STRING) USING delta",
    )
    words = ["Zebra", "Ärger", "Apfel", "äpple", "Öl", "zoo", "Ost"]
    with _step("Writing seven words"):
        spark.createDataFrame([(word,) * 3 for word in words]).write.insertInto("words")
    for column, language in (("de", "German"), ("sv", "Swedish"), ("bytes", "no collation")):
        ordered = spark.sql(f"SELECT {column} FROM words ORDER BY {column}").collect()  # noqa: S608
        print(f"  {language:<13}{'  '.join(row[0] for row in ordered)}")

    _title("The Delta log of the table")
    _log(folder / "people")
    print(
        "\nEvery Delta reader can read this table. Writers need support for the table feature.\n"
        "Next: read README.md, or run ./dev python for a Python with everything installed."
    )


def _log(table: Path) -> None:
    """Print the protocol and the columns from the first commit."""
    commit = (table / "_delta_log" / f"{0:020}.json").read_text("utf-8").splitlines()
    actions = {kind: action for line in commit for kind, action in json.loads(line).items()}
    print("  protocol:", json.dumps(actions["protocol"]))
    for field in json.loads(actions["metaData"]["schemaString"])["fields"]:
        print("  column:  ", json.dumps(field))


def _files(plan: DataFrame) -> None:
    """Print the numbers of files from a query plan."""
    for line in plan.collect()[0][0].splitlines():
        if line.startswith("Files"):
            print("    " + line)


def _title(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def _sql(spark: SparkSession, statement: str) -> DataFrame:
    print("  " + statement.replace("\n", "\n  ") + ";", flush=True)
    return spark.sql(statement)


def _table(result: DataFrame) -> None:
    rows: list[Sequence[str]] = [[str(cell) for cell in row] for row in result.collect()]
    rows.insert(0, result.columns)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("    | " + " | ".join(cells) + " |")
    print()


@contextmanager
def _step(text: str) -> Iterator[None]:
    """Print a description and the elapsed time."""
    print(f"{text} …", end=" ", flush=True)
    started = time.monotonic()
    yield
    print(f"{time.monotonic() - started:.0f} s", flush=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the output of the JVM while it starts, unless it fails."""
    with tempfile.TemporaryFile() as output:
        stderr = os.dup(2)
        os.dup2(output.fileno(), 2)
        try:
            yield
        except BaseException:
            output.seek(0)
            os.write(stderr, output.read())
            raise
        finally:
            sys.stderr.flush()
            os.dup2(stderr, 2)
            os.close(stderr)


if __name__ == "__main__":
    main()
