# SPDX-License-Identifier: Apache-2.0
"""Servers that tests start: ports, and Spark's Thrift server."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from delta_collations import bundled_jar
from delta_collations._spark_conf import spark_defaults

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARK_HOME = Path(pyspark.__file__).parent
EXTENSIONS = "io.delta.sql.DeltaSparkSessionExtension,org.deltacollations.CollationsExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def free_port() -> int:
    """Return a port that no process listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until ``process`` listens on the port."""
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


@contextmanager
def thrift_server(folder: Path, jars_option: str = "--jars") -> Iterator[int]:
    """Start a Thrift server with its metastore in ``folder``.

    ``jars_option`` passes Delta and this library to Spark: ``--jars`` or ``--driver-class-path``.
    """
    port = free_port()
    jars = [*spark_defaults()["spark.jars"].split(","), str(bundled_jar())]
    on_class_path = jars_option == "--driver-class-path"
    # The configuration of the tests lists Delta's jars in spark.jars.
    configuration = ("--conf", "spark.jars=") if on_class_path else ()
    command = [
        *(str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]", *configuration),
        *(jars_option, (os.pathsep if on_class_path else ",").join(jars)),
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
