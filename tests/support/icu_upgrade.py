# SPDX-License-Identifier: Apache-2.0
"""Tables with statistics of another ICU version, and tables with unreadable data files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.processes import ROOT
from support.scans import rewrite_stats
from support.tables import Json, Table, clear_log_cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RELABEL_ENABLED = "spark.deltaCollations.stats.relabel.enabled"
ICU_VERSIONS = "spark.deltaCollations.stats.icuVersions"
ICU_JARS = "spark.deltaCollations.stats.icuJars"

PREVIOUS_ICU = {"78.3": "77.1", "77.1": "76.1", "76.1": "75.1"}
"""The ICU version before each current one."""

# A character that moves between the previous and the current version, or None if none does.
CHANGED_CHARACTER = {"78.3": "\u52b3", "77.1": None, "76.1": "\u20a8"}


def icu_jar(version: str) -> Path:
    """Return the jar of an ICU version, which the build copies for tests."""
    return ROOT / ".dev" / "icu" / f"icu4j-{version}.jar"


def set_stats_version(table: Table, version: str, current: str) -> Table:
    """Relabel the bounds of the current ICU version as those of ``version``."""

    def relabel(_: str, stats: Json) -> Json:
        keys = stats.get("statsWithCollation", {})
        for key in [key for key in keys if key.endswith("." + current)]:
            bounds = keys.pop(key)
            keys.setdefault(key.removesuffix(current) + version, bounds)
        return stats

    return rewrite_stats(table, relabel)


def remove_code_point_tags(table: Table) -> Table:
    """Remove the code point tags of all files, as if another engine had written them."""
    for commit in (table.path / "_delta_log").glob("*.json"):
        text = commit.read_text("utf-8")
        commit.write_text(text.replace("deltaCollations.codePoints", "otherEngine"), "utf-8")
    clear_log_cache(table)
    return table


@contextmanager
def unreadable_data_files(table: Table) -> Iterator[None]:
    """Overwrite all data files with zeros within the block."""
    contents = {path: path.read_bytes() for path in table.path.rglob("*.parquet")}
    for path, content in contents.items():
        path.write_bytes(bytes(len(content)))
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    try:
        yield
    finally:
        for path, content in contents.items():
            path.write_bytes(content)


def stats_versions(table: Table) -> list[list[str]]:
    """Return the ICU versions for which each file has collated bounds."""
    return [
        sorted(key.split(".", 2)[2] for key in stats.get("statsWithCollation", {}))
        for stats in table.log.stats
    ]
