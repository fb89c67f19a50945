# SPDX-License-Identifier: Apache-2.0
"""Stateful operators find the state of a collated key, and return what a batch query returns."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812
from support.random_strings import SEED
from support.stateful_streams import Source, canonical, counted, latest
from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, Row, SparkSession

STATE_STORES = ["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"]
SETTING = "spark.deltaCollations.streaming.enabled"
REFUSED = "STATE_STORE_UNSUPPORTED_OPERATION_BINARY_INEQUALITY"


@pytest.fixture
def source(spark: SparkSession, tmp_path: Path) -> Source:
    """Return an empty table."""
    return Source(spark, tmp_path, random.Random(SEED))  # noqa: S311


@pytest.fixture
def state_store(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[None]:
    """Use each of Spark's state stores for one half of a table of shapes."""
    position = request.node.callspec.indices["shape"]
    provider = f"org.apache.spark.sql.execution.streaming.state.{STATE_STORES[position % 2]}"
    with setting(spark, "spark.sql.streaming.stateStore.providerClass", provider):
        yield


def columns(*keys: str) -> list[Column]:
    return [F.expr(key).alias(f"k{number}") for number, key in enumerate(keys)]


KEYS = {
    "column": ("name",),
    "several columns": ("name", "id % 3", "other"),
    "struct": ("s",),
    "struct field": ("s.f",),
    "array": ("a",),
    "expression": ("concat(name, '-')",),
}


@pytest.mark.usefixtures("state_store")
@pytest.mark.parametrize("shape", KEYS)
def test_group_by_collated_key_returns_groups_of_batch(source: Source, shape: str) -> None:
    keys = KEYS[shape]

    def query(rows: DataFrame) -> DataFrame:
        return rows.groupBy(*columns(*keys)).agg(F.count("*"), F.max("id"), F.sum("id"))

    batches = source.run_in_steps(query, "update")
    expected = query(source.batch()).collect()
    assert counted(latest(batches, len(keys))) == counted(expected)
    assert len(expected) < len(source.rows)


def test_group_by_shows_first_spelling_of_group(source: Source) -> None:
    for names in (["Bob", "zoe"], ["BOB", "Zoe"], ["bob", "Ж"]):
        source.add_rows([{"name": name} for name in names])
    batches = source.run(lambda rows: rows.groupBy("name").count(), "complete")
    assert sorted(map(tuple, batches[-1])) == [("Bob", 3), ("zoe", 2), ("Ж", 1)]


@pytest.mark.usefixtures("state_store")
@pytest.mark.parametrize("shape", [("name",), ("name", "other"), ("s",), ("a",)], ids=str)
def test_drop_duplicates_by_collated_key_returns_first_row(
    source: Source, shape: tuple[str, ...]
) -> None:
    keys = list(shape)
    batches = source.run_in_steps(lambda rows: rows.dropDuplicates(keys), "append")
    rows = [row for batch in batches for row in batch]
    seen: dict[Any, int] = {}
    for row in source.batch().orderBy("id").collect():
        seen.setdefault(canonical([row[key] for key in keys]), row.id)
    assert {canonical([row[key] for key in keys]): row.id for row in rows} == seen
    assert len(rows) == len(seen) < len(source.rows)


def test_distinct_of_collated_column_returns_values_of_batch(source: Source) -> None:
    batches = source.run_in_steps(lambda rows: rows.select("name").distinct(), "update")
    expected = source.batch().select("name").distinct().collect()
    assert counted(latest(batches, 1)) == counted(expected)


def test_drop_duplicates_within_watermark_by_collated_key(source: Source) -> None:
    def query(rows: DataFrame) -> DataFrame:
        return rows.withWatermark("ts", "1 day").dropDuplicatesWithinWatermark(["name"])

    rows = [row for batch in source.run_in_steps(query, "append") for row in batch]
    expected = {canonical(row.name) for row in source.batch().select("name").collect()}
    assert counted([(row.name,) for row in rows]) == dict.fromkeys({(n,) for n in expected}, 1)


