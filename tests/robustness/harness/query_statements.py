# SPDX-License-Identifier: Apache-2.0

"""Chooses whole random queries: selections, groups, windows, set operations, CTEs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robustness.harness.query_expressions import ORDERED, Expr, Scope, both, side
from robustness.harness.query_relations import Column, Query, Relations, columns_of, listed
from robustness.harness.query_tables import COLLATED

if TYPE_CHECKING:
    from collections.abc import Sequence

Items = list[tuple[str, Expr]]
HINTS = ("BROADCAST", "MERGE", "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL")
SET_OPERATIONS = (
    "UNION ALL", "UNION", "EXCEPT", "INTERSECT", "EXCEPT ALL", "INTERSECT ALL",
)  # fmt: skip


class Queries(Relations):
    """Chooses whole queries."""

    def whole(self) -> Query:
        """Return a query to run."""
        draws = self.draws
        prefix = ""
        if draws.chance(18):
            name, query = self.name("w"), self.query(draws.below(2))
            self.tables[name] = query
            prefix = f"WITH {name} AS ({query.derived}) "
        elif draws.chance(5):
            prefix = self._recursive()
        query = self.query(draws.pick((1, 1, 0, 2)))
        render = query.render
        return Query(
            query.columns, lambda whole: prefix + render(whole), query.order, query.sorted_by
        )

    def query(self, depth: int) -> Query:
        """Return a query of any form."""
        form = self.draws.below(16)
        if form < 6:
            return self._selected(depth)
        if form < 11:
            return self._grouped(depth)
        if form < 13:
            return self._windowed(depth)
        return self._distinct(depth) if form < 14 else self._combined(depth)

    # --- parts ------------------------------------------------------------------------------------

    def _read(self, depth: int) -> tuple[str, Scope]:
        """Return FROM and WHERE, and their columns."""
        source, scope = self.source(depth)
        if self.draws.chance(65):
            source += f" WHERE {self.predicate(scope)}"
        return f" FROM {source}", scope

    def _hint(self, tail: str) -> str:
        """Return a join hint or an empty string."""
        if " JOIN r" in tail or " JOIN w" not in tail or not self.draws.chance(20):
            return ""
        alias = tail.rpartition(" AS r")[2].split()[0].rstrip(")")
        return f"/*+ {self.draws.pick(HINTS)}(r{alias}) */ " if alias.isdigit() else ""

    def key(self, scope: Scope) -> Expr:
        """Return an expression to group, partition or sort by, but not an ordinal."""
        draws = self.draws
        present = [kind for kind in ORDERED if scope.of(kind)]
        weighted = [kind for kind in present for _ in range(4 if kind == "main" else 1)]
        kind = draws.pick(weighted or ["main"])
        if scope.of(kind) and not draws.chance(25):
            return draws.pick(scope.of(kind))
        value = self.value(scope, kind, 1)
        return value if not value.is_constant or not scope.of(kind) else draws.pick(scope.of(kind))

    def scalar(self, scope: Scope) -> Expr:
        """Return a scalar subquery."""
        draws = self.draws
        table, inner = self.table()
        kind = draws.pick(("main", "int", "struct", "main"))
        function = draws.pick(("count", "max", "count", "min"))
        shown = f"{function}({self.value(inner, kind, 1).text})"
        where = f" WHERE {self.correlation(inner, scope.outside)}" if draws.chance(70) else ""
        text = f"(SELECT {shown} FROM {table}{where})"
        return Expr(text, "int" if function == "count" else kind)

    def subquery_predicate(self, scope: Scope) -> str:
        """Return a condition with a subquery."""
        draws = self.draws
        form = draws.below(6)
        if form == 5:
            found = self.scalar(scope)
            value = self.value(scope, found.type, 1).text
            return f"{value} {draws.pick(('=', '<', '>='))} {found.text}"
        table, inner = self.table()
        conditions = []
        if form < 2 or draws.chance(35):
            conditions.append(self.correlation(inner, scope.outside))
        if draws.chance(50):
            conditions.append(self.predicate(inner, 0, subqueries=False))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        if form < 2:
            return f"{('EXISTS', 'NOT EXISTS')[form]} (SELECT 1 FROM {table}{where})"
        kinds = [self.key(scope).type for _ in range(2 if form == 4 else 1)]
        left = ", ".join(self.value(scope, kind, 1).text for kind in kinds)
        right = ", ".join(self.value(inner, kind, 1).text for kind in kinds)
        sign = draws.pick(("IN", "NOT IN"))
        return f"({left}) {sign} (SELECT {right} FROM {table}{where})"

    # --- forms ------------------------------------------------------------------------------------

    def _selected(self, depth: int) -> Query:
        """Return a SELECT, optionally with ORDER BY and LIMIT."""
        draws = self.draws
        tail, scope = self._read(depth)
        hint = self._hint(tail)
        items: Items = [(self.name("x"), self._shown(scope)) for _ in range(1 + draws.below(3))]
        if draws.chance(60):
            items += [(self.name("x"), each) for each in scope.order or ()]
        if draws.chance(12):
            items.append((self.name("x"), self.scalar(scope)))
        if draws.chance(8):
            alias = items[0][1].rank_only
            name = items[0][0]
            lateral = Expr(both(name, side(alias.text, ours=False)), alias.type)
            if alias.type in ORDERED:
                constant = self.constant(alias.type).text
                items.append((self.name("x"), Expr(f"({lateral.text} = {constant})", "bool")))
        sorts: list[str] = []
        sorted_by: list[int] = []
        limit = ""
        if draws.chance(30):
            for _ in range(1 + draws.below(2)):
                key = self.key(scope).rank_only
                sorted_by.append(len(items))
                items.append((self.name("x"), key))
                way = draws.pick(("", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST"))
                sorts.append(key.text + way)
            if scope.order is not None and draws.chance(50):
                sorts += scope.order_texts
                limit = f" LIMIT {1 + draws.below(6)}"
                if draws.chance(25):
                    limit += f" OFFSET {1 + draws.below(3)}"
        order = f" ORDER BY {', '.join(sorts)}{limit}" if sorts else ""
        shown = {item.text: name for name, item in items}
        unique = None
        if scope.order is not None and all(text in shown for text in scope.order_texts):
            unique = tuple(shown[text] for text in scope.order_texts)
        return Query(
            columns_of(items),
            lambda whole: f"SELECT {hint}{listed(items, whole=whole)}{tail}{order}",
            unique,
            tuple(sorted_by),
            scope.size,
        )

    def _shown(self, scope: Scope) -> Expr:
        """Return an expression to select."""
        draws = self.draws
        kinds = [kind for kind in (*ORDERED, "map", "bool") if scope.of(kind)]
        weighted = [kind for kind in kinds for _ in range(4 if kind == "main" else 1)]
        if not weighted or draws.chance(10):
            return Expr(f"({self.predicate(scope, 1, subqueries=False)})", "bool")
        if scope.of("array") and draws.chance(6):
            arrays = [draws.pick(scope.of("array")).text for _ in range(2)]
            form = draws.pick(
                ("sort_array({0})", "array_distinct({0})", "array_union({0}, {1})",
                 "array_except({0}, {1})", "array_intersect({0}, {1})", "array_sort({0})")
            )  # fmt: skip
            return Expr(form.format(*arrays), "array")
        return self.value(scope, draws.pick(weighted), 2)

    def _distinct(self, depth: int) -> Query:
        tail, scope = self._read(depth)
        count = 1 + self.draws.below(3)
        items: Items = [(self.name("x"), self.key(scope).rank_only) for _ in range(count)]
        return Query(
            columns_of(items),
            lambda whole: f"SELECT DISTINCT {listed(items, whole=whole)}{tail}",
            tuple(name for name, _ in items) if _plain_order(items) else None,
            size=scope.size,
        )

    def _aggregate(self, scope: Scope) -> Expr:
        """Return a deterministic aggregate, except for the spelling of MIN and MAX."""
        draws = self.draws
        key, other = self.key(scope), self.key(scope)
        number = draws.pick(scope.of("int")).text if scope.of("int") else "1"
        one = scope.order is not None and len(scope.order) == 1
        forms: list[Expr] = [
            Expr("count(*)", "int"),
            Expr(f"count({key.text})", "int"),
            Expr(f"count(DISTINCT {key.text})", "int"),
            Expr(f"sum({number})", "int"),
            Expr(f"sum(DISTINCT {number})", "int"),
            Expr(f"count(DISTINCT {key.text}, {other.text})", "int"),
            Expr(f"bool_or({self.predicate(scope, 0, subqueries=False)})", "bool"),
            Expr(f"count_if({self.predicate(scope, 0, subqueries=False)})", "int"),
        ]
        # MIN and MAX need compiled projections, which are slow to compile.
        min_max = draws.chance(35)
        if min_max:
            forms += [Expr(f"{name}({key.text})", key.type) for name in ("max", "min", "max")]
        if min_max and one and scope.order:
            ordered = scope.order_texts[0]
            raw = f"max_by({key.raw}, {ordered})" if key.raw else None
            forms.append(Expr(f"max_by({key.text}, {ordered})", key.type, raw))
        if key.type == "main":
            forms.append(Expr(f"sort_array(collect_list({key.text}))", "array"))
            if one and scope.order and key.raw:
                within = f"WITHIN GROUP (ORDER BY {key.text}, {scope.order_texts[0]})"
                ours = f"CAST(listagg({key.text}, ',') {within} AS STRING COLLATE UTF8_BINARY)"
                forms.append(Expr(both(ours, f"listagg({key.raw}, ',') {within}"), "plain"))
                return draws.pick(forms)
        chosen = draws.pick(forms)
        if draws.chance(20) and "sort_array" not in chosen.text:
            rows = f" FILTER (WHERE {self.predicate(scope, 0, subqueries=False)})"
            raw = f"{chosen.raw}{side(rows, ours=False)}" if chosen.raw else None
            return Expr(chosen.text + rows, chosen.type, raw)
        return chosen

    def _grouped(self, depth: int) -> Query:
        draws = self.draws
        tail, scope = self._read(depth)
        hint = self._hint(tail)
        form = draws.below(10)
        keys = [self.key(scope).rank_only for _ in range(1 + draws.below(2))]
        if form < 2 and draws.chance(10):
            keys.append(self.scalar(scope))
        items: Items = [(self.name("x"), key) for key in keys]
        texts = ", ".join(key.text for key in keys)
        if form == 9:
            keys, items, grouping = [], [], ""
        elif form == 4:
            grouping = " GROUP BY ALL"
        elif form == 5:
            grouping = f" GROUP BY {', '.join(str(each + 1) for each in range(len(items)))}"
        elif form == 6:
            grouping = f" GROUP BY {draws.pick(('ROLLUP', 'CUBE'))}({texts})"
        elif form == 7:
            grouping = f" GROUP BY GROUPING SETS (({texts}), ({keys[0].text}), ())"
        elif form == 8:
            grouping = f" GROUP BY {', '.join(name for name, _ in items)}"
        else:
            grouping = f" GROUP BY {texts}"
        is_set = form in (6, 7)
        if is_set and draws.chance(60):
            items.append((self.name("x"), Expr(f"grouping({keys[0].text})", "int")))
        aggregates = [self._aggregate(scope) for _ in range(1 + draws.below(3))]
        items += [(self.name("x"), each) for each in aggregates]
        having = ""
        if draws.chance(30) and form != 4:
            groups = Scope(tuple(each.rank_only for each in (*keys, *aggregates)))
            having = f" HAVING {self.predicate(groups, 1, subqueries=form < 4)}"
        unique = tuple(name for name, _ in items[: len(keys)])
        unordered = is_set or not _plain_order(items[: len(keys)])
        return Query(
            columns_of(items),
            lambda whole: f"SELECT {hint}{listed(items, whole=whole)}{tail}{grouping}{having}",
            None if unordered else unique,
            size=scope.size,
        )

    def _windowed(self, depth: int) -> Query:
        """Return window functions, optionally with a filter on them."""
        draws = self.draws
        tail, scope = self._read(depth)
        items: Items = [(self.name("x"), self._shown(scope)) for _ in range(1 + draws.below(2))]
        items += [(self.name("x"), each) for each in scope.order or ()]
        count = 1 + draws.below(2)
        items += [(self.name("x"), self._window(scope)) for _ in range(count)]
        inner = Query(
            columns_of(items),
            lambda whole: f"SELECT {listed(items, whole=whole)}{tail}",
            size=scope.size,
        )
        if draws.chance(35):
            return inner
        alias = self.name("r")
        offered = inner.scope(alias)
        condition = self.predicate(offered)
        shown: Items = [(self.name("x"), each) for each in offered.columns]
        text = f" FROM ({inner.derived}) AS {alias} WHERE {condition}"
        return Query(
            columns_of(shown),
            lambda whole: f"SELECT {listed(shown, whole=whole)}{text}",
            size=scope.size,
        )

    def _window(self, scope: Scope) -> Expr:
        draws = self.draws
        partition = ", ".join(self.key(scope).text for _ in range(draws.below(3)))
        key, shown = self.key(scope), self.key(scope)
        order = key.text + draws.pick(("", " DESC", " NULLS LAST"))
        total = None if scope.order is None else ", ".join((order, *scope.order_texts))
        by = f"PARTITION BY {partition} " if partition else ""
        peers = draws.pick(("", f"ORDER BY {order}"))
        function = draws.pick(("count", "max", "count", "min"))
        kind = "int" if function == "count" else shown.type
        forms = [
            Expr(f"rank() OVER ({by}ORDER BY {order})", "int"),
            Expr(f"dense_rank() OVER ({by}ORDER BY {order})", "int"),
            Expr(f"count(*) OVER ({by}{peers})", "int"),
            Expr(f"{function}({shown.text}) OVER ({by}{peers})", kind),
            Expr(
                f"count({shown.text}) OVER ({by}ORDER BY {order} RANGE BETWEEN CURRENT ROW AND"
                " UNBOUNDED FOLLOWING)",
                "int",
            ),
        ]
        if scope.of("int"):
            number = draws.pick(scope.of("int")).text
            frame = f"ORDER BY {number} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW"
            forms.append(Expr(f"count({shown.text}) OVER ({by}{frame})", "int"))
        if total:
            frame = f"{by}ORDER BY {total}"
            rows = f"{frame} ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING"
            forms += [
                Expr(f"row_number() OVER ({frame})", "int"),
                Expr(f"ntile(3) OVER ({frame})", "int"),
                Expr(f"{function}({shown.text}) OVER ({rows})", kind),
            ]
            for name in draws.some(("lag", "first_value", "last_value"), 0, 1):
                raw = f"{name}({shown.raw}) OVER ({side(frame, ours=False)})" if shown.raw else None
                forms.append(Expr(f"{name}({shown.text}) OVER ({frame})", shown.type, raw))
        return draws.pick(forms)

    def _combined(self, depth: int) -> Query:
        """Return a set operation."""
        draws = self.draws
        operation = draws.pick(SET_OPERATIONS)
        first = self._read(depth - 1 if depth else 0)
        keys = [self.key(first[1]) for _ in range(1 + draws.below(3))]
        kinds = [key.type for key in keys]
        tails, rows, size = [first[0]], [keys], first[1].size
        for _ in range(1 + draws.chance(15)):
            tail, scope = self._read(0)
            tails.append(tail)
            size += scope.size
            rows.append([self.value(scope, kind, 1) for kind in kinds])
        names = [self.name("x") for _ in kinds]
        exact = [
            operation == "UNION ALL" and all(row[each].raw for row in rows)
            for each in range(len(kinds))
        ]
        sides: list[Items] = [
            [
                (name, each if known else each.rank_only)
                for name, each, known in zip(names, row, exact, strict=True)
            ]
            for row in rows
        ]

        def render(whole: bool) -> str:  # noqa: FBT001
            parts = (
                f"(SELECT {listed(items, whole=whole)}{tail})"
                for items, tail in zip(sides, tails, strict=True)
            )
            return f" {operation} ".join(parts)

        columns = tuple(
            Column(name, kind, known or kind not in COLLATED)
            for name, kind, known in zip(names, kinds, exact, strict=True)
        )
        return Query(columns, render, size=size)

    def _recursive(self) -> str:
        """Return WITH RECURSIVE, and register its table."""
        name, alias = self.name("w"), self.name("r")
        (start, first), (step, next_) = self.table(), self.table()
        kind = self.draws.pick(("main", "main", "other", "struct"))
        begin, link, new = (self.value(of, kind, 1).text for of in (first, next_, next_))
        columns = (Column("y1", kind, exact=False), Column("y2", "int", exact=True))
        self.tables[name] = Query(columns, lambda _: "", size=64)
        return (
            f"WITH RECURSIVE {name}(y1, y2) AS (SELECT {begin}, 0 FROM {start} WHERE"
            f" {first.columns[0].text} < 5 UNION ALL SELECT {new}, {alias}.y2 + 1 FROM {name} AS"
            f" {alias} JOIN {step} ON {alias}.y1 = {link} WHERE {alias}.y2 < 2) "
        )


def _plain_order(items: Sequence[tuple[str, Expr]]) -> bool:
    """Return whether rows can be sorted by these columns, which excludes maps."""
    return all(item.type in ORDERED for _, item in items)
