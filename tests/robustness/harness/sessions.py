# SPDX-License-Identifier: Apache-2.0

"""Small sessions, and tables for several processes to work on."""

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

# Compiled once and not well, with room for it: processes are short-lived here.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC")


def start(log_store: str | None = None, cores: int = 1, archive: str | None = None) -> SparkSession:
    """Start a session that is soon up and takes little memory."""
    return small_builder(log_store, cores, archive).getOrCreate()


def small_builder(
    log_store: str | None = None, cores: int = 1, archive: str | None = None
) -> SparkSession.Builder:
    """Return the builder of such a session."""
    settings = spark_defaults()
    options = list(SHORT_LIVED)
    if archive:
        options += options_for(Path(archive))
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


def options_for(archive: Path) -> list[str]:
    """Have the JVM take its classes from an archive, or leave one behind; it starts much sooner.

    No folder on the class path may hold a file then, so that of the settings becomes an empty one.
    """
    logging = Path(os.environ["SPARK_CONF_DIR"]) / "log4j2.properties"
    empty = archive.with_suffix(".conf")
    empty.mkdir(exist_ok=True)
    os.environ["SPARK_CONF_DIR"] = str(empty)
    option = "SharedArchiveFile" if archive.exists() else "ArchiveClassesAtExit"
    # What it says of single classes would fill a pipe that nobody reads.
    return [f"-XX:{option}={archive}", "-Xlog:disable", f"-Dlog4j2.configurationFile={logging}"]


def create(table: Table, *, deletion_vectors: bool, checkpoint_interval: int = 5) -> Table:
    """Create a table with the batches that all processes share; checkpoints come often."""
    table.spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", "founder/1")
    table.create(
        COLUMNS,
        **{
            "delta.enableDeletionVectors": str(deletion_vectors).lower(),
            "delta.checkpointInterval": str(checkpoint_interval),
        },
    )
    operation = write_history.Operation("founder/2", "append", insert=list(write_history.COUNTERS))
    journals(table).mkdir(exist_ok=True)
    journal = write_history.Journal(journals(table) / "founder.journal")
    journal.announce(operation)
    table.spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", operation.name)
    table.sql(f"INSERT INTO {{t}} VALUES {write_history.as_values(write_history.COUNTERS)}")
    journal.succeeded(operation)
    table.spark.conf.unset("spark.databricks.delta.commitInfo.userMetadata")
    return table


def journals(table: Table) -> Path:
    """Return the folder of what processes note about a table; it is not in the table."""
    return table.path.parent / f"{table.path.name}-journals"


def compiled_log_store(folder: Path) -> str:
    """Compile the log store that is safe between processes, and return its jar."""
    return compiled("LinkLogStore.java", folder)


def compiled(source: str, folder: Path) -> str:
    """Compile a source file of this folder with Spark and Delta, and return its jar."""
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