WATERMARK: dict[str, Callable[[DataFrame], DataFrame]] = {
    "window": lambda rows: rows.groupBy(F.window("ts", "1 minute"), "name").agg(
        F.count("*"), F.max("id")
    ),
    "several keys": lambda rows: rows.groupBy("name", F.window("ts", "1 minute"), "s").count(),
    "session window": lambda rows: rows.groupBy(
        F.session_window("ts", "30 seconds"), "name"
    ).count(),
    "deduplication with event time": lambda rows: rows.dropDuplicates(["name", "ts"]).select(
        "name", "ts"
    ),
}


@pytest.mark.usefixtures("state_store")
@pytest.mark.parametrize("shape", WATERMARK)
def test_watermark_closes_groups_as_for_plain_keys(source: Source, shape: str) -> None:
    def query(rows: DataFrame) -> DataFrame:
        return WATERMARK[shape](rows.withWatermark("ts", "20 seconds"))

    appended: tuple[list[Row], list[Row]] = ([], [])
    for _ in range(3):
        source.add(late_seconds=60)
        source.add(late_seconds=60)
        for is_canonical, rows in enumerate(appended):
            checkpoint = f"checkpoint-{is_canonical}"
            batches = source.run(query, "append", checkpoint, is_canonical=bool(is_canonical))
            rows += [row for batch in batches for row in batch]
    assert appended[0]
    assert counted(appended[0]) == counted(appended[1])


NEAR = "r.ts BETWEEN l.ts - INTERVAL 1 DAY AND l.ts + INTERVAL 1 DAY"
JOINS = {
    "inner": "l.name = r.name",
    "left_outer": f"l.name = r.name AND {NEAR}",
    "left_semi": f"l.name = r.name AND {NEAR}",
    "inner by struct": "l.s = r.s",
    "inner by expression": "concat(l.name, '-') = concat(r.name, '-')",
}


@pytest.mark.parametrize("join", JOINS)
def test_streams_join_by_collated_key(source: Source, join: str, tmp_path: Path) -> None:
    other = Source(source.spark, tmp_path / "other", random.Random(SEED + 1))  # noqa: S311

    def joined(left: DataFrame, right: DataFrame) -> DataFrame:
        left, right = (each.withWatermark("ts", "1 minute") for each in (left, right))
        condition = F.expr(JOINS[join])
        return left.alias("l").join(right.alias("r"), condition, join.split(" ", maxsplit=1)[0])

    def query(rows: DataFrame) -> DataFrame:
        frame = joined(rows, other.stream() if rows.isStreaming else other.batch())
        return frame.select("l.id") if join == "left_semi" else frame.select("l.id", "r.id")

    batches = []
    for _ in range(3):
        source.add()
        other.add()
        batches += source.run(query, "append")
    found = counted([row for batch in batches for row in batch])
    expected = counted(query(source.batch()).collect())
    assert found <= expected
    # Rows without a match are returned when the watermark has passed, a day later.
    matched = {row: n for row, n in expected.items() if None not in row}
    assert {row: n for row, n in found.items() if None not in row} == matched


def key_versions(source: Source, checkpoint: str = "checkpoint") -> Path:
    return source.folder / checkpoint / "state" / "0" / "_metadata" / "collation-keys.json"


STATEFUL = {
    "aggregation": lambda rows: rows.groupBy("name").count(),
    "distinct": lambda rows: rows.select("name").distinct(),
    "deduplication": lambda rows: rows.dropDuplicates(["name"]),
    "deduplication within watermark": lambda rows: rows.withWatermark(
        "ts", "1 day"
    ).dropDuplicatesWithinWatermark(["name"]),
    "session window": lambda rows: (
        rows.withWatermark("ts", "1 day")
        .groupBy(F.session_window("ts", "1 minute"), "name")
        .count()
    ),
    "join": lambda rows: (
        rows.alias("l").join(rows.alias("r"), F.expr("l.name = r.name")).select("l.id")
    ),
}


