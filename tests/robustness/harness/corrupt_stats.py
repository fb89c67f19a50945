# SPDX-License-Identifier: Apache-2.0

"""Corrupts the statistics of a file in ways that a reader can detect."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from support.tables import Json

    Corruption = Callable[[random.Random, Json, str], str]

# A bound that excludes all values of all files in every order.
ALL_EXCLUDING = "\uffff"
# Readers replace malformed UTF-8 by this character. Delta rejects commits with the malformed bytes
# themselves.
REPLACEMENT_CHARACTER = "\ufffd"

WRONG: list[Any] = [None, True, 7, -1, 0.5, 1e300, 10**30, [], {}, ["c"], {"a": "z"}, [[[]]]]
DEPTH, KEYS, CHARACTERS = 10_000, 100_000, 1_000_000

ODD_KEYS = [
    "", ".", "icu", "icu.UNICODE_CI", "icu.../../x.1", "java.lang.Runtime.1",
    "'; DROP TABLE people; --.x.1", "icu.UNICODE_CI.{v} ", "icu.UNICODE_CI.{v}.0", "icu.de.1",
    "acme.UNICODE_CI.{v}", "spark.UNICODE_CI.{v}", "icu.UNICODE.{v}", "icu.UNICODE_CI.\u0000",
    "icu.UNICODE_CI.{v}\n", "icu.\ud800.{v}", "icu.UNICODE_CI" + "_CI" * 9999 + ".{v}", "x" * 99999,
    "${{env:HOME}}.x.1", "%s.%n.%d", "\u0131cu.UNICODE_CI.{v}", "icu.UNICODE_CI.{v}\u200b",
]  # fmt: skip


def _map_leaves(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: _map_leaves(inner, change) for name, inner in node.items()}
    return change(node)


def wrong_value(rng: random.Random) -> Any:  # noqa: ANN401
    """Return a value that is neither a bound nor a struct of bounds."""
    return copy.deepcopy(rng.choice(WRONG))


def _bounds(stats: Json) -> Json:
    found: Json = stats.get("statsWithCollation", {})
    return found


def _all_excluding(stats: Json) -> Json:
    """Return bounds that would skip the file in every query if they were used."""
    found: Json = _map_leaves(_bounds(stats), lambda _: ALL_EXCLUDING)
    return found


def _text(stats: Json, collated: object, *, ensure_ascii: bool = True) -> str:
    return json.dumps({**stats, "statsWithCollation": collated}, ensure_ascii=ensure_ascii)


def truncated(rng: random.Random, stats: Json, _: str) -> str:
    text = _text(stats, _all_excluding(stats))
    return text[: rng.randrange(len(text))]


def trailing_tokens(rng: random.Random, stats: Json, _: str) -> str:
    return _text(stats, _all_excluding(stats)) + rng.choice(["x", "{}", ",", "]", "\u0000", " 7"])


def wrong_types(rng: random.Random, stats: Json, _: str) -> str:
    collated = _all_excluding(stats)
    for found in collated.values():
        end = rng.choice(["minValues", "maxValues"])
        found[end] = _map_leaves(found[end], lambda _: wrong_value(rng))
    return _text(stats, collated)


def wrong_containers(rng: random.Random, stats: Json, _: str) -> str:
    collated: Any = _all_excluding(stats)
    if rng.random() < 0.3:
        collated = rng.choice([wrong_value(rng), "text"])
    for key, found in collated.items() if isinstance(collated, dict) else ():
        if isinstance(found, dict) and rng.random() < 0.5:
            found[rng.choice(["minValues", "maxValues"])] = rng.choice([wrong_value(rng), "text"])
        else:
            collated[key] = rng.choice([wrong_value(rng), "text"])
    return _text(stats, collated)


def invalid_constants(rng: random.Random, stats: Json, _: str) -> str:
    """Add a constant that is not valid JSON."""
    return _text(stats | {"x": "HERE"}, _all_excluding(stats)).replace(
        '"HERE"', rng.choice(["NaN", "Infinity", "-Infinity", "1e", "01", "0x7", "undefined"])
    )


def huge_numbers(rng: random.Random, stats: Json, _: str) -> str:
    number = rng.choice(["1e400", "-1e1000000000", "9" * 999, "18446744073709551616"])
    changed = stats | {
        "numRecords": "HERE",
        "nullCount": _map_leaves(stats["nullCount"], lambda _: 0),
    }
    return _text(changed, _bounds(stats)).replace('"HERE"', number)


def lone_surrogates(rng: random.Random, stats: Json, _: str) -> str:
    surrogate = rng.choice(["\ud800", "\udfff", "\udbff", "\ud800\ud800"])
    at = rng.choice(["{}" + ALL_EXCLUDING, ALL_EXCLUDING + "{}", "{}"])
    return _text(stats, _map_leaves(_all_excluding(stats), lambda _: at.format(surrogate)))


def replacement_characters(rng: random.Random, stats: Json, _: str) -> str:
    at = rng.choice(["{}x", ALL_EXCLUDING + "{}", "{}"])
    return _text(
        stats, _map_leaves(_all_excluding(stats), lambda _: at.format(REPLACEMENT_CHARACTER))
    )


def swapped_bounds(_: random.Random, stats: Json, __: str) -> str:
    changed = copy.deepcopy(_bounds(stats))
    for found in changed.values():
        # Swapping equal bounds would change nothing.
        found["minValues"] = _map_leaves(found["maxValues"], lambda bound: bound + "z")
        found["maxValues"] = _map_leaves(found["minValues"], lambda _: "")
    return _text(stats, changed)


def missing_min_or_max(rng: random.Random, stats: Json, _: str) -> str:
    changed = _all_excluding(stats)
    for found in changed.values():
        found.pop(rng.choice(["minValues", "maxValues"]))
    return _text(stats, changed)


def duplicate_keys(rng: random.Random, stats: Json, _: str) -> str:
    text, excluding = _text(stats, _bounds(stats)), json.dumps(_all_excluding(stats))
    kind = rng.random()
    if kind < 0.5:
        return text[:-1] + f', "statsWithCollation": {excluding}}}'
    key, found = next(iter(_all_excluding(stats).items()), ("x", {}))
    name, excluding = json.dumps(key), json.dumps(found)
    return _text(stats, "HERE").replace('"HERE"', f"{{{name}: {excluding}, {name}: {excluding}}}")


def odd_identifiers(rng: random.Random, stats: Json, version: str) -> str:
    excluding: Json = next(iter(_all_excluding(stats).values()), {})
    keys = rng.sample(ODD_KEYS, 4)
    return _text(stats, {key.format(v=version): excluding for key in keys})


def deep_nesting(rng: random.Random, stats: Json, _: str) -> str:
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}")])
    depth = rng.choice([1100, DEPTH])
    inner = opening * depth + ("7" if closing == "}" else "") + closing * depth
    return _text({"x": "HERE", **stats}, _all_excluding(stats)).replace('"HERE"', inner)


def long_strings(rng: random.Random, stats: Json, _: str) -> str:
    """Replace bounds by long but correct ones, which include all but the empty string."""
    length = rng.choice([CHARACTERS, CHARACTERS // 10])
    found = copy.deepcopy(_bounds(stats))
    for bounds in found.values():
        bounds["minValues"] = _map_leaves(
            bounds["minValues"], lambda bound: " " * length if bound else ""
        )
        bounds["maxValues"] = _map_leaves(bounds["maxValues"], lambda _: ALL_EXCLUDING * length)
    # Spark rejects strings of more than 20 million characters, so escapes would be too long.
    return _text(stats, found, ensure_ascii=False)


def many_keys(_: random.Random, stats: Json, version: str) -> str:
    excluding = json.dumps(next(iter(_all_excluding(stats).values()), {}), ensure_ascii=False)
    keys = ", ".join(f'"icu.UNICODE_CI.{version}.{number}": {excluding}' for number in range(KEYS))
    return _text(stats, "HERE").replace('"HERE"', f"{{{keys}}}")


def not_an_object(rng: random.Random, _: Json, __: str) -> str:
    return rng.choice(["", "null", "[]", '"text"', "7", "{", "{}", "\u0000", "\ufeff{}"])


CORRUPTIONS: list[Corruption] = [
    truncated, trailing_tokens, wrong_types, wrong_containers, invalid_constants, huge_numbers,
    lone_surrogates, replacement_characters, swapped_bounds, missing_min_or_max,
    duplicate_keys, odd_identifiers, deep_nesting, not_an_object,
]  # fmt: skip
# So large that a table has only a few of them.
HUGE: list[Corruption] = [long_strings, many_keys]
