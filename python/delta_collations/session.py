# SPDX-License-Identifier: Apache-2.0
"""Configures Spark sessions for collated Delta columns."""

import json
import re
import warnings
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TypedDict

import pyspark
from pyspark.sql import SparkSession

from delta_collations._spark_conf import jar_folder, spark_defaults
from delta_collations.errors import UnsupportedSparkError

__all__ = ["Platform", "bundled_jar", "configure_spark_with_collations", "supported_platform"]

COLLATIONS_EXTENSION = "org.deltacollations.CollationsExtension"
DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
SESSION_CATALOG = "spark.sql.catalog.spark_catalog"

JARS = Path(__file__).parent / "jars"

# Dependencies of Delta that Spark ships.
DELTA_DEPENDENCIES = (
    "com.fasterxml.jackson.core:jackson-annotations",
    "com.fasterxml.jackson.core:jackson-core",
    "com.fasterxml.jackson.core:jackson-databind",
    "com.github.luben:zstd-jni",
    "com.google.code.findbugs:jsr305",
    "commons-pool:commons-pool",
    "io.airlift:aircompressor",
    "org.antlr:antlr4-runtime",
    "org.apache.hadoop:hadoop-client-api",
    "org.apache.hadoop:hadoop-client-runtime",
    "org.apache.logging.log4j:log4j-api",
    "org.apache.logging.log4j:log4j-core",
    "org.apache.logging.log4j:log4j-slf4j2-impl",
    "org.apache.parquet:parquet-column",
    "org.apache.parquet:parquet-common",
    "org.apache.parquet:parquet-encoding",
    "org.apache.parquet:parquet-format-structures",
    "org.apache.parquet:parquet-hadoop",
    "org.apache.parquet:parquet-jackson",
    "org.locationtech.jts:jts-core",
    "org.roaringbitmap:RoaringBitmap",
    "org.slf4j:slf4j-api",
    "org.xerial.snappy:snappy-java",
)


class Platform(TypedDict):
    """A supported pair of Spark and Delta versions.

    Attributes
    ----------
    name : str
        The name of the pair in the build, such as ``spark42-delta44``.
    spark : str
        The minor version of Spark.
    delta : str
        The Maven coordinates of Delta.
    first_spark : str
        The first supported release of this minor version of Spark.
    last_spark : str
        The last release of it that this Delta runs on, or an empty string if it runs on all.
    jar : str
        The file name of the jar of delta-collations.
    """

    name: str
    spark: str
    delta: str
    first_spark: str
    last_spark: str
    jar: str


def configure_spark_with_collations(
    builder: SparkSession.Builder,
    *,
    extra_packages: Sequence[str] = (),
    extra_extensions: Sequence[str] = (),
) -> SparkSession.Builder:
    """Configure a session to create, write and read Delta tables with collated columns.

    Adds the jar of this package, and the extensions and the catalog of Delta. Unless the session
    already has a Delta jar, adds Delta's Maven package, which Spark downloads when the session
    starts, and excludes those of its dependencies that Spark ships. Keeps the extensions, packages,
    jars and the catalog that the builder or ``spark-defaults.conf`` sets.

    Parameters
    ----------
    builder : SparkSession.Builder
        The builder to configure. It is modified in place.
    extra_packages : sequence of str, optional
        Maven coordinates of further packages.
    extra_extensions : sequence of str, optional
        Class names of further session extensions.

    Returns
    -------
    SparkSession.Builder
        The same builder, for chaining.

    Raises
    ------
    TypeError
        If ``builder`` is not a builder, for example because it is a session.
    UnsupportedSparkError
        If the installed PySpark is not supported.
    ImportError
        If the session has no Delta jar, and the package ``delta-spark`` is not installed.

    Examples
    --------
    >>> from delta_collations import configure_spark_with_collations
    >>> from pyspark.sql import SparkSession
    >>> spark = configure_spark_with_collations(SparkSession.builder).getOrCreate()
    >>> spark.sql("SELECT 'Bob' COLLATE UNICODE_CI = 'BOB' AS is_equal").show()
    +--------+
    |is_equal|
    +--------+
    |    true|
    +--------+
    <BLANKLINE>
    """
    if not isinstance(builder, SparkSession.Builder):
        raise TypeError(
            f"Expected a SparkSession.Builder, not {type(builder).__name__}: "
            "configure_spark_with_collations(SparkSession.builder).getOrCreate()"
        )
    jar = bundled_jar()
    if SparkSession.getActiveSession() is not None:
        warnings.warn(
            "A Spark session is already running. getOrCreate() will return it without "
            "delta-collations. Stop it first: spark.stop()",
            stacklevel=2,
        )
    settings = _Settings(builder)
    if not _has_delta(settings):
        settings.append("spark.jars.packages", [supported_platform()["delta"]])
        settings.append("spark.jars.excludes", _shipped_dependencies())
    settings.append("spark.jars.packages", extra_packages)
    settings.append("spark.jars", [str(jar)])
    settings.append(
        "spark.sql.extensions", [DELTA_EXTENSION, *extra_extensions, COLLATIONS_EXTENSION]
    )
    if not settings.get(SESSION_CATALOG):
        builder.config(SESSION_CATALOG, DELTA_CATALOG)
    return builder


