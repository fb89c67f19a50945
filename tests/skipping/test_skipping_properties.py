# SPDX-License-Identifier: Apache-2.0
"""Property-based tests: skipping never skips a file with a matching row.

Strings, predicates and the statistics in the log are random; some statistics are corrupted. Spark
evaluates all predicates in one query without skipping, which gives the matching rows. Each
predicate is then only planned, since files are skipped during planning.
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
from support.scans import copy_table, rewrite_stats
from support.tables import Json, Table, without_codegen, write_checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    Mutation = Callable[[random.Random, Json, str], Json]

FILES = 48
ROWS = 4
PREDICATES = 100

# UNICODE_AI and th are not total orders, so their bounds are in coarser collations.
COLUMNS = {
    "lcase": "UTF8_LCASE", "uni": "UNICODE", "ci": "UNICODE_CI", "ai": "UNICODE_CI_AI",
    "trim": "UTF8_BINARY_RTRIM", "lcase_trim": "UTF8_LCASE_RTRIM", "ci_trim": "UNICODE_CI_RTRIM",
    "german": "de_CI", "swedish": "sv", "turkish": "tr_CI", "thai": "th", "vague": "UNICODE_AI",
    "plain": "UTF8_BINARY", "home.city": "UNICODE_CI",
}  # fmt: skip


@dataclass(frozen=True)
class Predicates:
    """Generates random predicates on the columns, with literals similar to words of the table."""

    chance: random.Random
    words: list[str]

    def any(self, depth: int = 2) -> str:
        """Return a random predicate that Spark accepts."""
        kind = self.chance.random()
        if depth == 0 or kind < 0.5:
            return self._predicate_on(self.chance.choice(list(COLUMNS)))
        if kind < 0.7:
            return f"NOT ({self.any(depth - 1)})"
        operator = self.chance.choice(["AND", "OR"])
        return f"({self.any(depth - 1)}) {operator} ({self.any(depth - 1)})"

    def _predicate_on(self, column: str) -> str:
        collation = COLUMNS[column]
        if self.chance.random() < 0.25:
            collation = self.chance.choice(list(COLUMNS.values()))
            column = f"{column} COLLATE {collation}"
        kinds = (
            [self._comparison] * 5
            + [self._in_list] * 2
            + [self._between, self._null_check, self._case_function]
        )
        if collation in {"UTF8_LCASE", "UTF8_BINARY"}:
            kinds += [self._prefix, self._like, self._ilike]
        elif not collation.endswith(("RTRIM", "UNICODE_AI")):
            kinds.append(self._prefix)
        return self.chance.choice(kinds)(column)

    def _value(self) -> str:
        known = self.chance.random() < 0.8
        return sql_literal(
            random_variant(
                self.chance, self.chance.choice(self.words) if known else random_string(self.chance)
            )
        )

    def _comparison(self, column: str) -> str:
        operator = self.chance.choice(["=", "=", "=", "<=>", "<", "<=", ">", ">=", "!="])
        sides = [column, self._value()]
        if self.chance.random() < 0.3:
            sides.reverse()
        return f" {operator} ".join(sides)

    def _in_list(self, column: str) -> str:
        values = [self._value() for _ in range(self.chance.choice([1, 2, 3, 12, 30]))]
        if self.chance.random() < 0.1:
            values.append("NULL")
        return f"{column} {self.chance.choice(['IN', 'IN', 'NOT IN'])} ({', '.join(values)})"

    def _between(self, column: str) -> str:
        negation = self.chance.choice(["", "", "NOT "])
        return between(column, self._value(), self._value(), negation=negation)

    def _null_check(self, column: str) -> str:
        return f"{column} IS {self.chance.choice(['', 'NOT '])}NULL"

    def _case_function(self, column: str) -> str:
        return f"{self.chance.choice(['lower', 'upper'])}({column}) = {self._value()}"

    def _prefix(self, column: str) -> str:
        return f"startswith({column}, {sql_literal(self._start())})"

    def _like(self, column: str) -> str:
        return f"{column} LIKE {sql_literal(_without_wildcards(self._start()) + '%')}"

    def _start(self) -> str:
        length = self.chance.randint(0, 4)
        return random_variant(self.chance, self.chance.choice(self.words))[:length]

    def _ilike(self, column: str) -> str:
        pattern = _without_wildcards(random_variant(self.chance, self.chance.choice(self.words)))
        return f"{column} ILIKE {sql_literal(pattern)}"


def _without_wildcards(text: str) -> str:
    return "".join(char for char in text if char not in "\\%_")


def fill_random_table(table: Table, seed: int) -> list[str]:
    """Fill the table with files of a few similar words each, and return the words."""
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


def _renamed_keys(rename: Callable[[str, str], str]) -> Mutation:
    def change(_: random.Random, stats: Json, version: str) -> Json:
        keys = stats.get("statsWithCollation", {})
        return stats | {
            "statsWithCollation": {rename(key, version): bounds for key, bounds in keys.items()}
        }

    return change


def _wrong_bounds(bounds: Json) -> Json:
    """Return bounds that contain none of the words."""
    changed: Json = map_leaves(bounds, lambda _: "\U0010fffe")
    return changed


def map_leaves(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: map_leaves(inner, change) for name, inner in node.items()}
    return change(node)


def _wrong_bounds_under(rename: Callable[[str, str], str], *, keep_original: bool) -> Mutation:
    def change(_: random.Random, stats: Json, version: str) -> Json:
        keys = stats.get("statsWithCollation", {})
        wrong = {rename(key, version): _wrong_bounds(bounds) for key, bounds in keys.items()}
        return stats | {"statsWithCollation": wrong | keys if keep_original else wrong}

    return change


def _with_version(version: str) -> Callable[[str, str], str]:
    return lambda key, current: key.removesuffix(current) + version


def _invalid_leaves(chance: random.Random, stats: Json, _: str) -> Json:
    def broken(leaf: Any) -> Any:  # noqa: ANN401
        return chance.choice([leaf, None, 7, [], {}, {"a": "z"}, True])

    return stats | {"statsWithCollation": map_leaves(stats.get("statsWithCollation", {}), broken)}


def _missing_end(chance: random.Random, stats: Json, _: str) -> Json:
    changed = copy.deepcopy(stats)
    for bounds in changed.get("statsWithCollation", {}).values():
        bounds.pop(chance.choice(["minValues", "maxValues"]))
    return changed


def _swapped_ends(_: random.Random, stats: Json, __: str) -> Json:
    changed = copy.deepcopy(stats)
    for bounds in changed.get("statsWithCollation", {}).values():
        bounds["minValues"], bounds["maxValues"] = bounds["maxValues"], bounds["minValues"]
    return changed


def _empty_stats(chance: random.Random, stats: Json, _: str) -> Json:
    keys = stats.get("statsWithCollation", {})
    empty: list[Any] = [{}, None, [], "text", {"": {}}]
    empty += [{key: {} for key in keys}, dict.fromkeys(keys)]
    return stats | {"statsWithCollation": chance.choice(empty)}


def _without_counts(_: random.Random, stats: Json, __: str) -> Json:
    return {key: value for key, value in stats.items() if key != "nullCount"}


MUTATIONS: list[Mutation] = [
    _renamed_keys(_with_version(OLD_ICU)),
    _renamed_keys(lambda key, _: key.upper().replace("SPARK.", "Spark.")),
    _wrong_bounds_under(_with_version("1.0"), keep_original=True),
    _wrong_bounds_under(_with_version(OLDER_ICU), keep_original=True),
    _wrong_bounds_under(lambda key, _: key.swapcase(), keep_original=True),
    _wrong_bounds_under(lambda key, current: key.removesuffix("." + current), keep_original=True),
    _wrong_bounds_under(_with_version(OLD_ICU), keep_original=False),
    _wrong_bounds_under(lambda key, _: key + ".0", keep_original=False),
    _wrong_bounds_under(lambda key, _: key + " ", keep_original=False),
    _wrong_bounds_under(lambda key, _: "acme" + key[key.index(".") :], keep_original=False),
    _wrong_bounds_under(
        lambda key, _: key.replace("icu.", "ico.").replace("spark.", "icu."), keep_original=False
    ),
    _invalid_leaves,
    _missing_end,
    _swapped_ends,
    _empty_stats,
    _without_counts,
]

UNREADABLE_STATS = [None, "{broken", "", "null", "[]", '"text"', "{}"]


def corrupt_stats(table: Table, seed: int, version: str) -> None:
    """Change the statistics of about half of the files, each in a random way."""
    chance = random.Random(seed)  # noqa: S311
    plans = {path: chance.random() for path in sorted(table.log.files)}
    numbers = {path: number for number, path in enumerate(plans)}
    vectors = {path for path, file in table.log.files.items() if "deletionVector" in file}

    def change(path: str, stats: Json) -> Json | str | None:
        own = random.Random(1000 * seed + numbers[path])  # noqa: S311
        if plans[path] < 0.5:
            return stats
        # Delta needs the row count of a file with a deletion vector.
        if plans[path] < 0.58 and path not in vectors:
            return own.choice(UNREADABLE_STATS)
        return own.choice(MUTATIONS)(own, stats, version)

    rewrite_stats(table, change)


@dataclass(frozen=True)
class Outcome:
    """The result of planning many predicates on the files of a table."""

    lost: list[str]
    checked: int
    skipped: int


def check_predicates(table: Table, predicates: list[str], executed: int = 0) -> Outcome:
    """Plan every predicate and return the matching rows whose files would be skipped.

    The first ``executed`` predicates are also run.
    """
    lost, skipped = [], 0
    with without_codegen(table.spark):
        expected = matching_rows(table, predicates)
        for number, (predicate, rows) in enumerate(zip(predicates, expected, strict=True)):
            frame = table.sql(f"SELECT id FROM {{t}} WHERE {predicate}")
            read = {Path(path).name for path in frame.inputFiles()}
            skipped += FILES - len(read)
            lost += [f"{file} {row}: {predicate}" for row, file in rows.items() if file not in read]
            if number < executed:
                assert sorted(row[0] for row in frame.collect()) == sorted(rows), predicate
    return Outcome(lost, len(predicates) * FILES, skipped)


def matching_rows(table: Table, predicates: list[str]) -> list[dict[int, str]]:
    """Return for each predicate the matching rows, with their files."""
    found: list[dict[int, str]] = [{} for _ in predicates]
    results = F.array(*[F.expr(predicate) for predicate in predicates])
    name = F.element_at(F.split("_metadata.file_path", "/"), -1)
    rows = table.spark.read.format("delta").load(str(table.path)).select("id", name, results)
    for row, file, matches in rows.collect():
        for number, is_match in enumerate(matches):
            if is_match:
                found[number][row] = file
    return found


@pytest.mark.parametrize(
    "seed", [0, 1, 2], ids=["valid stats", "corrupt stats", "corrupt stats in a checkpoint"]
)
def test_skipping_keeps_every_file_with_match(table: Table, seed: int, version: str) -> None:
    words = fill_random_table(table, seed)
    if seed > 0:
        corrupt_stats(table, seed, version)
    if seed > 1:
        table.sql(
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpoint.writeStatsAsJson' = 'false')"
        )
        write_checkpoint(table)
    generator = Predicates(random.Random(seed), words)  # noqa: S311
    predicates = [generator.any() for _ in range(PREDICATES)]

    outcome = check_predicates(table, predicates, executed=10)

    assert outcome.lost == []
    assert outcome.checked == FILES * PREDICATES
    assert outcome.skipped / outcome.checked > (0.3 if seed == 0 else 0.15)


def test_lost_rows_are_detected_when_bounds_are_wrong(
    table: Table, version: str, tmp_path: Path
) -> None:
    words = fill_random_table(table, 0)
    generator = Predicates(random.Random(0), words)  # noqa: S311
    predicates = [generator.any() for _ in range(40)]
    key = f"spark.UTF8_LCASE.{version}"

    def corrupt(_: str, stats: Json) -> Json:
        keys = stats.get("statsWithCollation", {})
        return stats | {"statsWithCollation": keys | {key: _wrong_bounds(keys.get(key, {}))}}

    corrupted = rewrite_stats(copy_table(table, tmp_path / "corrupted"), corrupt)
    assert check_predicates(table, predicates).lost == []
    lost = check_predicates(corrupted, predicates).lost
    assert lost
    assert all("lcase" in row.lower() for row in lost)
