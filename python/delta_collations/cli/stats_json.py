# SPDX-License-Identifier: Apache-2.0
"""Values in the statistics of a file, which any writer may have written."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]

COLLATED = "statsWithCollation"
MIN_AND_MAX = ("minValues", "maxValues")

_MAX_COUNT = 2**63 - 1
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_object(text: object) -> Json | None:
    """Parse a JSON object; anything else, and an object with duplicate keys, is None."""
    if not isinstance(text, str):
        return None
    try:
        found = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_reject_constant
        )
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# All files have the same few identifiers. In a corrupt log they may differ, hence the limit.
@lru_cache(maxsize=1024)
def parse_identifier(identifier: str) -> tuple[str, str]:
    """Return ``provider.name`` in lowercase and the version; both are empty without a version."""
    provider, _, rest = identifier.partition(".")
    name, _, version = rest.partition(".")
    return (f"{provider}.{name}".lower(), version) if version else ("", "")


def as_count(value: object) -> int | None:
    """Return a number that Delta can use as a count, or None."""
    return value if type(value) is int and 0 <= value <= _MAX_COUNT else None


def is_bound(value: object) -> bool:
    """Return whether a value is a string that can be compared."""
    return isinstance(value, str) and not _LONE_SURROGATE.search(value)


def has_bound(bounds: object, path: Iterable[str]) -> bool:
    """Return whether there is a minimum or a maximum of a column.

    One is enough, because the other may be impossible to compute.
    """
    return any(is_bound(value_at(bounds, (side, *path))) for side in MIN_AND_MAX)


def value_at(node: object, path: Iterable[str]) -> object:
    """Return the value at the end of a path, or None."""
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Json:
    """Return an object; of two values for one key, either may be the corrupt one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("duplicate keys")
    return found


def _reject_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")
