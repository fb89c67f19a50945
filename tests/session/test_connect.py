# SPDX-License-Identifier: Apache-2.0
"""Spark Connect: a server with the extension, and a client that has only ``pyspark-client``."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest
from support import platforms
from support.processes import ROOT, python_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVER = """
    import sys, threading
    from pyspark.sql import SparkSession
    from delta_collations import configure_spark_with_collations

    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        .config("spark.connect.grpc.binding.port", sys.argv[1])
        .config("spark.sql.warehouse.dir", sys.argv[2])
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.ui.enabled", "false")
    )
    configure_spark_with_collations(builder).getOrCreate()
    print("ready", flush=True)
    threading.Event().wait()
"""

CLIENT = """
    import sys
    import pyspark
    from pathlib import Path
    from pyspark.sql import SparkSession
    from delta_collations import CollatedTable

    assert not (Path(pyspark.__file__).parent / "jars").exists()
    spark = SparkSession.builder.remote(f"sc://localhost:{sys.argv[1]}").getOrCreate()
    spark.sql("CREATE TABLE people (id INT, name STRING COLLATE UNICODE_CI) USING delta")
    for number, name in enumerate(["Ada", "bob", "Eve"]):
        spark.createDataFrame([(number, name)], "id INT, name STRING").writeTo("people").append()
    print(*(row.name for row in spark.sql("SELECT name FROM people WHERE name = 'BOB'").collect()))

    people = CollatedTable.forName(spark, "people")
    print(*(row.files for row in people.explain("name = 'BOB'").collect()))
    spark.conf.set("spark.deltaCollations.stats.enabled", "false")
    spark.sql("INSERT INTO people VALUES (9, 'ADA')")
    [row] = people.status().collect()
    print(row.status.split(":")[0], row.command)
    print(people.refresh())
    print(*(row.status for row in people.status().collect()))
    print(*(len(row["values"]) for row in people.collisions("name", "UTF8_LCASE").collect()))
    print(len(people.plot("name = 'BOB'").axes))
    try:
        CollatedTable.forName(spark, "nowhere")
    except Exception as error:
        print(error.getCondition())
"""


def python_command(script: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[int]:
    """Start a server in its own process and return its port."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port: int = free.getsockname()[1]
    with (tmp_path / "server.log").open("w") as log:
        command = python_command(SERVER, port, tmp_path / "warehouse")
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path)
        try:
            deadline = time.monotonic() + 120
            while "ready" not in (tmp_path / "server.log").read_text():
                assert process.poll() is None, (tmp_path / "server.log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.2)
            yield port
        finally:
            process.terminate()
            process.wait(60)


def test_connect_client_has_all_features_without_jvm(server: int, tmp_path: Path) -> None:
    # PySpark mistakes a script in an argument for its doctests.
    script = tmp_path / "client.py"
    script.write_text(textwrap.dedent(CLIENT), "utf-8")
    client = ROOT / ".dev" / "python" / f"client-{platforms.SPARK}"
    environment = python_environment()
    python_path = os.pathsep.join([str(client), environment["PYTHONPATH"]])
    no_java = {"JAVA_HOME": "/nowhere", "PATH": "/nowhere"}
    process = subprocess.run(
        [sys.executable, script, str(server)],
        env={**environment, **no_java, "PYTHONPATH": python_path},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    refreshed = lines[3]
    assert refreshed.startswith("RefreshResult(files_checked=4, files_refreshed=1, bytes_read=")
    assert [line for line in lines if line != refreshed] == [
        "bob",
        "0 0 2 1",
        "partial ANALYZE TABLE people COMPUTE DELTA STATISTICS",
        "healthy",
        "",
        "1",
        "TABLE_OR_VIEW_NOT_FOUND",
    ]
