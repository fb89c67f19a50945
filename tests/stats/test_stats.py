# SPDX-License-Identifier: Apache-2.0
"""Every file carries bounds of its collated columns, true under the collation and its version."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from support.tables import (
    ForeignTable,
    Json,
    Table,
    collated,
    field,
    leaves,
    recompute,
    setting,
    values_outside_bounds,
    write_checkpoint,
)
from support.write_operations import WRITES, create_people, properties

COLLECT = "spark.deltaCollations.stats.enabled"


def one_file(table: Table, values: list[Any]) -> Json:
    """Append the strings to the column ``name`` as one file and return its statistics."""
    rows = table.spark.createDataFrame([(value,) for value in values], "name STRING")
    rows.coalesce(1).write.format("delta").mode("append").save(str(table.path))
    return table.log.stats[-1]


def bounds(stats: Json, key: str, *column: str) -> tuple[Any, Any]:
    """Return what is stored for a column under a versioned identifier."""
    found = stats["statsWithCollation"][key]
    ends = [dict(leaves(found.get(end, {}))).get(column) for end in ("minValues", "maxValues")]
    return ends[0], ends[1]


def test_bounds_are_those_of_the_collation_under_its_versioned_identifier(
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


def test_beside_them_are_bounds_in_the_order_of_bytes(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")

    stats = one_file(table, ["Zeta", "alpha", "Mike"])

    assert stats["minValues"] == {"name": "Mike"}
    assert stats["maxValues"] == {"name": "alpha"}


@pytest.mark.parametrize("predicate", ["name = 'A'", "startswith(name, 'A')", "name < 'b'"])
def test_bounds_in_the_order_of_bytes_are_not_used_for_a_collated_comparison(
    table: Table, predicate: str
) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    stats = one_file(table, ["B", "a", "c"])
    assert (stats["minValues"], stats["maxValues"]) == ({"name": "B"}, {"name": "c"})

    assert table.column(f"SELECT name FROM {{t}} WHERE {predicate}") == ["a"]


def test_the_file_is_found_though_its_bytes_lie_outside(table: Table) -> None:
    table.create("name STRING COLLATE UTF8_LCASE")
    one_file(table, ["bob", "carl"])

    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["bob"]
    assert table.column("SELECT name FROM {t} WHERE startswith(name, 'CA')") == ["carl"]


def test_a_field_of_a_struct_has_its_bounds_at_the_same_depth(table: Table, version: str) -> None:
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
def test_columns_are_named_as_the_files_name_them(table: Table, mode: str, version: str) -> None:
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


def test_nulls_have_no_bounds_and_are_counted_where_they_always_were(
    table: Table, version: str
) -> None:
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


def test_a_file_of_nulls_says_nothing_about_collations(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE")

    assert "statsWithCollation" not in one_file(table, [None, None])


LONG = {
    "letters": ["a" * 33, "a" * 200, "a" * 199 + "b"],
    "an emoji at the cut": ["x" * 31 + "🙂🙂", "x" * 32 + "🙂", "x" * 31 + "🙂" * 40],
    "the highest characters": [
        "y" * 32 + "\uffff\U0010ffff",
        "\U0010ffff" * 40,
        "\uffff" * 40,
    ],
    "Thai vowels before their consonants": [
        "\u0e40\u0e01" * 30,
        "\u0e01" * 31 + "\u0e40\u0e01",
    ],
    "Lao vowels before their consonants": ["\u0ec0\u0e81" * 30],
    "marks in the other order": ["a\u0315\u0301" * 20, "a" * 31 + "\u0315\u0301b"],
    "a contraction at the cut": ["c" * 32 + "h" * 9, "d" * 32 + "zs" * 9],
    "what is ignored": ["\u00ad" * 50 + "a", "\x7f" * 40, "a" + "\u200b" * 60],
    "a megabyte": ["é" * 524_288, "z" * 1_048_576, "\u0e40\u0e01" * 170_000],
    "nothing": ["", " ", "  "],
    "equal ones": ["A", "a", "Á", "á"],
}


@pytest.mark.parametrize("values", LONG.values(), ids=LONG.keys())
def test_a_shortened_bound_is_still_one(table: Table, values: list[str]) -> None:
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


def test_the_character_after_a_cut_is_the_highest_of_the_collation(
    table: Table, version: str
) -> None:
    """U+007F, which plain Delta puts after a cut, is ignored by ICU and bounds nothing."""
    table.create("name STRING COLLATE UNICODE")

    stats = one_file(table, ["a" * 40, "a" * 32 + "z"])

    low, high = bounds(stats, f"icu.UNICODE.{version}", "name")
    assert (low, high) == ("a" * 32, "a" * 32 + "\uffff")
    plain = "concat(repeat('a', 32), chr(127)) COLLATE UNICODE"
    assert table.column(f"SELECT {plain} < repeat('a', 40)") == [True]


def test_the_length_of_a_bound_is_the_table_s_before_the_session_s(
    table: Table, version: str
) -> None:
    table.create("name STRING COLLATE UNICODE", **{"delta.dataSkippingStringPrefixLength": "3"})

    stats = one_file(table, ["abcdef"])

    assert bounds(stats, f"icu.UNICODE.{version}", "name") == ("abc", "abc\uffff")
    assert stats["minValues"] == {"name": "abc"}


def test_bytes_that_are_no_utf8_have_true_bounds(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE_CI, l STRING COLLATE UTF8_LCASE")
    table.sql(
        "INSERT INTO {t} SELECT CAST(b AS STRING), CAST(b AS STRING) FROM VALUES "
        "(X'ff61'), (X'61ff'), (X'e282'), (X'edA080'), (X'6263') AS v(b)"
    )
    table.sql("OPTIMIZE {t}")

    assert values_outside_bounds(table) == []


def test_a_collation_that_is_no_total_order_has_only_bounds_of_bytes(
    table: Table, version: str
) -> None:
    table.create("name STRING COLLATE UNICODE_AI, other STRING COLLATE UNICODE").insert("'a', 'b'")

    (stats,) = table.log.stats
    assert list(stats["statsWithCollation"]) == [f"icu.UNICODE.{version}"]
    assert stats["minValues"] == {"name": "a", "other": "b"}


@pytest.mark.parametrize(
    "limit",
    [
        {"delta.dataSkippingNumIndexedCols": "1"},
        {"delta.dataSkippingStatsColumns": "a"},
    ],
    ids=["by count", "by name"],
)
def test_columns_without_statistics_have_no_collated_ones(
    table: Table, limit: dict[str, str], version: str
) -> None:
    table.create("a STRING COLLATE UNICODE, b STRING COLLATE UNICODE", **limit).insert("'x', 'y'")

    assert table.log.stats[0]["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {"minValues": {"a": "x"}, "maxValues": {"a": "x"}}
    }


def test_a_column_that_the_rows_do_not_bring_has_none(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE, other STRING COLLATE UNICODE")

    stats = one_file(table, ["x"])

    assert stats["statsWithCollation"] == {
        f"icu.UNICODE.{version}": {
            "minValues": {"name": "x"},
            "maxValues": {"name": "x"},
        }
    }
    assert stats["nullCount"] == {"name": 0, "other": 1}


def test_switched_off_the_statistics_are_those_of_plain_delta(table: Table) -> None:
    table.create("name STRING COLLATE UNICODE, plain STRING")
    with setting(table.spark, COLLECT, "false"):
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

# ICU's comparator breaks the laws of an order here, so there is no smallest value to store.
NOT_TOTAL = ["th"]

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789 -_.,'\"/\\",
    "äöüßéèåøæœñçİıŞ", "αβγδσςΣ", "абвгдЖЯё", "กขคเแโะา", "日本語中文字ー々", "あいアイｱー",
    "한국어", "שלוםﷲ", "مرحبا", "नमस्ते", "\u0301\u0308\u0315\u0323", "🙂🇩🇪👩‍👩‍👧",
    "\uffff\ufffe\U0010ffff\u00ad\u200b\t",
]  # fmt: skip


def words(seed: int, count: int) -> list[str | None]:
    """Return random strings of many scripts, some of them nearly equal."""
    chance = random.Random(seed)  # noqa: S311
    found: list[str | None] = [None, ""]
    while len(found) < count:
        alphabets = chance.choices(ALPHABETS, k=chance.choice([1, 1, 2, 3]))
        letters = [chance.choice(chance.choice(alphabets)) for _ in range(chance.randint(0, 60))]
        word = "".join(letters) + " " * chance.choice([0, 0, 0, 2])
        found += [
            word,
            chance.choice([word.upper(), word.swapcase(), word + "a", word[:-1]]),
        ]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_no_value_lies_outside_a_stored_bound(table: Table, seed: int, version: str) -> None:
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
    total = [name for name in COLLATIONS if name not in NOT_TOTAL]
    for stats in table.log.stats:
        keys = [key.split(".", 2)[1:] for key in stats["statsWithCollation"]]
        assert keys == [[name, version] for name in total]
    assert values_outside_bounds(table) == []


@pytest.fixture
def people(table: Table) -> Table:
    """Return a table with deletion vectors, two files and a collated column of each kind."""
    return create_people(table)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_every_file_has_true_bounds_whatever_wrote_it(
    people: Table, write: Callable[[Table], None], version: str
) -> None:
    write(people)

    assert len(people.log.commits) > 3
    assert people.column("SELECT count(*) FROM {t}") != [0]
    for stats in people.log.stats:
        assert f"icu.UNICODE_CI.{version}" in stats["statsWithCollation"]
        assert "name" in stats["minValues"]
    assert values_outside_bounds(people) == []


def test_auto_compaction_writes_bounds_too(people: Table, version: str) -> None:
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')")
    with setting(people.spark, "spark.databricks.delta.autoCompact.minNumFiles", "2"):
        people.insert("99, 'émile', struct('Zürich')")

    (stats,) = people.log.stats
    assert bounds(stats, f"icu.UNICODE_CI.{version}", "name") == ("Ann 0", "émile")


def test_a_recomputation_computes_them(table: Table, version: str) -> None:
    table.create("name STRING COLLATE UNICODE_CI")
    with setting(table.spark, "spark.databricks.delta.stats.collect", "false"):
        table.insert("'bob'")
    assert table.log.stats == [None]

    recompute(table)

    assert bounds(table.log.stats[0], f"icu.UNICODE_CI.{version}", "name") == (
        "bob",
        "bob",
    )
    assert table.log.actions("add")[-1]["dataChange"] is False


def test_a_converted_table_has_them(spark: SparkSession, tmp_path: Path, version: str) -> None:
    path = tmp_path / "table"
    frame = spark.sql("SELECT 'bob' COLLATE UNICODE_CI AS name")
    frame.coalesce(1).write.parquet(str(path))

    spark.sql(f"CONVERT TO DELTA parquet.`{path}`")

    stats = Table(spark, path).log.stats[0]
    assert bounds(stats, f"icu.UNICODE_CI.{version}", "name") == ("bob", "bob")


def test_a_table_made_of_a_query_has_them(table: Table, version: str) -> None:
    table.sql("CREATE TABLE {t} USING delta AS SELECT 'bob' COLLATE UNICODE_CI AS name")

    assert bounds(table.log.stats[0], f"icu.UNICODE_CI.{version}", "name") == (
        "bob",
        "bob",
    )


def test_a_shallow_clone_has_those_of_its_source(people: Table) -> None:
    clone = Table(people.spark, people.path.parent / "clone")
    people.sql(f"CREATE TABLE {clone.name} SHALLOW CLONE {{t}}")

    assert {path.split("/")[-1]: file["stats"] for path, file in clone.log.files.items()} == {
        path: file["stats"] for path, file in people.log.files.items()
    }


def test_a_deletion_vector_leaves_the_bounds_and_makes_them_wide(people: Table) -> None:
    before = people.log.files

    people.sql("DELETE FROM {t} WHERE id = 3")

    changed = [file for file in people.log.files.values() if "deletionVector" in file]
    (file,) = changed
    assert file["stats"]["tightBounds"] is False
    assert file["stats"]["numRecords"] == 10
    for name in ("statsWithCollation", "minValues", "maxValues"):
        assert file["stats"][name] == before[file["path"]]["stats"][name]


def test_the_second_deletion_vector_leaves_them_too(people: Table) -> None:
    before = people.log.files
    people.sql("DELETE FROM {t} WHERE id = 3")
    people.sql("UPDATE {t} SET name = 'x' WHERE id = 4")

    kept = {path: file for path, file in people.log.files.items() if path in before}
    assert len(kept) == len(before)
    for path, file in kept.items():
        assert file["stats"]["maxValues"] == before[path]["stats"]["maxValues"]
        collated_stats = file["stats"]["statsWithCollation"]
        assert collated_stats == before[path]["stats"]["statsWithCollation"]
    assert values_outside_bounds(people) == []


def test_a_deletion_vector_on_a_file_without_statistics_is_written(
    people: Table,
) -> None:
    with setting(people.spark, "spark.databricks.delta.stats.collect", "false"):
        rows = people.spark.sql("SELECT 50 id, 'a' name UNION ALL SELECT 51, 'b'")
        rows.coalesce(1).write.format("delta").mode("append").save(str(people.path))

    people.sql("DELETE FROM {t} WHERE id = 51")

    assert people.column("SELECT name FROM {t} WHERE id >= 50") == ["a"]
    (file,) = [f for f in people.log.files.values() if "deletionVector" in f]
    assert file["stats"]["numRecords"] == 2


@pytest.mark.parametrize(
    "checkpoint",
    [
        {},
        {"delta.checkpoint.writeStatsAsJson": "false"},
        {"delta.checkpointPolicy": "v2"},
        {"delta.checkpointPolicy": "v2", "delta.checkpoint.writeStatsAsJson": "false"},
    ],
    ids=["classic", "parsed only", "v2", "v2 parsed only"],
)
def test_a_checkpoint_keeps_them(people: Table, checkpoint: dict[str, str]) -> None:
    settings = ", ".join(f"'{key}' = '{value}'" for key, value in checkpoint.items())
    if settings:
        people.sql(f"ALTER TABLE {{t}} SET TBLPROPERTIES ({settings})")
    before = people.log.files

    write_checkpoint(people)
    people.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")

    after = people.log.files
    assert after.keys() == before.keys()
    for path, file in after.items():
        assert file["stats"] == before[path]["stats"]


FOREIGN_KEYS = {
    "icu.UNICODE_CI.75.1": {"minValues": {"name": "a"}, "maxValues": {"name": "z"}},
    "acme.KLINGON.1": {
        "minValues": {"name": "q"},
        "maxValues": {"name": "p", "plain": "x"},
    },
}


@pytest.fixture
def foreign(spark: SparkSession, tmp_path: Path) -> Table:
    """Return a table of another engine, with statistics of its own version and collation."""
    schema = [
        field("id", "integer"),
        collated("name", "icu.UNICODE_CI"),
        field("plain", "string"),
    ]
    stats = {
        "numRecords": 2,
        "minValues": {"id": 1, "name": "Bob", "plain": "x"},
        "maxValues": {"id": 2, "name": "ann", "plain": "y"},
        "nullCount": {"id": 0, "name": 0, "plain": 0},
        "statsWithCollation": FOREIGN_KEYS,
    }
    rows = {
        "id": pa.array([1, 2], pa.int32()),
        "name": ["Bob", "ann"],
        "plain": ["x", "y"],
    }
    features = ["appendOnly", "invariants", "domainMetadata", "collations"]
    path = tmp_path / "foreign"
    ForeignTable(path, schema, features).write((rows, stats))
    return Table(spark, path)


def after_checkpoint(text: str) -> Callable[[Table], None]:
    def run(table: Table) -> None:
        properties(text)(table)
        write_checkpoint(table)
        properties("'delta.enableRowTracking' = 'true'")(table)

    return run


def delete_one(table: Table) -> None:
    properties("'delta.enableDeletionVectors' = 'true'")(table)
    table.sql("DELETE FROM {t} WHERE id = 1")


REWRITES: dict[str, Callable[[Table], None]] = {
    "a deletion vector": delete_one,
    "row tracking": properties("'delta.enableRowTracking' = 'true'"),
    "a checkpoint": after_checkpoint("'delta.checkpoint.writeStatsAsJson' = 'true'"),
    "a parsed checkpoint": after_checkpoint("'delta.checkpoint.writeStatsAsJson' = 'false'"),
    "a recomputation": recompute,
}


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES.keys())
def test_keys_of_other_versions_and_unknown_collations_survive(
    foreign: Table, rewrite: Callable[[Table], None]
) -> None:
    rewrite(foreign)

    assert len(foreign.log.commits) > 1
    (stats,) = foreign.log.stats
    assert {key: stats["statsWithCollation"].get(key) for key in FOREIGN_KEYS} == FOREIGN_KEYS
    assert stats["minValues"]["name"] == "Bob"
