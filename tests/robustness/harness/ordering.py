# SPDX-License-Identifier: Apache-2.0
"""Compares the order of a million real names with Spark, Node, PyICU, DuckDB and CLDR.

The first count is the number of neighbors in our order whose relation differs in the other program,
the second the number of names that would have to move. Programs that are not installed are listed
and skipped. The run fails if our own operations contradict each other or Spark, or if
docs/ordering.md does not explain a difference from another program.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from robustness.harness import conformance, order_sample, place_names, spark_orders
from robustness.harness.order_differences import compare
from robustness.harness.order_kinds import explain
from robustness.harness.order_oracles import ORACLES, Missing, Oracle, ParsedCollation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from robustness.harness.order_differences import Differences, Ranks
    from robustness.harness.place_names import Names

COLLATIONS = [
    "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "de", "sv", "da", "cs_CI", "hu_CI_AI",
    "tr", "vi", "ja", "zh",
]  # fmt: skip


def main() -> None:
    """Compare each collation, and then check the conformance file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--collations", nargs="*", default=COLLATIONS)
    parser.add_argument("--every", type=int, default=1, help="use only every n-th name")
    parser.add_argument(
        "--conformance",
        type=Path,
        default=conformance.FOLDER,
        help="folder of the CLDR conformance file",
    )
    parser.add_argument(
        "--make-sample", action="store_true", help="write the sample for ./dev test"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            names = place_names.load(Path(folder), arguments.every)
        except Missing as missing:
            sys.exit(str(missing))
        if arguments.make_sample:
            order_sample.make(names, arguments.conformance / conformance.FILE)
        else:
            sys.exit(run(names, arguments.collations, arguments.conformance / conformance.FILE))


def run(names: Names, collations: list[str], conformance_file: Path) -> str | None:
    """Print all results; return an error message if anything is wrong."""
    started = time.monotonic()
    spark = spark_orders.start()
    print(f"{len(names.words):,} names; Spark {spark.version}, ICU {_icu(spark)}")
    oracles = [oracle for oracle in ORACLES if _is_there(oracle)]
    columns = ["within ours", "Spark", *(oracle.name for oracle in oracles)]
    print(f"\n{'':<15}{'classes':>10}" + "".join(f"{name:>16}" for name in columns))
    reports = [one_collation(spark, names, collation, oracles) for collation in collations]
    print("\n" + "\n".join(line for _, lines in reports for line in lines))
    wrong = sum(count for count, _ in reports)
    wrong += one_conformance(spark, conformance_file, names.folder / "conformance")
    spark.stop()
    print(f"\n{time.monotonic() - started:.0f} seconds")
    return f"{wrong} unexplained differences" if wrong else None


def _is_there(oracle: Oracle) -> bool:
    try:
        print(f"{oracle.name}: {oracle.version()}")
    except Missing as missing:
        print(f"{oracle.name}: {missing}")
        return False
    return True


def _icu(spark: SparkSession) -> str:
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    return str(jvm.com.ibm.icu.util.VersionInfo.ICU_VERSION.toString())


def one_collation(
    spark: SparkSession, names: Names, collation: str, oracles: list[Oracle]
) -> tuple[int, list[str]]:
    """Print one line of the table; return the number of errors and the differences."""
    ours = spark_orders.ranks(spark, names, collation)
    contradictions = spark_orders.contradictions(spark, names, collation, ours)
    with spark_orders.stock(spark):
        stock = compare(ours, spark_orders.ranks(spark, names, collation))
    wrong = contradictions + len(stock)
    lines = [f"{collation}, Spark: {line}" for line in _some(stock, names.words)]
    counts = [f"{contradictions:,}", _count(stock)]
    for oracle in oracles:
        ranks = oracle.ranks(names, ParsedCollation(collation))
        found = None if ranks is None else compare(ours, ranks)
        counts.append("-" if found is None else _count(found))
        if ranks is not None and found:
            counts_left, unexplained = explain(ours, ranks, names.words)
            wrong += len(unexplained)
            examples = _some(unexplained or found, names.words)
            lines += [f"{collation}, {oracle.name}: {'; '.join(counts_left)}", *examples]
    print(f"{collation:<15}{_classes(ours):>10,}" + "".join(f"{each:>16}" for each in counts))
    sys.stdout.flush()
    return wrong, lines


def _classes(ranks: Ranks) -> int:
    return int(ranks.max()) + 1


def _count(differences: Differences) -> str:
    return f"{len(differences):,}; {differences.out_of_place:,}" if differences else "0"


def _some(differences: Differences, words: list[str]) -> list[str]:
    """Return about four examples, evenly distributed."""
    step = len(differences) // 4 + 1
    return [f"  {differences.describe(words, each)}" for each in range(0, len(differences), step)]


def one_conformance(spark: SparkSession, path: Path, folder: Path) -> int:
    """Print how many strings are out of order in the file; return the number of errors."""
    try:
        test = conformance.read(path)
    except Missing as missing:
        print(f"CLDR: {missing}")
        return 0
    folder.mkdir()
    names = place_names.Names(test.strings, folder)
    ours = spark_orders.ranks(spark, names, "UNICODE")
    contradictions = spark_orders.contradictions(spark, names, "UNICODE", ours)
    broken = test.broken(ours)
    still = conformance.still_broken_with_normalization(spark, test.strings, broken)
    version = conformance.version_in_use(spark)
    print(
        f"CLDR: {path.name}, UCA {test.version}, ours {version}: {len(test.strings):,} strings"
        f" ({test.lone_surrogates:,} others have lone surrogates);"
        f" {len(broken):,} rank above their successor,"
        f" {len(still):,} of them also when ICU normalizes; {contradictions:,} within ours"
    )
    # Orders of different UCA versions may differ.
    return contradictions + (len(still) if test.version == version else 0)


if __name__ == "__main__":
    main()
