# SPDX-License-Identifier: Apache-2.0
"""Spark's Thrift server with a Hive metastore: results for beeline and JDBC, and class loading."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from support.processes import ROOT
from support.servers import SPARK_HOME, thrift_server

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES = "VALUES ('Zoë', 'a\"b'), ('zoe', ''), (NULL, NULL) AS v(x, y)"
COLUMNS = "x{0} AS name, array(x{0}, y) AS a, map('k', y{0}) AS m, named_struct('f', x{0}) AS s"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Start a server and return its port."""
    with thrift_server(tmp_path_factory.mktemp("thrift")) as port:
        yield port


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
