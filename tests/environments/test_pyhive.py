# SPDX-License-Identifier: Apache-2.0
"""PyHive, the Python client of Spark's Thrift server."""

from pathlib import Path

import pytest
from support.servers import thrift_server

hive = pytest.importorskip("pyhive.hive")


def test_pyhive_returns_collated_strings_without_quotes(tmp_path: Path) -> None:
    with thrift_server(tmp_path) as port:
        cursor = hive.connect("127.0.0.1", port).cursor()
        cursor.execute("CREATE TABLE people (name STRING COLLATE UNICODE_CI_AI) USING delta")
        cursor.execute("INSERT INTO people VALUES ('Zoë'), ('a\"b'), (NULL)")
        # Hive hides the jars of the server while a connection is opened.
        for _ in range(3):
            cursor = hive.connect("127.0.0.1", port).cursor()
            cursor.execute("SELECT name, array(name) FROM people ORDER BY name NULLS LAST")
            assert cursor.fetchall() == [('a"b', '["a\\"b"]'), ("Zoë", '["Zoë"]'), (None, "[null]")]
            assert cursor.description[0][1] == "STRING_TYPE"
            cursor.execute("SELECT name FROM people WHERE name = %s", ("ZOE",))
            assert cursor.fetchall() == [("Zoë",)]
