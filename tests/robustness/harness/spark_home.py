# SPDX-License-Identifier: Apache-2.0

"""Configures executors in separate JVMs for a Spark that was installed by pip."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def cluster(builder: SparkSession.Builder, master: str) -> SparkSession.Builder:
    """Set a master of the form ``local-cluster[…]`` for a session in this process.

    Its executors need ``SPARK_HOME`` and write below it. So it is set to a writable folder with
    links to the installed Spark.
    """
    home = Path(tempfile.mkdtemp(prefix="spark-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for part in ("bin", "jars"):
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    os.environ["SPARK_HOME"] = str(home)
    return builder.master(master)
