# SPDX-License-Identifier: Apache-2.0
"""dbt-spark: an incremental model that merges rows without a collation into a collated column."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from delta_collations import bundled_jar
from delta_collations._spark_conf import spark_defaults
from support.processes import python_environment, run_in_new_process
from support.servers import CATALOG, EXTENSIONS

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("dbt.adapters.spark")

FILES = {
    "dbt_project.yml": """
        name: people
        version: '1.0'
        profile: people
        models:
          people:
            +file_format: delta
    """,
    "profiles.yml": """
        people:
          target: local
          outputs:
            local:
              type: spark
              method: session
              host: none
              schema: default
    """,
    "models/people.sql": """
        {{ config(materialized='incremental', incremental_strategy='merge', unique_key='name') }}
        SELECT {% if is_incremental() %} 'BOB' AS name, 2 AS id
        {% else %} 'Bob' COLLATE UNICODE_CI AS name, 1 AS id {% endif %}
    """,
    "models/checked.sql": """
        {{ config(materialized='table', contract={'enforced': true}) }}
        SELECT name, id FROM {{ ref('people') }}
    """,
    "models/schema.yml": """
        models:
          - name: checked
            columns:
              - {name: name, data_type: string collate UNICODE_CI}
              - {name: id, data_type: int}
    """,
}

QUERY = """
    from delta_collations import configure_spark_with_collations
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").enableHiveSupport()
    spark = configure_spark_with_collations(builder).getOrCreate()
    for table in ("people", "checked"):
        print(spark.table(table).schema["name"].dataType.simpleString())
        print(*map(tuple, spark.sql(f"SELECT * FROM {table} WHERE name = 'bob'").collect()))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project, and the settings of the session that dbt starts."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(line[8:] for line in text.splitlines()))
    conf = tmp_path / "conf"
    conf.mkdir()
    settings = {
        **spark_defaults(),
        "spark.master": "local[2]",
        "spark.jars": f"{spark_defaults()['spark.jars']},{bundled_jar()}",
        "spark.sql.extensions": EXTENSIONS,
        "spark.sql.catalog.spark_catalog": CATALOG,
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    lines = "".join(f"{key} {value}\n" for key, value in settings.items())
    (conf / "spark-defaults.conf").write_text(lines)
    monkeypatch.setenv("SPARK_CONF_DIR", str(conf))
    # The embedded metastore of Derby is created in the current directory.
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_dbt(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "run", "--profiles-dir", str(project)],
        cwd=project,
        env={**python_environment(), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_second_run_merges_by_collation_and_contract_accepts_collated_type(project: Path) -> None:
    run_dbt(project)
    run_dbt(project)

    environment = {"SPARK_CONF_DIR": os.environ["SPARK_CONF_DIR"]}
    assert run_in_new_process(QUERY, **environment).splitlines() == [
        "string collate UNICODE_CI",
        "('BOB', 2)",
        "string collate UNICODE_CI",
        "('BOB', 2)",
    ]
