# SPDX-License-Identifier: Apache-2.0
"""Executors in JVMs of their own answer as stock Spark does; ``trust/executors.py`` is longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from toolbox import setting
from trust.executors import CLUSTER, KRYO, STOCK, Trial, run

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.processes


def test_executors_that_get_everything_by_kryo_answer_as_stock_spark_in_one_jvm_does(
    spark: SparkSession, tmp_path: Path
) -> None:
    stock = Trial(spark, str(tmp_path / "table"), is_short=True)
    [speed, skipping] = STOCK.items()
    with setting(spark, *speed), setting(spark, *skipping):
        stock.run()

    [apart] = run(CLUSTER, KRYO, {"Kryo": {}}, is_short=True)

    for label, rows in stock.answers.items():
        assert apart["answers"][label] == rows, label
        assert rows, label
    assert apart["executors"] == 2
    assert (stock.pruned, apart["pruned"] > 0) == (0, True)
