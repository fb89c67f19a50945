# SPDX-License-Identifier: Apache-2.0
"""Executors in separate JVMs match stock Spark; ``./dev bench executors`` is longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robustness.harness.executors import KRYO, SMALL_CLUSTER, STOCK, WAIT_FOR_EXECUTORS, Trial, run
from support.tables import setting

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_executor_with_kryo_returns_same_results_as_stock_spark(
    spark: SparkSession, tmp_path: Path
) -> None:
    stock = Trial(spark, str(tmp_path / "table"), is_short=True)
    [speed, skipping] = STOCK.items()
    with setting(spark, *speed), setting(spark, *skipping):
        stock.run()

    settings = KRYO | WAIT_FOR_EXECUTORS | {"spark.cores.max": "1"}
    [executor] = run(SMALL_CLUSTER, settings, {"Kryo": {}}, is_short=True)

    for label, rows in stock.results.items():
        assert executor["results"][label] == rows, label
        assert rows, label
    assert executor["executors"] == 1
    assert (stock.pruned, executor["pruned"] > 0) == (0, True)
