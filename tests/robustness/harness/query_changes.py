# SPDX-License-Identifier: Apache-2.0

"""Chooses random DELETE, UPDATE and MERGE statements on copies of Delta tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from robustness.harness.query_expressions import Expr, Scope, both, side
from robustness.harness.query_relations import table_scope
from robustness.harness.query_statements import Queries
from robustness.harness.query_tables import COLLATED, COLUMNS

if TYPE_CHECKING:
    from robustness.harness.query_tables import World

# Placeholder for the copy that a statement changes; each side has its own.
TARGET = "\ue003"
CHANGED = ("c", "n", "d", "e", "p", "s")
READ = ", ".join(
    f"{both(name, f'{name}_b')} AS {name}" if kind in COLLATED else name
    for name, kind in COLUMNS.items()
)


@dataclass(frozen=True)
class Change:
    """Statements that run one after the other on one copy."""

    world: World
    statements: tuple[str, ...]
    settings: dict[str, str]
    made: list[int]
    parameters: dict[str, str]

    @property
    def ours(self) -> str:
        """The statements as a user writes them."""
        return "; ".join(side(each, ours=True) for each in self.statements)

    @property
    def keys(self) -> str:
        """The statements on the key table."""
        return "; ".join(side(each, ours=False) for each in self.statements)


class Changes(Queries):
    """Chooses statements that change a table."""

    def statements(self) -> tuple[str, ...]:
        """Return one statement or two."""
        return tuple(self._statement() for _ in range(1 + self.draws.below(2)))

    def _statement(self) -> str:
        draws = self.draws
        alias = self.name("r")
        scope = table_scope(alias)
        form = draws.below(4)
        if form == 0:
            return f"DELETE FROM {TARGET} AS {alias} WHERE {self._condition(scope)}"
        if form == 1:
            values = self._assigned(scope)
            where = f" WHERE {self._condition(scope)}" if draws.chance(85) else ""
            return f"UPDATE {TARGET} AS {alias} SET {values}{where}"
        return self._merge(alias, scope)

    def _condition(self, scope: Scope) -> str:
        return self.predicate(scope, 1, subqueries=False)

    def _assigned(self, scope: Scope, names: tuple[str, ...] = CHANGED) -> str:
        """Return assignments of values whose spelling is known."""
        texts = []
        for name in self.draws.some(names, 1, 2):
            value = self._spelled(scope, COLUMNS[name])
            raw = both("", f", {name}_b = {value.raw}") if COLUMNS[name] in COLLATED else ""
            texts.append(f"{name} = {value.text}{raw}")
        return ", ".join(texts)

    def _spelled(self, scope: Scope, kind: str) -> Expr:
        value = self.value(scope, kind, 1)
        if kind not in COLLATED or value.raw:
            return value
        return next((each for each in scope.of(kind) if each.raw), self.constant(kind))

    def _merge(self, alias: str, target: Scope) -> str:
        draws = self.draws
        by_key = draws.chance(60)
        if by_key:
            table, inner = self.table()
            source, offered = self._by_key(table, inner)
            key = offered.columns[0]
            condition = f"{alias}.c = {key.text}"
        else:
            source, offered = self.table()
            condition = f"{alias}.id = {offered.columns[0].text}"
        if draws.chance(30):
            condition += f" AND {self.correlation(target, offered)}"
        together = Scope(target.columns + offered.columns)
        clauses = []
        if draws.chance(40):
            clauses.append(f"WHEN MATCHED AND {self._condition(together)} THEN DELETE")
        if draws.chance(80):
            clauses.append(f"WHEN MATCHED THEN UPDATE SET {self._assigned(together)}")
        if draws.chance(60):
            c, s = self._spelled(offered, "main"), self._spelled(offered, "struct")
            raw_names, raw_values = both("", ", c_b, s_b"), both("", f", {c.raw}, {s.raw}")
            clauses.append(
                f"WHEN NOT MATCHED THEN INSERT (id, c, s{raw_names})"
                f" VALUES (100, {c.text}, {s.text}{raw_values})"
            )
        if draws.chance(25):
            deleted = f"WHEN NOT MATCHED BY SOURCE AND {self._condition(target)} THEN DELETE"
            clauses.append(deleted)
        if not clauses:
            clauses = ["WHEN MATCHED THEN DELETE"]
        return f"MERGE INTO {TARGET} AS {alias} USING {source} ON {condition} {' '.join(clauses)}"

    def _by_key(self, table: str, inner: Scope) -> tuple[str, Scope]:
        """Return a source with one row for each class of equal strings."""
        alias = self.name("r")
        row = inner.columns[0].text
        columns = [each for each in inner.columns if each.type in ("main", "struct")]
        items = []
        for number, each in enumerate(columns):
            ours = f"max_by({each.text}, {row}) AS y{number}"
            items.append(ours + both("", f", max_by({each.raw}, {row}) AS y{number}_b"))
        text = f"(SELECT {', '.join(items)} FROM {table} GROUP BY {columns[0].text}) AS {alias}"
        offered = tuple(
            Expr(f"{alias}.y{number}", each.type, f"{alias}.y{number}_b")
            for number, each in enumerate(columns)
        )
        return text, Scope(offered)
