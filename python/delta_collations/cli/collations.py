# SPDX-License-Identifier: Apache-2.0
"""Resolves collation identifiers without a JVM, by tables that the build generates from the jar."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"

BINARY = "spark.UTF8_BINARY"

_ROOT = "UNICODE"
_WITH_MODIFIERS = re.compile("(.+?)((?:_(?:CI|CS|AI|AS|RTRIM))*)")
_LOCALE = re.compile("([A-Z]{2,3})(?:[_-]([A-Z]{4}))?(?:[_-]([A-Z]{2,3}))?")

# No locale has a longer name, even with all modifiers.
_MAX_NAME_LENGTH = 100


def resolve(identifier: str) -> str | None:
    """Return ``provider.name`` of Spark's collation for an identifier in a schema, if it has one.

    As in the jar, letter case and version do not matter, and the provider only has to be one of
    Spark's two, because Spark finds a collation by its name alone.
    """
    provider, _, rest = identifier.partition(".")
    name, dot, version = rest.partition(".")
    provider = provider.lower()
    if provider not in {"icu", "spark"} or not name or (dot and not version):
        return None
    if len(name) > _MAX_NAME_LENGTH:
        return None
    names, upper = _tables()["names"], name.upper()
    found = _WITH_MODIFIERS.fullmatch(upper)
    if upper in names or not found:
        return _optional(names.get(upper))
    base, modifiers = found.groups()
    collation = names.get(base)
    if collation is None and provider == "icu":
        collation = _resolve_locale(base)
    modifiers = _tables()["modifiers"].get(modifiers)
    # The names of Spark's own collations with modifiers are listed in full.
    if collation is None or modifiers is None or not collation.startswith("icu."):
        return None
    return f"{collation}{modifiers}"


def statistics_collation(collation: str) -> str | None:
    """Return the collation of the bounds of a column with this collation, if there are bounds.

    It differs for a collation that is not a total order: under it, a minimum is not a lower bound.
    """
    return _tables()["statistics_collations"].get(collation, collation) or None


def locales() -> frozenset[str]:
    """Return the names of all locales that Spark has collations for."""
    names = _tables()["names"].values()
    return frozenset(name.removeprefix("icu.") for name in names if name.startswith("icu."))


def _resolve_locale(base: str) -> str | None:
    """Return the collation of a locale that Spark does not list by this name."""
    tables = _tables()
    found = _LOCALE.fullmatch(base)
    if not found:
        return None
    language, script, country = found.groups()
    language = tables["languages"].get(language)
    if language is None or (country and country not in tables["countries"]):
        return None
    language = language.upper()
    country = country and tables["countries"][country]
    parent = f"{language}_{script}" if script else language
    # The entry with an asterisk is for all scripts without an entry.
    candidates = (f"{parent}_{country}", parent, f"{language}_*" if script else "")
    locale = next((tables["locales"][key] for key in candidates if key in tables["locales"]), _ROOT)
    return f"icu.{locale}"


def _optional(name: Any) -> str | None:  # noqa: ANN401
    return None if name is None else str(name)


@cache
def _tables() -> dict[str, Any]:
    """Return what ``CollationTables`` of the jar has written."""
    tables: dict[str, Any] = json.loads((DATA / "collations.json").read_text("utf-8"))
    return tables
