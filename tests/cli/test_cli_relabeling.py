# SPDX-License-Identifier: Apache-2.0
"""``delta-collations status`` knows which files a refresh relabels without reading them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from delta_collations.cli.order_changes import changed_code_points, parse_blocks
from support.command_line import ICU, OLD, status
from support.log_builder import (
    NAME,
    add,
    bounds,
    checkpoint,
    code_points,
    commit,
    meta,
    parquet,
    protocol,
    table,
)
from support.tables import collated

if TYPE_CHECKING:
    from pathlib import Path

    from support.tables import Json

# ASCII in blocks of 16 code points. ICU 77.1 and 78.3 order it alike.
ASCII = code_points(name="2-7")
# Contains U+088F, which ICU 78.3 orders differently.
CHANGED = code_points(name="88")


def to_refresh(path: Path, icu: str = ICU) -> tuple[int, int, int]:
    """Return the files to relabel, and the files and bytes to read, for the first column."""
    row = status(path, icu)[0]
    return row["files_to_relabel"], row["files_to_read"], row["bytes_to_read"]


def test_file_is_relabeled_when_its_code_points_sort_alike(tmp_path: Path) -> None:
    table(
        tmp_path,
        add("a", bounds(OLD), tags=ASCII),
        add("b", bounds(OLD), tags=CHANGED, size=7),
        add("c", bounds(OLD), size=8),
        add("d", bounds(ICU)),
        add("e", size=9),
    )

    assert to_refresh(tmp_path) == (1, 3, 24)
    assert [row["files_to_relabel"] for row in status(tmp_path)] == [1, 0]


def test_file_is_relabeled_without_tag_when_nothing_changed(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds("76.1")))

    assert to_refresh(tmp_path, "77.1") == (1, 0, 0)
    assert to_refresh(tmp_path, "75.1") == (0, 1, 100)


@pytest.mark.parametrize(
    "bound",
    [
        pytest.param("a\u088f", id="code point that changed"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param(7, id="not a string"),
    ],
)
def test_file_is_read_when_a_bound_cannot_be_relabeled(tmp_path: Path, bound: object) -> None:
    entry = {"minValues": {"name": bound}, "maxValues": {"name": bound}}
    stats = {"numRecords": 1, "statsWithCollation": {f"icu.UNICODE_CI.{OLD}": entry}}
    table(tmp_path, add("a", stats, tags=ASCII))

    assert to_refresh(tmp_path) == (0, 1, 100)


@pytest.mark.parametrize(
    "tag",
    [
        "{",
        "[]",
        '{"4:name": 7}',
        '{"4:name": "2-7", "4:name": "2-7"}',
        '{"4:name": "7-2"}',
        '{"4:name": "2-3 4-7"}',
        '{"4:name": "02-7"}',
        '{"4:name": "2-7 "}',
        '{"4:name": "11000"}',
        '{"name": "2-7"}',
    ],
)
def test_file_is_read_when_its_tag_is_malformed(tmp_path: Path, tag: str) -> None:
    table(tmp_path, add("a", bounds(OLD), tags={"deltaCollations.codePoints": tag}))

    assert to_refresh(tmp_path) == (0, 1, 100)


def test_file_is_read_when_one_of_its_columns_cannot_be_relabeled(tmp_path: Path) -> None:
    both = bounds(OLD)
    both["statsWithCollation"] |= bounds(OLD, column="city", key="icu.de")["statsWithCollation"]
    fields = [NAME, collated("city", "icu.de")]
    table(
        tmp_path,
        add("a", both, tags=code_points(name="2-7", city="2-7")),
        add("b", both, tags=code_points(name="2-7", city="88")),
        add("c", bounds(OLD), tags=code_points(name="2-7", city="2-7")),
        fields=fields,
    )

    assert to_refresh(tmp_path) == (1, 2, 200)


def test_file_is_read_when_the_icu_version_is_not_known(tmp_path: Path) -> None:
    table(tmp_path, add("a", bounds(OLD), tags=ASCII))

    assert to_refresh(tmp_path, "99.1") == (0, 1, 100)


def test_tags_of_a_checkpoint_are_read(tmp_path: Path) -> None:
    file: Json = add("a", bounds(OLD), tags=ASCII)
    parquet(checkpoint(tmp_path, 0), protocol(), meta(NAME), file)
    commit(tmp_path, 1, add("b", bounds(OLD), tags=ASCII))

    assert to_refresh(tmp_path) == (2, 0, 0)


@pytest.mark.parametrize("tags", [7, [1], {"deltaCollations.codePoints": 7}])
def test_malformed_tags_are_ignored(tmp_path: Path, tags: object) -> None:
    file = add("a", bounds(OLD))
    file["add"]["tags"] = json.loads(json.dumps(tags))
    table(tmp_path, file)

    assert to_refresh(tmp_path) == (0, 1, 100)


def test_changed_code_points_of_several_versions_are_the_union() -> None:
    steps = [("75.1", "76.1"), ("76.1", "77.1"), ("77.1", "78.3")]
    single = [changed_code_points("icu.de_CI", *step) for step in steps]
    whole = changed_code_points("icu.de_CI", "78.3", "75.1")

    assert whole is not None
    assert all(step is not None for step in single)
    points = {
        point
        for step in single
        for first, last in (step.ranges if step else ())
        for point in (first, last)
    }
    assert all(whole.occur_in(chr(point)) for point in points)
    assert not whole.occur_in("Zoë")
    assert changed_code_points("icu.KLINGON", "75.1", "76.1") is None


@pytest.mark.parametrize(
    ("text", "blocks"),
    [("", []), ("2-7 a", [(2, 7), (10, 10)]), ("10ffff", None), ("x", None), ("0" * 400, None)],
)
def test_blocks_are_parsed(text: str, blocks: list[tuple[int, int]] | None) -> None:
    assert parse_blocks(text) == blocks
