# SPDX-License-Identifier: Apache-2.0
"""Writes Delta logs action by action, without Spark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from support.tables import Json, collated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = collated("name", "icu.UNICODE_CI")
# The UUID in the names of V2 checkpoints.
UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


def table(path: Path, *actions: Json, fields: Sequence[Json] = (NAME,), **metadata: Any) -> Path:  # noqa: ANN401
    """Write the first commit of a table."""
    commit(path, 0, protocol(), meta(*fields, **metadata), *actions)
    return path


def commit(path: Path, version: int, *actions: Json) -> Path:
    """Write one commit and return its path."""
    file = path / "_delta_log" / f"{version:020}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
    return file


def protocol(*features: str, version: int = 3) -> Json:
    """Return a protocol action."""
    reader = {"readerFeatures": list(features)} if version == 3 else {}
    return {"protocol": {"minReaderVersion": version, "minWriterVersion": 7, **reader}}


def meta(*fields: Json, partitions: Sequence[str] = (), **properties: str) -> Json:
    """Return a metaData action."""
    return {
        "metaData": {
            "id": "1",
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": list(partitions),
            "configuration": {f"delta.{key}": value for key, value in properties.items()},
        }
    }


def add(
    path: str,
    stats: Json | str | None = None,
    dv: Json | None = None,
    size: int = 100,
    tags: dict[str, str] | None = None,
) -> Json:
    """Return an add action."""
    text = json.dumps(stats) if isinstance(stats, dict) else stats
    optional = {"stats": text, "deletionVector": dv, "tags": tags}
    action: Json = {"path": path, "size": size, "partitionValues": {}, "dataChange": True}
    return {"add": action | {key: value for key, value in optional.items() if value is not None}}


def remove(path: str, dv: Json | None = None) -> Json:
    """Return a remove action."""
    return {"remove": {"path": path, "deletionVector": dv} if dv else {"path": path}}


def vector(name: str) -> Json:
    """Return the descriptor of a deletion vector."""
    return {"storageType": "u", "pathOrInlineDv": name, "offset": 1, "sizeInBytes": 1}


def bounds(
    *versions: str, column: str = "name", key: str = "icu.UNICODE_CI", rows: int = 10
) -> Json:
    """Return statistics with bounds of a column for each ICU version."""
    bound: Any = "a"
    for name in reversed(column.split(".")):
        bound = {name: bound}
    keys = {f"{key}.{version}": {"minValues": bound, "maxValues": bound} for version in versions}
    return {"numRecords": rows, "nullCount": {column: 0}, "statsWithCollation": keys}


def code_points(**columns: str) -> dict[str, str]:
    """Return the tag that lists the blocks of 16 code points in each column."""
    listed = {f"{len(name)}:{name}": blocks for name, blocks in columns.items()}
    return {"deltaCollations.codePoints": json.dumps(listed)}


META_TYPE = pa.struct(
    [
        ("schemaString", pa.string()),
        ("partitionColumns", pa.list_(pa.string())),
        ("configuration", pa.map_(pa.string(), pa.string())),
    ]
)


def parquet(path: Path, *actions: Json) -> Path:
    """Write one checkpoint file."""
    kinds = list(dict.fromkeys(kind for action in actions for kind in action))
    columns = {}
    for kind in kinds:
        values = [action.get(kind) for action in actions]
        for value in values:
            # Parquet does not support empty structs, and the tests do not need partition values.
            (value or {}).pop("partitionValues", None)
        columns[kind] = pa.array(values, META_TYPE if kind == "metaData" else None)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def checkpoint(path: Path, version: int, suffix: str = "parquet") -> Path:
    """Return the path of a checkpoint file."""
    return path / "_delta_log" / f"{version:020}.checkpoint.{suffix}"
