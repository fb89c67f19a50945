# SPDX-License-Identifier: Apache-2.0
"""Each file has bounds of its collated columns, per collation and ICU version."""

import json
import random
from typing import Any

import pytest
from support.refresh import insert_one_file
from support.tables import (
    Json,
    Table,
    leaves,
    setting,
    stored_bounds,
    values_outside_bounds,
)

STATS_ENABLED = "spark.deltaCollations.stats.enabled"


def one_file(table: Table, values: list[Any]) -> Json:
    """Append the strings to the column ``name`` as one file and return its statistics."""
    rows = table.spark.createDataFrame([(value,) for value in values], "name STRING")
    rows.coalesce(1).write.format("delta").mode("append").save(str(table.path))
    return table.log.stats[-1]


def test_stats_bounds_follow_collation_under_versioned_identifier(
    table: Table, version: str
) -> None:
    table.create(
        "a STRING COLLATE UTF8_LCASE, b STRING COLLATE UNICODE, c STRING COLLATE UNICODE, "
        "plain STRING, n INT, tags ARRAY<STRING COLLATE UNICODE>"
    ).insert(
        "'Zeta', 'Zagreb', 'x', 'p', 1, array('t')",
        "'alpha', 'eden', 'y', 'q', 2, array('t')",
        "'Mike', 'Évry', 'z', 'r', 3, array('t')",
    )
    table.sql("OPTIMIZE {t}")

    (stats,) = table.log.stats
    assert stats["statsWithCollation"] == {
        f"spark.UTF8_LCASE.{version}": {
            "minValues": {"a": "alpha"},
            "maxValues": {"a": "Zeta"},
        },
        f"icu.UNICODE.{version}": {
            "minValues": {"b": "eden", "c": "x"},
            "maxValues": {"b": "Zagreb", "c": "z"},
        },
    }


def test_stats_include_binary_bounds_of_collated_columns(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    stats = one_file(table, ["Zeta", "alpha", "Mike"])

    assert stats["minValues"] == {"name": "Mike"}
    assert stats["maxValues"] == {"name": "alpha"}


@pytest.mark.parametrize("predicate", ["name = 'A'", "startswith(name, 'A')", "name < 'b'"])
def test_binary_bounds_not_used_for_collated_comparison(table: Table, predicate: str) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    stats = one_file(table, ["B", "a", "c"])
    assert (stats["minValues"], stats["maxValues"]) == ({"name": "B"}, {"name": "c"})

    assert table.column(f"SELECT name FROM {{t}} WHERE {predicate}") == ["a"]


def test_collated_filter_finds_value_outside_binary_bounds(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    one_file(table, ["bob", "carl"])

    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["bob"]
    assert table.column("SELECT name FROM {t} WHERE startswith(name, 'CA')") == ["carl"]


def test_stats_nest_bounds_of_struct_fields(table: Table, version: str) -> None:
    table.create(
        "id INT, home STRUCT<city: STRING COLLATE UNICODE, no: INT, "
        "owner: STRUCT<name: STRING COLLATE UNICODE_CI>>, m MAP<INT, STRING COLLATE UNICODE>"
    ).insert("1, struct('Évry', 4, struct('bob')), map(1, 'x')")

    assert table.log.stats[0]["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {
            "minValues": {"home": {"city": "Évry"}},
            "maxValues": {"home": {"city": "Évry"}},
        },
        f"icu.UNICODE_CI.{version}": {
            "minValues": {"home": {"owner": {"name": "bob"}}},
            "maxValues": {"home": {"owner": {"name": "bob"}}},
        },
    }


@pytest.mark.parametrize("mode", ["name", "id"])
def test_stats_use_physical_column_names(table: Table, mode: str, version: str) -> None:
    table.create(
        "name STRING COLLATE UNICODE_CI, home STRUCT<city: STRING COLLATE UNICODE_CI>",
        **{"delta.columnMapping.mode": mode},
    )
    table.sql("ALTER TABLE {t} RENAME COLUMN name TO who")
    table.sql("ALTER TABLE {t} RENAME COLUMN home.city TO town")
    table.insert("'Bob', struct('Oslo')")

    who, home = table.log.field("who"), table.log.field("home")
    town = table.log.field("home", "town")
    key = "delta.columnMapping.physicalName"
    stored = table.log.stats[0]["statsWithCollation"][f"icu.UNICODE_CI.{version}"]["minValues"]
    assert stored == {
        who["metadata"][key]: "Bob",
        home["metadata"][key]: {town["metadata"][key]: "Oslo"},
    }


def test_stats_count_nulls_and_omit_their_bounds(table: Table, version: str) -> None:
    table.create(
        "some STRING COLLATE UNICODE, none STRING COLLATE de, s STRUCT<f: STRING COLLATE UNICODE>"
    )
    table.sql(
        "INSERT INTO {t} SELECT * FROM VALUES (NULL, NULL, NULL), ('b', NULL, NULL), "
        "('a', NULL, NULL) SORT BY 1"
    )
    table.sql("OPTIMIZE {t}")

    (stats,) = table.log.stats
    assert stats["nullCount"] == {"some": 1, "none": 3, "s": {"f": 3}}
    assert stats["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {
            "minValues": {"some": "a"},
            "maxValues": {"some": "b"},
        }
    }