@pytest.mark.parametrize("operator", STATEFUL)
def test_stream_stops_when_version_of_keys_differs(
    source: Source, operator: str, version: str
) -> None:
    query = STATEFUL[operator]
    mode = "update" if operator in {"aggregation", "distinct"} else "append"
    source.add()
    source.run(query, mode)
    recorded = json.loads(key_versions(source).read_text())
    assert list(recorded) == ["icu.UNICODE_CI"]
    assert recorded["icu.UNICODE_CI"]["icuVersion"] == version

    # Another version of ICU whose keys have the same bytes.
    recorded["icu.UNICODE_CI"]["icuVersion"] = "1.2"
    replace(key_versions(source), recorded)
    source.add()
    source.run(query, mode)

    recorded["icu.UNICODE_CI"]["keyVersion"] = "collator 1.2.3.4"
    replace(key_versions(source), recorded)
    source.add()
    with pytest.raises(
        StreamingQueryException, match="COLLATIONS_STREAM_STATE_OF_OTHER_VERSION"
    ) as e:
        source.run(query, mode)
    assert "keys of icu.UNICODE_CI.1.2, and" in str(e.value)
    assert f"those of icu.UNICODE_CI.{version}." in str(e.value)


def replace(path: Path, content: Any) -> None:  # noqa: ANN401
    path.write_text(json.dumps(content))
    # Hadoop's checksum of the old content.
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def test_stream_stops_when_collation_of_key_changed(source: Source) -> None:
    source.add()
    source.run(lambda rows: rows.dropDuplicates(["name"]), "append")
    source.collation = "UNICODE_CI_AI"
    source.add()
    with pytest.raises(StreamingQueryException, match="COLLATIONS_STREAM_STATE_OF_OTHER_VERSION"):
        source.run(lambda rows: rows.dropDuplicates(["name"]), "append")


def test_checkpoint_without_key_versions_continues_and_gets_them(source: Source) -> None:
    def query(rows: DataFrame) -> DataFrame:
        return rows.alias("l").join(rows.alias("r"), F.expr("l.name = r.name")).select("l.id")

    source.add()
    with setting(source.spark, SETTING, "false"):
        source.run(query, "append")
    assert not key_versions(source).exists()
    source.add()
    source.run(query, "append")
    assert key_versions(source).exists()


def test_spark_rejects_collated_keys_when_setting_is_disabled(source: Source) -> None:
    source.add()
    with (
        setting(source.spark, SETTING, "false"),
        pytest.raises(StreamingQueryException, match=REFUSED),
    ):
        source.run(lambda rows: rows.dropDuplicates(["name"]), "append")


def test_spark_rejects_collation_whose_keys_disagree_with_comparator(source: Source) -> None:
    source.add()
    with pytest.raises(StreamingQueryException, match=REFUSED):
        source.run(
            lambda rows: rows.selectExpr("name COLLATE UNICODE_AI AS n").dropDuplicates(), "append"
        )


def test_function_with_state_is_rejected_before_the_stream_starts(source: Source) -> None:
    def count(key: Any, groups: Any, state: Any) -> Any:  # noqa: ANN401
        del key, groups, state
        return []

    with pytest.raises(AnalysisException, match="COLLATIONS_UNSUPPORTED_STATEFUL_FUNCTION"):
        source.stream().groupBy("name").applyInPandasWithState(
            count, "name STRING", "n INT", "update", "NoTimeout"
        )
    source.stream().groupBy("id").applyInPandasWithState(
        count, "name STRING", "n INT", "update", "NoTimeout"
    )


def test_plain_keys_have_no_recorded_version(source: Source) -> None:
    source.add()
    source.run(lambda rows: rows.dropDuplicates(["id"]), "append")
    assert not key_versions(source).exists()
