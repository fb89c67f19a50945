# SPDX-License-Identifier: Apache-2.0

"""Starts small sessions and creates tables for several processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pyspark
from delta_collations import configure_spark_with_collations
from delta_collations._spark_conf import spark_defaults
from pyspark.sql import SparkSession
from robustness.harness import write_history

if TYPE_CHECKING:
    from support.tables import Table

COLUMNS = "id BIGINT, rev INT, name STRING COLLATE UNICODE_CI, nick STRING COLLATE UTF8_LCASE"

# For short-lived processes: only the fast compiler, with a larger code cache.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC")


def start(log_store: str | None = None, cores: int = 1, archive: str | None = None) -> SparkSession:
    """Start a session quickly and with little memory."""
    return small_builder(log_store, cores, archive).getOrCreate()


def small_builder(
    log_store: str | None = None, cores: int = 1, archive: str | None = None
) -> SparkSession.Builder:
    """Return a builder for a session that starts quickly and needs little memory."""
    settings = spark_defaults()
    options = list(SHORT_LIVED)
    if archive:
        options += class_archive_options(Path(archive))
    builder = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.driver.memory", "768m")
        .config("spark.driver.extraJavaOptions", " ".join(options))
        .config("spark.buffer.pageSize", "1m")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
    )
    if log_store:
        settings["spark.jars"] += f",{log_store}"
        builder.config(
            "spark.delta.logStore.file.impl", "org.deltacollations.robustness.LinkLogStore"
        )
    for key, value in settings.items():
        builder.config(key, value)
    return configure_spark_with_collations(builder)


def class_archive_options(archive: Path) -> list[str]:
    """Return JVM options to load classes from an archive, or to write it, for a faster start.

    Class data sharing requires that all folders on the class path are empty, so the folder of the
    Spark configuration is replaced by an empty one.
    """
    logging = Path(os.environ["SPARK_CONF_DIR"]) / "log4j2.properties"
    empty = archive.with_suffix(".conf")
    empty.mkdir(exist_ok=True)
    os.environ["SPARK_CONF_DIR"] = str(empty)
    option = "SharedArchiveFile" if archive.exists() else "ArchiveClassesAtExit"
    # Messages about single classes would fill a pipe that no process reads.
    return [f"-XX:{option}={archive}", "-Xlog:disable", f"-Dlog4j2.configurationFile={logging}"]


def create(table: Table, *, deletion_vectors: bool, checkpoint_interval: int = 5) -> Table:
    """Create a table with the shared batches and frequent checkpoints."""
    table.spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", "creator/1")
    table.create(
        COLUMNS,
        **{
            "delta.enableDeletionVectors": str(deletion_vectors).lower(),
            "delta.checkpointInterval": str(checkpoint_interval),
        },
    )
    operation = write_history.Operation("creator/2", "append", insert=list(write_history.COUNTERS))
    journal_folder(table).mkdir(exist_ok=True)
    journal = write_history.Journal(journal_folder(table) / "creator.journal")
    journal.started(operation)
    table.spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", operation.name)
    table.sql(f"INSERT INTO {{t}} VALUES {write_history.as_values(write_history.COUNTERS)}")
    journal.succeeded(operation)
    table.spark.conf.unset("spark.databricks.delta.commitInfo.userMetadata")
    return table


def journal_folder(table: Table) -> Path:
    """Return the folder of the journals of a table, which is outside the table."""
    return table.path.parent / f"{table.path.name}-journals"


def compiled_log_store(folder: Path) -> str:
    """Compile the log store that is safe for several processes, and return its jar."""
    return compiled("LinkLogStore.java", folder)


def compiled(source: str, folder: Path) -> str:
    """Compile a source file of this folder against Spark and Delta, and return its jar."""
    spark_jars = Path(pyspark.__file__).parent / "jars"
    delta_jars = spark_defaults()["spark.jars"].replace(",", ":")
    java_home = os.environ.get("JAVA_HOME")
    javac = f"{java_home}/bin/javac" if java_home else "javac"
    path = Path(__file__).with_name(source)
    class_path = f"{delta_jars}:{spark_jars}/*"
    classes = folder / "classes"
    subprocess.run([javac, "-cp", class_path, "-d", str(classes), str(path)], check=True)
    jar = folder / f"{path.stem}.jar"
    with ZipFile(jar, "w") as content:
        for each in classes.rglob("*.class"):
            content.write(each, each.relative_to(classes))
    return str(jar)
