# SPDX-License-Identifier: Apache-2.0
"""No file with a row that matches is left out, whatever the strings, the filter and the log say.

The law is tried on random files under random filters. Each file is a case of its own: its rows, its
statistics, and what somebody did to them. Spark itself says which rows match, without a filter on
files, for all filters in one query. A filter is then only planned: there, files are left out.
"""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F  # noqa: N812
from support.platforms import OLD_ICU, OLDER_ICU, between
from support.random_strings import random_string, random_variant, sql_literal
from support.scans import copy_table, rewrite_stats, without_codegen
from support.tables import Json, Table, write_checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    Damage = Callable[[random.Random, Json, str], Json]

FILES = 48
ROWS = 4
PREDICATES = 100

# Under UNICODE_AI and th, ICU's comparator is no order, so there are no bounds to skip by.
COLUMNS = {
    "lcase": "UTF8_LCASE", "uni": "UNICODE", "ci": "UNICODE_CI", "ai": "UNICODE_CI_AI",
    "trim": "UTF8_BINARY_RTRIM", "lcase_trim": "UTF8_LCASE_RTRIM", "ci_trim": "UNICODE_CI_RTRIM",
    "german": "de_CI", "swedish": "sv", "turkish": "tr_CI", "thai": "th", "vague": "UNICODE_AI",
    "plain": "UTF8_BINARY", "home.city": "UNICODE_CI",
}  # fmt: skip


@dataclass(frozen=True)
class Predicates:
    """Random predicates about the columns, with literals that are near the words of the table."""

    chance: random.Random
    words: list[str]

    def any(self, depth: int = 2) -> str:
        """Return one that Spark can run."""
        kind = self.chance.random()
        if depth == 0 or kind < 0.5:
            return self._about(self.chance.choice(list(COLUMNS)))
        if kind < 0.7:
            return f"NOT ({self.any(depth - 1)})"
        joined = self.chance.choice(["AND", "OR"])
        return f"({self.any(depth - 1)}) {joined} ({self.any(depth - 1)})"

    def _about(self, column: str) -> str:
        collation = COLUMNS[column]
        if self.chance.random() < 0.25:
            collation = self.chance.choice(list(COLUMNS.values()))
            column = f"{column} COLLATE {collation}"
        kinds = [self._compared] * 5 + [self._among] * 2 + [self._between, self._null, self._cased]
        if collation in {"UTF8_LCASE", "UTF8_BINARY"}:
            kinds += [self._beginning, self._beginning, self._alike]
        return self.chance.choice(kinds)(column)

    def _value(self) -> str:
        known = self.chance.random() < 0.8
        return sql_literal(
            random_variant(
                self.chance, self.chance.choice(self.words) if known else random_string(self.chance)
            )
        )

    def _compared(self, column: str) -> str:
        operator = self.chance.choice(["=", "=", "=", "<=>", "<", "<=", ">", ">=", "!="])
        sides = [column, self._value()]
        if self.chance.random() < 0.3:
            sides.reverse()
        return f" {operator} ".join(sides)

    def _among(self, column: str) -> str:
        values = [self._value() for _ in range(self.chance.choice([1, 2, 3, 12, 30]))]
        if self.chance.random() < 0.1:
            values.append("NULL")
        return f"{column} {self.chance.choice(['IN', 'IN', 'NOT IN'])} ({', '.join(values)})"

    def _between(self, column: str) -> str:
        negation = self.chance.choice(["", "", "NOT "])
        return between(column, self._value(), self._value(), negation=negation)

    def _null(self, column: str) -> str:
        return f"{column} IS {self.chance.choice(['', 'NOT '])}NULL"

    def _cased(self, column: str) -> str:
        return f"{self.chance.choice(['lower', 'upper'])}({column}) = {self._value()}"

    def _beginning(self, column: str) -> str:
        text = random_variant(self.chance, self.chance.choice(self.words))[
            : self.chance.randint(0, 4)
        ]
        if self.chance.random() < 0.5:
            return f"startswith({column}, {sql_literal(text)})"
        return f"{column} LIKE {sql_literal(_plain(text) + '%')}"

    def _alike(self, column: str) -> str:
        pattern = _plain(random_variant(self.chance, self.chance.choice(self.words)))
        return f"{column} ILIKE {sql_literal(pattern)}"


def _plain(text: str) -> str:
    return "".join(letter for letter in text if letter not in "\\%_")


