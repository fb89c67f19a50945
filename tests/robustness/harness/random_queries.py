# SPDX-License-Identifier: Apache-2.0
"""Compares random queries on collated strings with the same queries on integer ranks.

``./dev bench random-queries [COUNT] [SEED] [FIRST]`` runs COUNT cases, starting with the number
FIRST; ``--case SEED:NUMBER`` repeats one case.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from robustness.harness import query_tables, query_words
from robustness.harness.query_answers import ERRORS, STOCK, Case, Outcome, Sessions, chosen
from robustness.harness.query_draws import Draws, reduced
from robustness.harness.query_expressions import side
from robustness.harness.query_statements import Queries
from robustness.harness.query_tables import WORLDS, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from robustness.harness.query_changes import Change
    from robustness.harness.query_relations import Query

EXPECTED_OUTCOMES = ("same", "refused", "stock")
VIEWS = 3
REPORTS = 3
# Half of the time, a query waits for its jobs.
THREADS = 4
PROGRESS = 500

# A failure in one of our rules is a finding, although users would get the result of Spark's plan.
STRICT = "-DdeltaCollations.test.failOnFallback=true"
# Every query generates new classes, on which the C2 compiler would spend half of the time. They
# also fill the metaspace; each time its limit is raised, Java runs a full garbage collection.
SMALL = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=384m"
    " -XX:+UseSerialGC -XX:MetaspaceSize=1g -Xmn800m"
)


def start() -> SparkSession:
    """Start a session for many small queries."""
    builder = (
        SparkSession.builder.master("local[4]")
        .config("spark.driver.memory", "3g")
        .config("spark.driver.extraJavaOptions", f"{STRICT} {SMALL}")
        # By default, every aggregate, sort and join of a few rows clears a page of 32 MB first.
        .config("spark.buffer.pageSize", "1m")
        .config("spark.sql.ui.retainedExecutions", "10")
        # The small projections of different queries are often the same.
        .config("spark.sql.codegen.cache.maxEntries", "5000")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.leafNodeDefaultParallelism", "1")
        .config("spark.sql.ui.explainMode", "simple")
    )
    return configure_spark_with_collations(builder).getOrCreate()


class Run:
    """Tables for a seed, and the random queries on them."""

    def __init__(
        self, spark: SparkSession, folder: Path, seed: int, worlds: list[World] = WORLDS
    ) -> None:
        """Create the tables and the views."""
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        self.seed = seed
        self.sessions = Sessions(spark.newSession(), spark.newSession(), folder)
        oracle = {**STOCK, "spark.sql.adaptive.enabled": "false"}
        oracle |= {"spark.sql.codegen.wholeStage": "false"}
        oracle |= {"spark.sql.codegen.factoryMode": "NO_CODEGEN"}
        for key, value in oracle.items():
            self.sessions.oracle.conf.set(key, value)
        self.sessions.use({"spark.sql.planChangeValidation": "true"})
        wrong = query_words.differences_from(self.sessions.oracle)
        if wrong:
            raise ValueError(f"this Spark has a different order of the words: {wrong[:5]}")
        self.worlds = worlds
        query_tables.create(self.sessions.ours, self.sessions.oracle, folder, seed, worlds)
        self.views: dict[int, dict[str, Query]] = {}
        for world in worlds:
            self.views[world.number] = self._views(world)

    def _views(self, world: World) -> dict[str, Query]:
        """Create temporary views of random queries, and cache some."""
        made: dict[str, Query] = {}
        for number in range(VIEWS):
            name = f"w{world.number}_view_{number}"
            draws = Draws(f"{self.seed}:{name}")
            query = Queries(draws, world, spellings=True, views={}).query(1)
            text = f"CREATE TEMPORARY VIEW {name} AS {query.derived}"
            if ":p" in text:
                continue
            try:
                self.sessions.ours.sql(side(text, ours=True))
                self.sessions.oracle.sql(side(text, ours=False))
                if number == 0:
                    self.sessions.ours.sql(f"CACHE TABLE {name}")
            except ERRORS as error:
                print(f"view {name}: {str(error)[:200]}")
                continue
            made[name] = query
        return made

    def case(self, number: int) -> Case | Change:
        """Return the case of a number."""
        return chosen(Draws(f"{self.seed}:{number}"), self.worlds, self.views)

    def smaller(self, sessions: Sessions, case: Case | Change, found: Outcome) -> Case | Change:
        """Return a smaller case with the same kind of outcome."""

        def still(made: list[int]) -> bool:
            again = sessions.outcome(chosen(Draws(made), self.worlds, self.views))
            return (again.kind, again.condition) == (found.kind, found.condition)

        return chosen(Draws(reduced(case.made, still)), self.worlds, self.views)


@dataclass
class Tally:
    """The outcomes so far."""

    say: Callable[[str], None]
    outcomes: Counter[str] = field(default_factory=Counter)
    conditions: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    started: float = field(default_factory=time.monotonic)

    def add(self, outcome: Outcome) -> int:
        """Count an outcome; return how many findings of its kind there are now."""
        self.outcomes[outcome.kind] += 1
        count = sum(self.outcomes.values())
        if count % PROGRESS == 0:
            rate = count / (time.monotonic() - self.started)
            self.say(f"{count:,} cases, {rate:.1f} a second: {dict(self.outcomes)}")
        if outcome.kind == "refused":
            self.conditions[outcome.condition] += 1
        if outcome.kind in EXPECTED_OUTCOMES:
            return 0
        self.findings[outcome.kind, outcome.condition] += 1
        return self.findings[outcome.kind, outcome.condition]


def report(run: Run, sessions: Sessions, number: int, case: Case | Change, outcome: Outcome) -> str:
    """Return a finding: how to repeat it, and the smallest query that was found."""
    found = run.smaller(sessions, case, outcome)
    again = sessions.outcome(found)
    settings = [f"  SET {key}={value}" for key, value in found.settings.items()]
    return "\n".join(
        [
            f"=== case {run.seed}:{number}: {outcome.kind}",
            f"  {outcome.detail}",
            f"  query: {case.ours}",
            f"  smaller ({again.kind}): {found.ours}",
            f"  parameters: {found.parameters}",
            f"  on keys: {found.keys}",
            f"  {again.detail}",
            *settings,
        ]
    )


def run_all(run: Run, numbers: range, say: Callable[[str], None], threads: int = 1) -> Tally:
    """Run many cases, and report the findings."""
    tally, left = Tally(say), iter(numbers)

    def work(sessions: Sessions) -> None:
        # Otherwise, Spark searches the stack for its caller whenever it creates an RDD.
        for name in ("callSite.short", "callSite.long"):
            sessions.ours.sparkContext.setLocalProperty(name, "random query")
        # Taking the next number of a range is atomic.
        for number in left:
            case = run.case(number)
            outcome = sessions.outcome(case)
            count = tally.add(outcome)
            if 0 < count <= REPORTS:
                say(report(run, sessions, number, case, outcome))
            elif count:
                say(f"=== case {run.seed}:{number}: {outcome.kind} {outcome.condition}, as before")

    with ThreadPoolExecutor(threads) as pool:
        all_sessions = [run.sessions, *(run.sessions.clone() for _ in range(threads - 1))]
        for done in [pool.submit(work, each) for each in all_sessions]:
            done.result()
    say(f"refused by Spark: {dict(tally.conditions)}")
    return tally


def main() -> None:
    """Run the cases, print the findings, and fail if there are any."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--case"]:
        seed, _, number = arguments[1].partition(":")
        numbers = range(int(number), int(number) + 1)
    else:
        count = int(arguments[0]) if arguments else 20_000
        seed = arguments[1] if len(arguments) > 1 else str(time.time_ns() % 1_000_000_000)
        first = int(arguments[2]) if len(arguments) > 2 else 0
        numbers = range(first, first + count)
    print(f"{len(numbers):,} queries, seed {seed}, from {numbers.start}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        spark = start()
        run = Run(spark, Path(folder), int(seed))
        tally = run_all(run, numbers, lambda text: print(text, flush=True), THREADS)
        spark.stop()
    for kind, count in sorted(tally.outcomes.items()):
        print(f"{count:8,}  {kind}")
    sys.exit(1 if tally.findings else 0)


if __name__ == "__main__":
    main()
