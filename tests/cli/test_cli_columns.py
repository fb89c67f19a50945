# SPDX-License-Identifier: Apache-2.0
"""The command line finds the collated columns of a schema and resolves their collations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support.command_line import ICU, column_statuses, run, status
from support.log_builder import (
    NAME,
    add,
    bounds,
    table,
)
from support.tables import Json, collated, field

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("identifier", "collation"),
    [
        ("ICU.de_DE", "icu.de"),
        ("ICU.en_US_CI", "icu.en_USA_CI"),
        ("icu.zh_TW", "icu.zh_Hant_TWN"),
        ("icu.sr_Latn_ME", "icu.sr_Latn"),
        ("icu.as_AS", "icu.as"),
        ("icu.deu_CHE", "icu.de"),
        ("icu.zh-Hant-TW_CI", "icu.zh_Hant_TWN_CI"),
        ("icu.sr_Cyrl_RS", "icu.sr_Cyrl_SRB"),
        ("icu.hi_Latn", "icu.UNICODE"),
        ("icu.gsw", "icu.UNICODE"),
        ("icu.UNICODE_RTRIM_AI_CI", "icu.UNICODE_CI_AI_RTRIM"),
        ("icu.unicode_cs.75.1", "icu.UNICODE"),
        ("SPARK.utf8_lcase_rtrim", "spark.UTF8_LCASE_RTRIM"),
    ],
)
def test_identifier_resolves_to_a_spark_collation(
    tmp_path: Path, identifier: str, collation: str
) -> None:
    table(tmp_path, add("a", bounds(ICU, key=collation)), fields=[collated("name", identifier)])

    (row,) = status(tmp_path)

    assert (row["collation"], row["status"]) == (identifier, "healthy")


@pytest.mark.parametrize(
    "identifier",
    [
        "acme.X",
        "icu.KLINGON",
        "UNICODE",
        "icu.UNICODE_CI_CS",
        "spark.UTF8_LCASE_CI",
        "icu.de_DE_X",
        "spark.de_DE",
        "icu.de_XX",
    ],
)
def test_status_is_unknown_when_spark_does_not_support_the_collation(
    tmp_path: Path, identifier: str
) -> None:
    stats = bounds(ICU, key=identifier) | {"numRecords": 0}
    table(tmp_path, add("a", stats), fields=[collated("name", identifier)])

    (row,) = status(tmp_path)

    assert (row["status"], row["version"], row["command"]) == ("unknown collation", None, None)
    assert row["files_missing"] == row["files"] == 1


def test_utf8_binary_columns_are_not_listed(tmp_path: Path) -> None:
    table(tmp_path, add("a"), fields=[collated("name", "SPARK.UTF8_BINARY")])

    assert status(tmp_path) == []
    assert run("status", tmp_path, "--icu-version", ICU) == (
        0,
        "The table has no collated columns.\n",
        "",
    )


def test_status_says_why_statistics_are_not_collected(tmp_path: Path) -> None:
    ages = {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True}
    person = {"type": "struct", "fields": [NAME]}
    people = {"type": "array", "elementType": person, "containsNull": True}
    fields = [
        collated("day", "icu.UNICODE_AI"),
        field("ages", ages, __COLLATIONS={"ages.value": "icu.de", "ages.key": "icu.UNICODE"}),
        field("people", people),
        collated("word", "icu.UNICODE_AI_RTRIM"),
        collated("both", "icu.UNICODE_CI_AI"),
        collated("last", "icu.UNICODE"),
        collated("end", "acme.X"),
    ]
    table(tmp_path, add("a"), fields=fields, partitions=["day"], dataSkippingNumIndexedCols="4")

    assert column_statuses(tmp_path) == [
        ("day", "not collected: partition column"),
        ("ages.key", "not collected: inside an array or map"),
        ("ages.value", "not collected: inside an array or map"),
        ("people.element.name", "not collected: inside an array or map"),
        ("word", "missing: no file has statistics"),
        ("both", "missing: no file has statistics"),
        ("last", "not collected: not an indexed column"),
        ("end", "unknown collation"),
    ]
    assert [row["column"] for row in status(tmp_path) if row["command"]] == ["word", "both"]
    assert [row["statistics_collation"] for row in status(tmp_path)][4:] == [
        "icu.UNICODE_CI_AI_RTRIM",
        "icu.UNICODE_CI_AI",
        "icu.UNICODE",
        None,
    ]
    code, out, _ = run("columns", tmp_path, "--icu-version", ICU, "--json")
    assert code == 0
    assert [(row["position"], row["statistics"]) for row in json.loads(out)] == [
        (1, "partition column"),
        (2, "inside an array or map"),
        (2, "inside an array or map"),
        (3, "inside an array or map"),
        (4, "collected"),
        (5, "collected"),
        (6, "not an indexed column"),
        (7, "unknown collation"),
    ]


@pytest.mark.parametrize(
    ("properties", "indexed"),
    [
        ({}, ["a.b", "a.c.d", "e", "f`g"]),
        ({"dataSkippingNumIndexedCols": "2"}, ["a.b", "a.c.d"]),
        ({"dataSkippingNumIndexedCols": "0"}, []),
        ({"dataSkippingNumIndexedCols": "-1"}, ["a.b", "a.c.d", "e", "f`g", "z"]),
        ({"dataSkippingStatsColumns": "A.c, `f``g`"}, ["a.c.d", "f`g"]),
        ({"dataSkippingStatsColumns": "a", "dataSkippingNumIndexedCols": "0"}, ["a.b", "a.c.d"]),
    ],
)
def test_only_indexed_columns_are_missing_statistics(
    tmp_path: Path, properties: dict[str, str], indexed: list[str]
) -> None:
    def struct(name: str, *fields: Json) -> Json:
        return field(name, {"type": "struct", "fields": list(fields)})

    def string(name: str) -> Json:
        return collated(name, "icu.UNICODE")

    fields = [struct("a", string("b"), struct("c", string("d"))), string("e"), string("f`g")]
    fields += [*(field(f"n{number}", "long") for number in range(28)), string("z")]
    table(tmp_path, add("x"), fields=fields, **properties)

    found = [
        name.strip("`").replace("``", "`")
        for name, found in column_statuses(tmp_path)
        if "missing" in found
    ]

    assert found == indexed


def test_column_names_are_quoted_as_in_sql(tmp_path: Path) -> None:
    names = ["plain_1", "two words", "a.b", "tick`ed", "12", "größe"]
    table(tmp_path, fields=[collated(name, "icu.UNICODE") for name in names])

    assert [name for name, _ in column_statuses(tmp_path)] == [
        "plain_1",
        "`two words`",
        "`a.b`",
        "`tick``ed`",
        "`12`",
        "`größe`",
    ]


def test_bounds_are_found_by_physical_column_names(
    tmp_path: Path,
) -> None:
    mapped = {"delta.columnMapping.physicalName": "col-2"}
    inner = field("name", "string", __COLLATIONS={"name": "icu.UNICODE_CI"}, **mapped)
    other = field("alias", "string", __COLLATIONS={"col-3": "icu.UNICODE_CI"})
    other["metadata"]["delta.columnMapping.physicalName"] = "col-3"
    outer = field("who", {"type": "struct", "fields": [inner, other]})
    outer["metadata"]["delta.columnMapping.physicalName"] = "col-1"
    table(tmp_path, add("a", bounds(ICU, column="col-1.col-2")), fields=[outer])

    assert column_statuses(tmp_path) == [
        ("who.name", "healthy"),
        ("who.alias", "missing: no file has statistics"),
    ]
