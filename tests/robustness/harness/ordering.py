# SPDX-License-Identifier: Apache-2.0
"""Our order and equality of a million real names, against Spark, Node, PyICU, DuckDB and CLDR.

Each count is of neighbours in our order that the other program sees otherwise, and after it of
names that would have to move. What is not at hand is named and left out. It fails if our own
operations contradict each other or Spark, or if a difference to others is of no kind that
docs/ordering.md explains.
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
from robustness.harness.order_oracles import ORACLES, Asked, Missing, Oracle

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from robustness.harness.order_differences import Differences, Ranks
    from robustness.harness.place_names import Names

COLLATIONS = [
    "UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "de", "sv", "da", "cs_CI", "hu_CI_AI",
    "tr", "vi", "ja", "zh",
]  # fmt: skip


def main() -> None:
    """Compare collation by collation, then read the conformance file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--collations", nargs="*", default=COLLATIONS)
    parser.add_argument("--every", type=int, default=1, help="take only every so many names")
    parser.add_argument("--conformance", type=Path, default=conformance.FOLDER, help="its folder")
    parser.add_argument("--make-sample", action="store_true", help="write what ./dev test goes by")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            names = place_names.load(Path(folder), asked.every)
        except Missing as missing:
            sys.exit(str(missing))
        if asked.make_sample:
            order_sample.make(names, asked.conformance / conformance.FILE)
        else:
            sys.exit(run(names, asked.collations, asked.conformance / conformance.FILE))


def run(names: Names, collations: list[str], conformance_file: Path) -> str | None:
    """Print all figures; return what is wrong, if anything is."""
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
    return f"{wrong} differences that nothing explains" if wrong else None


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
    """Print one line of the table; return how much is wrong, and the differences in words."""
    ours = spark_orders.ranks(spark, names, collation)
    contradictions = spark_orders.contradictions(spark, names, collation, ours)
    with spark_orders.stock(spark):
        stock = compare(ours, spark_orders.ranks(spark, names, collation))
    wrong = contradictions + len(stock)
    lines = [f"{collation}, Spark: {line}" for line in _some(stock, names.words)]
    counts = [f"{contradictions:,}", _count(stock)]
    for oracle in oracles:
        ranks = oracle.ranks(names, Asked(collation))
        found = None if ranks is None else compare(ours, ranks)
        counts.append("-" if found is None else _count(found))
        if ranks is not None and found:
            said, unexplained = explain(ours, ranks, names.words)
            wrong += len(unexplained)
            examples = _some(unexplained or found, names.words)
            lines += [f"{collation}, {oracle.name}: {'; '.join(said)}", *examples]
    print(f"{collation:<15}{_classes(ours):>10,}" + "".join(f"{each:>16}" for each in counts))
    sys.stdout.flush()
    return wrong, lines


def _classes(ranks: Ranks) -> int:
    return int(ranks.max()) + 1


def _count(differences: Differences) -> str:
    return f"{len(differences):,}; {differences.out_of_place:,}" if differences else "0"


def _some(differences: Differences, words: list[str]) -> list[str]:
    """Return four examples, spread over all."""
    step = len(differences) // 4 + 1
    return [f"  {differences.told(words, each)}" for each in range(0, len(differences), step)]


def one_conformance(spark: SparkSession, path: Path, folder: Path) -> int:
    """Print how many strings of the file are not in its order for us; return how much is wrong."""
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
        f" ({test.no_utf8:,} others are no UTF-8); {len(broken):,} rank above their successor,"
        f" {len(still):,} of them also when ICU normalizes; {contradictions:,} within ours"
    )
    # Another version of the rules is another order; it says nothing about right and wrong.
    return contradictions + (len(still) if test.version == version else 0)


if __name__ == "__main__":
    main()
