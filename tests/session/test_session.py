# SPDX-License-Identifier: Apache-2.0
"""Sessions configured by ``configure_spark_with_collations`` or by hand, and their errors."""

import os
from importlib import metadata
from pathlib import Path

import pytest
from delta_collations import (
    UnsupportedSparkError,
    bundled_jar,
    configure_spark_with_collations,
    session,
)
from delta_collations._spark_conf import spark_defaults
from pyspark.sql import SparkSession
from support.platforms import DELTA as DELTA_PACKAGE
from support.platforms import DELTA_JAR
from support.processes import run_in_new_process

DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
COLLATIONS_EXTENSION = "org.deltacollations.CollationsExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"

DELTA_JARS = spark_defaults()["spark.jars"]
SHIPPED = ",".join(session._shipped_dependencies())  # noqa: SLF001

# The defaults of Spark and Delta are for large clusters; one partition is enough for one row.
SMALL_SESSION = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}

# Creates a collated table and prints the name that a filter in another letter case finds.
CREATE_AND_FIND = """
spark.sql(f"CREATE TABLE delta.`{path}` (name STRING COLLATE icu.UNICODE_CI) USING delta")
spark.sql(f"INSERT INTO delta.`{path}` VALUES ('Bob')")
print(spark.sql(f"SELECT name FROM delta.`{path}` WHERE name = 'BOB'").collect()[0][0])
"""