def bundled_jar() -> Path:
    """Return the path of the jar for the installed PySpark.

    Use it for sessions that are not configured in Python, such as ``spark-submit --jars``.

    Returns
    -------
    pathlib.Path
        A jar inside this package.

    Raises
    ------
    UnsupportedSparkError
        If the installed PySpark is not supported.

    Examples
    --------
    >>> from delta_collations import bundled_jar
    >>> bundled_jar().name
    'delta-collations_...jar'
    """
    return JARS / _platforms(pyspark.__version__)[0]["jar"]


def supported_platform(
    spark_version: str = pyspark.__version__, delta_version: str | None = None
) -> Platform:
    """Return the supported pair of Spark and Delta for these versions.

    If this release of Delta is not supported with this release of Spark, returns a supported one of
    the same minor version, or else the newest one.

    Parameters
    ----------
    spark_version : str, optional
        By default the version of the installed PySpark.
    delta_version : str, optional
        By default the version of the installed package ``delta-spark``.

    Returns
    -------
    Platform
        The pair with its jar.

    Raises
    ------
    UnsupportedSparkError
        If this version of Spark is not supported.
    ImportError
        If ``delta_version`` is not given, and the package ``delta-spark`` is not installed.

    Examples
    --------
    >>> from delta_collations.session import supported_platform
    >>> supported_platform("4.0.1", "4.1.0")["delta"]
    'io.delta:delta-spark_4.0_2.13:4.1.0'
    """
    platforms = _platforms(spark_version)
    delta = delta_version or _installed_delta(platforms)
    same = [each for each in platforms if _delta_release(each) == delta]
    similar = [each for each in platforms if _minor(_delta_release(each)) == _minor(delta)]
    return (same or similar or platforms)[0]


def _platforms(spark_version: str) -> list[Platform]:
    """Return the platforms whose Delta runs on this Spark, those with the newest Delta first."""
    platforms: list[Platform] = json.loads((JARS / "platforms.json").read_text("utf-8"))
    matching = [
        platform
        for platform in platforms
        if platform["spark"] == _minor(spark_version)
        and _patch(platform["first_spark"]) <= _patch(spark_version)
        and not (platform["last_spark"] and _patch(platform["last_spark"]) < _patch(spark_version))
    ]
    if not matching:
        raise UnsupportedSparkError(spark_version, _supported_versions(platforms))
    return matching


def _supported_versions(platforms: Sequence[Platform]) -> list[str]:
    first = {platform["spark"]: platform["first_spark"] for platform in platforms}
    return [
        f"{minor} (since {release})" if _patch(release) else minor
        for minor, release in first.items()
    ]


def _installed_delta(platforms: Sequence[Platform]) -> str:
    try:
        return metadata.version("delta-spark")
    except metadata.PackageNotFoundError:
        newest = platforms[0]
        raise ImportError(
            "The package delta-spark is not installed. Install the version for PySpark "
            f'{newest["spark"]}: pip install "delta-spark=={_delta_release(newest)}"'
        ) from None


def _delta_release(platform: Platform) -> str:
    return platform["delta"].rsplit(":", 1)[1]


def _minor(release: str) -> str:
    return ".".join(release.split(".")[:2])


def _patch(release: str) -> int:
    """Return the third number of a release, also of one of a vendor, such as 4.1.1-amzn-0."""
    found = re.match(r"\d+\.\d+\.(\d+)", release)
    return int(found[1]) if found else 0


class _Settings:
    """The settings of the session: those of the builder, then those of ``spark-defaults.conf``."""

    def __init__(self, builder: SparkSession.Builder) -> None:
        self._builder = builder
        self._defaults = spark_defaults()

    def get(self, key: str) -> str:
        # The builder has no public way to read its options.
        options: dict[str, str] = self._builder._options  # noqa: SLF001
        return str(options.get(key, self._defaults.get(key, "")))

    def entries(self, key: str) -> list[str]:
        return [entry.strip() for entry in self.get(key).split(",") if entry.strip()]

    def append(self, key: str, added: Iterable[str]) -> None:
        entries = list(dict.fromkeys([*self.entries(key), *added]))
        if entries:
            self._builder.config(key, ",".join(entries))


def _shipped_dependencies() -> list[str]:
    """Return the dependencies of Delta that are in the ``jars`` folder of Spark.

    Ivy does not have to download them again. If the local Maven repository (``~/.m2``) contains the
    POM of one of them without its jar, as after many Maven builds, Ivy would fail.
    """
    return [
        module
        for module in DELTA_DEPENDENCIES
        if any(jar_folder().glob(f"{module.partition(':')[2]}-[0-9]*.jar"))
    ]


def _has_delta(settings: _Settings) -> bool:
    """Return whether the session already has a Delta jar of any version."""
    jars = [entry.rsplit("/", 1)[-1] for entry in settings.entries("spark.jars")]
    jars += [path.name for path in jar_folder().glob("delta-spark*.jar")]
    # Some services remove the versions from the names of jars.
    return any(re.match(r"delta-spark[_.-]", jar) for jar in jars) or any(
        package.startswith("io.delta:delta-spark_")
        for package in settings.entries("spark.jars.packages")
    )
