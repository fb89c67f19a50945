# SPDX-License-Identifier: Apache-2.0
"""PyHive, the Python client of Spark's Thrift server."""

from pathlib import Path

import pytest
from support.servers import thrift_server

hive = pytest.importorskip("pyhive.hive")


@pytest.mark.parametrize("jars_option", ["--driver-class-path", "--jars"])
def test_three_connections_of_pyhive_see_collated_strings(tmp_path: Path, jars_option: str) -> None:
    with thrift_server(tmp_path, jars_option) as port:
        cursor = hive.connect("127.0.0.1", port).cursor()
        cursor.execute("CREATE TABLE people (name STRING COLLATE UNICODE_CI_AI) USING delta")
        cursor.execute("INSERT INTO people VALUES ('Zoë'), ('a\"b'), (NULL)")
        # Without our hooks, Hive hides the jars while it opens a connection, and closes their class
        # loader with a connection.
        for _ in range(3):
            cursor = hive.connect("127.0.0.1", port).cursor()
            cursor.execute("SELECT name, array(name) FROM people ORDER BY name NULLS LAST")
            assert cursor.fetchall() == [('a"b', '["a"b"]'), ("Zoë", '["Zoë"]'), (None, "[null]")]
            assert cursor.description[0][1] == "STRING_TYPE"
            cursor.execute("SELECT name FROM people WHERE name = %s", ("ZOE",))
            assert cursor.fetchall() == [("Zoë",)]
