# SPDX-License-Identifier: Apache-2.0
"""Files and statistics of the tables on which ``hook_probes`` runs its operations."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from support.platforms import ICU, OLD_ICU

if TYPE_CHECKING:
    from support.tables import Json

IDENTIFIER = f"icu.UNICODE_CI.{ICU}"
OLDER = f"icu.UNICODE_CI.{OLD_ICU}"
ROWS = {1: "Ann", 2: "Bob", 3: "Yan", 4: "Zoë"}


def incompressible(number: int) -> str:
    """Return a path that sends at least 128 bytes to the driver."""
    return hashlib.shake_256(str(number).encode()).hexdigest(128) + ".parquet"


def file_of(*ids: int) -> tuple[dict[str, Any], Json]:
    """Return rows and their statistics for the current ICU version and an older one."""
    names = [ROWS[number] for number in ids]
    low, high = ({"id": ids[end], "name": names[end]} for end in (0, -1))
    bounds = {"minValues": {"name": names[0]}, "maxValues": {"name": names[-1]}}
    stats = {
        "numRecords": len(ids),
        "minValues": low,
        "maxValues": high,
        "nullCount": {"id": 0, "name": 0},
        "tightBounds": True,
        "statsWithCollation": {IDENTIFIER: bounds, OLDER: bounds},
    }
    return {"id": pa.array(ids, pa.int32()), "name": names}, stats
