# SPDX-License-Identifier: Apache-2.0
"""A table with collated columns, written once and copied for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.scans import copy_table
from support.tables import Table
from support.write_operations import create_people

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def people_template(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Return a table that tests must not change."""
    return create_people(Table(spark, tmp_path_factory.mktemp("people") / "table"))


@pytest.fixture
def people(people_template: Table, tmp_path: Path) -> Table:
    """Return a table with deletion vectors, two files and two collated columns, one nested."""
    return copy_table(people_template, tmp_path / "table")
