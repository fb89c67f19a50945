# SPDX-License-Identifier: Apache-2.0

"""Reads the CLDR conformance test, which lists strings in the order of the root collation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from robustness.harness.order_oracles import Missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from robustness.harness.order_differences import Ranks

# The folder of Debian's package. The other conformance file ignores punctuation, which Spark's
# collations do not.
FOLDER = Path("/usr/share/unicode/cldr/common/uca")
FILE = "CollationTest_CLDR_NON_IGNORABLE_SHORT.txt"


@dataclass(frozen=True)
class Conformance:
    """The strings of the file in its order, and its version."""

    strings: list[str]
    version: str
    lone_surrogates: int

    def broken(self, ranks: Ranks) -> Ranks:
        """Return the indexes of strings that rank above their successor."""
        return np.flatnonzero(np.diff(ranks) < 0)


def read(path: Path) -> Conformance:
    """Read a file with the code points of one string per line; skip lone surrogates."""
    if not path.is_file():
        raise Missing(path.name, "Debian's unicode-cldr-core, or --conformance FOLDER")
    lines = path.read_text("utf-8").splitlines()
    version = next(line.split()[-1] for line in lines if "UCA Version" in line)
    codes = [
        [int(code, 16) for code in line.split(";")[0].split()]
        for line in lines
        if line and not line.startswith("#")
    ]
    whole = [line for line in codes if not any(0xD800 <= code < 0xE000 for code in line)]
    return Conformance(
        ["".join(map(chr, line)) for line in whole], version, len(codes) - len(whole)
    )


def still_broken_with_normalization(
    spark: SparkSession, strings: list[str], places: Ranks
) -> list[int]:
    """Return the indexes that are still wrong with ICU normalization, which the file assumes.

    Spark's collators do not normalize, so ICU compares combining marks in their original order.
    """
    icu = _icu(spark)
    collator = icu.text.Collator.getInstance(icu.util.ULocale.ROOT)
    collator.setDecomposition(icu.text.Collator.CANONICAL_DECOMPOSITION)
    return [
        int(place) for place in places if collator.compare(strings[place], strings[place + 1]) > 0
    ]


def version_in_use(spark: SparkSession) -> str:
    """Return the UCA version of Spark's ICU."""
    icu = _icu(spark)
    version = icu.text.Collator.getInstance(icu.util.ULocale.ROOT).getUCAVersion()
    return f"{version.getMajor()}.{version.getMinor()}.{version.getMilli()}"


def _icu(spark: SparkSession) -> Any:  # noqa: ANN401
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    return jvm.com.ibm.icu
