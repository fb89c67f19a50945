# SPDX-License-Identifier: Apache-2.0

"""Creates the tables of random queries and their key tables.

Where a table has a collated string ``c``, its key table has the rank ``c`` and the bytes ``c_b``,
a plain string. Structs, arrays and maps have the same shape with ranks, and columns ``_b`` with
plain strings.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from robustness.harness.query_words import WORDS, literal, ranks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

# A type of the grammar: "main" and "other" are collated strings, the others have main ones inside.
COLLATED = ("main", "other", "struct", "array", "structs", "deep", "map")
COLUMNS = {
    "id": "int", "c": "main", "d": "main", "e": "other", "p": "plain", "n": "int", "s": "struct",
    "a": "array", "z": "structs", "g": "deep", "m": "map",
}  # fmt: skip

TABLES = {"t": 16, "u": 13, "v": 7}
# Statements change copies of this one.
CHANGED_TABLE = "t"
# In memory, in one partition or two; in Delta files; and as literals that the optimizer sees.
STORAGES = ("memory", "split", "values", "delta")
PAIRS = (
    ("UTF8_LCASE", "UNICODE_CI"),
    ("UNICODE_CI", "UTF8_LCASE"),
    ("UNICODE_CI_AI", "UTF8_BINARY_RTRIM"),
    ("UNICODE_CI_RTRIM", "UNICODE_CI_AI"),
    ("UNICODE", "UNICODE_CI"),
)

Row = dict[str, Any]


@dataclass(frozen=True)
class World:
    """Tables whose collated columns have one of two collations."""

    number: int
    main: str
    other: str

    def table(self, name: str, storage: str) -> str:
        """Return the name of a table, the same in both sessions."""
        return f"w{self.number}_{name}_{storage}"

    def collation(self, kind: str) -> str:
        """Return the collation of a type."""
        return self.other if kind == "other" else self.main

    def rank(self, word: str, kind: str) -> int:
        """Return the rank of a string by the collation of a type."""
        return ranks(self.collation(kind))[word]

    def ranked(self, value: Any, kind: str) -> Any:  # noqa: ANN401
        """Replace each collated string in a value by its rank; keep strings without a rank."""
        return shaped(value, kind, lambda word, of: ranks(self.collation(of)).get(word, word))


WORLDS = [World(number, *pair) for number, pair in enumerate(PAIRS)]


def shaped(value: Any, kind: str, leaf: Callable[[str, str], Any]) -> Any:  # noqa: ANN401
    """Return a value with ``leaf`` of each collated string in it, as tuples and lists."""
    if value is None or kind not in COLLATED:
        return value
    if kind in ("main", "other"):
        return leaf(value, kind)
    if kind in ("array", "structs"):
        inner = "main" if kind == "array" else "struct"
        return [shaped(each, inner, leaf) for each in value]
    if kind == "map":
        return {key: shaped(each, "main", leaf) for key, each in value.items()}
    kinds = ("main", "int") if kind == "struct" else ("struct", "plain", "other")
    return tuple(shaped(each, of, leaf) for each, of in zip(value, kinds, strict=True))


def sql_type(kind: str, string: Callable[[str], str]) -> str:
    """Return a type in SQL; ``string`` returns the type of a collated string."""
    struct = f"STRUCT<f: {string('main')}, k: INT>"
    return {
        "int": "INT",
        "plain": "STRING",
        "main": string("main"),
        "other": string("other"),
        "struct": struct,
        "array": f"ARRAY<{string('main')}>",
        "structs": f"ARRAY<{struct}>",
        "deep": f"STRUCT<g: {struct}, q: STRING, h: {string('other')}>",
        "map": f"MAP<STRING, {string('main')}>",
    }[kind]


def sql_value(value: Any, kind: str) -> str:  # noqa: ANN401
    """Return a value in SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return literal(value)
    if kind in ("array", "structs"):
        inner = "main" if kind == "array" else "struct"
        return f"array({', '.join(sql_value(each, inner) for each in value)})"
    if kind == "map":
        entries = (f"{literal(key)}, {sql_value(each, 'main')}" for key, each in value.items())
        return f"map({', '.join(entries)})"
    if kind in ("struct", "deep"):
        names = ("f", "k") if kind == "struct" else ("g", "q", "h")
        kinds = ("main", "int") if kind == "struct" else ("struct", "plain", "other")
        parts = zip(names, value, kinds, strict=True)
        fields = (f"'{name}', {sql_value(each, of)}" for name, each, of in parts)
        return f"named_struct({', '.join(fields)})"
    return str(value)


