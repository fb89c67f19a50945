# SPDX-License-Identifier: Apache-2.0
"""Errors that occur before a JVM runs. Spark raises all others, with an error condition."""

__all__ = ["UnsupportedSparkError"]


class UnsupportedSparkError(RuntimeError):
    """The package has no jar for the installed version of PySpark.

    Attributes
    ----------
    found : str
        The installed version of PySpark.
    supported : list of str
        The minor versions of PySpark that the package has jars for, newest first.

    Examples
    --------
    >>> from delta_collations import UnsupportedSparkError
    >>> raise UnsupportedSparkError("3.5.4", ["4.2", "4.1"])
    Traceback (most recent call last):
    ...
    delta_collations.errors.UnsupportedSparkError: delta-collations does not support PySpark 3.5.4,
    only 4.2, 4.1. Install a supported version: pip install "pyspark==4.2.*"
    """

    def __init__(self, found: str, supported: list[str]) -> None:
        self.found = found
        self.supported = supported
        super().__init__(
            f"delta-collations does not support PySpark {found}, only {', '.join(supported)}. "
            f'Install a supported version: pip install "pyspark=={supported[0]}.*"'
        )