@pytest.fixture
def conf_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hide the settings of ./dev, so that Spark starts as on a new machine."""
    conf = tmp_path / "conf"
    conf.mkdir()
    monkeypatch.setenv("SPARK_CONF_DIR", str(conf))
    return conf


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> SparkSession.Builder:
    """Return a builder that does not see the session of the other tests."""
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    return SparkSession.builder


def options(builder: SparkSession.Builder) -> dict[str, str]:
    """Return the options of the builder."""
    return dict(builder._options)  # noqa: SLF001


# --- configure_spark_with_collations, without starting a JVM --------------------------------------


def test_configure_adds_delta_jar_extensions_and_catalog(
    conf_dir: Path, builder: SparkSession.Builder
) -> None:
    assert not list(conf_dir.iterdir())
    assert options(configure_spark_with_collations(builder)) == {
        "spark.jars.packages": DELTA_PACKAGE,
        "spark.jars.excludes": SHIPPED,
        "spark.jars": str(bundled_jar()),
        "spark.sql.extensions": f"{DELTA_EXTENSION},{COLLATIONS_EXTENSION}",
        "spark.sql.catalog.spark_catalog": CATALOG,
    }


def test_configure_keeps_settings_of_builder(conf_dir: Path, builder: SparkSession.Builder) -> None:
    builder.config("spark.jars", "/a.jar").config("spark.jars.packages", "a:b:1")
    builder.config("spark.jars.excludes", "e:f")
    builder.config("spark.sql.extensions", "my.First")
    builder.config("spark.sql.catalog.spark_catalog", "my.Catalog")

    configure_spark_with_collations(
        builder, extra_packages=["c:d:2"], extra_extensions=["my.Second"]
    )

    assert conf_dir.exists()
    assert options(builder) == {
        "spark.jars": f"/a.jar,{bundled_jar()}",
        "spark.jars.packages": f"a:b:1,{DELTA_PACKAGE},c:d:2",
        "spark.jars.excludes": f"e:f,{SHIPPED}",
        "spark.sql.extensions": f"my.First,{DELTA_EXTENSION},my.Second,{COLLATIONS_EXTENSION}",
        "spark.sql.catalog.spark_catalog": "my.Catalog",
    }


def test_configure_keeps_settings_of_spark_defaults(
    conf_dir: Path, builder: SparkSession.Builder
) -> None:
    (conf_dir / "spark-defaults.conf").write_text(
        "# settings of the site\n"
        "spark.jars                       /site.jar\n"
        "spark.sql.extensions=site.Extension\n"
        "spark.sql.catalog.spark_catalog: site.Catalog\n"
        "spark.flag\n"
    )

    configured = options(configure_spark_with_collations(builder))

    assert configured["spark.jars"] == f"/site.jar,{bundled_jar()}"
    assert (
        configured["spark.sql.extensions"]
        == f"site.Extension,{DELTA_EXTENSION},{COLLATIONS_EXTENSION}"
    )
    assert "spark.sql.catalog.spark_catalog" not in configured


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("spark.jars", f"/lib/{DELTA_JAR}", id="jar"),
        pytest.param("spark.jars", "/lib/delta-spark.jar", id="jar without a version"),
        pytest.param("spark.jars.packages", DELTA_PACKAGE, id="package"),
    ],
)
def test_configure_does_not_add_delta_when_already_configured(
    conf_dir: Path, builder: SparkSession.Builder, key: str, value: str
) -> None:
    configured = options(configure_spark_with_collations(builder.config(key, value)))

    assert conf_dir.exists()
    assert configured.get("spark.jars.packages", "") == (value if key.endswith("packages") else "")
    assert "spark.jars.excludes" not in configured


def test_configure_does_not_add_delta_when_in_spark_jars_folder(
    conf_dir: Path, builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (conf_dir / DELTA_JAR).touch()
    monkeypatch.setattr(session, "jar_folder", lambda: conf_dir)

    assert "spark.jars.packages" not in options(configure_spark_with_collations(builder))


def test_configure_is_idempotent(conf_dir: Path, builder: SparkSession.Builder) -> None:
    once = options(configure_spark_with_collations(builder))

    assert conf_dir.exists()
    assert options(configure_spark_with_collations(builder)) == once


@pytest.mark.parametrize(
    ("spark", "delta", "expected"),
    [
        ("4.0.9", "4.4.0", "4.0_2.13:4.4.0"),
        ("4.0.9", "4.1.7", "4.0_2.13:4.1.0"),
        ("4.0.9", "5.0.0", "4.0_2.13:4.4.0"),
        # The artifact of Delta 4.0 does not have the Spark version in its name.
        ("4.0.1", "4.0.0", "2.13:4.0.0"),
        ("4.0.1", "4.0.1", "2.13:4.0.1"),
        ("4.0.1", "4.0.2", "2.13:4.0.1"),
        # 4.4.1 was published without its jar on Maven Central.
        ("4.2.1", "4.4.1", "4.2_2.13:4.4.0"),
        ("4.1.4", "4.4.1", "4.1_2.13:4.4.0"),
        # Spark 4.1.2 removed a class that these Delta versions need.
        ("4.1.1", "4.2.0", "4.1_2.13:4.2.0"),
        ("4.1.1-amzn-0", "4.2.0", "4.1_2.13:4.2.0"),
        ("4.1.0", "4.1.0", "4.1_2.13:4.1.0"),
        ("4.1.2", "4.2.0", "4.1_2.13:4.4.0"),
        ("4.1.4", "4.1.0", "4.1_2.13:4.4.0"),
        ("4.2.0", "4.0.1", "4.2_2.13:4.4.0"),
    ],
)
def test_supported_platform_has_installed_delta_if_it_runs_on_spark(
    spark: str, delta: str, expected: str
) -> None:
    platform = session.supported_platform(spark, delta)

    assert platform["delta"] == f"io.delta:delta-spark_{expected}"
    assert platform["jar"].startswith(f"delta-collations_{spark[:3]}_2.13-")


@pytest.mark.parametrize("version", ["3.5.4", "4.0.0", "4.3.0"])
def test_supported_platform_rejects_unsupported_pyspark(version: str) -> None:
    with pytest.raises(UnsupportedSparkError) as error:
        session.supported_platform(version)

    assert error.value.found == version
    assert error.value.supported == ["4.2", "4.1", "4.0 (since 4.0.1)"]
    assert 'pip install "pyspark==4.2.*"' in str(error.value)


def test_supported_platform_says_what_to_install_when_delta_spark_is_missing(
    conf_dir: Path, builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_installed(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)

    with pytest.raises(ImportError, match=r'pip install "delta-spark==4\.4\.0"'):
        session.supported_platform("4.2.0")
    with pytest.raises(ImportError, match="delta-spark is not installed"):
        configure_spark_with_collations(builder)
    assert conf_dir.exists()
    # Neither the jar nor a session that already has Delta needs the package.
    assert bundled_jar().name.endswith(".jar")
    configure_spark_with_collations(builder.config("spark.jars", f"/lib/{DELTA_JAR}"))


def test_configure_rejects_argument_that_is_not_a_builder(spark: SparkSession) -> None:
    with pytest.raises(TypeError, match=r"Expected a SparkSession\.Builder, not SparkSession"):
        configure_spark_with_collations(spark)  # type: ignore[arg-type]


def test_configure_warns_when_session_is_already_running(spark: SparkSession) -> None:
    assert spark.version
    with pytest.warns(UserWarning, match=r"already running.*spark\.stop\(\)"):
        configure_spark_with_collations(SparkSession.builder)


# --- sessions in a new JVM ------------------------------------------------------------------------


def by_hand(**settings: str) -> str:
    """Return the start of a script that sets every setting of its session itself."""
    settings = {**SMALL_SESSION, "spark.sql.catalog.spark_catalog": CATALOG, **settings}
    return (
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "path = sys.argv[1]\n"
        "builder = SparkSession.builder.master('local[1]')\n"
        f"for key, value in {settings!r}.items():\n"
        "    builder.config(key, value)\n"
    )


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(
            {
                "spark.jars": f"{DELTA_JARS},{bundled_jar()}",
                "spark.sql.extensions": (
                    f"{COLLATIONS_EXTENSION},{DELTA_EXTENSION},{COLLATIONS_EXTENSION}"
                ),
            },
            id="extension listed before and after Delta's",
        ),
        pytest.param(
            {
                "spark.driver.extraClassPath": DELTA_JARS.replace(",", ":"),
                "spark.jars": str(bundled_jar()),
                "spark.sql.extensions": f"{DELTA_EXTENSION},{COLLATIONS_EXTENSION}",
            },
            id="Delta in a class loader that cannot see the jar",
        ),
    ],
)
def test_session_configured_by_hand_works(
    conf_dir: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    script = by_hand(**settings) + "spark = builder.getOrCreate()\n" + CREATE_AND_FIND

    assert run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(conf_dir)) == "Bob\n"


def test_extension_patches_delta_that_is_already_loaded(conf_dir: Path, tmp_path: Path) -> None:
    jars = {"spark.jars": f"{DELTA_JARS},{bundled_jar()}"}
    script = (
        by_hand(**jars, **{"spark.sql.extensions": DELTA_EXTENSION})
        + "spark = builder.getOrCreate()\n"
        + "spark.range(3).write.format('delta').save(path + '-plain')\n"
        + "spark.stop()\n"
        + f"builder.config('spark.sql.extensions', '{DELTA_EXTENSION},{COLLATIONS_EXTENSION}')\n"
        + "spark = builder.getOrCreate()\n"
        + CREATE_AND_FIND
        + "print(spark.read.format('delta').load(path + '-plain').count())\n"
    )

    assert run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(conf_dir)) == "Bob\n3\n"


def test_session_without_delta_fails_with_package_to_add(conf_dir: Path, tmp_path: Path) -> None:
    catalog = "org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog"
    script = by_hand(
        **{
            "spark.jars": str(bundled_jar()),
            "spark.sql.extensions": COLLATIONS_EXTENSION,
            "spark.sql.catalog.spark_catalog": catalog,
        }
    ) + (
        "try:\n"
        "    builder.getOrCreate()\n"
        "except Exception as error:\n"
        "    print(error.java_exception.getCondition())\n"
        "    print(error.java_exception.getMessage())\n"
    )
    condition, message = run_in_new_process(
        script, tmp_path / "t", SPARK_CONF_DIR=str(conf_dir)
    ).split("\n", 1)

    assert condition == "COLLATIONS_DELTA_NOT_FOUND"
    assert f"Add {DELTA_PACKAGE} to the session" in message


def test_configure_downloads_only_delta_despite_pom_without_jar(
    conf_dir: Path, tmp_path: Path
) -> None:
    # Maven leaves such POMs behind for versions that another version replaced in a build.
    folder = tmp_path / ".m2" / "repository" / "org" / "slf4j" / "slf4j-api" / "2.0.13"
    folder.mkdir(parents=True)
    (folder / "slf4j-api-2.0.13.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.slf4j</groupId>"
        "<artifactId>slf4j-api</artifactId><version>2.0.13</version></project>"
    )
    script = (
        by_hand()
        + "from delta_collations import configure_spark_with_collations\n"
        + "spark = configure_spark_with_collations(builder).getOrCreate()\n"
        + CREATE_AND_FIND
    )
    java_options = f'{os.environ["SPARK_SUBMIT_OPTS"]} "-Duser.home={tmp_path}"'

    output = run_in_new_process(
        script, tmp_path / "t", SPARK_CONF_DIR=str(conf_dir), SPARK_SUBMIT_OPTS=java_options
    )

    assert output == "Bob\n"
    downloaded = {jar.name.partition("_")[0] for jar in tmp_path.glob(".ivy2*/jars/*.jar")}
    assert "io.delta" in downloaded
    assert not downloaded & {"org.slf4j", "org.apache.hadoop", "org.apache.parquet"}


def test_configure_works_with_spark_connect(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "from delta_collations import configure_spark_with_collations\n"
        "path = sys.argv[1]\n"
        "builder = SparkSession.builder.remote('local[1]')\n"
        f"for key, value in {SMALL_SESSION!r}.items():\n"
        "    builder.config(key, value)\n"
        "spark = configure_spark_with_collations(builder).getOrCreate()\n"
    ) + CREATE_AND_FIND
    script += (
        "print(*spark.sql(f'ANALYZE TABLE delta.`{path}` COMPUTE DELTA STATISTICS').columns)\n"
    )

    output = run_in_new_process(script, tmp_path / "t")
    assert output == "Bob\nfiles_checked files_refreshed bytes_read files_relabeled\n"
