# SPDX-License-Identifier: Apache-2.0
"""Collated string columns for Delta tables on open-source Spark."""

from delta_collations.errors import UnsupportedSparkError
from delta_collations.session import bundled_jar, configure_spark_with_collations

__all__ = ["UnsupportedSparkError", "bundled_jar", "configure_spark_with_collations"]
