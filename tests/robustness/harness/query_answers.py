# SPDX-License-Identifier: Apache-2.0

"""Runs a random query on both sides, and compares the results."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from robustness.harness.query_changes import READ, TARGET, Change, Changes
from robustness.harness.query_expressions import side
from robustness.harness.query_tables import CHANGED_TABLE, COLLATED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from robustness.harness.query_draws import Draws
    from robustness.harness.query_relations import Query
    from robustness.harness.query_tables import World

OURS = "spark.deltaCollations."
SPEEDS = ("sort", "group", "window", "join", "expressions", "minMax")
STOCK = {f"{OURS}{name}.enabled": "false" for name in ("speed", "correctness", "skipping")}
FACTORY = "spark.sql.codegen.factoryMode"
# The interpreted projections of stock Spark keep a collated string of an aggregation buffer without
# copying it (InternalRow.getWriter), and return overwritten bytes.
UNSAFE_INTERPRETED = re.compile(r"\b(max|min|max_by|lag|first_value|last_value)\(|_view_")
# In percent; a statement takes as long as many queries.
CHANGES = 1
ERRORS = (PySparkException, Py4JJavaError)
BLOOM = "spark.sql.optimizer.runtime.bloomFilter."
EXCLUDED = "spark.sql.optimizer.excludedRules"
# Fails for some correlated scalar subqueries above UNION ALL, also without collations.
FAILING_RULE = "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughUnion"


# The rows as a multiset, and the values of the sort keys in their order.
Answer = tuple[Counter[Any], list[Any] | None]


@dataclass(frozen=True)
class Case:
    """A query, its settings, and the random choices that produced it."""

    world: World
    query: Query
    settings: dict[str, str]
    parameters: dict[str, str]
    made: list[int]

    @property
    def ours(self) -> str:
        """The query as a user writes it."""
        return side(self.query.whole, ours=True)

    @property
    def keys(self) -> str:
        """The query on the key tables."""
        return side(self.query.whole, ours=False)


def chosen(draws: Draws, worlds: list[World], views: dict[int, dict[str, Query]]) -> Case | Change:
    """Choose a query, or statements that change a table."""
    settings = random_settings(draws)
    world = draws.pick(worlds)
    grammar = Changes(
        draws,
        world,
        spellings=settings[f"{OURS}correctness.enabled"] == "true",
        views=views.get(world.number, {}),
    )
    case: Case | Change
    if draws.chance(CHANGES):
        case = Change(world, grammar.statements(), settings, draws.made, grammar.parameters)
    else:
        case = Case(world, grammar.whole(), settings, grammar.parameters, draws.made)
    if UNSAFE_INTERPRETED.search(case.ours):
        settings[FACTORY] = "FALLBACK"
    return case


def random_settings(draws: Draws) -> dict[str, str]:
    """Choose settings; the first choice is the default of each."""

    def flag(percent: int, *, default: bool = True) -> str:
        return str(draws.chance(percent) != default).lower()

    interpreted = not draws.chance(12)
    settings = {
        f"{OURS}correctness.enabled": flag(12),
        f"{OURS}speed.enabled": flag(12),
        f"{OURS}skipping.enabled": flag(30),
        "spark.sql.adaptive.enabled": flag(30, default=False),
        "spark.sql.codegen.wholeStage": str(not interpreted).lower(),
        FACTORY: "NO_CODEGEN" if interpreted else "FALLBACK",
        "spark.sql.autoBroadcastJoinThreshold": "-1" if draws.chance(35) else "10485760",
        "spark.sql.join.preferSortMergeJoin": flag(30),
        "spark.sql.shuffle.partitions": "2" if draws.chance(25) else "1",
        f"{BLOOM}applicationSideScanSizeThreshold": "0" if draws.chance(10) else "10GB",
    }
    return settings | {f"{OURS}speed.{name}.enabled": flag(8) for name in SPEEDS}


@dataclass
class Outcome:
    """The result of one case: ``kind`` is "same", "refused" or a kind of finding."""

    kind: str
    detail: str = ""
    condition: str = ""


@dataclass
class Sessions:
    """Two sessions in one JVM: one with the tables, one with the key tables."""

    ours: SparkSession
    oracle: SparkSession
    folder: Path
    now: dict[str, str] = field(default_factory=dict)

    def clone(self) -> Sessions:
        """Return sessions with the same tables and settings, for another thread."""
        ours, oracle = (
            SparkSession(each.sparkContext, each._jsparkSession.cloneSession())  # noqa: SLF001
            for each in (self.ours, self.oracle)
        )
        return Sessions(ours, oracle, self.folder, dict(self.now))

    def use(self, settings: dict[str, str]) -> None:
        """Change the settings of the session with the tables."""
        for key, value in settings.items():
            if self.now.get(key) != value:
                self.ours.conf.set(key, value)
                self.now[key] = value

    def outcome(self, case: Case | Change) -> Outcome:
        """Run a case on both sides."""
        self.use(case.settings)
        try:
            found = self.answer(case, ours=True)
        except ERRORS as error:
            return self._failed(case, error)
        try:
            expected = self._expected(case)
        except ERRORS as error:
            return Outcome("oracle", _first_line(error), condition(error))
        if found == expected:
            return Outcome("same")
        self.use(case.settings | STOCK)
        try:
            stock = self.answer(case, ours=True)
        except ERRORS:
            stock = None
        if stock != found:
            return Outcome("differs", _shown(found, expected))
        is_correct = case.settings[f"{OURS}correctness.enabled"] == "true"
        kind = "differs, as stock Spark does" if is_correct else "stock"
        return Outcome(kind, _shown(found, expected))

    def answer(self, case: Case | Change, *, ours: bool) -> Answer:
        """Run a case on one side."""
        if isinstance(case, Change):
            return self._changed(case, ours=ours)
        if ours:
            rows = self.ours.sql(case.ours, args=case.parameters).collect()
        else:
            rows = self.oracle.sql(case.keys).collect()
        return normalized(case, rows, ours=ours)

    def _expected(self, case: Case | Change) -> Answer:
        """Run a case on the key tables; if Spark fails on them, without the rule at fault."""
        try:
            return self.answer(case, ours=False)
        except ERRORS:
            self.oracle.conf.set(EXCLUDED, FAILING_RULE)
            try:
                return self.answer(case, ours=False)
            finally:
                self.oracle.conf.unset(EXCLUDED)

    def _changed(self, change: Change, *, ours: bool) -> Answer:
        """Run the statements on a copy, and return its rows."""
        table = self.folder / change.world.table(CHANGED_TABLE, "delta")
        source = str(table) if ours else f"{table}_keys"
        session = self.ours if ours else self.oracle
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            shutil.copytree(source, copy, dirs_exist_ok=True)
            target = f"delta.`{copy}`"
            arguments = change.parameters if ours else {}
            for statement in change.statements:
                text = side(statement, ours=ours).replace(TARGET, target)
                session.sql(text, args=arguments)
            rows = session.sql(side(f"SELECT {READ} FROM {target}", ours=ours)).collect()
        return Counter(tuple(map(hashable, row)) for row in rows), None

    def _failed(self, case: Case | Change, error: Exception) -> Outcome:
        if isinstance(case, Change):
            try:
                self.answer(case, ours=False)
            except ERRORS as same:
                if condition(same) == condition(error):
                    return Outcome("refused", _first_line(error), condition(error))
        self.use(case.settings | STOCK)
        try:
            self.answer(case, ours=True)
        except ERRORS as stock:
            if condition(stock) == condition(error):
                return Outcome("refused", _first_line(error), condition(error))
            detail = f"{_first_line(error)}; stock Spark: {_first_line(stock)}"
            return Outcome("fails", detail, condition(error))
        return Outcome("fails", _first_line(error), condition(error))


def condition(error: Exception) -> str:
    """Return the error condition, or the class of an error without one."""
    found = re.search(r"\[([A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]", str(error))
    return found.group(1) if found else type(error).__name__


def _first_line(error: Exception) -> str:
    return re.sub(r"\s+", " ", str(error))[:400]


def normalized(case: Case, rows: Sequence[Any], *, ours: bool) -> Answer:
    """Return the rows as a multiset, with ranks for free spellings, and the order of sort keys."""
    columns = case.query.columns
    tuples = []
    for row in rows:
        values = []
        for value, column in zip(row, columns, strict=True):
            ranked = ours and column.type in COLLATED and not column.exact
            values.append(hashable(case.world.ranked(value, column.type) if ranked else value))
        tuples.append(tuple(values))
    order = [tuple(row[each] for each in case.query.sorted_by) for row in tuples]
    return Counter(tuples), order if case.query.sorted_by else None


def hashable(value: Any) -> Any:  # noqa: ANN401
    """Return a value that can be counted."""
    if isinstance(value, dict):
        return ("map", *sorted((key, hashable(each)) for key, each in value.items()))
    if isinstance(value, list):
        return ("array", *map(hashable, value))
    if isinstance(value, tuple):
        return ("struct", *map(hashable, value))
    return value


def _shown(found: Answer, expected: Answer) -> str:
    (ours, order), (keys, right_order) = found, expected
    if ours == keys:
        return f"order {(order or [])[:12]}, expected {(right_order or [])[:12]}"
    more, less = ours - keys, keys - ours
    return (
        f"{sum(ours.values())} rows, expected {sum(keys.values())}; only ours {_some(more)};"
        f" only expected {_some(less)}"
    )


def _some(rows: Counter[Any]) -> str:
    return f"{sum(rows.values())}, such as {list(rows)[:4]}"