def random_table(table: Table, seed: int) -> list[str]:
    """Fill the table with files of a few near words each, and return the words."""
    chance = random.Random(seed)  # noqa: S311
    declared = [f"{name} STRING COLLATE {of}" for name, of in COLUMNS.items() if "." not in name]
    table.create(
        f"id INT, {', '.join(declared)}, home STRUCT<city: STRING COLLATE UNICODE_CI>",
        **{
            "delta.enableDeletionVectors": "true",
            "delta.dataSkippingStringPrefixLength": str([32, 3, 10][seed % 3]),
        },
    )
    words = sorted(
        (random_string(chance) for _ in range(FILES * ROWS)), key=lambda text: text.casefold()
    )
    rows: list[tuple[Any, ...]] = []
    for number in range(FILES):
        near = words[number * ROWS : (number + 1) * ROWS]
        near = near if chance.random() < 0.8 else chance.choices(words, k=ROWS)
        nulls = chance.choice([0.0, 0.0, 0.2, 1.0])
        for _ in range(ROWS):
            row = [None if chance.random() < nulls else chance.choice(near) for _ in COLUMNS]
            rows.append((len(rows), *row[:-1], (row[-1],)))
    schema = ", ".join(f"{name} STRING" for name in COLUMNS if "." not in name)
    frame = table.spark.createDataFrame(rows, f"id INT, {schema}, home STRUCT<city: STRING>")
    written = frame.coalesce(1).write.format("delta").mode("append")
    written.option("maxRecordsPerFile", ROWS).save(str(table.path))
    table.sql("DELETE FROM {t} WHERE id % 7 = 3 AND id < 120")
    assert len(table.log.files) == FILES
    return words


def _renamed(rename: Callable[[str, str], str]) -> Damage:
    def change(_: random.Random, stats: Json, version: str) -> Json:
        keys = stats.get("statsWithCollation", {})
        return stats | {
            "statsWithCollation": {rename(key, version): found for key, found in keys.items()}
        }

    return change


def _absurd(found: Json) -> Json:
    """Return bounds that none of the words is within."""
    absurd: Json = with_leaves(found, lambda _: "\U0010fffe")
    return absurd


def with_leaves(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: with_leaves(inner, change) for name, inner in node.items()}
    return change(node)


def _absurdly(rename: Callable[[str, str], str], *, beside: bool) -> Damage:
    def change(_: random.Random, stats: Json, version: str) -> Json:
        keys = stats.get("statsWithCollation", {})
        wrong = {rename(key, version): _absurd(found) for key, found in keys.items()}
        return stats | {"statsWithCollation": wrong | keys if beside else wrong}

    return change


def _of(version: str) -> Callable[[str, str], str]:
    return lambda key, running: key.removesuffix(running) + version


def _broken_leaves(chance: random.Random, stats: Json, _: str) -> Json:
    def broken(leaf: Any) -> Any:  # noqa: ANN401
        return chance.choice([leaf, None, 7, [], {}, {"a": "z"}, True])

    return stats | {"statsWithCollation": with_leaves(stats.get("statsWithCollation", {}), broken)}


def _one_end(chance: random.Random, stats: Json, _: str) -> Json:
    changed = copy.deepcopy(stats)
    for found in changed.get("statsWithCollation", {}).values():
        found.pop(chance.choice(["minValues", "maxValues"]))
    return changed


def _turned(_: random.Random, stats: Json, __: str) -> Json:
    changed = copy.deepcopy(stats)
    for found in changed.get("statsWithCollation", {}).values():
        found["minValues"], found["maxValues"] = found["maxValues"], found["minValues"]
    return changed


def _emptied(chance: random.Random, stats: Json, _: str) -> Json:
    keys = stats.get("statsWithCollation", {})
    empty: list[Any] = [{}, None, [], "text", {"": {}}]
    empty += [{key: {} for key in keys}, dict.fromkeys(keys)]
    return stats | {"statsWithCollation": chance.choice(empty)}


def _without_counts(_: random.Random, stats: Json, __: str) -> Json:
    return {key: value for key, value in stats.items() if key != "nullCount"}


