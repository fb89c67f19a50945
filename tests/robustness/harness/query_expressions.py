# SPDX-License-Identifier: Apache-2.0

"""Chooses expressions and predicates of random queries.

A text contains the SQL for both sides: ``both(ours, keys)`` marks where they differ, and
``side(text, …)`` returns one of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from robustness.harness.query_tables import COLLATED
from robustness.harness.query_words import FUNCTIONS, WORDS, literal, ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robustness.harness.query_draws import Draws
    from robustness.harness.query_tables import World

OPEN, BAR, CLOSE = "\ue000", "\ue001", "\ue002"
_BOTH = re.compile(f"{OPEN}([^{CLOSE}]*?){BAR}([^{CLOSE}]*?){CLOSE}")
SIGNS = ("=", "<=>", "<", ">=", "<>", "!=", ">", "<=")
# Types that can be compared; a map cannot.
ORDERED = ("main", "other", "plain", "int", "struct", "array", "structs", "deep")


def both(ours: str, keys: str) -> str:
    """Return a text that differs between the sides."""
    return f"{OPEN}{side(ours, ours=True)}{BAR}{side(keys, ours=False)}{CLOSE}"


def side(text: str, *, ours: bool) -> str:
    """Return the text of one side."""
    return _BOTH.sub(lambda found: found.group(1 if ours else 2), text)


@dataclass(frozen=True)
class Expr:
    """An expression: its text, its type, and its exact spelling on the key tables.

    ``raw`` is None if SQL does not determine the spelling, as for the key of a group.
    """

    text: str
    type: str
    raw: str | None = None
    is_word: bool = False
    is_constant: bool = False

    @property
    def rank_only(self) -> Expr:
        """The same expression, of which only the rank is compared."""
        return replace(self, raw=None, is_word=False)


@dataclass(frozen=True)
class Scope:
    """The columns that an expression can use, and a total order of the rows if there is one.

    ``size`` is an estimate of the number of rows.
    """

    columns: tuple[Expr, ...]
    order: tuple[Expr, ...] | None = None
    size: int = 16

    @property
    def order_texts(self) -> tuple[str, ...]:
        """The sort keys of the total order."""
        return tuple(each.text for each in self.order or ())

    @property
    def outside(self) -> Scope:
        """The columns that a subquery can use: a column of USING is hidden by one of its table."""
        return replace(self, columns=tuple(each for each in self.columns if "." in each.text))

    def of(self, *kinds: str) -> list[Expr]:
        """Return the columns of some types."""
        return [each for each in self.columns if each.type in kinds]


class Expressions:
    """Chooses expressions; ``spellings`` allows predicates on bytes."""

    def __init__(self, draws: Draws, world: World, *, spellings: bool) -> None:
        """Choose with ``draws`` for the tables of ``world``."""
        self.draws = draws
        self.world = world
        self.spellings = spellings
        self.parameters: dict[str, str] = {}
        self._names = 0

    def name(self, prefix: str) -> str:
        """Return a name that no other part of the query has."""
        self._names += 1
        return f"{prefix}{self._names}"

    # --- values -----------------------------------------------------------------------------------

    def constant(self, kind: str, *, bare: bool = False) -> Expr:
        """Return a literal, a foldable expression, a parameter or NULL.

        A bare one takes its collation from the column that it is compared with.
        """
        draws = self.draws
        if kind == "int":
            return Expr(str(draws.below(4)), kind, is_constant=True)
        word = draws.pick(WORDS)
        if kind == "plain":
            return Expr(literal(word), kind, is_constant=True)
        if kind not in ("main", "other"):
            return self._nested(kind, self.constant)
        name = self.world.collation(kind)
        if draws.chance(6):
            null = both(f"CAST(NULL AS STRING COLLATE {name})", "CAST(NULL AS INT)")
            return Expr(null, kind, "CAST(NULL AS STRING)", is_constant=True)
        form = draws.below(5)
        text = literal(word)
        if form == 1:
            parameter = f"p{len(self.parameters)}"
            self.parameters[parameter] = word
            text = f":{parameter}"
        elif form == 2:
            text = f"concat({literal(word[:1])}, {literal(word[1:])})"
        if not (bare and form < 3):
            text = f"{text} COLLATE {name}"
        rank = f"CAST({self.world.rank(word, kind)} AS INT)"
        return Expr(both(f"({text})", rank), kind, literal(word), is_word=True, is_constant=True)

    def value(self, scope: Scope, kind: str, depth: int = 2) -> Expr:
        """Return an expression of a type, preferably a column."""
        draws = self.draws
        columns = scope.of(kind)
        if kind not in COLLATED or depth == 0 or draws.chance(70):
            return draws.pick(columns) if columns else self.constant(kind)
        if kind in ("main", "other") and draws.chance(75):
            return self._string(scope, kind, depth - 1)
        if draws.chance(40):
            condition = self.predicate(scope, depth - 1, subqueries=False)
            left, right = (self.value(scope, kind, depth - 1) for _ in range(2))
            return _merged("CASE WHEN {} THEN {} ELSE {} END", condition, left, right)
        if kind in ("struct", "array"):
            return self._nested(kind, lambda of: self.value(scope, of, depth - 1))
        return draws.pick(columns) if columns else self.constant(kind)

    def _string(self, scope: Scope, kind: str, depth: int) -> Expr:
        """Return a collated string that is not just a column."""
        draws, world = self.draws, self.world
        made = []
        for part in scope.of("struct", "deep", "array", "map") if kind == "main" else ():
            paths = {
                "struct": ".f",
                "deep": ".g.f",
                "array": "[]",
                "map": f"['{draws.pick('xy')}']",
            }
            path = paths[part.type]
            made.append(_step(part, path, kind))
        made += [_step(part, ".h", kind) for part in scope.of("deep") if kind == "other"]
        form = draws.below(5)
        if form == 0 and made:
            return draws.pick(made)
        inner = self.value(scope, kind, depth)
        if form == 1:
            default = self.constant(kind, bare=not inner.is_constant)
            return _merged("coalesce({1}, {2})", None, inner, default)
        if form == 2 and self.spellings and inner.is_word and inner.raw:
            function = draws.pick(list(FUNCTIONS))
            raw = function.format(inner.raw)
            ours = function.format(side(inner.text, ours=True))
            return Expr(both(ours, self._rank(raw, kind)), kind, raw)
        if form == 3 and self.spellings:
            other = self.value(scope, "other" if kind == "main" else "main", depth)
            if other.raw:
                ours = f"({side(other.text, ours=True)} COLLATE {world.collation(kind)})"
                return replace(other, text=both(ours, self._rank(other.raw, kind)), type=kind)
        if form == 4 and kind == "main" and scope.of("array"):
            function = draws.pick(("array_max", "array_min"))
            return Expr(f"{function}({draws.pick(scope.of('array')).text})", kind)
        return inner

    def _rank(self, raw: str, kind: str) -> str:
        """Return the rank of a plain string, for the key tables."""
        entries = ranks(self.world.collation(kind)).items()
        pairs = ", ".join(f"{literal(word)}, {rank}" for word, rank in entries)
        return f"try_element_at(map({pairs}), {raw})"

    def _nested(self, kind: str, make: Callable[[str], Expr]) -> Expr:
        """Return a struct or an array of new values."""
        if kind == "array":
            return _merged("array({1}, {2})", None, make("main"), make("main"), kind)
        if kind == "structs":
            return _merged("array({1}, {2})", None, make("struct"), make("struct"), kind)
        if kind == "deep":
            first, last = make("struct"), make("other")
            template = "named_struct('g', {1}, 'q', 'x', 'h', {2})"
            return _merged(template, None, first, last, kind)
        template = "named_struct('f', {1}, 'k', CAST({2} AS INT))"
        return _merged(template, None, make("main"), make("int"), "struct")

    # --- predicates -------------------------------------------------------------------------------

    def predicate(self, scope: Scope, depth: int = 2, *, subqueries: bool = True) -> str:
        """Return a condition."""
        draws = self.draws
        if depth > 0 and draws.chance(30):
            parts = [self.predicate(scope, depth - 1, subqueries=subqueries) for _ in range(2)]
            form = draws.below(3)
            if form == 2:
                return f"NOT ({parts[0]})"
            return f"({parts[0]} {('AND', 'OR')[form]} {parts[1]})"
        if subqueries and depth > 0 and draws.chance(22):
            return self.subquery_predicate(scope)
        if self.spellings and draws.chance(18):
            return self._bytes_predicate(scope)
        return self._comparison(scope, depth)

    def _kind(self, scope: Scope) -> str:
        """Choose a type to compare, most often a collated one."""
        present = [kind for kind in ORDERED if scope.of(kind)]
        weighted = [kind for kind in present for _ in range(4 if kind == "main" else 1)]
        return self.draws.pick(weighted or ["main"])

    def _comparison(self, scope: Scope, depth: int) -> str:
        draws = self.draws
        kind = self._kind(scope)
        left = self.value(scope, kind, depth)
        bare = not left.is_constant
        form = draws.below(8)
        if form == 4:
            return f"{left.text} IS {draws.pick(('NOT NULL', 'NULL'))}"
        if form == 5:
            count = 1 + draws.below(4)
            values = ", ".join(self.constant(kind, bare=bare).text for _ in range(count))
            return f"{left.text} {draws.pick(('IN', 'NOT IN'))} ({values})"
        if form == 6:
            low, high = (self.value(scope, kind, depth).text for _ in range(2))
            return f"{left.text} BETWEEN {low} AND {high}"
        if form == 7 and scope.of("array"):
            found = draws.pick(scope.of("array")).text
            element = self.value(scope, "main", depth).text
            other = draws.pick(scope.of("array")).text
            return draws.pick(
                (
                    f"array_contains({found}, {element})",
                    f"arrays_overlap({found}, {other})",
                    f"exists({found}, q -> q = {element})",
                    f"array_position({found}, {element}) = 1",
                    f"size(array_distinct({found})) = 2",
                    f"size(array_intersect({found}, {other})) > 0",
                )
            )
        right = self.constant(kind, bare=bare) if form < 2 else self.value(scope, kind, depth)
        return f"{left.text} {draws.pick(SIGNS)} {right.text}"

    def _bytes_predicate(self, scope: Scope) -> str:
        """Return a condition that distinguishes equal strings."""
        draws = self.draws
        spelled = [each for each in scope.of("main", "other") if each.raw]
        if not spelled:
            return self._comparison(scope, 0)
        column = draws.pick(spelled)
        text, raw = side(column.text, ours=True), column.raw
        assert raw
        word = literal(draws.pick(WORDS))
        plain = both(f"CAST({text} AS STRING COLLATE UTF8_BINARY)", raw)
        return draws.pick(
            (
                both(f"hex({text})", f"hex({raw})") + f" = hex({word})",
                both(f"length({text})", f"length({raw})") + " > 3",
                f"{plain} {draws.pick(SIGNS)} {word}",
                both(f"ascii({text})", f"ascii({raw})") + " < 98",
                both(f"md5({text})", f"md5({raw})") + f" <> md5({word})",
            )
        )

    def subquery_predicate(self, scope: Scope) -> str:
        """Return a condition with a subquery."""
        raise NotImplementedError


def _step(part: Expr, path: str, kind: str) -> Expr:
    """Return a string inside a struct, an array or a map."""
    template = "try_element_at({}, 1)" if path == "[]" else "{}" + path
    raw = template.format(part.raw) if part.raw else None
    return Expr(template.format(part.text), kind, raw, is_word=True)


def _merged(
    template: str, condition: str | None, left: Expr, right: Expr, kind: str | None = None
) -> Expr:
    """Return an expression of two others; its spelling is known if theirs are."""
    text = template.format(condition, left.text, right.text)
    raws = [each.raw if each.type in COLLATED else each.text for each in (left, right)]
    raw = None
    if all(each is not None for each in raws):
        raw = side(template.format(condition, *raws), ours=False)
    word = left.is_word and right.is_word and kind is None
    constant = left.is_constant and right.is_constant
    return Expr(text, kind or left.type, raw, is_word=word, is_constant=constant)


def total_order(scopes: Sequence[Scope]) -> tuple[Expr, ...] | None:
    """Return sort keys for a total order of the join of all scopes, or None."""
    parts = [scope.order for scope in scopes]
    if any(part is None for part in parts):
        return None
    return tuple(each for part in parts if part for each in part)
