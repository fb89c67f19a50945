# SPDX-License-Identifier: Apache-2.0
"""The collated columns in the schema of a table."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from delta_collations.cli.collations import BINARY, resolve, statistics_collation
from delta_collations.cli.errors import CommandLineError

Json = dict[str, Any]
Names = tuple[str, ...]

_STEPS = {"element": "elementType", "key": "keyType", "value": "valueType"}
_DEFAULT_INDEXED = 32
_ALL_INDEXED = -1
_NAME = r"`(?:[^`]|``)+`|[^`,.\s]+"


@dataclass(frozen=True)
class Column:
    """A collated string anywhere in the schema."""

    name: str
    """The path from the top-level column down, quoted as SQL requires."""
    position: int
    """The position of the top-level column, starting at 1."""
    path: Names
    """The physical names of the path, by which statistics are nested."""
    identifier: str
    """The collation as the schema spells it."""
    collation: str | None
    """``provider.name`` of Spark's collation; None if Spark does not support the collation."""
    statistics_collation: str | None
    """``provider.name`` of the collation of the bounds; None if there are none."""
    not_collected: str | None
    """The reason if writers do not collect statistics for the column."""


def collated_columns(metadata: Json) -> list[Column]:
    """Return the collated columns of a table in schema order."""
    try:
        return list(_columns(metadata))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CommandLineError(f"The metadata in the log is not valid: {error!r}") from None


def _columns(metadata: Json) -> Iterator[Column]:
    # Parquet checkpoints contain the properties as a list of pairs.
    properties = dict(metadata.get("configuration") or ())
    partitions = set(metadata.get("partitionColumns") or ())
    fields = json.loads(metadata["schemaString"])["fields"]
    indexed = _IndexedColumns(properties)
    for position, top in enumerate(fields, 1):
        is_partition = top["name"] in partitions
        for names, path, leaf in _leaves(top, (), ()):
            is_indexed = not is_partition and indexed.include(names)
            for steps, physical_steps, identifier in _strings(leaf):
                collation = resolve(identifier)
                if collation == BINARY:
                    continue
                of_bounds = None if collation is None else statistics_collation(collation)
                reasons = {
                    "partition column": is_partition,
                    "inside an array or map": len(steps) > 0,
                    "not a total order": collation is not None and of_bounds is None,
                    "not an indexed column": not is_indexed,
                }
                yield Column(
                    name=".".join(_quoted(name) for name in (*names, *steps)),
                    position=position,
                    path=path + physical_steps,
                    identifier=identifier,
                    collation=collation,
                    statistics_collation=of_bounds,
                    not_collected=next((why for why, holds in reasons.items() if holds), None),
                )


class _IndexedColumns:
    """The columns that Delta collects statistics for, by the properties of the table.

    Columns have to be checked in schema order, because Delta counts them.
    """

    def __init__(self, properties: dict[str, str]) -> None:
        columns = properties.get("delta.dataSkippingStatsColumns")
        self._listed = None if columns is None else _column_list(columns)
        self._limit = int(properties.get("delta.dataSkippingNumIndexedCols", _DEFAULT_INDEXED))
        self._count = 0

    def include(self, names: Names) -> bool:
        self._count += 1
        if self._listed is None:
            return self._limit == _ALL_INDEXED or self._count <= self._limit
        lower = tuple(name.lower() for name in names)
        return any(lower[: len(listed)] == listed for listed in self._listed)


def _column_list(text: str) -> list[Names]:
    columns = re.findall(rf"(?:{_NAME})(?:\.(?:{_NAME}))*", text)
    return [
        tuple(
            (part[1:-1].replace("``", "`") if part.startswith("`") else part).lower()
            for part in re.findall(_NAME, column)
        )
        for column in columns
    ]


def _leaves(field: Json, names: Names, path: Names) -> Iterator[tuple[Names, Names, Json]]:
    """Yield the fields that are not structs, which Delta counts as columns, with both paths."""
    names, path = (*names, field["name"]), (*path, _physical_name(field))
    if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
        for inner in field["type"]["fields"]:
            yield from _leaves(inner, names, path)
    else:
        yield names, path, field


def _strings(field: Json) -> Iterator[tuple[Names, Names, str]]:
    """Yield the logical and the physical path of each collated string, and its collation."""
    metadata = (field.get("metadata") or {}).get("__COLLATIONS")
    collations = metadata if isinstance(metadata, dict) else {}

    def below(data_type: object, steps: Names) -> Iterator[tuple[Names, Names, str]]:
        # Paths are relative to the field. Spark puts its logical name first.
        keys = (".".join((name, *steps)) for name in (field["name"], _physical_name(field)))
        identifier = next((collations[key] for key in keys if key in collations), None)
        if isinstance(identifier, str):
            found = data_type["type"] if isinstance(data_type, dict) else data_type
            if found != "string":
                location = ".".join((field["name"], *steps))
                raise CommandLineError(
                    f"The table schema assigns a collation to {location}, which has type {found} "
                    "instead of string."
                )
            yield steps, steps, identifier
        if not isinstance(data_type, dict):
            return
        for inner in data_type.get("fields", ()):
            start = (*steps, inner["name"])
            physical_start = (*steps, _physical_name(inner))
            for names, path, inner_identifier in _strings(inner):
                yield start + names, physical_start + path, inner_identifier
        for step, inner in _STEPS.items():
            if inner in data_type:
                yield from below(data_type[inner], (*steps, step))

    return below(field["type"], ())


def _physical_name(field: Json) -> str:
    name = (field.get("metadata") or {}).get("delta.columnMapping.physicalName")
    return str(name or field["name"])


def _quoted(name: str) -> str:
    if re.fullmatch("[A-Za-z0-9_]+", name) and not re.fullmatch("[0-9]+", name):
        return name
    return "`" + name.replace("`", "``") + "`"
