# SPDX-License-Identifier: Apache-2.0

"""Executors that are JVMs of their own, from the Spark that pip installs."""

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
    """Have the session started with a master of the form ``local-cluster[…]``, in this process.

    Its executors are started from a folder that has to be named, and work below that folder. Links
    to what is installed make one that may be written to.
    """
    home = Path(tempfile.mkdtemp(prefix="spark-home-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for part in ("bin", "jars"):
        (home / part).symlink_to(Path(pyspark.__file__).parent / part)
    os.environ["SPARK_HOME"] = str(home)
    return builder.master(master)
