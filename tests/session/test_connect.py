# SPDX-License-Identifier: Apache-2.0
"""Spark Connect: a server with our settings, and a client that has no JVM."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

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
    from pyspark.sql import SparkSession
    from delta_collations import CollatedTable

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
    except Exception as refused:
        print(refused.getCondition())
"""


def python(script: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[int]:
    """Return the port of a server in a process of its own."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port: int = free.getsockname()[1]
    with (tmp_path / "server.log").open("w") as said:
        command = python(SERVER, port, tmp_path / "warehouse")
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=tmp_path)
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


def test_a_client_without_a_jvm_has_all_of_it(server: int) -> None:
    nowhere = {"JAVA_HOME": "/nowhere", "PATH": "/nowhere"}
    done = subprocess.run(
        python(CLIENT, server),
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    said, refreshed = done.stdout.splitlines(), done.stdout.splitlines()[3]
    assert refreshed.startswith("RefreshResult(files_checked=4, files_refreshed=1, bytes_read=")
    assert [line for line in said if line != refreshed] == [
        "bob",
        "0 0 2 1",
        "partial ANALYZE TABLE people COMPUTE DELTA STATISTICS",
        "healthy",
        "",
        "1",
        "TABLE_OR_VIEW_NOT_FOUND",
    ]
