# SPDX-License-Identifier: Apache-2.0
"""Tables written by Spark and by other engines, and a reader of their logs."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

Json = dict[str, Any]


@dataclass(frozen=True)
class Log:
    """The commits of a Delta table, read without Delta."""

    table: Path

    @property
    def commits(self) -> list[list[Json]]:
        """All actions, commit by commit."""
        paths = sorted((self.table / "_delta_log").glob("*.json"))
        return [[json.loads(line) for line in path.read_text().splitlines()] for path in paths]

    def actions(self, kind: str) -> list[Json]:
        """All actions of one kind, oldest first."""
        return [action[kind] for commit in self.commits for action in commit if kind in action]

    @property
    def files(self) -> dict[str, Json]:
        """The current files by path, in the order of their commits, with parsed statistics."""
        files: dict[str, Json] = {}
        for commit in self.commits:
            for action in commit:
                if "remove" in action:
                    files.pop(action["remove"]["path"], None)
            for action in commit:
                if "add" in action:
                    files[action["add"]["path"]] = action["add"]
        # Parse last: statistics of removed files may not be valid JSON.
        return {
            path: {**add, "stats": json.loads(add.get("stats", "null"))}
            for path, add in files.items()
        }

    @property
    def stats(self) -> list[Json]:
        """The statistics of each current file."""
        return [file["stats"] for file in self.files.values()]

    @property
    def protocol(self) -> Json:
        """The current protocol, with sorted features."""
        protocol = dict(self.actions("protocol")[-1])
        for features in ("readerFeatures", "writerFeatures"):
            if features in protocol:
                protocol[features] = sorted(protocol[features])
        return protocol

    @property
    def schema_text(self) -> str:
        """The current schema, verbatim."""
        return str(self.actions("metaData")[-1]["schemaString"])

    def field(self, *path: str) -> Json:
        """One field of the schema; ``element`` and ``value`` step into arrays and maps."""
        here: Json = json.loads(self.schema_text)
        for name in path:
            inner = here.get("type", here)
            inner = inner if isinstance(inner, dict) else here
            if inner["type"] == "struct":
                here = next(field for field in inner["fields"] if field["name"] == name)
            else:
                here = {"type": inner[{"element": "elementType", "value": "valueType"}[name]]}
        return here

    def collations(self, *path: str) -> Json | None:
        """Return ``__COLLATIONS`` of one field, or None."""
        found: Json | None = self.field(*path)["metadata"].get("__COLLATIONS")
        return found


class Table:
    """A Delta table at a path, used through SQL."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        """Refer to a table that need not exist yet."""
        self.spark = spark
        self.path = path
        self.log = Log(path)
        self.name = f"delta.`{path}`"

    def create(self, columns: str, **properties: str) -> Table:
        """Create the table with ``columns`` given as SQL."""
        settings = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        suffix = f" TBLPROPERTIES ({settings})" if settings else ""
        self.spark.sql(f"CREATE TABLE {self.name} ({columns}) USING delta{suffix}")
        return self

    def sql(self, statement: str) -> DataFrame:
        """Run ``statement``, in which ``{t}`` is replaced by this table."""
        return self.spark.sql(statement.replace("{t}", self.name))

    def insert(self, *rows: str) -> Table:
        """Insert rows, each given as SQL without parentheses."""
        self.sql(f"INSERT INTO {{t}} VALUES {', '.join(f'({row})' for row in rows)}")
        return self

    def rows(self, query: str = "SELECT * FROM {t}") -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` as plain tuples."""
        return [tuple(row) for row in self.sql(query).collect()]

    def column(self, query: str) -> list[Any]:
        """Return the first column of ``query``."""
        return [row[0] for row in self.sql(query).collect()]


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Set a setting of the session within the block."""
    before = spark.conf.get(key, None)
    spark.conf.set(key, value)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, before)


@contextmanager
def without_codegen(spark: SparkSession) -> Iterator[None]:
    """Disable codegen and AQE within the block.

    Tests plan many queries on a few rows each, for which compilation takes longer than execution.
    """
    with (
        setting(spark, "spark.sql.codegen.wholeStage", "false"),
        setting(spark, "spark.sql.codegen.factoryMode", "NO_CODEGEN"),
        setting(spark, "spark.sql.adaptive.enabled", "false"),
    ):
        yield


def write_checkpoint(table: Table) -> None:
    """Write a checkpoint and clear the cache, so that Delta reads the checkpoint."""
    jvm, session = table.spark._jvm, table.spark._jsparkSession  # noqa: SLF001
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, str(table.path)).checkpoint()
    clear_log_cache(table)


def clear_log_cache(table: Table) -> None:
    """Make Delta read the log again, including changes made without Delta."""
    for checksum in (table.path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    jvm = table.spark._jvm  # noqa: SLF001
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def icu_version(spark: SparkSession) -> str:
    """Return the ICU version of the JVM, as ICU reports it."""
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None
    info = jvm.com.ibm.icu.util.VersionInfo.ICU_VERSION
    return f"{info.getMajor()}.{info.getMinor()}"


def recompute_stats(table: Table) -> None:
    """Make Delta recompute the statistics of all files, which only its API can do."""
    jvm, session = table.spark._jvm, table.spark._jsparkSession  # noqa: SLF001
    assert jvm is not None
    delta = jvm.org.apache.spark.sql.delta
    log = delta.DeltaLog.forTable(session, str(table.path))
    companion = getattr(delta.stats, "StatisticsCollection$")
    stats = getattr(companion, "MODULE$")
    nothing = jvm.scala.Option.empty()
    predicates = getattr(stats, "recompute$default$4")()
    stats.recompute(session, log, nothing, predicates, getattr(stats, "recompute$default$5")())


def values_outside_bounds(table: Table) -> list[str]:
    """Return file, key and column of every value that is not within a stored bound.

    Spark compares them, on rows that are read without skipping.
    """
    name = F.element_at(F.split("_metadata.file_path", "/"), -1)
    checks = []
    for path, file in table.log.files.items():
        stats = dict(file["stats"] or {})
        keys = {"spark.UTF8_BINARY.bytes": stats, **stats.get("statsWithCollation", {})}
        for key, found in keys.items():
            collation = key.split(".")[1]
            for end in ("minValues", "maxValues"):
                for column, bound in leaves(found.get(end, {})):
                    if isinstance(bound, str):
                        value = F.collate(F.col(".".join(column)), collation)
                        limit = F.collate(F.lit(bound), collation)
                        beyond = value < limit if end == "minValues" else value > limit
                        label = F.lit(f"{path} {key} {end} {'.'.join(column)}")
                        checks.append(F.when((name == path.split("/")[-1]) & beyond, label))
    rows = table.spark.read.format("delta").load(str(table.path))
    labels = F.filter(F.array(*checks), lambda label: label.isNotNull())
    with without_codegen(table.spark):
        return sorted({row[0] for row in rows.select(F.explode(labels)).collect()})


def leaves(struct: Json) -> list[tuple[tuple[str, ...], Any]]:
    """Return the leaf values of nested objects with their paths."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in struct.items():
        inner = leaves(value) if isinstance(value, dict) else [((), value)]
        found += [((name, *path), leaf) for path, leaf in inner]
    return found


