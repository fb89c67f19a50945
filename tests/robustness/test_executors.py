# SPDX-License-Identifier: Apache-2.0
"""Executors in JVMs of their own answer as stock Spark does; ``harness/executors.py`` is longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robustness.harness.executors import KRYO, SMALL_CLUSTER, STOCK, WAITING, Trial, run
from support.tables import setting

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_an_executor_that_gets_everything_by_kryo_answers_as_stock_spark_in_one_jvm_does(
    spark: SparkSession, tmp_path: Path
) -> None:
    stock = Trial(spark, str(tmp_path / "table"), is_short=True)
    [speed, skipping] = STOCK.items()
    with setting(spark, *speed), setting(spark, *skipping):
        stock.run()

    settings = KRYO | WAITING | {"spark.cores.max": "1"}
    [apart] = run(SMALL_CLUSTER, settings, {"Kryo": {}}, is_short=True)

    for label, rows in stock.answers.items():
        assert apart["answers"][label] == rows, label
        assert rows, label
    assert apart["executors"] == 1
    assert (stock.pruned, apart["pruned"] > 0) == (0, True)