def test_stats_with_collation_absent_for_file_of_nulls(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE")

    assert "statsWithCollation" not in one_file(table, [None, None])


LONG = {
    "letters": ["a" * 33, "a" * 200, "a" * 199 + "b"],
    "emoji at the truncation": ["x" * 31 + "🙂🙂", "x" * 32 + "🙂", "x" * 31 + "🙂" * 40],
    "highest code points": [
        "y" * 32 + "\uffff\U0010ffff",
        "\U0010ffff" * 40,
        "\uffff" * 40,
    ],
    "Thai vowels before their consonants": [
        "\u0e40\u0e01" * 30,
        "\u0e01" * 31 + "\u0e40\u0e01",
    ],
    "Lao vowels before their consonants": ["\u0ec0\u0e81" * 30],
    "combining marks in non-canonical order": ["a\u0315\u0301" * 20, "a" * 31 + "\u0315\u0301b"],
    "contraction at the truncation": ["c" * 32 + "h" * 9, "d" * 32 + "zs" * 9],
    "ignorable characters": ["\u00ad" * 50 + "a", "\x7f" * 40, "a" + "\u200b" * 60],
    "one megabyte": ["é" * 524_288, "z" * 1_048_576, "\u0e40\u0e01" * 170_000],
    "empty and blank": ["", " ", "  "],
    "equal strings": ["A", "a", "Á", "á"],
}


@pytest.mark.parametrize("values", LONG.values(), ids=LONG.keys())
def test_truncated_bounds_contain_every_value(table: Table, values: list[str]) -> None:
    collations = [
        "UNICODE",
        "UNICODE_CI",
        "UTF8_LCASE",
        "UTF8_LCASE_RTRIM",
        "th",
        "cs",
        "hu_CI",
    ]
    table.create(", ".join(f"c{n} STRING COLLATE {name}" for n, name in enumerate(collations)))
    rows = [tuple(value for _ in collations) for value in values]
    names = [f"c{n} STRING" for n in range(len(collations))]
    frame = table.spark.createDataFrame(rows, ", ".join(names)).coalesce(1)
    frame.write.format("delta").mode("append").save(str(table.path))

    assert values_outside_bounds(table) == []
    stored = dict(leaves(table.log.stats[0]["statsWithCollation"]))
    assert all(len(bound.encode()) <= 4096 for bound in stored.values())


def test_truncated_maximum_ends_with_highest_character_of_collation(
    table: Table, version: str
) -> None:
    """Stock Delta appends U+007F, which ICU ignores, so the result is not an upper bound."""
    table.create("name STRING COLLATE UNICODE")

    stats = one_file(table, ["a" * 40, "a" * 32 + "z"])

    low, high = stored_bounds(stats, f"icu.UNICODE.{version}", "name")
    assert (low, high) == ("a" * 32, "a" * 32 + "\uffff")
    plain = "concat(repeat('a', 32), chr(127)) COLLATE UNICODE"
    assert table.column(f"SELECT {plain} < repeat('a', 40)") == [True]


def test_bounds_truncated_to_string_prefix_length_of_table(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE", **{"delta.dataSkippingStringPrefixLength": "3"})

    stats = one_file(table, ["abcdef"])

    assert stored_bounds(stats, f"icu.UNICODE.{version}", "name") == ("abc", "abc\uffff")
    assert stats["minValues"] == {"name": "abc"}


def test_bounds_contain_malformed_utf8(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI, l STRING COLLATE UTF8_LCASE")
    table.sql(
        "INSERT INTO {t} SELECT CAST(b AS STRING), CAST(b AS STRING) FROM VALUES "
        "(X'ff61'), (X'61ff'), (X'e282'), (X'edA080'), (X'6263') AS v(b)"
    )
    table.sql("OPTIMIZE {t}")

    assert values_outside_bounds(table) == []


def test_stats_have_bounds_of_coarser_collation_when_collation_is_not_total_order(
    table: Table, version: str
) -> None:
    table.create("name STRING COLLATE UNICODE_AI, other STRING COLLATE th_RTRIM")
    insert_one_file(table, "'a', 'b'", "'B', 'A'")

    (stats,) = table.log.stats
    assert stats["statsWithCollation"] == {
        f"icu.UNICODE_CI_AI.{version}": {"minValues": {"name": "a"}, "maxValues": {"name": "B"}},
        f"icu.th_CI_AI_RTRIM.{version}": {"minValues": {"other": "A"}, "maxValues": {"other": "b"}},
    }
    assert stats["minValues"] == {"name": "B", "other": "A"}
    [domain] = table.log.actions("domainMetadata")
    assert json.loads(domain["configuration"]) == {
        "writeVersions": {"icu.UNICODE_CI_AI": [version], "icu.th_CI_AI_RTRIM": [version]}
    }


@pytest.mark.parametrize(
    "limit",
    [
        {"delta.dataSkippingNumIndexedCols": "1"},
        {"delta.dataSkippingStatsColumns": "a"},
    ],
    ids=["by count", "by name"],
)
def test_stats_with_collation_omit_columns_without_stats(
    table: Table, limit: dict[str, str], version: str
) -> None:
    table.create("a STRING COLLATE UNICODE, b STRING COLLATE UNICODE", **limit).insert("'x', 'y'")

    assert table.log.stats[0]["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {"minValues": {"a": "x"}, "maxValues": {"a": "x"}}
    }


def test_stats_with_collation_omit_columns_missing_from_write(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE, other STRING COLLATE UNICODE")

    stats = one_file(table, ["x"])

    assert stats["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {
            "minValues": {"name": "x"},
            "maxValues": {"name": "x"},
        }
    }
    assert stats["nullCount"] == {"name": 0, "other": 1}


def test_stats_equal_stock_delta_when_disabled(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE, plain STRING")
    with setting(table.spark, STATS_ENABLED, "false"):
        table.insert("'x', 'y'")

    assert table.log.stats == [
        {
            "numRecords": 1,
            "minValues": {"plain": "y"},
            "maxValues": {"plain": "y"},
            "nullCount": {"name": 0, "plain": 0},
        }
    ]


COLLATIONS = [
    "UTF8_LCASE", "UTF8_LCASE_RTRIM", "UTF8_BINARY_RTRIM", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI",
    "UNICODE_RTRIM", "de", "de_CI_AI", "sv", "da", "hr_CI", "th", "ja", "zh", "tr_CI",
]  # fmt: skip

# The collations of the bounds, for those of the collations above that are not a total order.
COARSER = {"th": "th_CI_AI"}

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789 -_.,'\"/\\",
    "äöüßéèåøæœñçİıŞ", "αβγδσςΣ", "абвгдЖЯё", "กขคเแโะา", "日本語中文字ー々", "あいアイｱー",
    "한국어", "שלוםﷲ", "مرحبا", "नमस्ते", "\u0301\u0308\u0315\u0323", "🙂🇩🇪👩‍👩‍👧",
    "\uffff\ufffe\U0010ffff\u00ad\u200b\t",
]  # fmt: skip


def words(seed: int, count: int) -> list[str | None]:
    """Return random strings in many scripts, some of them nearly equal."""
    chance = random.Random(seed)  # noqa: S311
    found: list[str | None] = [None, ""]
    while len(found) < count:
        alphabets = chance.choices(ALPHABETS, k=chance.choice([1, 1, 2, 3]))
        chars = [chance.choice(chance.choice(alphabets)) for _ in range(chance.randint(0, 60))]
        word = "".join(chars) + " " * chance.choice([0, 0, 0, 2])
        found += [
            word,
            chance.choice([word.upper(), word.swapcase(), word + "a", word[:-1]]),
        ]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_stored_bounds_contain_random_strings(table: Table, seed: int, version: str) -> None:
    columns = [f"c{n} STRING COLLATE {name}" for n, name in enumerate(COLLATIONS)]
    prefix = str([32, 5, 1][seed])
    table.create(
        f"id INT, {', '.join(columns)}",
        **{"delta.dataSkippingStringPrefixLength": prefix},
    )
    rows = [(n, *[word for _ in COLLATIONS]) for n, word in enumerate(words(seed, 60))]
    schema = "id INT, " + ", ".join(f"c{n} STRING" for n in range(len(COLLATIONS)))
    frame = table.spark.createDataFrame(rows, schema).repartition(2, "id")
    frame.write.format("delta").mode("append").save(str(table.path))

    assert len(table.log.files) == 2
    for stats in table.log.stats:
        keys = [key.split(".", 2)[1:] for key in stats["statsWithCollation"]]
        assert keys == [[COARSER.get(name, name), version] for name in COLLATIONS]
    assert values_outside_bounds(table) == []
