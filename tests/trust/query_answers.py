# SPDX-License-Identifier: Apache-2.0

"""Runs a random query on both sides, and compares the answers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from trust.query_draws import Draws
from trust.query_expressions import side
from trust.query_statements import Queries
from trust.query_tables import COLLATED, WORLDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession
    from trust.query_relations import Query
    from trust.query_tables import World

OURS = "spark.deltaCollations."
SPEEDS = ("sort", "group", "window", "join", "filter", "extreme")
STOCK = {f"{OURS}{name}.enabled": "false" for name in ("speed", "shield", "skipping")}
ERRORS = (PySparkException, Py4JJavaError)
BLOOM = "spark.sql.optimizer.runtime.bloomFilter."


@dataclass(frozen=True)
class Case:
    """A query, the settings it runs with, and the choices that made it."""

    world: World
    query: Query
    settings: dict[str, str]
    parameters: dict[str, str]
    made: list[int]

    @property
    def ours(self) -> str:
        """The query as a user writes it."""
        return side(self.query.render(True), ours=True)  # noqa: FBT003

    @property
    def keys(self) -> str:
        """The query on the key tables."""
        return side(self.query.render(True), ours=False)  # noqa: FBT003

    @property
    def is_shielded(self) -> bool:
        """Whether wrong answers of stock Spark are no excuse."""
        return self.settings[f"{OURS}shield.enabled"] == "true"


def chosen(draws: Draws, views: dict[int, dict[str, Query]]) -> Case:
    """Choose a case."""
    settings = random_settings(draws)
    world = draws.pick(WORLDS)
    grammar = Queries(
        draws,
        world,
        spellings=settings[f"{OURS}shield.enabled"] == "true",
        views=views.get(world.number, {}),
    )
    query = grammar.whole()
    return Case(world, query, settings, grammar.parameters, draws.made)


def random_settings(draws: Draws) -> dict[str, str]:
    """Choose settings; the first choice is the default of each."""

    def flag(percent: int, *, default: bool = True) -> str:
        return str(draws.chance(percent) != default).lower()

    interpreted = not draws.chance(12)
    settings = {
        f"{OURS}shield.enabled": flag(12),
        f"{OURS}speed.enabled": flag(12),
        f"{OURS}skipping.enabled": flag(30),
        "spark.sql.adaptive.enabled": flag(40, default=False),
        "spark.sql.codegen.wholeStage": str(not interpreted).lower(),
        "spark.sql.codegen.factoryMode": "NO_CODEGEN" if interpreted else "FALLBACK",
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
    now: dict[str, str] = field(default_factory=dict)

    def use(self, settings: dict[str, str]) -> None:
        """Change the settings of the session with the tables."""
        for key, value in settings.items():
            if self.now.get(key) != value:
                self.ours.conf.set(key, value)
                self.now[key] = value

    def outcome(self, case: Case) -> Outcome:
        """Run a case on both sides."""
        self.use(case.settings)
        try:
            found = self.answer(case)
        except ERRORS as error:
            return self._failed(case, error)
        try:
            rows = self.oracle.sql(case.keys).collect()
        except ERRORS as error:
            return Outcome("oracle", _first_line(error), condition(error))
        expected = normalized(case, rows, ours=False)
        if found == expected:
            return Outcome("same")
        self.use(case.settings | STOCK)
        try:
            stock = self.answer(case)
        except ERRORS:
            stock = None
        if stock == found and not case.is_shielded:
            return Outcome("stock", "stock Spark answers the same, and the shield is off")
        if stock == found:
            kind = "differs, as stock Spark does"
        else:
            kind = "differs"
        return Outcome(kind, _shown(found, expected))

    def answer(self, case: Case) -> Any:  # noqa: ANN401
        """Run the query as a user writes it."""
        rows = self.ours.sql(case.ours, args=case.parameters).collect()
        return normalized(case, rows, ours=True)

    def _failed(self, case: Case, error: Exception) -> Outcome:
        self.use(case.settings | STOCK)
        try:
            self.answer(case)
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


def normalized(case: Case, rows: Sequence[Any], *, ours: bool) -> Any:  # noqa: ANN401
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


def _shown(found: Any, expected: Any) -> str:  # noqa: ANN401
    (ours, order), (keys, right_order) = found, expected
    if ours == keys:
        return f"order {order[:12]}, expected {right_order[:12]}"
    more, less = ours - keys, keys - ours
    return (
        f"{sum(ours.values())} rows, expected {sum(keys.values())}; only ours {_some(more)};"
        f" only expected {_some(less)}"
    )


def _some(rows: Counter[Any]) -> str:
    return f"{sum(rows.values())}, such as {list(rows)[:4]}"
