# SPDX-License-Identifier: Apache-2.0
"""The bounds of a snapshot are cached with Delta's own statistics, once a filter needs them."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import pytest
from support.scans import scan
from support.tables import Table, clear_log_cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

BOUNDS = "deltaCollationsBounds"


@pytest.fixture
def names(spark: SparkSession, tmp_path: Path) -> Iterator[Table]:
    """Return a table of three files with collated columns, of which one is in a struct."""
    table = Table(spark, tmp_path / "names")
    table.create(
        "id INT, plain STRING, name STRING COLLATE UNICODE_CI, lower STRING COLLATE UTF8_LCASE, "
        "home STRUCT<city: STRING COLLATE UNICODE_CI, street: STRING>",
        **{"delta.columnMapping.mode": "name"},
    )
    for number, name in enumerate(("Alpha", "beta", "Gamma")):
        table.insert(f"{number}, '{name}', '{name}', '{name}', struct('{name}', '{name}')")
    clear_log_cache(table)
    yield table
    clear_log_cache(table)


def snapshot(table: Table) -> Any:  # noqa: ANN401
    """Return Delta's current snapshot of a table."""
    jvm, session = table.spark._jvm, table.spark._jsparkSession  # noqa: SLF001
    assert jvm is not None
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, str(table.path))
    return log.unsafeVolatileSnapshot()


def cached_fields(table: Table) -> list[str]:
    """Return the names of the cached bounds of the current snapshot."""
    schema = snapshot(table).withStats().schema()
    if BOUNDS not in list(schema.fieldNames()):
        return []
    return list(schema.apply(BOUNDS).dataType().fieldNames())


def cached_states(table: Table) -> list[str]:
    """Return the names of the cached RDDs with parsed statistics of a table."""
    rdds = table.spark._jsc.sc().getPersistentRDDs().values().toSeq()  # noqa: SLF001
    names = [rdds.apply(place).name() or "" for place in range(rdds.size())]
    return [name for name in names if "with Stats" in name and str(table.path) in name]


def found(table: Table, predicate: str) -> tuple[list[int], int]:
    """Return the ids that a query finds, and the number of files that bounds skip."""
    result = scan(table, f"SELECT id FROM {{t}} WHERE {predicate}")
    return [row[0] for row in result.rows], result.by_collated


@pytest.mark.parametrize("predicate", ["id = 1", "plain = 'beta'", "length(name) = 4"])
def test_nothing_is_cached_without_filter_on_collated_column(names: Table, predicate: str) -> None:
    assert names.column(f"SELECT id FROM {{t}} WHERE {predicate}") == [1]

    assert cached_fields(names) == []
    assert len(cached_states(names)) == 1


def test_bounds_are_cached_once_for_all_collated_columns(names: Table) -> None:
    assert found(names, "name = 'BETA'") == ([1], 2)
    fields = cached_fields(names)
    assert found(names, "lower = 'BETA'") == ([1], 2)
    assert found(names, "home.city > 'BETA'") == ([2], 2)

    assert cached_fields(names) == fields
    assert len(cached_states(names)) == 1
    # The current and a coarser collation of two columns, and UTF8_LCASE.
    assert len(fields) == 5
    collations = {field.split(" ")[1].rsplit(".", 2)[0] for field in fields}
    assert collations == {"icu.UNICODE_CI", "icu.UNICODE_CI_AI", "spark.UTF8_LCASE"}


def test_bounds_replace_cache_without_bounds(names: Table) -> None:
    assert names.column("SELECT id FROM {t} WHERE plain = 'beta'") == [1]
    [before] = cached_states(names)

    assert found(names, "name = 'BETA'") == ([1], 2)

    [after] = cached_states(names)
    assert "Bounds" in after
    assert "Bounds" not in before
    assert names.column("SELECT id FROM {t} WHERE plain = 'beta'") == [1]
    assert cached_states(names) == [after]


def test_bounds_in_other_collations_are_added_when_filter_needs_them(names: Table) -> None:
    assert found(names, "name = 'BETA'") == ([1], 2)
    before = cached_fields(names)

    assert found(names, "name COLLATE UTF8_BINARY = 'beta'") == ([1], 2)
    assert found(names, "home.city COLLATE UTF8_BINARY < 'Gamma'") == ([0], 2)

    fields = cached_fields(names)
    assert len(cached_states(names)) == 1
    assert set(before) < set(fields)
    assert len(fields) == len(before) + 2


def test_another_session_uses_cache(names: Table) -> None:
    assert found(names, "name = 'BETA'") == ([1], 2)
    states = cached_states(names)

    other = Table(names.spark.newSession(), names.path)

    assert found(other, "name = 'GAMMA'") == ([2], 2)
    assert found(names, "name = 'ALPHA'") == ([0], 2)
    assert cached_states(names) == states


@pytest.mark.parametrize("first", ["name = 'BETA'", "plain = 'beta'"])
def test_cache_is_released_with_snapshot(names: Table, first: str) -> None:
    assert found(names, first)[0] == [1]
    assert found(names, "name = 'BETA'") == ([1], 2)
    version = snapshot(names).version()
    assert any(f"#{version} " in name for name in cached_states(names))

    names.insert("3, 'delta', 'delta', 'delta', struct('delta', 'delta')")

    assert found(names, "name = 'DELTA'") == ([3], 3)
    assert not any(f"#{version} " in name for name in cached_states(names))
    assert len(cached_states(names)) == 1


def test_snapshot_with_bounds_is_garbage_collected(names: Table) -> None:
    jvm = names.spark._jvm  # noqa: SLF001
    assert jvm is not None
    assert names.column("SELECT id FROM {t} WHERE plain = 'beta'") == [1]
    assert found(names, "name = 'BETA'") == ([1], 2)
    reference = jvm.java.lang.ref.WeakReference(snapshot(names))
    assert reference.get() is not None

    names.insert("3, 'delta', 'delta', 'delta', struct('delta', 'delta')")
    clear_log_cache(names)
    names.spark.sql("SELECT 1").collect()

    for _ in range(20):
        gc.collect()
        jvm.System.gc()
        if reference.get() is None:
            break
        time.sleep(0.5)
    assert reference.get() is None
