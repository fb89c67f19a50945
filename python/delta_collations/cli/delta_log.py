# SPDX-License-Identifier: Apache-2.0
"""The log of a Delta table, read without Spark: its schema, and the statistics of its files."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs
from pyarrow import parquet as pq

from delta_collations.cli.errors import CommandLineError
from delta_collations.cli.status import counted

Json = dict[str, Any]

# What readers of this version must know, but whoever only reads statistics need not heed.
_HARMLESS_FEATURES = {
    "collations",
    "collations-preview",
    "columnMapping",
    "deletionVectors",
    "domainMetadata",
    "geospatial",
    "inCommitTimestamp",
    "timestampNtz",
    "typeWidening",
    "typeWidening-preview",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantShredding",
    "variantShredding-preview",
    "variantType",
    "variantType-preview",
}
_FEATURES_READER_VERSION = 3

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(
    r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10})\.parquet|\.[0-9a-fA-F-]{36}\.(?:json|parquet)|\.parquet)"
)

_STATE = ("protocol", "metaData", "sidecar")
# Of the statistics that a checkpoint holds as columns, only what classifies a file.
_ADD = (
    "add.path",
    "add.size",
    "add.deletionVector",
    "add.stats",
    "add.stats_parsed.numRecords",
    "add.stats_parsed.nullCount",
    "add.stats_parsed.statsWithCollation",
)
# All other actions that are read here are about a file.
_FORMS: dict[str, dict[str, Any]] = {
    "protocol": {"minReaderVersion": int, "readerFeatures": (list, type(None))},
    "metaData": {"schemaString": str},
}
# Statistics can be kilobytes each, and a batch of them is all that is ever in memory.
_BATCH_ROWS = 1024


@dataclass(frozen=True)
class DataFile:
    """A file of the table: its size, and its statistics if it has any that can be read."""

    size: int
    stats: Json | None


class Log:
    """The newest state of one table."""

    def __init__(self, path: str) -> None:
        """Find the newest complete checkpoint of the table, and the commits after it."""
        self.table, self._filesystem, self._root = _located(path)
        sizes = self._sizes()
        self._checkpoint = _newest_checkpoint(sizes)
        start = int(self._checkpoint[0][:20]) + 1 if self._checkpoint else 0
        commits = sorted(name for name in sizes if _COMMIT.fullmatch(name))
        self._commits = [name for name in commits if int(name[:20]) >= start]
        if not self._commits and not self._checkpoint:
            raise CommandLineError(f"{self.table} is not a Delta table: it has no commits.")
        for expected, name in enumerate(self._commits, start):
            if int(name[:20]) != expected:
                raise CommandLineError(
                    f"The log of {self.table} has a gap: version {expected} is missing, though "
                    f"version {int(name[:20])} is there."
                )
            if not sizes[name]:
                raise CommandLineError(f"{name} is damaged or still being written: it is empty.")
        self._commits.reverse()
        self.metadata = self._state()

    def files(self) -> Iterator[DataFile]:
        """Yield the files in force, from the newest action to the oldest.

        Going back in time, the first action that names a file decides on it, so each file is done
        with when it is read. Kept is one text, path and deletion vector, for each file that a
        commit after the checkpoint names, and nothing for the files of the checkpoint.
        """
        decided: set[str] = set()
        for commit in self._commits:
            removed = set()
            for kind, action in self._actions(commit, ("add", "remove")):
                key = _key(action)
                if kind == "remove":
                    removed.add(key)
                elif key not in decided:
                    decided.add(key)
                    yield _data_file(action)
            # Only now, since actions of one commit come in any order.
            decided |= removed
        for part in self._checkpoint:
            for _, add in self._actions(part, _ADD):
                if _key(add) not in decided:
                    yield _data_file(add)

    def _sizes(self) -> dict[str, int]:
        """Return what is in the log, and how large it is.

        The file _last_checkpoint is no help: it spares a listing only where a store can list from
        some name on, it may be old or damaged, and whatever it knows is in the listing.
        """
        folder = fs.FileSelector(f"{self._root}/_delta_log", allow_not_found=True)
        try:
            found = self._filesystem.get_file_info(folder)
            there = found or self._filesystem.get_file_info(self._root).type != fs.FileType.NotFound
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self.table, error) from None
        if not there:
            raise CommandLineError(f"There is no {self.table}.")
        return {info.base_name: info.size for info in found if info.type == fs.FileType.File}

    def _state(self) -> Json:
        """Return the metadata in force, and make sure that nothing else changes its meaning."""
        state: Json = {}
        sidecars: list[str] = []
        for name in [*self._commits, *self._checkpoint]:
            for kind, action in self._actions(name, _STATE):
                if kind == "sidecar":
                    sidecars.append(_sidecar(name, action["path"]))
                else:
                    state.setdefault(kind, action)
        self._checkpoint += sidecars
        for kind in ("protocol", "metaData"):
            if kind not in state:
                raise CommandLineError(f"The log of {self.table} has no {kind} action.")
        self._require_known_features(state["protocol"])
        metadata: Json = state["metaData"]
        return metadata

    def _require_known_features(self, protocol: Json) -> None:
        version = protocol["minReaderVersion"]
        features = set(map(str, protocol.get("readerFeatures") or ()))
        unknown = sorted(features - _HARMLESS_FEATURES)
        if version > _FEATURES_READER_VERSION:
            unknown = [f"reader version {version}"]
        if unknown:
            raise CommandLineError(
                f"{self.table} needs what this version of delta-collations does not know: "
                f"{', '.join(unknown)}."
            )

    def _actions(self, name: str, columns: Sequence[str]) -> Iterator[tuple[str, Json]]:
        """Yield the actions of one file of the log, each with its kind."""
        path = f"{self._root}/_delta_log/{name}"
        read = self._rows if name.endswith(".parquet") else self._lines
        try:
            for kind, action in read(path, columns):
                _check(kind, action)
                yield kind, action
        except (OSError, pa.ArrowException, ValueError, TypeError, RecursionError) as error:
            raise _unreadable(path, error, "is damaged or still being written") from None

    def _rows(self, path: str, columns: Sequence[str]) -> Iterator[tuple[str, Json]]:
        with pq.ParquetFile(path, filesystem=self._filesystem) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=list(columns)):
                for kind in batch.schema.names:
                    for action in batch.column(kind).drop_null().to_pylist():
                        yield kind, action

    def _lines(self, path: str, columns: Sequence[str]) -> Iterator[tuple[str, Json]]:
        kinds = {column.partition(".")[0] for column in columns}
        with self._filesystem.open_input_stream(path) as stream:
            for line in io.TextIOWrapper(stream, "utf-8"):
                action = json.loads(line) if line.strip() else {}
                if not isinstance(action, dict):
                    raise TypeError("it has a line that is no action")
                yield from (pair for pair in action.items() if pair[0] in kinds)


def _located(path: str) -> tuple[str, Any, str]:
    """Return the full name of the table, the file system it is on, and its path there."""
    if not re.match("[A-Za-z][A-Za-z0-9+.-]+:", path):
        full = str(Path(path).absolute())
        return full, fs.LocalFileSystem(), full
    try:
        # Hadoop's name for what everybody else calls s3.
        filesystem, root = fs.FileSystem.from_uri(re.sub("^s3a:", "s3:", path))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None
    return path.rstrip("/"), filesystem, root.rstrip("/")


def _newest_checkpoint(sizes: dict[str, int]) -> list[str]:
    """Return the files of the newest checkpoint that is complete, or none."""
    checkpoints: dict[tuple[str, str], list[str]] = {}
    for name, size in sizes.items():
        found = _CHECKPOINT.fullmatch(name)
        # An empty file is one that a writer has only begun.
        if found and size:
            version, _, parts = found.groups()
            checkpoints.setdefault((version, parts or name), []).append(name)
    complete = [
        key
        for key, names in checkpoints.items()
        if not key[1].isdecimal() or len(names) == int(key[1])
    ]
    return sorted(checkpoints[max(complete)]) if complete else []


def _check(kind: str, action: Json) -> None:
    """Make sure that an action has what is asked of it later."""
    for name, form in _FORMS.get(kind, {"path": str}).items():
        if not isinstance(action, dict) or not isinstance(action.get(name), form):
            raise TypeError(f"the {name} of its {kind} action is missing or makes no sense")


def _sidecar(checkpoint: str, path: str) -> str:
    """Return where a sidecar is: always in one folder, whatever a writer puts before its name."""
    # Decoded first: an encoded slash would lead out of the folder.
    name = re.split(r"[/\\]", unquote(path))[-1]
    if not name.endswith(".parquet"):
        raise CommandLineError(f"{checkpoint} is damaged: {path} is no name of a sidecar.")
    return f"_sidecars/{name}"


def _key(action: Json) -> str:
    """Return what tells a file from every other: its path, and the rows deleted from it."""
    vector = action.get("deletionVector")
    if not isinstance(vector, dict):
        return str(action["path"])
    parts = (vector.get(name) for name in ("storageType", "pathOrInlineDv", "offset"))
    return "\0".join([action["path"], *map(str, parts)])


def _data_file(add: Json) -> DataFile:
    stats = add.get("stats_parsed")
    if add.get("stats") is not None:
        try:
            stats = json.loads(
                add["stats"], object_pairs_hook=_unambiguous, parse_constant=_refused
            )
        # What is no JSON says nothing about the file.
        except (ValueError, TypeError, RecursionError):
            stats = None
    return DataFile(counted(add.get("size")) or 0, stats if isinstance(stats, dict) else None)


def _unambiguous(pairs: list[tuple[str, Any]]) -> Json:
    """Return an object; of two values for one name, either may be the damaged one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it says two things at once")
    return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _unreadable(path: str, error: Exception, what: str = "cannot be read") -> CommandLineError:
    if isinstance(error, FileNotFoundError):
        return CommandLineError(f"{path} is gone: the log needs it, unless it was cleaned up now.")
    if isinstance(error, PermissionError):
        return CommandLineError(f"You have no right to read {path}.")
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return CommandLineError(f"{path} {what}: {reason}")
