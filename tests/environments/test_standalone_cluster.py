# SPDX-License-Identifier: Apache-2.0
"""A standalone cluster: a master, two workers, and an application that runs on both."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from support.processes import run_in_new_process
from support.servers import SPARK_HOME, free_port, wait_for_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPLICATION = """
    import sys
    from delta_collations import CollatedTable, configure_spark_with_collations
    from pyspark.sql import SparkSession

    master, path = sys.argv[1:]
    builder = (
        SparkSession.builder.master(master)
        .config("spark.executor.memory", "512m")
        .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .config("spark.sql.warehouse.dir", path)
    )
    spark = configure_spark_with_collations(builder).getOrCreate()
    hosts = spark.sparkContext.range(4, numSlices=4).map(
        lambda _: __import__("os").environ["SPARK_EXECUTOR_DIRS"]
    )
    print(len(set(hosts.collect())))
    spark.sql("CREATE TABLE people (id INT, name STRING COLLATE UNICODE_CI) USING delta")
    spark.range(1000).selectExpr("id", "concat(if(id < 500, 'Bob', 'BOB'), id % 10)").repartition(
        4
    ).write.insertInto("people")
    spark.sql(
        "MERGE INTO people USING (SELECT 'bOB0' AS name) s ON people.name = s.name "
        "WHEN MATCHED THEN UPDATE SET name = 'Zoë'"
    )
    spark.sql("OPTIMIZE people")
    print(spark.table("people").groupBy("name").count().count())
    print(spark.sql("SELECT count(*) FROM people WHERE name = 'ZOË'").first()[0])
    print(spark.sql("SELECT name FROM people ORDER BY name DESC, id").first()[0])
    print(*(row.status for row in CollatedTable.forName(spark, "people").status().collect()))
"""


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """Start a master and two workers, and return the URL of the master."""
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME), "SPARK_NO_DAEMONIZE": "1"}
    address = ["--host", "127.0.0.1", "--webui-port", "0"]
    worker = ["worker.Worker", *address, "--cores", "1", "--memory", "1g"]
    commands = [
        ["master.Master", *address, "--port", str(port)],
        *([*worker, "--work-dir", str(tmp_path / name), url] for name in ("one", "two")),
    ]
    with ExitStack() as stack:
        for number, (name, *arguments) in enumerate(commands):
            log = stack.enter_context((tmp_path / f"{number}.log").open("w"))
            process = subprocess.Popen(
                [SPARK_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments],
                env=environment,
                stdout=log,
                stderr=log,
            )
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
            if not number:
                wait_for_port(port, process, tmp_path / "0.log")
        yield url


def test_application_uses_both_workers_and_compares_by_collation(
    master: str, tmp_path: Path
) -> None:
    output = run_in_new_process(APPLICATION, master, tmp_path / "warehouse")

    assert output.splitlines() == ["2", "10", "100", "Zoë", "healthy"]
