# SPDX-License-Identifier: Apache-2.0

"""Chooses FROM clauses of random queries: tables, derived tables, joins of every kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from robustness.harness.query_expressions import (
    ORDERED,
    Expr,
    Expressions,
    Scope,
    both,
    side,
    total_order,
)
from robustness.harness.query_tables import COLLATED, COLUMNS, STORAGES, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robustness.harness.query_draws import Draws
    from robustness.harness.query_tables import World

JOINS = (
    "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN",
    "CROSS JOIN", ", ",
)  # fmt: skip
# A join that could have more rows than this is omitted.
LARGEST = 5000


@dataclass(frozen=True)
class Column:
    """A column of a query: its name, its type, and whether its exact spelling is known."""

    name: str
    type: str
    exact: bool


@dataclass(frozen=True)
class Query:
    """A whole query or a derived table; ``order`` has columns that form a unique key.

    On the key tables, a whole query returns the spelling of a collated string if it is known. A
    derived table returns ranks, and spellings in additional columns.
    """

    columns: tuple[Column, ...]
    render: Callable[[bool], str]
    order: tuple[str, ...] | None = None
    sorted_by: tuple[int, ...] = ()
    size: int = 16

    @property
    def whole(self) -> str:
        """The text of the whole query."""
        return self.render(True)  # noqa: FBT003

    @property
    def derived(self) -> str:
        """The text of a derived table."""
        return self.render(False)  # noqa: FBT003

    def scope(self, alias: str) -> Scope:
        """Return the columns of the query as those of a derived table."""
        columns = tuple(
            Expr(
                f"{alias}.{each.name}",
                each.type,
                f"{alias}.{each.name}_b" if each.exact and each.type in COLLATED else None,
            )
            for each in self.columns
        )
        if self.order is None:
            return Scope(columns, size=self.size)
        names = [each.name for each in self.columns]
        order = tuple(columns[names.index(name)].rank_only for name in self.order)
        return Scope(columns, order, self.size)


def listed(items: Sequence[tuple[str, Expr]], *, whole: bool) -> str:
    """Return the items of a SELECT."""
    texts = []
    for name, item in items:
        if item.type in COLLATED and item.raw:
            if whole:
                texts.append(f"{both(item.text, item.raw)} AS {name}")
                continue
            texts.append(f"{item.text} AS {name}{both('', f', {item.raw} AS {name}_b')}")
        else:
            texts.append(f"{item.text} AS {name}")
    return ", ".join(texts)


def columns_of(items: Sequence[tuple[str, Expr]]) -> tuple[Column, ...]:
    """Return the columns of a SELECT."""
    return tuple(
        Column(name, item.type, item.type not in COLLATED or item.raw is not None)
        for name, item in items
    )


class Relations(Expressions):
    """Chooses the relations that a query reads."""

    def __init__(
        self, draws: Draws, world: World, *, spellings: bool, views: dict[str, Query]
    ) -> None:
        """Choose with ``draws`` from the tables of ``world`` and from some views."""
        super().__init__(draws, world, spellings=spellings)
        self.views = views
        self.storage = draws.pick((*STORAGES[:1] * 6, *STORAGES[1:]))
        self.tables: dict[str, Query] = {}

    def query(self, depth: int) -> Query:
        """Return a query of any form."""
        raise NotImplementedError

    # --- single relations -------------------------------------------------------------------------

    def table(self) -> tuple[str, Scope]:
        """Return a table with a new alias."""
        alias = self.name("r")
        table = self.world.table(self.draws.pick(list(TABLES)), self.storage)
        return f"{table} AS {alias}", table_scope(alias)

    def relation(self, depth: int) -> tuple[str, Scope]:
        """Return a table, a view, a common table expression or a derived table."""
        draws = self.draws
        known = self.tables if self.tables and draws.chance(70) else {}
        if not known and self.views and draws.chance(10):
            known = self.views
        if known:
            name, alias = draws.pick(list(known)), self.name("r")
            return f"{name} AS {alias}", known[name].scope(alias)
        if depth > 0 and draws.chance(30):
            form = draws.below(6)
            if form == 4:
                return self._constants()
            if form == 5:
                return self._pivoted()
            alias = self.name("r")
            query = self.query(depth - 1)
            return f"({query.derived}) AS {alias}", query.scope(alias)
        return self.table()

    def _constants(self) -> tuple[str, Scope]:
        """Return one constant row or several."""
        alias, names = self.name("r"), [self.name("x"), self.name("x")]
        kinds = (self.draws.pick(("main", "struct", "other")), "int")
        rows = [[self.constant(kind) for kind in kinds] for _ in range(1 + self.draws.below(3))]
        columns = [Expr(f"{alias}.{name}", kind) for name, kind in zip(names, kinds, strict=True)]
        if len(rows) == 1:
            items = [(name, each.rank_only) for name, each in zip(names, rows[0], strict=True)]
            return f"(SELECT {listed(items, whole=False)}) AS {alias}", Scope(tuple(columns), ())
        values = ", ".join(f"({', '.join(each.text for each in row)})" for row in rows)
        return f"(VALUES {values}) AS {alias}({', '.join(names)})", Scope(tuple(columns))

    def _pivoted(self) -> tuple[str, Scope]:
        """Return a table with PIVOT or UNPIVOT."""
        draws = self.draws
        source, scope = self.table()
        alias, names = self.name("r"), [self.name("x") for _ in range(4)]
        key = draws.pick(scope.of("id", "int", "main", "plain", "struct")).rank_only
        strings = draws.some([each.rank_only for each in scope.of("main")], 2, 2)
        if draws.chance(50):
            items = list(zip(names, [key, *strings], strict=False))
            nulls = draws.pick(("", "INCLUDE NULLS "))
            label = self.name("x")
            text = (
                f"(SELECT * FROM (SELECT {listed(items, whole=False)} FROM {source}) UNPIVOT"
                f" {nulls}({names[3]} FOR {label} IN ({names[1]}, {names[2]}))) AS {alias}"
            )
            kinds = {names[0]: key.type, names[3]: "main", label: "plain"}
        else:
            number = draws.pick(scope.of("int"))
            items = list(zip(names, [key, strings[0], number], strict=False))
            constants = {}
            for _ in range(2):
                each = self.constant("main", bare=True)
                constants[side(each.text, ours=False)] = each.text
            values = {self.name("x"): text for text in constants.values() if "NULL" not in text}
            function = draws.pick(("count", "sum", "max"))
            shown = ", ".join(f"{text} AS {name}" for name, text in values.items())
            if not values:
                return source, scope
            text = (
                f"(SELECT * FROM (SELECT {listed(items, whole=False)} FROM {source})"
                f" PIVOT ({function}({names[2]}) FOR {names[1]} IN ({shown}))) AS {alias}"
            )
            kinds = {names[0]: key.type} | dict.fromkeys(values, "int")
        return text, Scope(tuple(Expr(f"{alias}.{name}", kind) for name, kind in kinds.items()))

    # --- joins ------------------------------------------------------------------------------------

    def source(self, depth: int) -> tuple[str, Scope]:
        """Return the relations after FROM."""
        draws = self.draws
        if draws.chance(7):
            return self._using()
        text, scope = self.relation(depth)
        for _ in range(draws.pick((0, 0, 1, 1, 1, 2))):
            text, scope = self._joined(text, scope, depth)
        if scope.of("array", "structs") and draws.chance(8):
            return self._exploded(text, scope)
        return text, scope

    def _joined(self, text: str, left: Scope, depth: int) -> tuple[str, Scope]:
        draws = self.draws
        if draws.chance(10):
            return self._lateral(text, left)
        added, right = self.relation(depth)
        size = left.size * right.size
        if size > LARGEST:
            return text, left
        both_sides = Scope(left.columns + right.columns, total_order([left, right]), size)
        join = draws.pick(JOINS)
        if join in ("CROSS JOIN", ", "):
            return f"{text} {join} {added}", both_sides
        condition = self.correlation(left, right)
        if draws.chance(30):
            other = self.correlation(left, right)
            condition = f"{condition} {draws.pick(('AND', 'AND', 'OR'))} {other}"
        if " = " in condition and " OR " not in condition:
            both_sides = replace(both_sides, size=max(16, size // 5))
        if draws.chance(30):
            condition = f"{condition} AND {self.predicate(both_sides, 1, subqueries=False)}"
        scope = left if "SEMI" in join or "ANTI" in join else both_sides
        return f"{text} {join} {added} ON {condition}", scope

    def correlation(self, left: Scope, right: Scope) -> str:
        """Return a condition between two relations, most often an equality."""
        draws = self.draws
        shared = [kind for kind in ORDERED if left.of(kind) and right.of(kind)]
        weighted = [kind for kind in shared for _ in range(5 if kind == "main" else 1)]
        kind = draws.pick(weighted or ["main"])
        first, second = self.value(left, kind, 1), self.value(right, kind, 1)
        if self.spellings and first.raw and second.raw and kind == "main" and draws.chance(8):
            ours = f"hex({side(first.text, ours=True)}) = hex({side(second.text, ours=True)})"
            return both(ours, f"hex({first.raw}) = hex({second.raw})")
        sign = draws.pick(("=", "=", "=", "=", "=", "<=>", "<", ">=", "<>"))
        return f"{first.text} {sign} {second.text}"

    def _using(self) -> tuple[str, Scope]:
        """Return two tables joined by columns of the same name."""
        draws = self.draws
        shared = draws.some(("c", "n", "s", "d", "p", "e", "g", "a"), 1, 2)
        join = draws.pick(JOINS[:6])
        (first, left), (second, right) = self.table(), self.table()
        text = f"{first} {join} {second} USING ({', '.join(shared)})"
        aliases = [each.rpartition(" ")[2] for each in (first, second)]
        visible = left.columns if join in JOINS[4:6] else left.columns + right.columns
        hidden = {f"{alias}.{name}" for alias in aliases for name in shared}
        columns = [each for each in visible if each.text not in hidden]
        for name in shared:
            kind, (one, two) = COLUMNS[name], (f"{alias}.{name}_b" for alias in aliases)
            raw = {"RIGHT JOIN": two, "FULL JOIN": f"coalesce({one}, {two})"}.get(join, one)
            columns.append(
                Expr(
                    name, kind, raw if kind in COLLATED else None, is_word=kind in ("main", "other")
                )
            )
        order = left.order if join in JOINS[4:6] else total_order([left, right])
        return text, Scope(tuple(columns), order, 64)

    def _lateral(self, text: str, left: Scope) -> tuple[str, Scope]:
        """Return a join with a subquery that uses columns of the left side."""
        draws = self.draws
        inner, scope = self.table()
        alias, name, number = self.name("r"), self.name("x"), self.name("x")
        condition = self.correlation(scope, left)
        shown = self.value(scope, draws.pick(("main", "main", "struct", "other")), 1)
        join = draws.pick(("JOIN", "LEFT JOIN"))
        if draws.chance(40):
            function = draws.pick(("max", "min"))
            items = [(name, Expr(f"{function}({shown.text})", shown.type)), (number, _COUNT)]
        else:
            items = [(name, shown), (number, scope.of("int")[0])]
        columns = tuple(
            Expr(f"{alias}.{of}", each.type, f"{alias}.{of}_b" if each.raw else None)
            for of, each in items
        )
        added = f"(SELECT {listed(items, whole=False)} FROM {inner} WHERE {condition}) AS {alias}"
        order = left.order
        if order is not None and items[1][1] is not _COUNT:
            order = (*order, columns[1])
        return f"{text} {join} LATERAL {added} ON true", Scope(
            left.columns + columns, order, left.size * 4
        )

    def _exploded(self, text: str, scope: Scope) -> tuple[str, Scope]:
        """Return a source with the elements of an array."""
        draws = self.draws
        array = draws.pick(scope.of("array", "structs"))
        alias, name = self.name("r"), self.name("x")
        outer = draws.pick(("", "OUTER "))
        kind = "main" if array.type == "array" else "struct"
        added = f"{text} LATERAL VIEW {outer}explode({array.text}) {alias} AS {name}"
        return added, Scope((*scope.columns, Expr(f"{alias}.{name}", kind)), size=scope.size * 2)


_COUNT = Expr("count(*)", "int")


def table_scope(alias: str) -> Scope:
    """Return the columns of a table."""
    columns = tuple(
        Expr(
            f"{alias}.{name}",
            kind,
            f"{alias}.{name}_b" if kind in COLLATED else None,
            is_word=kind in ("main", "other"),
        )
        for name, kind in COLUMNS.items()
    )
    return Scope(columns, columns[:1])
