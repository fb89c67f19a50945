# SPDX-License-Identifier: Apache-2.0
"""Runs a few statements in a session whose JVM then writes the archive of its classes.

``./dev test`` runs this before the tests; see ``make_test_java`` there.
"""

import tempfile

from delta_collations import configure_spark_with_collations
from pyspark import SparkContext
from pyspark.sql import SparkSession


def main() -> None:
    """Load the classes that most tests need."""
    with tempfile.TemporaryDirectory() as folder:
        spark = configure_spark_with_collations(
            SparkSession.builder.master("local[2]")
        ).getOrCreate()
        table = f"delta.`{folder}/t`"
        spark.sql(f"CREATE TABLE {table} (id INT, name STRING COLLATE UNICODE_CI) USING delta")
        spark.sql(f"INSERT INTO {table} VALUES (1, 'Bob'), (2, 'Zoë')")
        spark.sql(f"UPDATE {table} SET id = 3 WHERE name = 'BOB'")
        spark.sql(f"SELECT name, count(*) FROM {table} GROUP BY name ORDER BY name").collect()
        spark.stop()
    # The JVM writes the archive when it exits.
    gateway = SparkContext._gateway  # noqa: SLF001
    assert gateway is not None
    process = gateway.proc
    process.stdin.close()
    process.wait()


if __name__ == "__main__":
    main()
