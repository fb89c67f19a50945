# SPDX-License-Identifier: Apache-2.0
"""The platform that the tests run on, and what they must know of it."""

from __future__ import annotations

import json

from delta_collations.session import JARS, Platform, supported_platform

# Newest first, as the build has them.
PLATFORMS: list[Platform] = json.loads((JARS / "platforms.json").read_text("utf-8"))

CURRENT = supported_platform()
SPARK = CURRENT["spark"]

# The coordinates of Delta, and its jar.
DELTA = CURRENT["delta"]
DELTA_JAR = "-".join(DELTA.split(":")[1:]) + ".jar"

# The ICU that Spark brings along.
ICU = {"4.2": "78.3", "4.1": "77.1", "4.0": "76.1"}[SPARK]

# Versions that are older than that of any platform.
OLDER_ICU, OLD_ICU = "74.2", "75.1"

# Beside older releases lies no Delta Kernel, or one that needs a newer Parquet than Spark has.
HAS_KERNEL = SPARK == "4.2"

# Stock Spark of these minors refuses BETWEEN on collated columns, has no words for a collated CHAR
# or VARCHAR, and takes functions of an extension for temporary ones, which no lasting view may use.
IS_OLDER = SPARK in {"4.0", "4.1"}
CHAR_VARCHAR_ERROR = "PARSE_SYNTAX_ERROR" if IS_OLDER else None
VIEW = "TEMPORARY VIEW" if IS_OLDER else "VIEW"

# Spark 4.0 has collations of tables but none of schemas, no IDENTIFIER after COLLATE, and takes a
# value of EXECUTE IMMEDIATE for a column of another collation.
IS_OLDEST = SPARK == "4.0"

# Locales that the newest Spark has, and this one has not.
NEWER_LOCALES = {"blo", "kk_Arab"} if IS_OLDER else set()


def between(what: str, low: str, high: str, *, negation: str = "") -> str:
    """Return the condition in the words that this Spark takes for collated columns."""
    if IS_OLDER:
        return f"{negation}({what} >= {low} AND {what} <= {high})"
    return f"{what} {negation}BETWEEN {low} AND {high}"
