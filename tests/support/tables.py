# SPDX-License-Identifier: Apache-2.0
"""What the tests share: tables made by us and by others, and a reader of their logs."""

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

    from pyspark.sql import DataFrame, Row, SparkSession

Json = dict[str, Any]


@dataclass(frozen=True)
class Log:
    """The commits of a Delta table, read as text and nothing else."""

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
        """The files in force by their paths, in the order they came, with statistics parsed."""
        files: dict[str, Json] = {}
        for commit in self.commits:
            for action in commit:
                if "remove" in action:
                    files.pop(action["remove"]["path"], None)
            for action in commit:
                if "add" in action:
                    files[action["add"]["path"]] = action["add"]
        # Only now, since statistics that are not in force any more may have been no JSON.
        return {
            path: {**add, "stats": json.loads(add.get("stats", "null"))}
            for path, add in files.items()
        }

    @property
    def stats(self) -> list[Json]:
        """The statistics of each file in force."""
        return [file["stats"] for file in self.files.values()]

    @property
    def protocol(self) -> Json:
        """The protocol in force, its features sorted so that it can be compared."""
        protocol = dict(self.actions("protocol")[-1])
        for features in ("readerFeatures", "writerFeatures"):
            if features in protocol:
                protocol[features] = sorted(protocol[features])
        return protocol

    @property
    def schema_text(self) -> str:
        """The schema in force, letter by letter."""
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
        """Return what ``__COLLATIONS`` says at one field, or None."""
        found: Json | None = self.field(*path)["metadata"].get("__COLLATIONS")
        return found


class Table:
    """A Delta table at a path, spoken to as a user would."""

    def __init__(self, spark: SparkSession, path: Path) -> None:
        """Name the table; it need not exist yet."""
        self.spark = spark
        self.path = path
        self.log = Log(path)
        self.name = f"delta.`{path}`"

    def create(self, columns: str, **properties: str) -> Table:
        """Create it with ``columns`` as SQL writes them."""
        settings = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        suffix = f" TBLPROPERTIES ({settings})" if settings else ""
        self.spark.sql(f"CREATE TABLE {self.name} ({columns}) USING delta{suffix}")
        return self

    def sql(self, statement: str) -> DataFrame:
        """Run ``statement`` with ``{t}`` standing for this table."""
        return self.spark.sql(statement.replace("{t}", self.name))

    def insert(self, *rows: str) -> Table:
        """Insert rows written as SQL, without their parentheses."""
        self.sql(f"INSERT INTO {{t}} VALUES {', '.join(f'({row})' for row in rows)}")
        return self

    def rows(self, query: str = "SELECT * FROM {t}") -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` as plain tuples."""
        return [_plain(row) for row in self.sql(query).collect()]

    def column(self, query: str) -> list[Any]:
        """Return the first column of ``query``."""
        return [row[0] for row in self.sql(query).collect()]


@contextmanager
def setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    """Run the block with a setting of the session."""
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.unset(key)


def write_checkpoint(table: Table) -> None:
    """Write one, forget the table, and leave the commits before it out of reach."""
    jvm, session = table.spark._jvm, table.spark._jsparkSession  # noqa: SLF001
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, str(table.path)).checkpoint()
    clear_log_cache(table)


def clear_log_cache(table: Table) -> None:
    """Let the next query read the log anew, whoever has written it meanwhile."""
    for checksum in (table.path / "_delta_log").glob("*.crc"):
        checksum.unlink()
    jvm = table.spark._jvm  # noqa: SLF001
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()


def recompute_stats(table: Table) -> None:
    """Have Delta compute the statistics of all files anew; only its API offers that."""
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

    Spark's own comparator judges, on the rows as they are read without skipping.
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
    return [row[0] for row in rows.select(F.explode(labels)).distinct().collect()]


def leaves(struct: Json) -> list[tuple[tuple[str, ...], Any]]:
    """Return what stands at the ends of nested objects, with its path."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in struct.items():
        inner = leaves(value) if isinstance(value, dict) else [((), value)]
        found += [((name, *path), leaf) for path, leaf in inner]
    return found


def stored_bounds(stats: Json, key: str, *column: str) -> tuple[Any, Any]:
    """Return what is stored for a column under a versioned identifier."""
    found = stats["statsWithCollation"][key]
    ends = [dict(leaves(found.get(end, {}))).get(column) for end in ("minValues", "maxValues")]
    return ends[0], ends[1]


def _plain(row: Row) -> tuple[Any, ...]:
    return tuple(row)


@dataclass(frozen=True)
class ForeignTable:
    """A table in the form another writer leaves it: we write its log and data without Spark."""

    path: Path
    schema: Sequence[Json]
    writer_features: Sequence[str] | None
    reader_features: Sequence[str] | None = None
    partition_columns: Sequence[str] = ()
    configuration: Mapping[str, str] | None = None

    def write(self, *files: tuple[Mapping[str, list[Any]], Json | None]) -> Path:
        """Write the log and one data file for each pair of columns and statistics."""
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
        """The schema as this writer spells it."""
        return json.dumps({"type": "struct", "fields": list(self.schema)}, separators=(",", ":"))

    def _add(self, number: int, columns: Mapping[str, list[Any]], stats: Json | None) -> Json:
        data = self.path / f"part-{number}.parquet"
        pq.write_table(pa.table(dict(columns)), data)
        add: Json = {
            "path": data.name,
            "partitionValues": {},
            "size": data.stat().st_size,
            "modificationTime": 1767611870645,
            "dataChange": True,
        }
        if stats is not None:
            add["stats"] = json.dumps(stats, ensure_ascii=False)
        return {"add": add}


def field(name: str, data_type: Any, **metadata: Any) -> Json:  # noqa: ANN401
    """Return a schema field in the log's form."""
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def collated(name: str, identifier: str) -> Json:
    """Return a collated string column in the log's form."""
    return field(name, "string", __COLLATIONS={name: identifier})


def kernel_snapshot(spark: SparkSession, table: Path) -> Any:  # noqa: ANN401
    """Return a table as Delta Kernel sees it; its jar comes with Delta's."""
    jvm, context = spark._jvm, spark._jsc  # noqa: SLF001
    assert jvm is not None
    kernel = jvm.io.delta.kernel
    engine = kernel.defaults.engine.DefaultEngine.create(context.hadoopConfiguration())
    return kernel.Table.forPath(engine, str(table)).getLatestSnapshot(engine)


def kernel_schema(spark: SparkSession, table: Path) -> str:
    """Return the schema of a table as Delta Kernel reads it."""
    return str(kernel_snapshot(spark, table).getSchema().toString())


def explain(query: DataFrame, mode: str = "simple") -> str:
    """Return what ``EXPLAIN`` says of a query."""
    said = io.StringIO()
    with redirect_stdout(said):
        query.explain(mode)
    return said.getvalue()
