# SPDX-License-Identifier: Apache-2.0
"""Tables for the tests of Delta's Kernel-based connector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import kernel_connector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def kernel_tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of tables that tests must not change."""
    folder = tmp_path_factory.mktemp("kernel")
    kernel_connector.create_tables(spark, folder)
    yield folder
    kernel_connector.drop_tables(spark)
