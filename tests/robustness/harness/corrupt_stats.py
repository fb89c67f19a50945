# SPDX-License-Identifier: Apache-2.0

"""Statistics of a file after something happened to them that a reader can see."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from support.tables import Json

    Damage = Callable[[random.Random, Json, str], str]

# By any order, nothing in any file is within these.
ABSURD = "\uffff"
# What readers put in the place of bytes that were no UTF-8. The bytes themselves would be in the
# way of Delta, which reads no commit that holds any.
REPLACED = "\ufffd"

WRONG: list[Any] = [None, True, 7, -1, 0.5, 1e300, 10**30, [], {}, ["c"], {"a": "z"}, [[[]]]]
DEPTH, KEYS, LETTERS = 10_000, 100_000, 1_000_000

ODD_KEYS = [
    "", ".", "icu", "icu.UNICODE_CI", "icu.../../x.1", "java.lang.Runtime.1",
    "'; DROP TABLE people; --.x.1", "icu.UNICODE_CI.{v} ", "icu.UNICODE_CI.{v}.0", "icu.de.1",
    "acme.UNICODE_CI.{v}", "spark.UNICODE_CI.{v}", "icu.UNICODE.{v}", "icu.UNICODE_CI.\u0000",
    "icu.UNICODE_CI.{v}\n", "icu.\ud800.{v}", "icu.UNICODE_CI" + "_CI" * 9999 + ".{v}", "x" * 99999,
    "${{env:HOME}}.x.1", "%s.%n.%d", "\u0131cu.UNICODE_CI.{v}", "icu.UNICODE_CI.{v}\u200b",
]  # fmt: skip


def _leaves(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: _leaves(inner, change) for name, inner in node.items()}
    return change(node)


def wrong(chance: random.Random) -> Any:  # noqa: ANN401
    """Return what is no bound, and no struct of bounds."""
    return copy.deepcopy(chance.choice(WRONG))


def _bounds(stats: Json) -> Json:
    found: Json = stats.get("statsWithCollation", {})
    return found


def _absurd(stats: Json) -> Json:
    """Return what would leave the file out of every search, if only it counted."""
    found: Json = _leaves(_bounds(stats), lambda _: ABSURD)
    return found


def _text(stats: Json, collated: object, *, ensure_ascii: bool = True) -> str:
    return json.dumps({**stats, "statsWithCollation": collated}, ensure_ascii=ensure_ascii)


def truncated(chance: random.Random, stats: Json, _: str) -> str:
    text = _text(stats, _absurd(stats))
    return text[: chance.randrange(len(text))]


def followed(chance: random.Random, stats: Json, _: str) -> str:
    return _text(stats, _absurd(stats)) + chance.choice(["x", "{}", ",", "]", "\u0000", " 7"])


def wrong_types(chance: random.Random, stats: Json, _: str) -> str:
    collated = _absurd(stats)
    for found in collated.values():
        end = chance.choice(["minValues", "maxValues"])
        found[end] = _leaves(found[end], lambda _: wrong(chance))
    return _text(stats, collated)


def wrong_containers(chance: random.Random, stats: Json, _: str) -> str:
    collated: Any = _absurd(stats)
    if chance.random() < 0.3:
        collated = chance.choice([wrong(chance), "text"])
    for key, found in collated.items() if isinstance(collated, dict) else ():
        if isinstance(found, dict) and chance.random() < 0.5:
            found[chance.choice(["minValues", "maxValues"])] = chance.choice(
                [wrong(chance), "text"]
            )
        else:
            collated[key] = chance.choice([wrong(chance), "text"])
    return _text(stats, collated)


def no_numbers(chance: random.Random, stats: Json, _: str) -> str:
    """Let constants stand in the text that are no JSON."""
    return _text(stats | {"x": "HERE"}, _absurd(stats)).replace(
        '"HERE"', chance.choice(["NaN", "Infinity", "-Infinity", "1e", "01", "0x7", "undefined"])
    )


def huge_numbers(chance: random.Random, stats: Json, _: str) -> str:
    number = chance.choice(["1e400", "-1e1000000000", "9" * 999, "18446744073709551616"])
    changed = stats | {"numRecords": "HERE", "nullCount": _leaves(stats["nullCount"], lambda _: 0)}
    return _text(changed, _bounds(stats)).replace('"HERE"', number)


def half_characters(chance: random.Random, stats: Json, _: str) -> str:
    half = chance.choice(["\ud800", "\udfff", "\udbff", "\ud800\ud800"])
    at = chance.choice(["{}" + ABSURD, ABSURD + "{}", "{}"])
    return _text(stats, _leaves(_absurd(stats), lambda _: at.format(half)))


def replaced_bytes(chance: random.Random, stats: Json, _: str) -> str:
    at = chance.choice(["{}x", ABSURD + "{}", "{}"])
    return _text(stats, _leaves(_absurd(stats), lambda _: at.format(REPLACED)))


def turned(_: random.Random, stats: Json, __: str) -> str:
    changed = copy.deepcopy(_bounds(stats))
    for found in changed.values():
        # Where both ends are equal, to turn them changes nothing.
        found["minValues"] = _leaves(found["maxValues"], lambda bound: bound + "z")
        found["maxValues"] = _leaves(found["minValues"], lambda _: "")
    return _text(stats, changed)


def one_end(chance: random.Random, stats: Json, _: str) -> str:
    changed = _absurd(stats)
    for found in changed.values():
        found.pop(chance.choice(["minValues", "maxValues"]))
    return _text(stats, changed)


def said_twice(chance: random.Random, stats: Json, _: str) -> str:
    text, absurd = _text(stats, _bounds(stats)), json.dumps(_absurd(stats))
    kind = chance.random()
    if kind < 0.5:
        return text[:-1] + f', "statsWithCollation": {absurd}}}'
    key, found = next(iter(_absurd(stats).items()), ("x", {}))
    name, absurd = json.dumps(key), json.dumps(found)
    return _text(stats, "HERE").replace('"HERE"', f"{{{name}: {absurd}, {name}: {absurd}}}")


def odd_identifiers(chance: random.Random, stats: Json, version: str) -> str:
    absurd: Json = next(iter(_absurd(stats).values()), {})
    keys = chance.sample(ODD_KEYS, 4)
    return _text(stats, {key.format(v=version): absurd for key in keys})


def deep(chance: random.Random, stats: Json, _: str) -> str:
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    depth = chance.choice([1100, DEPTH])
    inner = opening * depth + ("7" if closing == "}" else "") + closing * depth
    return _text({"x": "HERE", **stats}, _absurd(stats)).replace('"HERE"', inner)


def long_strings(chance: random.Random, stats: Json, _: str) -> str:
    """Let bounds be long but true: all but an empty string lies between them."""
    letters = chance.choice([LETTERS, LETTERS // 10])
    found = copy.deepcopy(_bounds(stats))
    for bounds in found.values():
        bounds["minValues"] = _leaves(
            bounds["minValues"], lambda bound: " " * letters if bound else ""
        )
        bounds["maxValues"] = _leaves(bounds["maxValues"], lambda _: ABSURD * letters)
    # Spark reads no text of more than 20 million characters, so there must be no escapes.
    return _text(stats, found, ensure_ascii=False)


def many_keys(_: random.Random, stats: Json, version: str) -> str:
    absurd = json.dumps(next(iter(_absurd(stats).values()), {}), ensure_ascii=False)
    keys = ", ".join(f'"icu.UNICODE_CI.{version}.{number}": {absurd}' for number in range(KEYS))
    return _text(stats, "HERE").replace('"HERE"', f"{{{keys}}}")


def no_object(chance: random.Random, _: Json, __: str) -> str:
    return chance.choice(["", "null", "[]", '"text"', "7", "{", "{}", "\u0000", "\ufeff{}"])


DAMAGES: list[Damage] = [
    truncated, followed, wrong_types, wrong_containers, no_numbers, huge_numbers,
    half_characters, replaced_bytes, turned, one_end, said_twice, odd_identifiers, deep, no_object,
]  # fmt: skip
# So large that a table holds only a few of them.
HUGE: list[Damage] = [long_strings, many_keys]
