# SPDX-License-Identifier: Apache-2.0

"""Checks tables whose checkpoints have corrupt parsed statistics (Parquet columns)."""

from __future__ import annotations

import copy
import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from robustness.harness.corrupt_stats import ALL_EXCLUDING
from robustness.harness.corrupt_tables import (
    CONTENTS,
    SCHEMA,
    CorruptTable,
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

    from robustness.harness.corrupt_tables import Findings, ValidFiles

FILES = 60
PARSED = {
    "delta.checkpoint.writeStatsAsJson": "false",
    "delta.checkpoint.writeStatsAsStruct": "true",
}
MALFORMED = b"\xff\xc0\x80"


def _map_leaves(node: Any, change: Callable[[str], Any]) -> Any:  # noqa: ANN401
    if isinstance(node, dict):
        return {name: _map_leaves(inner, change) for name, inner in node.items()}
    return None if node is None else change(node)


def swapped_bounds(bounds: Json) -> Json:
    return {
        "minValues": _map_leaves(bounds["maxValues"], lambda bound: bound + "z"),
        "maxValues": _map_leaves(bounds["maxValues"], lambda _: ""),
    }


def minimum_only(bounds: Json) -> Json:
    return {
        "minValues": _map_leaves(bounds["minValues"], lambda _: ALL_EXCLUDING),
        "maxValues": None,
    }


def malformed_utf8(bounds: Json) -> Json:
    return {end: _map_leaves(found, lambda _: MALFORMED + b"x") for end, found in bounds.items()}


def long_strings(bounds: Json) -> Json:
    return {
        "minValues": _map_leaves(
            bounds["minValues"], lambda bound: " " * 1_000_000 if bound else ""
        ),
        "maxValues": _map_leaves(bounds["maxValues"], lambda _: ALL_EXCLUDING * 1_000_000),
    }


def empty(_: Json) -> None:
    return None


VALUES: list[Callable[[Json], Json | None]] = [swapped_bounds, minimum_only, malformed_utf8, empty]


def _retyped(of: pa.DataType, change: Callable[[str, pa.DataType], pa.DataType]) -> pa.DataType:
    """Return a struct type with changed types of its fields."""
    return pa.struct([pa.field(inner.name, change(inner.name, inner.type)) for inner in of])


def _bound_type(
    name: str, of: pa.DataType, leaf: pa.DataType, *, inside: bool = False
) -> pa.DataType:
    inside = inside or name == "statsWithCollation"
    if pa.types.is_struct(of):
        return _retyped(of, lambda inner, found: _bound_type(inner, found, leaf, inside=inside))
    return leaf if inside and pa.types.is_string(of) else of


def numbers(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Replace all bounds by numbers."""
    for row in _stats(rows):
        row["statsWithCollation"] = _map_leaves(row["statsWithCollation"], lambda _: 7)
    return pa.array(rows, _bound_type("add", of, pa.int64()))


def malformed_bytes(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Replace all bounds by malformed UTF-8; Spark would read well-formed UTF-8 as a string."""
    for row in _stats(rows):
        row["statsWithCollation"] = _map_leaves(
            row["statsWithCollation"], lambda bound: MALFORMED + bound.encode()
        )
    return pa.array(rows, _bound_type("add", of, pa.binary()))


def string_for_struct(rows: list[Any], of: pa.DataType) -> pa.Array:
    """Replace the struct of identifiers by a string."""
    for row in _stats(rows):
        row["statsWithCollation"] = json.dumps(row["statsWithCollation"])

    def change(name: str, found: pa.DataType) -> pa.DataType:
        if name == "statsWithCollation":
            return pa.string()
        return _retyped(found, change) if name == "stats_parsed" else found

    return pa.array(rows, _retyped(of, change))


TYPES: list[Callable[[list[Any], pa.DataType], pa.Array]] = [
    numbers, malformed_bytes, string_for_struct,
]  # fmt: skip


def _stats(rows: list[Any]) -> list[Json]:
    return [row["stats_parsed"] for row in rows if row and row["stats_parsed"]]


def _values(rows: list[Any], of: pa.DataType, rng: random.Random, findings: Findings) -> pa.Array:
    """Corrupt the bounds of every file in a random way."""
    is_long = True
    for row in _stats(rows):
        kind = long_strings if is_long else rng.choice(VALUES)
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
        row["statsWithCollation"] = _map_leaves(
            row["statsWithCollation"],
            lambda bound: bound.encode() if isinstance(bound, str) else bound,
        )
    return rows


def next_table(
    valid: ValidFiles, folder: Path, rng: random.Random, number: int, findings: Findings
) -> None:
    """Write a valid table, corrupt its checkpoint, and query it."""
    path = folder / f"checkpoint {number}"
    corrupt = _valid_table(valid, path, rng)
    write_checkpoint(corrupt.table)
    (file,) = (path / "_delta_log").glob("*.checkpoint.parquet")
    table = pq.read_table(file)
    of = table.schema.field("add").type
    rows = table.column("add").to_pylist()
    kind: Any = None if number % 2 else TYPES[number // 2 % len(TYPES)]
    if kind is None:
        add = _values(rows, of, rng, findings)
    else:
        findings.cases[f"checkpoint: {kind.__name__}"] += FILES
        add = kind(rows, of)
    place = table.schema.get_field_index("add")
    pq.write_table(table.set_column(place, "add", add), file)
    clear_log_cache(corrupt.table)
    lost, wrong = outcome(lambda: corrupt.lost(findings))
    findings.wrong += [f"{path.name}: {what}" for what in [*(lost or ()), wrong] if what]
    _, wrong = outcome(lambda: corrupt.table.rows('SELECT * FROM collation_status("{t}")'))
    findings.wrong += [f"{path.name}: {wrong}"] if wrong else []


def _valid_table(valid: ValidFiles, path: Path, rng: random.Random) -> CorruptTable:
    (path / "_delta_log").mkdir(parents=True)
    kinds = [rng.randrange(len(CONTENTS)) for _ in range(FILES)]
    lines = [line(protocol()), line(metadata(json.dumps(struct(SCHEMA)), PARSED))]
    for number, kind in enumerate(kinds):
        source = valid.files[kind]
        os.link(valid.table.path / source["path"], path / f"{number:06}.parquet")
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
    return CorruptTable(valid, Table(valid.table.spark, path), kinds)
