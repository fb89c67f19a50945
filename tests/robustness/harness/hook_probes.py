# SPDX-License-Identifier: Apache-2.0

"""Runs every kind of operation on collated tables, and records which of them work."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from pyspark.sql import functions as F  # noqa: N812
from robustness.harness.hook_checks import TAG, HookChecks, domains
from robustness.harness.hook_files import IDENTIFIER, OLDER, ROWS, file_of, incompressible
from robustness.harness.simulated_log import Driver
from support.kernel_connector import kernel
from support.platforms import HAS_KERNEL
from support.processes import run_in_background
from support.streams import run_stream, stream_of
from support.tables import (
    ForeignTable,
    Json,
    Table,
    collated,
    explain,
    field,
    recompute_stats,
    write_checkpoint,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]
# Their paths take more bytes than the result of a count.
MANY_FILES = 400


class Probes(HookChecks):
    """Records the abilities of a session, on tables written without it wherever possible."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Use the empty folder ``folder``."""
        super().__init__(spark)
        self.folder = folder

    def run(self) -> dict[str, bool | None]:
        """Run all probes; an ability is None if it needs a missing one."""
        for probe in (
            self._create,
            self._refuse,
            self._skip,
            self._count,
            self._write,
            self._change_rows,
            self._merge,
            self._write_by_path,
            self._keep_constraints,
            self._alter,
            self._lay_out_again,
            self._stream_changes,
            self._use_kernel,
            self._open_incomplete,
            self._open_unknown,
            self._keep_statistics,
            self._checkpoint,
            self._choose_columns,
            self._keep_feature,
            self._list_concurrently,
        ):
            self.attempt(probe.__name__.lstrip("_"), probe)
        for log in sorted(self.folder.rglob("_delta_log")):
            table = Table(self.spark, log.parent)
            self.attempt(log.parent.name, partial(self.check, table))
        return self.abilities

    # --- probes ---

    def _create(self) -> None:
        table = self._table("created")
        columns = "id INT, name STRING COLLATE UNICODE_CI, plain STRING COLLATE UTF8_BINARY"
        able = self.works(lambda: table.create(columns).insert("1, 'Ann', 'x'"))
        self.abilities["create"] = able
        clustered = f"CREATE TABLE {{t}} ({columns}) USING delta CLUSTER BY (name)"
        other = self._table("clustered")
        self.abilities["cluster"] = self.works(lambda: other.sql(clustered)) if able else None

    def _refuse(self) -> None:
        keys = self._table("keys")
        self.must_fail(lambda: keys.create("id INT, labels MAP<STRING COLLATE UNICODE_CI, INT>"))
        iceberg = {"delta.enableIcebergCompatV2": "true", "delta.columnMapping.mode": "name"}
        self.must_fail(
            lambda: self._table("iceberg").create("name STRING COLLATE UNICODE_CI", **iceberg)
        )

    def _skip(self) -> None:
        frame = self._people("skipped").sql("SELECT id FROM {t} WHERE name = 'ZOË'")
        self.expect([row[0] for row in frame.collect()], [4])
        self.abilities["skip"] = len(frame.inputFiles()) == 1
        self.abilities["show"] = "FilesInTable" in explain(frame, "formatted")

    def _count(self) -> None:
        """Explain a scan of many files, which do not exist because they are not read."""
        table = self._people("counted")
        stats = json.dumps({"numRecords": 1})
        path = table.path / "_delta_log" / f"{1:020}.json"
        adds = [
            {"path": incompressible(number), "partitionValues": {}, "size": 1}
            | {"modificationTime": 1, "dataChange": True, "stats": stats}
            for number in range(MANY_FILES)
        ]
        path.write_text("".join(json.dumps({"add": add}) + "\n" for add in adds))
        table.column("SELECT files FROM collation_status('{t}') LIMIT 1")
        driver = Driver(self.spark)
        read = "SELECT sum(files) FROM collation_explain('{t}', \"name >= 'A'\")"
        self.expect(table.column(read + " WHERE outcome = 'read'"), [MANY_FILES + 2])
        self.abilities["count"] = driver.bytes_received() < 100 * MANY_FILES
        for file in (path, *path.parent.glob("*.crc")):
            file.unlink()

    def _write(self) -> None:
        table = self._people("written").insert("5, 'Émile'")
        add = table.log.actions("add")[-1]
        stats = json.loads(add["stats"])
        collected = IDENTIFIER in stats.get("statsWithCollation", {})
        self.abilities["collect"] = collected
        self.abilities["binary bounds"] = "name" in stats["minValues"]
        self.abilities["tag"] = TAG in (add.get("tags") or {}) if collected else None
        self.abilities["list"] = bool(domains(table)) if collected else None

    def _change_rows(self) -> None:
        table = self._people(
            "changed",
            "deletionVectors",
            readers=["deletionVectors"],
            enableDeletionVectors="true",
        )
        table.sql("UPDATE {t} SET name = 'Bert' WHERE name = 'BOB'")
        table.sql("DELETE FROM {t} WHERE name = 'ANN'")
        source = (
            "SELECT 3 id, 'YAN' COLLATE UNICODE_CI name UNION ALL SELECT 6, 'Xi' COLLATE UNICODE_CI"
        )
        table.sql(
            f"MERGE INTO {{t}} t USING ({source}) s ON t.name = s.name "
            "WHEN MATCHED THEN UPDATE SET name = 'Yana' WHEN NOT MATCHED THEN INSERT *"
        )
        kept = [file["stats"] for file in table.log.files.values() if file.get("deletionVector")]
        self.abilities["keep with deletion vectors"] = bool(kept) and all(
            OLDER in stats.get("statsWithCollation", {}) for stats in kept
        )
        table.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS")
        table.sql("OPTIMIZE {t}")
        self.expect(sorted(table.rows()), [(2, "Bert"), (3, "Yana"), (4, "Zoë"), (6, "Xi")])

    def _merge(self) -> None:
        """Merge a row of one file while the other file is missing."""
        source = self._table("merge_source")
        append(source, self.spark.sql("SELECT 1 id, 'Ada' name"))
        update, insert = "MATCHED THEN UPDATE SET name = s.name", "NOT MATCHED THEN INSERT *"
        for name, clause in (("merge by keys", update), ("insert by keys", insert)):
            table = self._people(name.replace(" ", "_"))
            merge = f"MERGE INTO {{t}} t USING {source.name} s ON t.id = s.id WHEN {clause}"
            missing = (table.path / "part-1.parquet").rename(self.folder / "missing.parquet")
            self.abilities[name] = self.works(partial(table.sql, merge))
            missing.rename(table.path / "part-1.parquet")
            changed = self.abilities[name] and clause == update
            first = "Ada" if changed else "Ann"
            self.expect(sorted(table.rows()), [(1, first), *list(ROWS.items())[1:]])

    def _write_by_path(self) -> None:
        table = self._people("by_path")
        rows = self.spark.sql("SELECT 7 id, 'Cid' name")
        by_path = self.works(lambda: append(table, rows))
        by_stream = self.works(lambda: self._stream(table))
        self.expect(by_path, by_stream)
        append(table, self.spark.sql("SELECT 9 id, 'Eve' COLLATE UNICODE_CI name"))
        self.abilities["write by path"] = by_path
        expected = [*ROWS, 7, 8, 9] if by_path else [*ROWS, 9]
        self.expect(sorted(table.column("SELECT id FROM {t}")), expected)

    def _keep_constraints(self) -> None:
        table = self._people("constrained", "checkConstraints", constraints__good="name <> 'BAD'")
        good, bad = (self.spark.sql(f"SELECT 7 id, '{name}' name") for name in ("Cid", "bad"))
        self.abilities["write by path to constraints"] = self.works(lambda: append(table, good))
        self.must_fail(lambda: append(table, bad))
        self.must_fail(lambda: table.insert("8, 'bad'"))

    def _alter(self) -> None:
        table = self._people("altered")
        change = "ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UTF8_LCASE"
        self.abilities["alter"] = self.works(lambda: table.sql(change))
        table.insert("5, 'Émile'")
        self.expect(table.column("SELECT id FROM {t} WHERE name = 'ANN'"), [1])
        columns = [field("id", "integer"), field("part", "string")]
        foreign = ForeignTable(
            self.folder / "parted", columns, FEATURES, partition_columns=["part"]
        )
        parted = Table(self.spark, foreign.write())
        partition = "ALTER TABLE {t} ALTER COLUMN part TYPE STRING COLLATE UTF8_LCASE"
        self.must_fail(lambda: parted.sql(partition))

    def _lay_out_again(self) -> None:
        self.abilities["lay out again"] = None
        if self.abilities["cluster"] and self.abilities["alter"]:
            table = self._table("clustered").insert("1, 'Ann', 'x'", "2, 'bob', 'y'")
            table.sql("OPTIMIZE {t}")
            table.sql("ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UTF8_LCASE")
            files = set(table.log.files)
            table.sql("OPTIMIZE {t} FULL")
            self.abilities["lay out again"] = not files & set(table.log.files)
            self.expect(sorted(table.column("SELECT id FROM {t}")), [1, 2])

    def _stream_changes(self) -> None:
        names = ("continue stream", "continue tracked stream")
        if not self.abilities.get("alter"):
            self.abilities |= dict.fromkeys(names)
            return
        change = "ALTER TABLE {t} ALTER COLUMN name TYPE STRING COLLATE UTF8_LCASE"
        for name, tracked in zip(names, (False, True), strict=True):
            table = self._people(name.replace(" ", "_"))
            run = partial(read_stream, table, self.folder / f"progress of {name}", tracked=tracked)
            run()
            table.sql(change)
            table.insert("5, 'Émile'")
            # A stream with a schema tracking location stops at every change of the schema.
            self.abilities[name] = self.works(run) or (tracked and self.works(run))

    def _use_kernel(self) -> None:
        self.abilities["use Kernel"] = None
        if HAS_KERNEL:
            table = self._people("kernel")
            query = "SELECT id FROM {t} WHERE name = 'ZOË'"
            with kernel(self.spark):
                able = self.works(lambda: table.sql(query))
                self.expect(table.column(query) if able else [4], [4])
                self.must_fail(lambda: table.insert("5, 'Émile'"))
            self.abilities["use Kernel"] = able

    def _open_incomplete(self) -> None:
        """Open a collated table without the table feature."""
        table = self._people(
            "incomplete", base_features=["appendOnly", "domainMetadata", "invariants"]
        )
        able = self.works(table.rows)
        self.abilities["open without the feature"] = able
        self.abilities["add the feature"] = None
        if able:
            table.insert("5, 'Émile'")
            supported = "collations" in table.log.protocol["writerFeatures"]
            self.abilities["add the feature"] = supported
            if domains(table) and not supported:
                self.fault("collation versions are listed in a table without the feature")

    def _open_unknown(self) -> None:
        foreign = self._foreign("unknown", identifier="icu.xx_UNKNOWN")
        table = Table(self.spark, foreign.write(file_of(1, 2), file_of(3, 4)))
        able = self.works(table.rows)
        self.abilities["open unknown collations"] = able
        if able:
            table.insert("5, 'Émile'")
            table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.appendOnly' = 'false')")
        self.expect(table.log.schema_text, foreign.schema_text)

    def _keep_statistics(self) -> None:
        table = self._people("recomputed")
        recompute_stats(table)
        self.abilities["keep when recomputed"] = all(
            OLDER in stats.get("statsWithCollation", {}) for stats in table.log.stats
        )

    def _checkpoint(self) -> None:
        for name, as_json in (("classic", "true"), ("parsed", "false")):
            table = self._people(
                name, checkpoint__writeStatsAsJson=as_json, checkpoint__writeStatsAsStruct="true"
            )
            write_checkpoint(table)
            self.expect(sorted(table.rows()), sorted(ROWS.items()))
            [path] = (table.path / "_delta_log").glob("*.checkpoint*.parquet")
            adds = [row for row in pq.read_table(path).to_pylist() if row["add"]]
            found = [row["add"]["stats_parsed"].get("statsWithCollation") for row in adds]
            kept = [bool(stats) and any(stats.values()) for stats in found]
            self.expect(len(kept), 2)
            if name == "parsed":
                self.abilities["keep in checkpoints"] = all(kept)

    def _choose_columns(self) -> None:
        table = self._people("chosen")
        choice = "ALTER TABLE {t} SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'name')"
        self.abilities["choose statistics"] = self.works(lambda: table.sql(choice))

    def _keep_feature(self) -> None:
        table = self._people("dropped")
        drop = "ALTER TABLE {t} DROP FEATURE domainMetadata"
        message = self.must_fail(lambda: table.sql(drop))
        self.abilities["name dependent features"] = (
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE" in message
        )

    def _list_concurrently(self) -> None:
        names = ("list twice", "rewrite while others append")
        if not self.abilities.get("list"):
            self.abilities |= dict.fromkeys(names)
            return
        first = self._people("first")
        self.abilities[names[0]] = self.works(
            lambda: self._commit_after(first, lambda: first.insert("5, 'fast'"), "append")
        )
        second = self._people("second")
        grow = "INSERT INTO {t} SELECT id + 10, concat(name, '!') FROM {t}"
        self.abilities[names[1]] = self.works(
            lambda: self._commit_after(
                second, lambda: second.sql(grow), "overwrite", dataChange=False
            )
        )
        self.expect(len(second.rows()), 8)

    # --- tables ---

    def _table(self, name: str) -> Table:
        return Table(self.spark, self.folder / name)

    def _foreign(
        self,
        name: str,
        *,
        identifier: str = "icu.UNICODE_CI",
        features: list[str] = FEATURES,
        readers: list[str] | None = None,
        configuration: Json | None = None,
    ) -> ForeignTable:
        columns = [field("id", "integer"), collated("name", identifier)]
        return ForeignTable(
            self.folder / name, columns, features, readers, configuration=configuration
        )

    def _people(
        self,
        name: str,
        *features: str,
        base_features: list[str] = FEATURES,
        readers: list[str] | None = None,
        **configuration: str,
    ) -> Table:
        """Return a table of another writer, with two files and bounds of two ICU versions.

        Its properties are in its first commit, because some sessions cannot set them.
        """
        properties = {
            f"delta.{key.replace('__', '.')}": text for key, text in configuration.items()
        }
        foreign = self._foreign(
            name, features=[*base_features, *features], readers=readers, configuration=properties
        )
        return Table(self.spark, foreign.write(file_of(1, 2), file_of(3, 4)))

    def _stream(self, table: Table) -> None:
        source = self.folder / "source"
        rows = self.spark.sql("SELECT 8 id, 'Dan' name")
        rows.write.format("delta").mode("overwrite").save(str(source))
        query = self.spark.readStream.format("delta").load(str(source)).writeStream
        query = query.format("delta").option("checkpointLocation", str(self.folder / "progress"))
        query.trigger(availableNow=True).start(str(table.path)).awaitTermination()

    def _commit_after(
        self, table: Table, other: Callable[[], object], mode: str, **options: bool
    ) -> None:
        """Run a writer that reads the table first and commits after ``other``."""
        started, go = (self.folder / f"{table.path.name}-{event}" for event in ("started", "go"))

        def pause(name: str) -> str:
            started.touch()
            while not go.exists():
                time.sleep(0.05)
            return name

        paused = F.udf(lambda name: pause(name), "string")  # noqa: PLW0108
        # One task, so that a core is free for the other writer.
        rows = (table.sql("SELECT * FROM {t}") if mode == "overwrite" else self._row()).coalesce(1)
        name = F.collate(paused(F.collate("name", "UTF8_BINARY")), "UNICODE_CI").alias("name")
        written = rows.select("id", name).write.format("delta").mode(mode).options(**options)
        with run_in_background(lambda: written.save(str(table.path)), started, go) as writing:
            other()
        writing.result()

    def _row(self) -> DataFrame:
        return self.spark.sql("SELECT 6 id, 'slow' name")


def append(table: Table, rows: DataFrame) -> None:
    rows.write.format("delta").mode("append").save(str(table.path))


def read_stream(table: Table, progress: Path, *, tracked: bool) -> None:
    options = {"schemaTrackingLocation": str(progress / "schema")} if tracked else {}
    run_stream(stream_of(table, **options), progress)
