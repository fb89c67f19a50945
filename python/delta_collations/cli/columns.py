# SPDX-License-Identifier: Apache-2.0
"""The collated columns of a table, as the metadata in its log has them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from delta_collations.cli.collations import BINARY, is_total, resolved
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
    """As SQL writes it, from the top of the table."""
    position: int
    """Of the top-level column, from 1."""
    path: Names
    """The physical names, by which statistics are nested."""
    collation: str
    """As the schema has it."""
    key: str | None
    """``provider.name`` of the collation Spark takes it for, if it has one."""
    without_statistics: str | None
    """Why no statistics are collected, or None."""


def collated_columns(metadata: Json) -> list[Column]:
    """Return the collated columns of a table in the order of its schema."""
    try:
        return list(_columns(metadata))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise CommandLineError(f"The metadata in the log cannot be understood: {error!r}") from None


def _columns(metadata: Json) -> Iterator[Column]:
    # Checkpoints have the properties as a list of pairs.
    properties = dict(metadata.get("configuration") or ())
    partitions = set(metadata.get("partitionColumns") or ())
    fields = json.loads(metadata["schemaString"])["fields"]
    indexed = _Indexed(properties)
    for position, top in enumerate(fields, 1):
        is_partition = top["name"] in partitions
        for names, path, leaf in _leaves(top, (), ()):
            is_indexed = not is_partition and indexed.take(names)
            for below, below_path, collation in _strings(leaf):
                key = resolved(collation)
                if key == BINARY:
                    continue
                reasons = {
                    "partition column": is_partition,
                    "inside an array or map": len(below) > 0,
                    "no total order": key is not None and not is_total(key),
                    "not an indexed column": not is_indexed,
                }
                yield Column(
                    name=".".join(_quoted(name) for name in (*names, *below)),
                    position=position,
                    path=path + below_path,
                    collation=collation,
                    key=key,
                    without_statistics=next((why for why, holds in reasons.items() if holds), None),
                )


class _Indexed:
    """The choice of columns that Delta collects statistics for, asked leaf by leaf."""

    def __init__(self, properties: dict[str, str]) -> None:
        chosen = properties.get("delta.dataSkippingStatsColumns")
        self._chosen = None if chosen is None else _column_list(chosen)
        self._limit = int(properties.get("delta.dataSkippingNumIndexedCols", _DEFAULT_INDEXED))
        self._asked = 0

    def take(self, names: Names) -> bool:
        self._asked += 1
        if self._chosen is None:
            return self._limit == _ALL_INDEXED or self._asked <= self._limit
        lower = tuple(name.lower() for name in names)
        return any(lower[: len(chosen)] == chosen for chosen in self._chosen)


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
    """Yield what Delta counts as one column: every field that is no struct, by both its names."""
    names, path = (*names, field["name"]), (*path, _physical_name(field))
    if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
        for inner in field["type"]["fields"]:
            yield from _leaves(inner, names, path)
    else:
        yield names, path, field


def _strings(field: Json) -> Iterator[tuple[Names, Names, str]]:
    """Yield the collated strings of a field: the steps to each by both names, and its collation."""
    written = (field.get("metadata") or {}).get("__COLLATIONS")
    collations = written if isinstance(written, dict) else {}

    def below(data_type: object, steps: Names) -> Iterator[tuple[Names, Names, str]]:
        # Positions are counted from the field; Spark writes its logical name before them.
        keys = (".".join((name, *steps)) for name in (field["name"], _physical_name(field)))
        collation = next((collations[key] for key in keys if key in collations), None)
        if isinstance(collation, str):
            found = data_type["type"] if isinstance(data_type, dict) else data_type
            if found != "string":
                where = ".".join((field["name"], *steps))
                raise CommandLineError(
                    f"The schema gives a collation to {where}, which is {found}."
                )
            yield steps, steps, collation
        if not isinstance(data_type, dict):
            return
        for inner in data_type.get("fields", ()):
            start = (*steps, inner["name"]), (*steps, _physical_name(inner))
            for names, path, deeper in _strings(inner):
                yield start[0] + names, start[1] + path, deeper
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
