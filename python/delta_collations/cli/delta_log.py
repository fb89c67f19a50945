# SPDX-License-Identifier: Apache-2.0
"""Reads the log of a Delta table without Spark: its schema and the statistics of its files."""

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
from delta_collations.cli.stats_json import Json, as_count, read_object

# Reader features that do not change the meaning of statistics.
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
# Checkpoints may contain statistics as columns. Only these are needed to classify a file.
_ADD = (
    "add.path",
    "add.size",
    "add.deletionVector",
    "add.stats",
    "add.tags",
    "add.stats_parsed.numRecords",
    "add.stats_parsed.nullCount",
    "add.stats_parsed.statsWithCollation",
)
# The fields that an action must have, with their types. Other actions must have a path.
_REQUIRED_FIELDS: dict[str, dict[str, Any]] = {
    "protocol": {"minReaderVersion": int, "readerFeatures": (list, type(None))},
    "metaData": {"schemaString": str},
}
# The statistics of a file can take kilobytes. Only one batch of them is in memory at a time.
_BATCH_ROWS = 1024

_CODE_POINTS_TAG = "deltaCollations.codePoints"


@dataclass(frozen=True)
class DataFile:
    """A data file of the table."""

    size: int
    stats: Json | None
    """None if the file has no statistics, or malformed ones."""
    tag: str | None
    """The tag that lists the code points of collated columns, as JSON."""


class Log:
    """The latest snapshot of a table."""

    def __init__(self, path: str) -> None:
        """Find the latest complete checkpoint of the table and the commits after it."""
        self.table, self._filesystem, self._root = _locate(path)
        sizes = self._sizes()
        self._checkpoint = _latest_checkpoint(sizes)
        start = int(self._checkpoint[0][:20]) + 1 if self._checkpoint else 0
        commits = sorted(name for name in sizes if _COMMIT.fullmatch(name))
        self._commits = [name for name in commits if int(name[:20]) >= start]
        if not self._commits and not self._checkpoint:
            raise CommandLineError(f"{self.table} is not a Delta table: it has no commits.")
        for expected, name in enumerate(self._commits, start):
            if int(name[:20]) != expected:
                raise CommandLineError(
                    f"The log of {self.table} has a gap: version {expected} is missing, but "
                    f"version {int(name[:20])} exists."
                )
            if not sizes[name]:
                raise CommandLineError(f"{name} is corrupt or still being written: it is empty.")
        self._commits.reverse()
        self.metadata = self._state()

    def files(self) -> Iterator[DataFile]:
        """Yield the files of the snapshot, from the newest action to the oldest.

        In this order, the first action about a file decides whether it is part of the snapshot, so
        that files can be yielded as they are read. Memory grows with the number of files in the
        commits after the checkpoint, but not with the number of files in the checkpoint.
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
            # Added after the loop, because the actions of a commit have no order.
            decided |= removed
        for part in self._checkpoint:
            for _, add in self._actions(part, _ADD):
                if _key(add) not in decided:
                    yield _data_file(add)

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of the files in the log by name.

        The file _last_checkpoint is not used. It may be outdated or corrupt, it contains nothing
        that the listing does not, and PyArrow cannot list from a given name on.
        """
        folder = fs.FileSelector(f"{self._root}/_delta_log", allow_not_found=True)
        try:
            found = self._filesystem.get_file_info(folder)
            exists = found or (
                self._filesystem.get_file_info(self._root).type != fs.FileType.NotFound
            )
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(self.table, error) from None
        if not exists:
            raise CommandLineError(f"{self.table} does not exist.")
        return {info.base_name: info.size for info in found if info.type == fs.FileType.File}

    def _state(self) -> Json:
        """Return the current metadata. Fails if the table requires unsupported reader features."""
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
        self._check_features(state["protocol"])
        metadata: Json = state["metaData"]
        return metadata

    def _check_features(self, protocol: Json) -> None:
        version = protocol["minReaderVersion"]
        features = set(map(str, protocol.get("readerFeatures") or ()))
        unsupported = sorted(features - _HARMLESS_FEATURES)
        if version > _FEATURES_READER_VERSION:
            unsupported = [f"reader version {version}"]
        if unsupported:
            raise CommandLineError(
                f"{self.table} requires features that this version of delta-collations does not "
                f"support: {', '.join(unsupported)}."
            )

    def _actions(self, name: str, columns: Sequence[str]) -> Iterator[tuple[str, Json]]:
        """Yield the actions in one file of the log, each with its kind."""
        path = f"{self._root}/_delta_log/{name}"
        read = self._rows if name.endswith(".parquet") else self._lines
        try:
            for kind, action in read(path, columns):
                _check(kind, action)
                yield kind, action
        except (OSError, pa.ArrowException, ValueError, TypeError, RecursionError) as error:
            raise _unreadable(path, error, "is corrupt or still being written") from None

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
                    raise TypeError("a line is not an action")
                yield from (pair for pair in action.items() if pair[0] in kinds)


