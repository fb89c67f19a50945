# SPDX-License-Identifier: Apache-2.0
"""Tables in S3: a server that implements S3, Hadoop's connector, and the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support.command_line import run
from support.processes import run_in_new_process
from support.servers import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

moto = pytest.importorskip("moto.server")
boto3 = pytest.importorskip("boto3")

BUCKET = "tables"
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}

# Hadoop's connector requires the whole AWS SDK, 600 MB. These parts are enough.
HADOOP = "3.5.0"
SDK_VERSION = "2.35.4"
SDK = ",".join(
    f"software.amazon.awssdk:{part}:{SDK_VERSION}"
    for part in ("s3", "s3-transfer-manager", "sts", "apache-client", "netty-nio-client")
)

START = """
    import os, sys
    from delta_collations import CollatedTable, configure_spark_with_collations
    from pyspark.sql import SparkSession

    path, endpoint, hadoop, sdk = sys.argv[1:]
    builder = SparkSession.builder.master("local[2]").config(
        "spark.jars.excludes", "software.amazon.awssdk:bundle"
    )
    for key, value in {
        "endpoint": endpoint,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "access.key": os.environ["AWS_ACCESS_KEY_ID"],
        "secret.key": os.environ["AWS_SECRET_ACCESS_KEY"],
    }.items():
        builder.config(f"spark.hadoop.fs.s3a.{key}", value)
    packages = [f"org.apache.hadoop:hadoop-aws:{hadoop}", *sdk.split(",")]
    spark = configure_spark_with_collations(builder, extra_packages=packages).getOrCreate()
    table = f"delta.`{path}`"
"""

WRITE = """
    spark.sql(f"CREATE TABLE {table} (id INT, name STRING COLLATE UNICODE_CI) USING delta")
    for number, name in enumerate(["Ada", "bob", "Zoë"]):
        spark.sql(f"INSERT INTO {table} VALUES ({number}, '{name}')")
    found = CollatedTable.forPath(spark, path).explain("name = 'BOB'")
    print(*(row.files for row in found.collect()))
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT 'BOB' AS name) s ON t.name = s.name "
        "WHEN MATCHED THEN UPDATE SET id = 9"
    )
    print(spark.sql(f"SELECT id FROM {table} WHERE name = 'Bob'").first()[0])
    spark.sql(f"OPTIMIZE {table}")
    spark.conf.set("spark.deltaCollations.stats.enabled", "false")
    spark.sql(f"INSERT INTO {table} VALUES (4, 'Eve')")
    icu = spark._jvm.com.ibm.icu.util.VersionInfo.ICU_VERSION
    print(f"{icu.getMajor()}.{icu.getMinor()}")
"""

REFRESH = """
    spark.sql(os.environ["COMMAND"])
    print(*(row.status for row in CollatedTable.forPath(spark, path).status().collect()))
"""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a server with an empty bucket and return its URL."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    port = free_port()
    server = moto.ThreadedMotoServer("127.0.0.1", port)
    server.start()
    url = f"http://127.0.0.1:{port}"
    boto3.client("s3", endpoint_url=url, region_name="us-east-1").create_bucket(Bucket=BUCKET)
    yield url
    server.stop()


def test_table_in_s3_is_written_skipped_and_refreshed(endpoint: str) -> None:
    path = f"s3a://{BUCKET}/people"
    arguments = (path, endpoint, HADOOP, SDK)
    host = endpoint.removeprefix("http://")
    options = f"region=us-east-1&scheme=http&endpoint_override={host}"
    files, updated, icu = run_in_new_process(START + WRITE, *arguments).splitlines()
    assert (files, updated) == ("0 0 2 1", "9")

    code, output, errors = run("status", f"s3://{BUCKET}/people?{options}", "--icu-version", icu)
    assert (code, errors) == (1, "")
    [command] = re.findall("ANALYZE TABLE .*STATISTICS", output)
    assert command == f"ANALYZE TABLE delta.`{path}` COMPUTE DELTA STATISTICS"

    assert run_in_new_process(START + REFRESH, *arguments, COMMAND=command) == "healthy\n"
