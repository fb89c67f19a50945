# SPDX-License-Identifier: Apache-2.0
"""A read-only table for the tests of data skipping, and a copy that tests may change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.scans import copy_table
from support.skipping_table import NAMES, write_files
from support.tables import Table

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def shared(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table that tests must not change."""
    table = Table(spark, tmp_path_factory.mktemp("shared") / "people")
    table.create(
        "file STRING, name STRING COLLATE UTF8_LCASE, ci STRING COLLATE UNICODE_CI, "
        "trim STRING COLLATE UTF8_BINARY_RTRIM, vague STRING COLLATE UNICODE_AI, plain STRING, "
        "home STRUCT<city: STRING COLLATE UNICODE_CI, "
        "owner: STRUCT<name: STRING COLLATE UTF8_LCASE>>",
        **{"delta.enableDeletionVectors": "true"},
    )
    return write_files(
        table,
        "file STRING, name STRING, ci STRING, trim STRING, vague STRING, plain STRING, "
        "home STRUCT<city: STRING, owner: STRUCT<name: STRING>>",
        [[(key, *[name] * 5, (name, (name,))) for name in names] for key, names in NAMES.items()],
    )


@pytest.fixture
def people(shared: Table, tmp_path: Path) -> Table:
    """Return a copy of ``shared`` that a test may change."""
    return copy_table(shared, tmp_path / "people")
