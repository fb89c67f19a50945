# SPDX-License-Identifier: Apache-2.0
"""Settings and jars that the installed Spark adds to every session, read before a JVM runs."""

import os
import re
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home


def jar_folder() -> Path:
    """Return the folder whose jars are on the class path of every session."""
    return Path(_find_spark_home()) / "jars"


def spark_defaults() -> dict[str, str]:
    """Return the settings in ``spark-defaults.conf``, which settings of a builder override."""
    folder = os.environ.get("SPARK_CONF_DIR") or Path(_find_spark_home()) / "conf"
    path = Path(folder) / "spark-defaults.conf"
    if not path.is_file():
        return {}
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    settings = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines)
    return {
        setting[0]: setting[1]
        for setting in settings
        if len(setting) == 2 and not setting[0].startswith(("#", "!"))  # noqa: PLR2004
    }