def random_rows(chance: random.Random, count: int) -> list[Row]:
    """Return rows with few distinct words, so that many are equal, and with NULLs."""
    words = chance.sample(WORDS, 9)

    def null(value: Any, percent: int = 12) -> Any:  # noqa: ANN401
        return None if chance.randrange(100) < percent else value

    def word() -> Any:  # noqa: ANN401
        return null(chance.choice(words))

    def struct() -> Any:  # noqa: ANN401
        return null((word(), null(chance.randrange(3))))

    return [
        {
            "id": number,
            "c": word(),
            "d": word(),
            "e": word(),
            "p": word(),
            "n": null(chance.randrange(4)),
            "s": struct(),
            "a": null([word() for _ in range(chance.randrange(4))]),
            "z": null([struct() for _ in range(chance.randrange(3))]),
            "g": null((struct(), word(), word())),
            "m": null({key: word() for key in ("x", "y") if chance.randrange(3)}),
        }
        for number in range(count)
    ]


def ours(world: World, rows: list[Row]) -> str:
    """Return a query that returns rows with collated columns."""
    columns = [
        f"CAST({name} AS {sql_type(kind, lambda of: f'STRING COLLATE {world.collation(of)}')})"
        f" AS {name}"
        for name, kind in COLUMNS.items()
    ]
    values = (
        ", ".join(sql_value(row[name], kind) for name, kind in COLUMNS.items()) for row in rows
    )
    return f"SELECT {', '.join(columns)} FROM VALUES {_rows(values)} AS r({', '.join(COLUMNS)})"


def keyed(world: World, rows: list[Row]) -> str:
    """Return a query that returns the same rows with ranks and plain strings."""
    columns, names = [], []
    for name, kind in COLUMNS.items():
        types = [(name, sql_type(kind, lambda _: "INT"))]
        if kind in COLLATED:
            types.append((f"{name}_b", sql_type(kind, lambda _: "STRING")))
        columns += [f"CAST({of} AS {text}) AS {of}" for of, text in types]
        names += [of for of, _ in types]
    values = []
    for row in rows:
        cells = []
        for name, kind in COLUMNS.items():
            cells.append(sql_value(world.ranked(row[name], kind), kind))
            if kind in COLLATED:
                cells.append(sql_value(row[name], kind))
        values.append(", ".join(cells))
    return f"SELECT {', '.join(columns)} FROM VALUES {_rows(values)} AS r({', '.join(names)})"


def _rows(values: Any) -> str:  # noqa: ANN401
    return ", ".join(f"({each})" for each in values)


def local(rows: DataFrame) -> DataFrame:
    """Return rows that are part of the plan, so that a query on them starts few jobs or none."""
    found, session = rows._jdf, rows.sparkSession  # noqa: SLF001
    local_rows = session._jsparkSession.createDataFrame(found.collectAsList(), found.schema())  # noqa: SLF001
    return DataFrame(local_rows, session)


def create(
    spark: SparkSession, oracle: SparkSession, folder: Path, seed: int, worlds: list[World]
) -> None:
    """Create every table in every storage, and its key table under the same name."""
    chance = random.Random(seed)  # noqa: S311
    for world in worlds:
        for name, count in TABLES.items():
            rows = random_rows(chance, count)
            key_table = local(oracle.sql(keyed(world, rows)))
            values = local(spark.sql(ours(world, rows)))
            path = folder / world.table(name, "delta")
            values.repartitionByRange(3, "c").write.format("delta").save(str(path))
            stored = {
                "values": values,
                "delta": spark.read.format("delta").load(str(path)),
                "memory": values.repartition(1).persist(),
                "split": values.repartition(2).persist(),
            }
            if name == CHANGED_TABLE:
                copied = str(folder / f"{world.table(name, 'delta')}_keys")
                key_table.write.format("delta").save(copied)
            for storage in STORAGES:
                stored[storage].createOrReplaceTempView(world.table(name, storage))
                key_table.createOrReplaceTempView(world.table(name, storage))
