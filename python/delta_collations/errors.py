# SPDX-License-Identifier: Apache-2.0
"""Failures where no JVM is; all others come from Spark with an error condition."""


class UnsupportedSparkError(RuntimeError):
    """The installed PySpark has a minor version for which this package carries no jar."""

    def __init__(self, found: str, supported: list[str]) -> None:
        """Name what was found and what would do."""
        self.found = found
        self.supported = supported
        super().__init__(
            f"delta-collations has no jar for PySpark {found}; it has one for "
            f"{', '.join(supported)}. Install a PySpark of that version: "
            f"pip install 'pyspark=={supported[0]}.*'"
        )
