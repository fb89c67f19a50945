# SPDX-License-Identifier: Apache-2.0
"""Random queries on collated strings, against the same queries on integer ranks.

``./dev bench trust-queries [COUNT] [SEED]`` runs that many; ``--case SEED:NUMBER`` runs one again.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from trust import query_tables, query_words
from trust.query_answers import ERRORS, STOCK, Case, Outcome, Sessions, chosen
from trust.query_draws import Draws, reduced
from trust.query_expressions import side
from trust.query_statements import Queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from trust.query_relations import Query

FINE = ("same", "refused", "stock")
VIEWS = 3
REPORTS = 3
import os
VALIDATE = os.environ.get("VALIDATE", "true")


def start() -> SparkSession:
    """Start a session for many small queries."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
    )
    return configure_spark_with_collations(builder).getOrCreate()


class Run:
    """Tables for a seed, and the random queries on them."""

    def __init__(self, spark: SparkSession, folder: Path, seed: int) -> None:
        """Create the tables and the views."""
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        self.seed = seed
        self.sessions = Sessions(spark.newSession(), spark.newSession())
        oracle = {**STOCK, "spark.sql.adaptive.enabled": "false"}
        oracle |= {"spark.sql.codegen.wholeStage": "false"}
        oracle |= {"spark.sql.codegen.factoryMode": "NO_CODEGEN"}
        for key, value in oracle.items():
            self.sessions.oracle.conf.set(key, value)
        self.sessions.use({"spark.sql.planChangeValidation": VALIDATE})
        wrong = query_words.differences_from(self.sessions.oracle)
        if wrong:
            raise ValueError(f"this Spark orders the words in another way: {wrong[:5]}")
        worlds = query_tables.WORLDS
        query_tables.create(self.sessions.ours, self.sessions.oracle, folder, seed, worlds)
        self.views: dict[int, dict[str, Query]] = {}
        for world in worlds:
            self.views[world.number] = self._views(world)

    def _views(self, world: query_tables.World) -> dict[str, Query]:
        """Create temporary views of random queries, and cache some."""
        made: dict[str, Query] = {}
        for number in range(VIEWS):
            name = f"w{world.number}_view_{number}"
            draws = Draws(f"{self.seed}:{name}")
            query = Queries(draws, world, spellings=True, views={}).query(1)
            text = f"CREATE TEMPORARY VIEW {name} AS {query.render(False)}"
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

    def case(self, number: int) -> Case:
        """Return the case of a number."""
        return chosen(Draws(f"{self.seed}:{number}"), self.views)

    def run(self, number: int) -> tuple[Case, Outcome]:
        """Run the case of a number."""
        case = self.case(number)
        return case, self.sessions.outcome(case)

    def smaller(self, case: Case, kind: Outcome) -> tuple[Case, Outcome]:
        """Return a smaller case with the same kind of outcome."""

        def still(made: list[int]) -> bool:
            again = self.sessions.outcome(chosen(Draws(made), self.views))
            return (again.kind, again.condition) == (kind.kind, kind.condition)

        found = chosen(Draws(reduced(case.made, still)), self.views)
        return found, self.sessions.outcome(found)


def report(run: Run, number: int, case: Case, outcome: Outcome) -> str:
    """Return a finding: how to repeat it, and the smallest query that was found."""
    found, again = run.smaller(case, outcome)
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


def run_all(run: Run, numbers: range, say: Callable[[str], None]) -> tuple[Counter[str], int]:
    """Run many cases; say what was found. Return the outcomes, and the number of findings."""
    outcomes: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    known: Counter[tuple[str, str]] = Counter()
    started, findings = time.monotonic(), 0
    for number in numbers:
        case, outcome = run.run(number)
        outcomes[outcome.kind] += 1
        if outcome.kind == "refused":
            refusals[outcome.condition] += 1
        elif outcome.kind not in FINE:
            findings += 1
            known[outcome.kind, outcome.condition] += 1
            if known[outcome.kind, outcome.condition] <= REPORTS:
                say(report(run, number, case, outcome))
            else:
                say(f"=== case {run.seed}:{number}: {outcome.kind} {outcome.condition}, as before")
        if (number + 1) % 500 == 0:
            rate = (number + 1 - numbers.start) / (time.monotonic() - started)
            say(f"{number + 1:,} cases, {rate:.1f} a second: {dict(outcomes)}")
    say(f"refused by Spark: {dict(refusals)}")
    return outcomes, findings


def main() -> None:
    """Run the cases, print the findings, and fail if there are any."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--case"]:
        seed, _, number = arguments[1].partition(":")
        numbers = range(int(number), int(number) + 1)
    else:
        count = int(arguments[0]) if arguments else 20_000
        seed = arguments[1] if len(arguments) > 1 else str(time.time_ns() % 1_000_000_000)
        numbers = range(count)
    print(f"{len(numbers):,} queries, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        spark = start()
        run = Run(spark, Path(folder), int(seed))
        outcomes, findings = run_all(run, numbers, lambda text: print(text, flush=True))
        spark.stop()
    for kind, count in sorted(outcomes.items()):
        print(f"{count:8,}  {kind}")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
