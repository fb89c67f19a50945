# SPDX-License-Identifier: Apache-2.0
"""Concurrent writers list their versions in the domain ``collations``, and lose none."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from pyspark.sql.functions import udf
from support.platforms import ICU as CURRENT_ICU
from support.processes import run_in_background
from support.tables import Table
from support.write_versions import (
    COLLATED,
    LISTED_VERSIONS,
    REMOVAL,
    append_commit,
    current_domain,
    domain_action,
    domains_in_commit,
    listed_versions,
)


@contextmanager
def slow_writer(
    table: Table,
    rows: str = "SELECT 'slow' AS name",
    mode: str = "append",
    **options: bool,
) -> Iterator[None]:
    """Have a writer read the table, and commit only after all that happens meanwhile."""
    started, go = table.path.parent / "started", table.path.parent / "go"

    def pause(name: str) -> str:
        started.touch()
        while not go.exists():
            time.sleep(0.05)
        return name

    # A function that says its types is none that PySpark takes.
    paused = udf(lambda name: pause(name), "string")  # noqa: PLW0108
    written = table.sql(rows).select(paused("name").alias("name"))
    write = written.write.format("delta").mode(mode).options(**options)
    with run_in_background(lambda: write.save(str(table.path)), started, go) as writing:
        yield
    writing.result()


def test_two_appends_at_the_same_time_to_a_listed_table_both_succeed(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")
    with slow_writer(table):
        table.insert("'fast'")

    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "fast", "slow"]
    assert listed_versions(table) == [LISTED_VERSIONS]


def test_two_first_writers_at_the_same_time_both_succeed(table: Table) -> None:
    table.create(COLLATED)
    with slow_writer(table):
        table.insert("'fast'")

    assert sorted(table.column("SELECT name FROM {t}")) == ["fast", "slow"]
    assert domains_in_commit(table, 1) == ["collations"]
    assert current_domain(table) == json.dumps(
        {"writeVersions": LISTED_VERSIONS}, separators=(",", ":")
    )


def test_a_first_writer_keeps_what_another_engine_lists_at_the_same_time(
    table: Table,
) -> None:
    table.create(COLLATED)
    with slow_writer(table):
        append_commit(
            table, domain_action({"writeVersions": {"icu.UNICODE_CI": ["75.1"]}, "by": "acme"})
        )
        append_commit(
            table,
            domain_action({"writeVersions": {"icu.UNICODE_CI": ["75.1"], "acme.X": ["1"]}}),
        )

    assert table.column("SELECT name FROM {t}") == ["slow"]
    assert listed_versions(table)[-1] == {"acme.X": ["1"], "icu.UNICODE_CI": ["75.1", CURRENT_ICU]}


def test_a_first_writer_is_not_stopped_by_a_removal_at_the_same_time(
    table: Table,
) -> None:
    table.create(COLLATED)
    append_commit(table, domain_action({"writeVersions": {"icu.UNICODE_CI": ["75.1"]}}))
    with slow_writer(table):
        append_commit(
            table, domain_action({"writeVersions": {"icu.UNICODE_CI": ["75.1"]}}, removed=True)
        )

    assert table.column("SELECT name FROM {t}") == ["slow"]
    assert CURRENT_ICU in listed_versions(table)[-1]["icu.UNICODE_CI"]


def test_a_rewrite_that_lists_a_version_does_not_get_in_the_way_of_an_append(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")
    append_commit(table, REMOVAL)
    # As OPTIMIZE does, this rewrites what it read and changes no data.
    with slow_writer(table, "SELECT 'Bob' AS name FROM {t}", "overwrite", dataChange=False):
        table.sql("INSERT INTO {t} SELECT concat(name, '!') FROM {t}")

    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "Bob!"]
    assert listed_versions(table)[-2:] == [LISTED_VERSIONS, LISTED_VERSIONS]


def test_many_first_writers_lose_nothing(table: Table) -> None:
    table.create(f"{COLLATED}, nick STRING COLLATE UTF8_LCASE")
    with ThreadPoolExecutor(4) as pool:
        writes = [
            pool.submit(table.insert, f"'n{n}', NULL" if n % 2 else f"NULL, 'n{n}'")
            for n in range(8)
        ]
        for write in writes:
            write.result()

    rows = table.rows("SELECT name, nick FROM {t}")
    assert sorted(name or nick for name, nick in rows) == [f"n{n}" for n in range(8)]
    assert listed_versions(table)[-1] == LISTED_VERSIONS | {"spark.UTF8_LCASE": [CURRENT_ICU]}
