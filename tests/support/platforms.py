# SPDX-License-Identifier: Apache-2.0
"""The platform that the tests run on, and its differences from the others."""

from __future__ import annotations

import json
import re

from delta_collations.session import JARS, Platform, supported_platform

from support.processes import ROOT

# In the order of the build: the first of each Spark version is the one that its jar is built for.
PLATFORMS: list[Platform] = json.loads((JARS / "platforms.json").read_text("utf-8"))

# The name, Spark release and Delta release of each platform. Only the build knows the releases.
RELEASES: list[tuple[str, str, str]] = re.findall(
    r'Platform\("(.*?)", spark = "(.*?)", delta = "(.*?)"',
    (ROOT / "project" / "Platforms.scala").read_text("utf-8"),
)

CURRENT = supported_platform()
SPARK = CURRENT["spark"]

# The Maven coordinates of Delta and the name of its jar.
DELTA = CURRENT["delta"]
DELTA_JAR = "-".join(DELTA.split(":")[1:]) + ".jar"

# The ICU version that Spark ships with.
ICU = {"4.2": "78.3", "4.1": "77.1", "4.0": "76.1"}[SPARK]

# ICU versions older than that of any platform.
OLDER_ICU, OLD_ICU = "74.2", "75.1"

# Older releases ship without Delta Kernel, or with one that needs a newer Parquet than Spark has.
HAS_KERNEL = SPARK == "4.2"

# The Delta releases in which one method decides whether a stream can read a changed schema.
HAS_STREAM_SCHEMA_CHECK = not DELTA.split(":")[2].startswith("4.0.")

# Stock Spark of these minor versions rejects BETWEEN on collated columns, has no syntax for a
# collated CHAR or VARCHAR, and treats functions of an extension as temporary, so that permanent
# views cannot use them.
IS_OLDER = SPARK in {"4.0", "4.1"}
CHAR_VARCHAR_ERROR = "PARSE_SYNTAX_ERROR" if IS_OLDER else None
VIEW = "TEMPORARY VIEW" if IS_OLDER else "VIEW"

# Spark 4.0 supports default collations of tables but not of schemas, does not support IDENTIFIER
# after COLLATE, and treats a value of EXECUTE IMMEDIATE as a column of another collation.
IS_OLDEST = SPARK == "4.0"

# Locales of the newest Spark that this one does not have.
NEWER_LOCALES = {"blo", "kk_Arab"} if IS_OLDER else set()


def between(value: str, low: str, high: str, *, negation: str = "") -> str:
    """Return a BETWEEN condition in the form that this Spark accepts for collated columns."""
    if IS_OLDER:
        return f"{negation}({value} >= {low} AND {value} <= {high})"
    return f"{value} {negation}BETWEEN {low} AND {high}"
