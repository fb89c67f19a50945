# SPDX-License-Identifier: Apache-2.0
"""A transaction conflicts only with changes of files that it read, not of skipped files."""

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

SKIPPING_ENABLED = "spark.deltaCollations.skipping.enabled"


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table with one file for each of three names."""
    table.create("id INT, name STRING COLLATE UNICODE_CI")
    for number, name in enumerate(("alpha", "Mike", "Zeta")):
        table.insert(f"{number}, '{name}'")
    return table


LAST_ID = 2


@contextmanager
def slow_statement(table: Table, statement: str) -> Iterator[Future[DataFrame]]:
    """Start ``statement`` and let it commit only after the block has finished.

    It must call ``paused(id)``, which waits for the end of the block and returns true.
    """
    started, go = table.path.parent / "started", table.path.parent / "go"

    def pause(number: int) -> bool:
        started.touch()
        # Do not wait on the last file, so that a core is free for the statements of the block.
        while number < LAST_ID and not go.exists():
            time.sleep(0.05)
        return True

    # PySpark cannot infer the kind of UDF from these annotations; a lambda has none.
    table.spark.udf.register("paused", udf(lambda number: pause(number), "boolean"))  # noqa: PLW0108
    with run_in_background(lambda: table.sql(statement), started, go) as outcome:
        yield outcome


def delete_both(people: Table, first: str, second: str) -> None:
    """Delete by ``first`` and, before that delete commits, by ``second``."""
    with slow_statement(people, f"DELETE FROM {{t}} WHERE {first} AND paused(id)") as outcome:
        people.sql(f"DELETE FROM {{t}} WHERE {second}")
    outcome.result()


def test_deletes_of_different_files_both_commit(people: Table) -> None:
    delete_both(people, "name = 'ALPHA'", "name = 'zeta'")

    assert people.column("SELECT name FROM {t}") == ["Mike"]


def test_deletes_of_same_key_in_two_spellings_conflict(people: Table) -> None:
    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        delete_both(people, "name = 'ALPHA'", "name = 'Alpha'")

    assert sorted(people.column("SELECT name FROM {t}")) == ["Mike", "Zeta"]


def test_delete_conflicts_with_change_in_range_it_read(people: Table) -> None:
    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        delete_both(people, "name >= 'MIKE'", "name = 'zeta'")

    assert sorted(people.column("SELECT name FROM {t}")) == ["Mike", "alpha"]


def test_deletes_conflict_when_skipping_is_disabled(people: Table) -> None:
    with (
        setting(people.spark, SKIPPING_ENABLED, "false"),
        pytest.raises(Exception, match="DELTA_CONCURRENT"),
    ):
        delete_both(people, "name = 'ALPHA'", "name = 'zeta'")


def test_delete_conflicts_with_matching_append_when_serializable(people: Table) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')")
    with slow_statement(people, "DELETE FROM {t} WHERE name = 'ALPHA' AND paused(id)") as outcome:
        people.insert("9, 'aLpHa'")

    with pytest.raises(Exception, match="DELTA_CONCURRENT"):
        outcome.result()
    assert sorted(people.column("SELECT id FROM {t} WHERE name = 'alpha'")) == [0, 9]


@pytest.mark.parametrize(("other", "conflicts"), [("name = 'zeta'", False), ("id = 0", True)])
def test_merge_conflicts_only_with_change_of_files_with_its_keys(
    people: Table, *, other: str, conflicts: bool
) -> None:
    source = "(SELECT * FROM VALUES (0, 'ALPHA') AS v(id, name) WHERE paused(id)) AS s"
    merge = f"MERGE INTO {{t}} t USING {source} ON t.name = s.name WHEN MATCHED THEN DELETE"

    def both() -> None:
        with slow_statement(people, merge) as outcome:
            people.sql(f"DELETE FROM {{t}} WHERE {other}")
        outcome.result()

    if conflicts:
        with pytest.raises(Exception, match="DELTA_CONCURRENT"):
            both()
    else:
        both()
        assert people.column("SELECT name FROM {t}") == ["Mike"]
