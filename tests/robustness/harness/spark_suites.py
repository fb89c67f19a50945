# SPDX-License-Identifier: Apache-2.0
"""Runs Spark's own test suites with the extension in every session.

``./dev bench spark-suites [SUITE…]``: a suite is given by its full name or the last part of it, a
group by its name; without arguments, all suites of ``spark_suite_names.py`` run. Tests that fail
run again without the extension. A test that fails only with the extension must be in
``spark_differences.tsv``, which gives a reason for each.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from delta_collations.session import COLLATIONS_EXTENSION, DELTA_EXTENSION
from robustness.harness.spark_suite_names import GROUPS, OURS
from support.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STAGED = ROOT / ".dev" / "spark-tests"
DIFFERENCES = Path(__file__).parents[1] / "data" / "spark_differences.tsv"

# In the documented order. Both have Delta, so that failures of Delta itself do not count.
WITHOUT_EXTENSION = DELTA_EXTENSION
WITH_EXTENSION = f"{DELTA_EXTENSION},{COLLATIONS_EXTENSION}"

MAX_HOURS = 1.5
ABORTED = "(the suite aborts)"


class SuiteTest(NamedTuple):
    """One test of a suite."""

    suite: str
    name: str


@dataclass
class Report:
    """The outcome of all suites that ran."""

    run: Counter[str] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    failed: list[SuiteTest] = field(default_factory=list)
    failed_without: list[SuiteTest] = field(default_factory=list)
    passed_again: list[SuiteTest] = field(default_factory=list)
    listed: list[SuiteTest] = field(default_factory=list)
    unexplained: list[SuiteTest] = field(default_factory=list)
    seconds: float = 0

    def add(self, other: Report) -> None:
        """Add the outcome of other suites."""
        self.run += other.run
        self.ignored += other.ignored
        self.failed += other.failed
        self.failed_without += other.failed_without
        self.passed_again += other.passed_again
        self.listed += other.listed
        self.unexplained += other.unexplained
        self.seconds += other.seconds

    def table(self) -> str:
        """Return one line for each suite and one for all of them."""
        lines = [
            "| Suite | Tests | Ignored | Failed | Without too | Retried | Listed | Unexplained |",
            "|---|---|---|---|---|---|---|---|",
        ]
        columns = (
            self.failed,
            self.failed_without,
            self.passed_again,
            self.listed,
            self.unexplained,
        )
        for suite in [*self.run, None]:
            counts = [
                sum(counter[each] for each in ([suite] if suite else counter))
                for counter in (self.run, self.ignored)
            ] + [sum(suite in (None, test.suite) for test in tests) for tests in columns]
            name = f"`{suite.rpartition('.')[2]}`" if suite else f"all, {len(self.run)} suites"
            lines.append("| " + " | ".join([name, *map(str, counts)]) + " |")
        return "\n".join(lines)


def compared(suites: Mapping[str, Sequence[str]], folder: Path) -> Report:
    """Run suites, or some tests of each, and classify the tests that fail."""
    report, started = Report(), time.monotonic()
    listed = set(differences())
    outcomes = run(suites, WITH_EXTENSION, folder / "with")
    for test, outcome in outcomes.items():
        counter = report.ignored if outcome == "skipped" else report.run
        counter[test.suite] += 1
    report.failed = [test for test, outcome in outcomes.items() if outcome == "failed"]
    report.listed = [test for test in report.failed if test in listed]
    unlisted = [test for test in report.failed if test not in listed]
    # Our own suites compare both themselves, and fail without the extension.
    foreign = [test for test in unlisted if not test.suite.startswith(OURS)]
    without = run(only(foreign), WITHOUT_EXTENSION, folder / "without")
    # A suite that runs no test in either session is not tested at all.
    report.failed_without = [
        test for test in foreign if test.name != ABORTED and without.get(test) != "passed"
    ]
    suspects = [test for test in unlisted if test not in report.failed_without]
    again = run(only(suspects), WITH_EXTENSION, folder / "again")
    report.passed_again = [test for test in suspects if again.get(test) == "passed"]
    report.unexplained = [test for test in suspects if test not in report.passed_again]
    report.seconds = time.monotonic() - started
    return report


def only(tests: Iterable[SuiteTest]) -> dict[str, list[str]]:
    """Return the names of tests by suite; a suite that aborts runs as a whole."""
    names: dict[str, list[str]] = {}
    for test in tests:
        chosen = names.setdefault(test.suite, [])
        if test.name != ABORTED:
            chosen.append(test.name)
    return names


def run(suites: Mapping[str, Sequence[str]], extensions: str, folder: Path) -> dict[SuiteTest, str]:
    """Run suites in one JVM, in the given order, and return the outcome of each test."""
    if not suites:
        return {}
    for name in ("tmp", "work", "xml"):
        (folder / name).mkdir(parents=True)
    chosen: list[str] = []
    for suite, names in suites.items():
        chosen += ["-s", suite]
        for name in names:
            chosen += ["-t", name]
    home = os.environ.get("JAVA_HOME")
    command = [
        str(Path(home) / "bin" / "java") if home else "java",
        *(
            "-Xmx4g",
            "-Xss4m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:ReservedCodeCacheSize=384m",
            # Generated classes fill it; each time its limit is raised, Java collects all garbage.
            "-XX:MetaspaceSize=768m",
        ),
        # By default, every aggregate, sort and join of a few rows clears a page of 64 MB first.
        "-Dspark.buffer.pageSize=1m",
        f"-Dspark.sql.extensions={extensions}",
        f"-Djava.io.tmpdir={folder / 'tmp'}",
        f"@{STAGED / 'arguments'}",
        *("org.scalatest.tools.Runner", "-oWD", "-u", str(folder / "xml")),
        *chosen,
    ]
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder / "work", env=environment(), stdout=output, stderr=output
        )
        try:
            process.wait(MAX_HOURS * 3600)
        except subprocess.TimeoutExpired:
            print(f"stopped after {MAX_HOURS} hours: {', '.join(suites)}", flush=True)
        finally:
            process.kill()
            process.wait()
    outcomes = {
        test: outcome
        for path in sorted((folder / "xml").glob("*.xml"))
        for test, outcome in read(path).items()
    }
    for suite in suites:
        if not any(test.suite == suite for test in outcomes):
            outcomes[SuiteTest(suite, ABORTED)] = "failed"
    return outcomes


def environment() -> dict[str, str]:
    """Return the environment of the JVM, without the Spark settings of ./dev and Python."""
    kept = {name: value for name, value in os.environ.items() if "SPARK" not in name}
    return kept | {
        "SPARK_TESTING": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": "python-is-not-used",
    }


def read(path: Path) -> dict[SuiteTest, str]:
    """Read the outcome of each test from a report in JUnit's format."""
    suite = ET.parse(path).getroot()  # noqa: S314
    outcomes = {}
    for case in suite.iter("testcase"):
        outcome = "passed"
        if case.find("failure") is not None or case.find("error") is not None:
            outcome = "failed"
        elif case.find("skipped") is not None:
            outcome = "skipped"
        outcomes[SuiteTest(suite.attrib["name"], case.attrib["name"])] = outcome
    return outcomes


