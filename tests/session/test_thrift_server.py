# SPDX-License-Identifier: Apache-2.0
"""Spark's Thrift server with a Hive metastore: results for beeline and JDBC, and class loading."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from delta_collations import bundled_jar
from support.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARK_HOME = Path(pyspark.__file__).parent
EXTENSIONS = "io.delta.sql.DeltaSparkSessionExtension,org.deltacollations.CollationsExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"

VALUES = "VALUES ('Zoë', 'a\"b'), ('zoe', ''), (NULL, NULL) AS v(x, y)"
COLUMNS = "x{0} AS name, array(x{0}, y) AS a, map('k', y{0}) AS m, named_struct('f', x{0}) AS s"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Start a server whose jars are in ``spark.jars`` and return its port."""
    folder = tmp_path_factory.mktemp("thrift")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    defaults = Path(os.environ["SPARK_CONF_DIR"], "spark-defaults.conf").read_text("utf-8")
    [delta] = [line.split()[1] for line in defaults.splitlines() if line.startswith("spark.jars ")]
    command = [
        *(str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]", "--jars"),
        f"{delta},{bundled_jar()}",
        *("--conf", f"spark.sql.extensions={EXTENSIONS}"),
        *("--conf", f"spark.sql.catalog.spark_catalog={CATALOG}"),
        *("--conf", f"spark.sql.warehouse.dir={folder}/warehouse"),
        *("--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "spark-internal"),
        *("--hiveconf", f"hive.server2.thrift.port={port}"),
        *("--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1"),
    ]
    environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME)}
    # The embedded metastore of Derby is created in the current directory.
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            wait_for_port(port, process, folder / "log")
            yield port
        finally:
            process.terminate()
            process.wait(60)


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


def beeline(port: int, statements: str) -> list[str]:
    """Run statements on a new connection and return the lines that beeline prints."""
    done = subprocess.run(
        [
            *(SPARK_HOME / "bin" / "beeline", "--silent=true", "--outputformat=tsv2"),
            *("-u", f"jdbc:hive2://127.0.0.1:{port}/default", "-e", statements),
        ],
        env={**os.environ, "SPARK_HOME": str(SPARK_HOME)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split("> ", 1)[-1] for line in done.stdout.splitlines()]
    return [line for line in lines if line and line != "Result"]


def jdbc(port: int, query: str, table: str) -> list[str]:
    done = subprocess.run(
        [
            *("java", "-cp", str(SPARK_HOME / "jars" / "*")),
            *(str(ROOT / "tests/support/JdbcClient.java"),),
            *(f"jdbc:hive2://127.0.0.1:{port}/default", query, table),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_three_connections_find_delta_in_jars_and_see_collations(server: int) -> None:
    beeline(
        server,
        "CREATE TABLE people (name STRING COLLATE UNICODE_CI_AI) USING delta;"
        "INSERT INTO people VALUES ('Zoë'), ('bob')",
    )
    assert beeline(server, "SELECT name FROM people WHERE name = 'ZOE'") == ["name", "Zoë"]
    beeline(server, "ALTER TABLE people ALTER COLUMN name TYPE STRING COLLATE UTF8_LCASE")
    assert beeline(
        server, "SELECT name FROM people WHERE name = 'ZOE' OR name = 'BOB'; DESCRIBE people"
    ) == ["name", "bob", "col_name\tdata_type\tcomment", "name\tstring collate UTF8_LCASE\tNULL"]


def test_jdbc_returns_collated_columns_as_plain_strings(server: int) -> None:
    collated = COLUMNS.format(" COLLATE UNICODE_CI")
    beeline(server, f"CREATE OR REPLACE VIEW collated AS SELECT {collated} FROM {VALUES}")

    rows = jdbc(server, "SELECT * FROM collated", "collated")
    plain = jdbc(server, f"SELECT {COLUMNS.format('')} FROM {VALUES}", "nowhere")
    columns = rows[len(plain) :]
    assert rows[: len(plain)] == plain
    assert plain[0] == "string\tarray\tmap\tstruct"
    assert [row.split("\t")[0] for row in plain[1:]] == ["Zoë", "zoe", "null"]
    assert columns[0] == "name\t12\tSTRING COLLATE UNICODE_CI"