DAMAGES: list[Damage] = [
    _renamed(_of(OLD_ICU)),
    _renamed(lambda key, _: key.upper().replace("SPARK.", "Spark.")),
    _absurdly(_of("1.0"), beside=True),
    _absurdly(_of(OLDER_ICU), beside=True),
    _absurdly(lambda key, _: key.swapcase(), beside=True),
    _absurdly(lambda key, running: key.removesuffix("." + running), beside=True),
    _absurdly(_of(OLD_ICU), beside=False),
    _absurdly(lambda key, _: key + ".0", beside=False),
    _absurdly(lambda key, _: key + " ", beside=False),
    _absurdly(lambda key, _: "acme" + key[key.index(".") :], beside=False),
    _absurdly(lambda key, _: key.replace("icu.", "ico.").replace("spark.", "icu."), beside=False),
    _broken_leaves,
    _one_end,
    _turned,
    _emptied,
    _without_counts,
]

ILLEGIBLE = [None, "{broken", "", "null", "[]", '"text"', "{}"]


def damage(table: Table, seed: int, version: str) -> None:
    """Let somebody have changed the statistics of half of the files, each in another way."""
    chance = random.Random(seed)  # noqa: S311
    plans = {path: chance.random() for path in sorted(table.log.files)}
    numbers = {path: number for number, path in enumerate(plans)}
    vectors = {path for path, file in table.log.files.items() if "deletionVector" in file}

    def change(path: str, stats: Json) -> Json | str | None:
        own = random.Random(1000 * seed + numbers[path])  # noqa: S311
        if plans[path] < 0.5:
            return stats
        # Delta wants to know how many rows a file with a deletion vector has.
        if plans[path] < 0.58 and path not in vectors:
            return own.choice(ILLEGIBLE)
        return own.choice(DAMAGES)(own, stats, version)

    rewrite_stats(table, change)


@dataclass(frozen=True)
class Outcome:
    """What came of trying many predicates on the files of a table."""

    lost: list[str]
    tried: int
    skipped: int


def tried(table: Table, predicates: list[str], executed: int = 0) -> Outcome:
    """Plan every predicate and tell the matching rows that are in no file that would be read.

    The first few are also run to their end.
    """
    lost, skipped = [], 0
    with without_codegen(table.spark):
        truth = matching(table, predicates)
        for number, (predicate, rows) in enumerate(zip(predicates, truth, strict=True)):
            frame = table.sql(f"SELECT id FROM {{t}} WHERE {predicate}")
            read = {Path(path).name for path in frame.inputFiles()}
            skipped += FILES - len(read)
            lost += [f"{file} {row}: {predicate}" for row, file in rows.items() if file not in read]
            if number < executed:
                assert sorted(row[0] for row in frame.collect()) == sorted(rows), predicate
    return Outcome(lost, len(predicates) * FILES, skipped)


def matching(table: Table, predicates: list[str]) -> list[dict[int, str]]:
    """Return for each predicate the rows for which it is true, with the files that they are in."""
    found: list[dict[int, str]] = [{} for _ in predicates]
    holds = F.array(*[F.expr(predicate) for predicate in predicates])
    name = F.element_at(F.split("_metadata.file_path", "/"), -1)
    rows = table.spark.read.format("delta").load(str(table.path)).select("id", name, holds)
    for row, file, answers in rows.collect():
        for number, answer in enumerate(answers):
            if answer:
                found[number][row] = file
    return found


@pytest.mark.parametrize("seed", [0, 1, 2], ids=["as written", "damaged", "damaged, checkpoint"])
def test_no_file_with_a_match_is_left_out(table: Table, seed: int, version: str) -> None:
    words = random_table(table, seed)
    if seed > 0:
        damage(table, seed, version)
    if seed > 1:
        table.sql(
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false')"
        )
        write_checkpoint(table)
    made = Predicates(random.Random(seed), words)  # noqa: S311
    predicates = [made.any() for _ in range(PREDICATES)]

    outcome = tried(table, predicates, executed=10)

    assert outcome.lost == []
    assert outcome.tried == FILES * PREDICATES
    assert outcome.skipped / outcome.tried > (0.3 if seed == 0 else 0.15)


def test_a_wrong_bound_is_found_out(table: Table, version: str, tmp_path: Path) -> None:
    words = random_table(table, 0)
    made = Predicates(random.Random(0), words)  # noqa: S311
    predicates = [made.any() for _ in range(40)]
    key = f"spark.UTF8_LCASE.{version}"

    def lie(_: str, stats: Json) -> Json:
        keys = stats.get("statsWithCollation", {})
        return stats | {"statsWithCollation": keys | {key: _absurd(keys.get(key, {}))}}

    liar = rewrite_stats(copy_table(table, tmp_path / "liar"), lie)
    assert tried(table, predicates).lost == []
    lost = tried(liar, predicates).lost
    assert lost
    assert all("lcase" in row.lower() for row in lost)
