# SPDX-License-Identifier: Apache-2.0
"""A transaction has read the files that may match, and others may be removed meanwhile."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from pyspark.sql.functions import udf
from support.processes import run_in_background
from support.tables import Table, setting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from pyspark.sql import DataFrame

SKIPPING = "spark.deltaCollations.skipping.enabled"


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table with one file for each of three names."""
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    for number, name in enumerate(("alpha", "Mike", "Zeta")):
        table.insert(f"{number}, '{name}'")
    return table


LAST = 2


@contextmanager
def slow(table: Table, statement: str) -> Iterator[Future[DataFrame]]:
    """Have ``statement`` read the table, and commit only after all that happens meanwhile.

    It must call ``paused(id)``, which is true, but not at once.
    """
    started, go = table.path.parent / "started", table.path.parent / "go"

    def pause(number: int) -> bool:
        started.touch()
        # The last file is not waited for, so that a core is left for what happens meanwhile.
        while number < LAST and not go.exists():
            time.sleep(0.05)
        return True

    # A function that says its types is none that PySpark takes.
    table.spark.udf.register("paused", udf(lambda number: pause(number), "boolean"))  # noqa: PLW0108
    with run_in_background(lambda: table.sql(statement), started, go) as outcome:
        yield outcome


def delete_both(people: Table, first: str, second: str) -> None:
    """Delete by ``first``, and before that is committed, by ``second``."""
    with slow(people, f"DELETE FROM {{t}} WHERE {first} AND paused(id)") as outcome:
        people.sql(f"DELETE FROM {{t}} WHERE {second}")
    outcome.result()


def test_deletes_of_keys_in_different_files_both_commit(people: Table) -> None:
    delete_both(people, "name = 'ALPHA'", "name = 'zeta'")

    assert people.column("SELECT name FROM {t}") == ["Mike"]


def test_deletes_of_the_same_key_in_two_spellings_conflict(people: Table) -> None:
    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        delete_both(people, "name = 'ALPHA'", "name = 'Alpha'")

    assert sorted(people.column("SELECT name FROM {t}")) == ["Mike", "Zeta"]


def test_a_delete_conflicts_with_a_change_in_the_range_that_it_read(people: Table) -> None:
    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        delete_both(people, "name >= 'MIKE'", "name = 'zeta'")

    assert sorted(people.column("SELECT name FROM {t}")) == ["Mike", "alpha"]


def test_without_skipping_every_file_was_read_and_every_change_conflicts(people: Table) -> None:
    with (
        setting(people.spark, SKIPPING, "false"),
        pytest.raises(Exception, match="DELTA_CONCURRENT"),
    ):
        delete_both(people, "name = 'ALPHA'", "name = 'zeta'")


def test_an_append_that_a_serializable_reader_would_have_found_conflicts(people: Table) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')")
    with slow(people, "DELETE FROM {t} WHERE name = 'ALPHA' AND paused(id)") as outcome:
        people.insert("9, 'aLpHa'")

    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        outcome.result()
    assert sorted(people.column("SELECT id FROM {t} WHERE name = 'alpha'")) == [0, 9]
