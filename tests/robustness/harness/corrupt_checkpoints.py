# SPDX-License-Identifier: Apache-2.0

"""Checkpoints whose parsed statistics, which are columns of Parquet, are damaged."""

from __future__ import annotations

import copy
import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from robustness.harness.corrupt_stats import ABSURD
from robustness.harness.corrupt_tables import (
    CONTENTS,
    SCHEMA,
    DamagedTable,
    line,
    metadata,
    outcome,
    protocol,
    struct,
)
from support.tables import Json, Table, clear_log_cache, write_checkpoint

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from robustness.harness.corrupt_tables import Findings, Sound

FILES = 60
PARSED = {
    "delta.checkpoint.writeStatsAsJson": "false",
    "delta.checkpoint.writeStatsAsStruct": "true",
}
BYTES = b"\xff\xc0\x80"


def _leaves(node: Any, change: Callable[[str], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: _leaves(inner, change) for name, inner in node.items()}
    return None if node is None else change(node)


def turned(bounds: Json) -> Json:
    return {
        "minValues": _leaves(bounds["maxValues"], lambda bound: bound + "z"),
        "maxValues": _leaves(bounds["maxValues"], lambda _: ""),
    }


def one_end(bounds: Json) -> Json:
    return {"minValues": _leaves(bounds["minValues"], lambda _: ABSURD), "maxValues": None}


def no_utf8(bounds: Json) -> Json:
    return {end: _leaves(found, lambda _: BYTES + b"x") for end, found in bounds.items()}


def long_strings(bounds: Json) -> Json:
    return {
        "minValues": _leaves(bounds["minValues"], lambda bound: " " * 1_000_000 if bound else ""),
        "maxValues": _leaves(bounds["maxValues"], lambda _: ABSURD * 1_000_000),
    }


def empty(_: Json) -> None:
    return None


VALUES: list[Callable[[Json], Json | None]] = [turned, one_end, no_utf8, empty]


def _retyped(of: pa.DataType, change: Callable[[str, pa.DataType], pa.DataType]) -> pa.DataType:
    """Return a struct in which every field that is a string below a bound has another type."""
    return pa.struct([pa.field(inner.name, change(inner.name, inner.type)) for inner in of])


def _bound_type(
    name: str, of: pa.DataType, leaf: pa.DataType, *, inside: bool = False
) -> pa.DataType:
    inside = inside or name == "statsWithCollation"
    if pa.types.is_struct(of):
        return _retyped(of, lambda inner, found: _bound_type(inner, found, leaf, inside=inside))
    return leaf if inside and pa.types.is_string(of) else of


def numbers(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Let all bounds be numbers."""
    for row in _stats(rows):
        row["statsWithCollation"] = _leaves(row["statsWithCollation"], lambda _: 7)
    return pa.array(rows, _bound_type("add", of, pa.int64()))


def bytes_without_a_meaning(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Let all bounds be bytes that are no text; those of a text Spark reads as that text."""
    for row in _stats(rows):
        row["statsWithCollation"] = _leaves(
            row["statsWithCollation"], lambda bound: BYTES + bound.encode()
        )
    return pa.array(rows, _bound_type("add", of, pa.binary()))


def texts_for_keys(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Let a text stand where the identifiers should be."""
    for row in _stats(rows):
        row["statsWithCollation"] = json.dumps(row["statsWithCollation"])

    def change(name: str, found: pa.DataType) -> pa.DataType:
        if name == "statsWithCollation":
            return pa.string()
        return _retyped(found, change) if name == "stats_parsed" else found

    return pa.array(rows, _retyped(of, change))


TYPES: list[Callable[[list[Any], pa.DataType], pa.Array]] = [
    numbers, bytes_without_a_meaning, texts_for_keys,
]  # fmt: skip


def _stats(rows: list[Any]) -> list[Json]:
    return [row["stats_parsed"] for row in rows if row and row["stats_parsed"]]


def _values(
    rows: list[Any], of: pa.DataType, chance: random.Random, findings: Findings
) -> pa.Array:
    """Damage the bounds of every file in a way of its own."""
    is_long = True
    for row in _stats(rows):
        kind = long_strings if is_long else chance.choice(VALUES)
        is_long = False
        findings.cases[f"checkpoint: {kind.__name__}"] += 1
        row["statsWithCollation"] = {
            key: copy.deepcopy(kind(bounds)) if bounds and all(bounds.values()) else None
            for key, bounds in row["statsWithCollation"].items()
        }
    raw = pa.array(
        _encoded(rows),
        _bound_type("add", of, pa.binary()),
    )
    options = pa.compute.CastOptions(target_type=of, allow_invalid_utf8=True)
    return pa.compute.cast(raw, options=options)


def _encoded(rows: list[Any]) -> list[Any]:
    for row in _stats(rows):
        row["statsWithCollation"] = _leaves(
            row["statsWithCollation"],
            lambda bound: bound.encode() if isinstance(bound, str) else bound,
        )
    return rows


def next_table(
    sound: Sound, folder: Path, chance: random.Random, number: int, findings: Findings
) -> None:
    """Write a sound table, damage its checkpoint, and look for rows."""
    path = folder / f"checkpoint {number}"
    damaged = _sound_table(sound, path, chance)
    write_checkpoint(damaged.table)
    (file,) = (path / "_delta_log").glob("*.checkpoint.parquet")
    table = pq.read_table(file)
    of = table.schema.field("add").type
    rows = table.column("add").to_pylist()
    kind: Any = None if number % 2 else TYPES[number // 2 % len(TYPES)]
    if kind is None:
        add = _values(rows, of, chance, findings)
    else:
        findings.cases[f"checkpoint: {kind.__name__}"] += FILES
        add = kind(rows, of)
    place = table.schema.get_field_index("add")
    pq.write_table(table.set_column(place, "add", add), file)
    clear_log_cache(damaged.table)
    lost, wrong = outcome(lambda: damaged.lost(findings))
    findings.wrong += [f"{path.name}: {what}" for what in [*(lost or ()), wrong] if what]
    _, wrong = outcome(lambda: damaged.table.rows('SELECT * FROM collation_status("{t}")'))
    findings.wrong += [f"{path.name}: {wrong}"] if wrong else []


def _sound_table(sound: Sound, path: Path, chance: random.Random) -> DamagedTable:
    (path / "_delta_log").mkdir(parents=True)
    kinds = [chance.randrange(len(CONTENTS)) for _ in range(FILES)]
    lines = [line(protocol()), line(metadata(json.dumps(struct(SCHEMA)), PARSED))]
    for number, kind in enumerate(kinds):
        source = sound.files[kind]
        os.link(sound.table.path / source["path"], path / f"{number:06}.parquet")
        add = {
            "path": f"{number:06}.parquet",
            "partitionValues": {},
            "size": source["size"],
            "modificationTime": 1767611870645,
            "dataChange": True,
            "stats": json.dumps(source["stats"]),
        }
        lines.append(line({"add": add}))
    (path / "_delta_log" / f"{0:020}.json").write_bytes(b"".join(lines))
    return DamagedTable(sound, Table(sound.table.spark, path), kinds)
