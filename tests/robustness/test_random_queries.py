# SPDX-License-Identifier: Apache-2.0
"""Random queries match the same queries on integer ranks; see ``harness/random_queries.py``."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from robustness.harness import query_words
from robustness.harness.order_oracles import Node
from robustness.harness.query_answers import ERRORS
from robustness.harness.query_changes import Change
from robustness.harness.query_draws import Draws, reduced
from robustness.harness.query_tables import WORLDS
from robustness.harness.random_queries import EXPECTED_OUTCOMES, Run, run_all
from robustness.harness.sessions import compiled
from support.mixed_collations import ENABLED, analyzed
from support.tables import setting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.closed_to_other_readers

SEED = 20261117
COUNT = 60


@pytest.fixture(scope="module")
def run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return tables with two pairs of collations."""
    return Run(spark, tmp_path_factory.mktemp("queries"), SEED, WORLDS[:2])


def test_random_queries_match_key_tables(run: Run) -> None:
    print(f"seed {SEED}")  # noqa: T201
    output: list[str] = []

    tally = run_all(run, range(COUNT), output.append)

    assert not tally.findings, "\n".join(output)
    assert tally.outcomes["refused"] <= COUNT * 5 // 100
    assert tally.outcomes["same"] >= COUNT * 9 // 10


def test_random_queries_keep_their_plans_if_spark_accepts_them(run: Run) -> None:
    spark = run.sessions.ours
    compared = 0
    for number in range(COUNT):
        case = run.case(number)
        if isinstance(case, Change):
            continue
        with setting(spark, ENABLED, "false"):
            try:
                stock = analyzed(spark, case.ours, case.parameters)
            except ERRORS:
                continue
        assert analyzed(spark, case.ours, case.parameters) == stock, case.ours
        compared += 1

    assert compared >= COUNT * 9 // 10


def test_random_queries_detect_wrong_optimizer_rule(run: Run, tmp_path: Path) -> None:
    with wrong_rule(run.sessions.ours, compiled("ByteEquality.java", tmp_path)):
        outcomes = (run.sessions.outcome(run.case(number)) for number in range(COUNT))
        found = list(islice((each for each in outcomes if each.kind not in EXPECTED_OUTCOMES), 1))

    assert [each.kind for each in found] == ["differs, as stock Spark does"]


@contextmanager
def wrong_rule(spark: SparkSession, jar: str) -> Iterator[None]:
    """Run the block with an optimizer rule that compares collated strings by their bytes."""
    jvm: Any = spark._jvm  # noqa: SLF001
    urls = spark.sparkContext._gateway.new_array(jvm.java.net.URL, 1)  # type: ignore[union-attr]  # noqa: SLF001
    urls[0] = jvm.java.net.URL(f"file:{jar}")
    parent = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    loaded = jvm.java.net.URLClassLoader(urls, parent).loadClass(
        "org.deltacollations.robustness.ByteEquality"
    )
    rules = jvm.PythonUtils.toSeq([loaded.getDeclaredConstructor(None).newInstance(None)])
    methods = spark._jsparkSession.experimental()  # noqa: SLF001
    before = methods.extraOptimizations()
    getattr(methods, "extraOptimizations_$eq")(rules)
    try:
        yield
    finally:
        getattr(methods, "extraOptimizations_$eq")(before)


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_query_ranks_match_node(version: str) -> None:
    if f"ICU {version.partition('.')[0]}." not in Node().version():
        pytest.skip(f"Node and Spark have different ICU versions: {Node().version()}")

    for collation in query_words.COLLATIONS:
        assert query_words.by_node(collation) == query_words.ranks(collation), collation


def test_query_ranks_detect_difference_from_spark(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = query_words.ranks
    monkeypatch.setattr(
        query_words, "ranks", lambda name: {**right(name), "bob": right(name)["Zoe"]}
    )

    assert query_words.differences_from(spark)


def test_draws_are_replayed_and_reduced() -> None:
    first = Draws("a seed")
    numbers = [first.below(100) for _ in range(20)]
    replayed = Draws(first.made)

    assert [replayed.below(100) for _ in range(22)] == [*numbers, 0, 0]
    assert reduced([5, 0, 7, 9, 3], lambda made: 7 in made) == [7]
