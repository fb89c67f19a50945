# SPDX-License-Identifier: Apache-2.0
"""One call that gives a Spark session Delta and collated Delta columns."""

import json
import warnings
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TypedDict

import pyspark
from pyspark.sql import SparkSession

from delta_collations._spark_conf import jar_folder, spark_defaults
from delta_collations.errors import UnsupportedSparkError

COLLATIONS_EXTENSION = "org.deltacollations.CollationsExtension"
DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
SESSION_CATALOG = "spark.sql.catalog.spark_catalog"

JARS = Path(__file__).parent / "jars"


class Platform(TypedDict):
    """A pair of Spark and Delta that this package carries a jar for."""

    name: str
    spark: str
    delta: str
    jar: str


def configure_spark_with_collations(
    builder: SparkSession.Builder,
    *,
    extra_packages: Sequence[str] = (),
    extra_extensions: Sequence[str] = (),
) -> SparkSession.Builder:
    """Let the session of ``builder`` create, write and read collated Delta columns.

    Delta comes along: unless the session has it already, its package is added, which Spark
    fetches from Maven Central when the session starts. Our jar is inside this package. What the
    builder or ``spark-defaults.conf`` says of extensions, packages, jars and the catalog is kept.

    Args:
        builder: The builder to extend. It is changed in place.
        extra_packages: Maven coordinates the application needs besides Delta.
        extra_extensions: Extensions the application needs besides Delta's and this one.

    Returns:
        The same builder, for chaining.

    Raises:
        TypeError: ``builder`` is something else, such as a session that runs already.
        UnsupportedSparkError: No jar in this package fits the installed PySpark.

    """
    if not isinstance(builder, SparkSession.Builder):
        raise TypeError(
            f"A SparkSession builder is needed, not {type(builder).__name__}: "
            "configure_spark_with_collations(SparkSession.builder).getOrCreate()"
        )
    platform = supported_platform()
    if SparkSession.getActiveSession() is not None:
        warnings.warn(
            "A Spark session is running already, and getOrCreate() will return it as it is, "
            "without delta-collations. Stop it first: spark.stop()",
            stacklevel=2,
        )
    settings = _Settings(builder)
    if not _has_delta(settings):
        settings.append("spark.jars.packages", [platform["delta"]])
    settings.append("spark.jars.packages", extra_packages)
    settings.append("spark.jars", [str(bundled_jar())])
    settings.append(
        "spark.sql.extensions", [DELTA_EXTENSION, *extra_extensions, COLLATIONS_EXTENSION]
    )
    if not settings.text(SESSION_CATALOG):
        builder.config(SESSION_CATALOG, DELTA_CATALOG)
    return builder


def bundled_jar() -> Path:
    """Return the jar for the installed PySpark, for sessions started by ``spark-submit --jars``."""
    return JARS / supported_platform()["jar"]


def supported_platform(
    spark_version: str = pyspark.__version__, delta_version: str | None = None
) -> Platform:
    """Return the platform for these releases; only major and minor count.

    Delta is the one that pip installed, as in Delta's own helper, or the newest for that Spark.
    """
    platforms: list[Platform] = json.loads((JARS / "platforms.json").read_text("utf-8"))
    fitting = [platform for platform in platforms if platform["spark"] == _minor(spark_version)]
    if not fitting:
        known = dict.fromkeys(platform["spark"] for platform in platforms)
        raise UnsupportedSparkError(spark_version, list(known))
    delta = _minor(delta_version or metadata.version("delta-spark"))
    same = [each for each in fitting if _minor(each["delta"].rsplit(":", 1)[1]) == delta]
    return (same or fitting)[0]


def _minor(release: str) -> str:
    return ".".join(release.split(".")[:2])


class _Settings:
    """What the session will be told, from the builder first and Spark's defaults second."""

    def __init__(self, builder: SparkSession.Builder) -> None:
        self._builder = builder
        self._defaults = spark_defaults()

    def text(self, key: str) -> str:
        # The builder has no public way to read back what it was told.
        told: dict[str, str] = self._builder._options  # noqa: SLF001
        return str(told.get(key, self._defaults.get(key, "")))

    def entries(self, key: str) -> list[str]:
        return [entry.strip() for entry in self.text(key).split(",") if entry.strip()]

    def append(self, key: str, added: Iterable[str]) -> None:
        entries = list(dict.fromkeys([*self.entries(key), *added]))
        if entries:
            self._builder.config(key, ",".join(entries))


def _has_delta(settings: _Settings) -> bool:
    """Tell whether the session gets a Delta jar without our help, whatever its version."""
    jars = [entry.rsplit("/", 1)[-1] for entry in settings.entries("spark.jars")]
    jars += [path.name for path in jar_folder().glob("delta-spark_*.jar")]
    return any(jar.startswith("delta-spark_") for jar in jars) or any(
        package.startswith("io.delta:delta-spark_")
        for package in settings.entries("spark.jars.packages")
    )
