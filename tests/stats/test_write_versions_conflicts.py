# SPDX-License-Identifier: Apache-2.0
"""Concurrent writers lose no version that the metadata domain ``collations`` lists."""

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
    """Start a writer that commits only after the block has finished."""
    started, go = table.path.parent / "started", table.path.parent / "go"

    def pause(name: str) -> str:
        started.touch()
        while not go.exists():
            time.sleep(0.05)
        return name

    # PySpark cannot infer the kind of UDF from these annotations; a lambda has none.
    paused = udf(lambda name: pause(name), "string")  # noqa: PLW0108
    written = table.sql(rows).select(paused("name").alias("name"))
    write = written.write.format("delta").mode(mode).options(**options)
    with run_in_background(lambda: write.save(str(table.path)), started, go) as writing:
        yield
    writing.result()


def test_write_versions_allow_concurrent_appends(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")
    with slow_writer(table):
        table.insert("'fast'")

    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "fast", "slow"]
    assert listed_versions(table) == [LISTED_VERSIONS]


def test_write_versions_allow_concurrent_first_writes(table: Table) -> None:
    table.create(COLLATED)
    with slow_writer(table):
        table.insert("'fast'")

    assert sorted(table.column("SELECT name FROM {t}")) == ["fast", "slow"]
    assert domains_in_commit(table, 1) == ["collations"]
    assert current_domain(table) == json.dumps(
        {"writeVersions": LISTED_VERSIONS}, separators=(",", ":")
    )


def test_write_versions_of_concurrent_engine_kept_by_first_write(
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


def test_write_versions_listed_when_domain_is_removed_concurrently(
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


def test_write_versions_listed_by_rewrite_allow_concurrent_append(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")
    append_commit(table, REMOVAL)
    # Like OPTIMIZE, this rewrites the rows that it read without changing data.
    with slow_writer(table, "SELECT 'Bob' AS name FROM {t}", "overwrite", dataChange=False):
        table.sql("INSERT INTO {t} SELECT concat(name, '!') FROM {t}")

    assert sorted(table.column("SELECT name FROM {t}")) == ["Bob", "Bob!"]
    assert listed_versions(table)[-2:] == [LISTED_VERSIONS, LISTED_VERSIONS]


def test_write_versions_survive_many_concurrent_first_writes(table: Table) -> None:
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