def stored_bounds(stats: Json, key: str, *column: str) -> tuple[Any, Any]:
    """Return the bounds of a column under a versioned collation identifier."""
    found = stats["statsWithCollation"][key]
    ends = [dict(leaves(found.get(end, {}))).get(column) for end in ("minValues", "maxValues")]
    return ends[0], ends[1]


@dataclass(frozen=True)
class ForeignTable:
    """A table as another engine writes it, with a log and data written without Spark."""

    path: Path
    schema: Sequence[Json]
    writer_features: Sequence[str] | None
    reader_features: Sequence[str] | None = None
    partition_columns: Sequence[str] = ()
    configuration: Mapping[str, str] | None = None

    def write(self, *files: tuple[Mapping[str, list[Any]], Json | None]) -> Path:
        """Write the log and one data file for each pair of columns and statistics.

        The first value of a partition column is the value of the file.
        """
        log = self.path / "_delta_log"
        log.mkdir(parents=True)
        protocol: Json = {"minReaderVersion": 1, "minWriterVersion": 7}
        if self.reader_features is not None:
            protocol |= {"minReaderVersion": 3, "readerFeatures": list(self.reader_features)}
        if self.writer_features is None:
            protocol["minWriterVersion"] = 2
        else:
            protocol["writerFeatures"] = list(self.writer_features)
        metadata = {
            "id": "78826329-cc1a-44fb-a53f-40cb24fc4109",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": self.schema_text,
            "partitionColumns": list(self.partition_columns),
            "configuration": dict(self.configuration or {}),
            "createdTime": 1767611863078,
        }
        actions: list[Json] = [{"metaData": metadata}, {"protocol": protocol}]
        actions += [self._add(number, *file) for number, file in enumerate(files)]
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{0:020}.json").write_text(text, "utf-8")
        return self.path

    @property
    def schema_text(self) -> str:
        """The schema as this engine formats it."""
        return json.dumps({"type": "struct", "fields": list(self.schema)}, separators=(",", ":"))

    def _add(self, number: int, columns: Mapping[str, list[Any]], stats: Json | None) -> Json:
        data = self.path / f"part-{number}.parquet"
        partition = {name: columns[name][0] for name in self.partition_columns if name in columns}
        stored = {name: values for name, values in columns.items() if name not in partition}
        pq.write_table(pa.table(stored), data)
        add: Json = {
            "path": data.name,
            "partitionValues": partition,
            "size": data.stat().st_size,
            "modificationTime": 1767611870645,
            "dataChange": True,
        }
        if stats is not None:
            add["stats"] = json.dumps(stats, ensure_ascii=False)
        return {"add": add}


def field(name: str, data_type: Any, **metadata: Any) -> Json:  # noqa: ANN401
    """Return a schema field as in the log."""
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def collated(name: str, identifier: str) -> Json:
    """Return a collated string column as in the log."""
    return field(name, "string", __COLLATIONS={name: identifier})


def kernel_snapshot(spark: SparkSession, table: Path) -> Any:  # noqa: ANN401
    """Return the latest snapshot that Delta Kernel reads; its jar is a dependency of Delta."""
    jvm, context = spark._jvm, spark._jsc  # noqa: SLF001
    assert jvm is not None
    kernel = jvm.io.delta.kernel
    engine = kernel.defaults.engine.DefaultEngine.create(context.hadoopConfiguration())
    return kernel.Table.forPath(engine, str(table)).getLatestSnapshot(engine)


def kernel_schema(spark: SparkSession, table: Path) -> str:
    """Return the schema of a table as Delta Kernel reads it."""
    return str(kernel_snapshot(spark, table).getSchema().toString())


def explain(query: DataFrame, mode: str = "simple") -> str:
    """Return the output of ``EXPLAIN`` for a query."""
    output = io.StringIO()
    with redirect_stdout(output):
        query.explain(mode)
    return output.getvalue()
