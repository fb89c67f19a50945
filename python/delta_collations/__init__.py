# SPDX-License-Identifier: Apache-2.0
"""Collated string columns for Delta tables on open-source Spark.

``configure_spark_with_collations`` prepares a Spark session, ``CollatedTable`` inspects and
refreshes the statistics of a table, and the command ``delta-collations`` inspects a table without
Spark.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from delta_collations.errors import UnsupportedSparkError

if TYPE_CHECKING:
    from delta_collations.session import bundled_jar, configure_spark_with_collations
    from delta_collations.table import CollatedTable, RefreshResult

__all__ = [
    "CollatedTable",
    "RefreshResult",
    "UnsupportedSparkError",
    "bundled_jar",
    "configure_spark_with_collations",
]

__version__ = Path(__file__).with_name("VERSION").read_text("utf-8").strip()


def __getattr__(name: str) -> object:
    # Names that need PySpark are imported on first use, because the command line runs without it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from delta_collations import session, table  # noqa: PLC0415

    return getattr(table if name in table.__all__ else session, name)


def __dir__() -> list[str]:
    dunders = [name for name in globals() if name.startswith("__") and name.endswith("__")]
    return sorted([*__all__, *dunders])
