# SPDX-License-Identifier: Apache-2.0
"""Collated string columns for Delta tables on open-source Spark."""

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


def __getattr__(name: str) -> object:
    """Import what needs PySpark when it is asked for: the command line does without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from delta_collations import session, table  # noqa: PLC0415

    return getattr(table if hasattr(table, name) else session, name)
