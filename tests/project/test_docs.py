# SPDX-License-Identifier: Apache-2.0
"""Generated pages are up to date, and SQL statements in pages run."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.platforms import IS_OLDER
from support.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGES = [
    page for page in sorted((ROOT / "docs").glob("*.md")) if "```sql" in page.read_text("utf-8")
]


def test_generated_pages_are_up_to_date_and_notebook_runs() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    # The notebook contains the ICU version of the newest Spark, so it differs on other platforms.
    assert ("Out of date, run docs/generate.py: tour.ipynb\n" in done.stderr) == IS_OLDER, (
        done.stderr
    )
    assert done.returncode == int(IS_OLDER), done.stderr[-2000:]


def test_readme_has_at_most_200_lines() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 200


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sql_statements_of_page_run(spark: SparkSession, page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sql\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    statements = [
        statement
        for block in blocks
        for statement in re.sub(r"--.*", "", block).split(";")
        if statement.strip()
    ]
    if not any("CREATE TABLE people" in statement for statement in statements):
        statements.insert(0, "CREATE TABLE people (name STRING COLLATE UNICODE_CI_AI) USING delta")
    try:
        for statement in statements:
            for each in re.split(r"\n(?=SELECT|DELETE|ANALYZE)", statement.strip()):
                spark.sql(each.replace("USING delta", f"USING delta LOCATION '{tmp_path}/t'"))
    finally:
        spark.sql("DROP TABLE IF EXISTS people")
