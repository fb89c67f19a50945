# SPDX-License-Identifier: Apache-2.0

"""Defines the strings of random queries and their ranks under each collation.

The ranks are data: Node computed ``data/query_ranks.json`` (``./dev bench query-words``), and a run
starts by comparing it with stock Spark.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

WORDS = (
    "bob", "BOB", "Bob", "bob ", "Åsa", "åsa", "ÅSA", "asa", "a\u030asa", "straße", "STRASSE",
    "STRAẞE", "", " ", "zoë", "Zoe", "ZOË", "日本", "😀", "İ", "i\u0307", "ΟΔΟΣ", "οδος",
    "𐐀b", "𐐨B",
)  # fmt: skip

# SQL functions and what they do, applied at most once to a word.
FUNCTIONS: dict[str, Callable[[str], str]] = {
    "upper({})": str.upper,
    "ltrim({})": lambda word: word.lstrip(" "),
    "substr({}, 1, 2)": lambda word: word[:2],
    "concat({}, 'b')": lambda word: word + "b",
}

COLLATIONS = (
    "UTF8_LCASE",
    "UNICODE_CI",
    "UNICODE_CI_AI",
    "UNICODE_CI_RTRIM",
    "UNICODE",
    "UTF8_BINARY_RTRIM",
)

RANKS = Path(__file__).parents[1] / "data" / "query_ranks.json"


@cache
def all_words() -> tuple[str, ...]:
    """Return the words, and every result of a function on one of them."""
    results = [function(word) for function in FUNCTIONS.values() for word in WORDS]
    return tuple(dict.fromkeys([*WORDS, *results]))


@cache
def ranks(collation: str) -> dict[str, int]:
    """Return the rank of each string; equal strings have equal ranks."""
    found: dict[str, dict[str, int]] = json.loads(RANKS.read_text())
    return found[collation]


def by_node(collation: str) -> dict[str, int]:
    """Compute the ranks with Node, or with Python where only bytes are compared."""
    from robustness.harness.order_oracles import Node, ParsedCollation  # noqa: PLC0415
    from robustness.harness.place_names import Names  # noqa: PLC0415

    trimmed = collation.endswith("_RTRIM")
    words = [word.rstrip(" ") if trimmed else word for word in all_words()]
    name = collation.removesuffix("_RTRIM")
    if name == "UTF8_BINARY":
        order = {word: rank for rank, word in enumerate(sorted(set(words), key=str.encode))}
        return dict(zip(all_words(), map(order.__getitem__, words), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        found = Node().ranks(Names(words, Path(folder)), ParsedCollation(name))
    return dict(zip(all_words(), map(int, found), strict=True))


def differences_from(spark: SparkSession) -> list[str]:
    """Return strings that this session compares or converts differently."""
    values = ", ".join(f"({literal(word)})" for word in all_words())
    plain = f"(SELECT col1 AS w FROM VALUES {values})"
    wrong = []
    for collation in COLLATIONS:
        rank = ranks(collation)
        pairs = spark.sql(
            f"SELECT l, r, l COLLATE {collation} = r, l COLLATE {collation} < r"
            f" FROM {plain} AS a(l) CROSS JOIN {plain} AS b(r)"
        ).collect()
        wrong += [
            f"{collation}: {left!r} and {right!r}"
            for left, right, equal, less in pairs
            if equal != (rank[left] == rank[right]) or less != (rank[left] < rank[right])
        ]
    for sql, function in FUNCTIONS.items():
        for word, found in spark.sql(f"SELECT w, {sql.format('w')} FROM {plain}").collect():
            if word in WORDS and found != function(word):
                wrong.append(f"{sql.format(repr(word))} is {found!r}")
    return wrong


def literal(word: str | None) -> str:
    """Return a SQL string literal."""
    return "NULL" if word is None else "'" + word.replace("'", "\\'") + "'"


def main() -> None:
    """Write the file of ranks."""
    found = {collation: by_node(collation) for collation in COLLATIONS}
    RANKS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