def _locate(path: str) -> tuple[str, Any, str]:
    """Return the path of the table for Spark, its file system, and its path in the file system."""
    if not re.match("[A-Za-z][A-Za-z0-9+.-]+:", path):
        full = str(Path(path).absolute())
        return full, fs.LocalFileSystem(), full
    try:
        # s3a is Hadoop's name for s3. Only PyArrow reads options in the query string of a URI.
        filesystem, root = fs.FileSystem.from_uri(re.sub("^s3a:", "s3:", path))
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from None
    for_spark = re.sub("^s3:", "s3a:", path.partition("?")[0])
    return for_spark.rstrip("/"), filesystem, root.rstrip("/")


def _latest_checkpoint(sizes: dict[str, int]) -> list[str]:
    """Return the files of the latest complete checkpoint, or no files."""
    checkpoints: dict[tuple[str, str], list[str]] = {}
    for name, size in sizes.items():
        found = _CHECKPOINT.fullmatch(name)
        # A writer has created an empty file but not written it yet.
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
    """Fail if an action does not have the fields that are read later."""
    for name, expected in _REQUIRED_FIELDS.get(kind, {"path": str}).items():
        if not isinstance(action, dict) or not isinstance(action.get(name), expected):
            raise TypeError(f"the field {name} of a {kind} action is missing or has a wrong type")


def _sidecar(checkpoint: str, path: str) -> str:
    """Return the path of a sidecar in the log. All sidecars are in the same folder."""
    # Decodes first, because an encoded slash would lead out of the folder.
    name = re.split(r"[/\\]", unquote(path))[-1]
    if not name.endswith(".parquet"):
        raise CommandLineError(f"{checkpoint} is corrupt: {path} is not the name of a sidecar.")
    return f"_sidecars/{name}"


def _key(action: Json) -> str:
    """Return the key of a file in the log: its path and its deletion vector."""
    vector = action.get("deletionVector")
    if not isinstance(vector, dict):
        return str(action["path"])
    parts = (vector.get(name) for name in ("storageType", "pathOrInlineDv", "offset"))
    return "\0".join([action["path"], *map(str, parts)])


def _data_file(add: Json) -> DataFile:
    if add.get("stats") is not None:
        stats = read_object(add["stats"])
    else:
        stats = _without_nulls(add.get("stats_parsed"))
    tags = add.get("tags")
    # Parquet checkpoints contain the tags as a list of pairs.
    if isinstance(tags, list):
        tags = dict(pair for pair in tags if isinstance(pair, tuple))
    tag = tags.get(_CODE_POINTS_TAG) if isinstance(tags, dict) else None
    return DataFile(
        size=as_count(add.get("size")) or 0,
        stats=stats if isinstance(stats, dict) else None,
        tag=tag if isinstance(tag, str) else None,
    )


def _without_nulls(value: Any) -> Any:  # noqa: ANN401
    """Return statistics as their JSON has them: a struct in Parquet has all fields of all files."""
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}


def _unreadable(path: str, error: Exception, what: str = "cannot be read") -> CommandLineError:
    if isinstance(error, FileNotFoundError):
        return CommandLineError(
            f"{path} does not exist, but the log refers to it. If the log was cleaned up while it "
            "was read, run the command again."
        )
    if isinstance(error, PermissionError):
        return CommandLineError(f"Permission denied: {path}")
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return CommandLineError(f"{path} {what}: {reason}")