def differences() -> dict[SuiteTest, str]:
    """Return the reason for each test that is expected to fail with the extension."""
    with DIFFERENCES.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {SuiteTest(row["suite"], row["test"]): row["reason"] for row in rows}


def chosen_groups(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the given groups and suites; a suite can be given by the end of its name."""
    if not names:
        return GROUPS
    suites = [suite for group in GROUPS.values() for suite in group]
    groups = {}
    for name in names:
        if name in GROUPS:
            groups[name] = GROUPS[name]
            continue
        found = [suite for suite in suites if suite == name or suite.endswith(f".{name}")]
        # Any other suite of the jars can be named in full.
        groups[name] = tuple(found) or (name,)
    return groups


def main() -> None:
    """Run the suites and fail if a difference is not explained."""
    total = Report()
    runs = STAGED / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    for name, suites in chosen_groups(sys.argv[1:]).items():
        report = compared(dict.fromkeys(suites, ()), runs / name.replace(" ", "-"))
        count = sum(report.run.values())
        print(f"{report.seconds:6.0f} s  {name}: {count} tests", flush=True)
        for test in report.unexplained:
            print(f"    unexplained: {test.suite}: {test.name}", flush=True)
        total.add(report)
    print(total.table())
    print(f"{total.seconds / 60:.0f} minutes")
    for test in total.failed_without:
        print(f"fails without the extension as well: {test.suite}: {test.name}")
    for test in differences():
        if test.suite in total.run and test not in total.listed:
            print(f"listed, but passes: {test.suite}: {test.name}")
    if total.unexplained:
        sys.exit(
            f"{len(total.unexplained)} tests fail with the extension only. "
            f"All output of the suites is in {runs}"
        )


if __name__ == "__main__":
    main()
