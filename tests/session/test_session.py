# SPDX-License-Identifier: Apache-2.0
"""A session is started: by the helper, by hand, in a good place and in a bad one."""

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

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
OURS = "org.deltacollations.CollationsExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"

DELTA_JARS = spark_defaults()["spark.jars"]

# Delta and Spark plan for large clusters; a table of one row needs one of everything.
SMALL = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}

# What every session of this file is asked to do at the end, and what it then prints.
CREATE_AND_FIND = """
spark.sql(f"CREATE TABLE delta.`{path}` (name STRING COLLATE icu.UNICODE_CI) USING delta")
spark.sql(f"INSERT INTO delta.`{path}` VALUES ('Bob')")
print(spark.sql(f"SELECT name FROM delta.`{path}` WHERE name = 'BOB'").collect()[0][0])
"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take away what ./dev tells Spark, so that a stranger's machine is left."""
    conf = tmp_path / "conf"
    conf.mkdir()
    monkeypatch.setenv("SPARK_CONF_DIR", str(conf))
    return conf


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> SparkSession.Builder:
    """Return a builder whose process seems to have no session yet."""
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    return SparkSession.builder


def options(builder: SparkSession.Builder) -> dict[str, str]:
    """Return what the builder was told."""
    return dict(builder._options)  # noqa: SLF001


# --- the helper, before a JVM exists --------------------------------------------------------------


def test_one_call_adds_delta_the_jar_the_extensions_and_the_catalog(
    bare: Path, builder: SparkSession.Builder
) -> None:
    assert not list(bare.iterdir())
    assert options(configure_spark_with_collations(builder)) == {
        "spark.jars.packages": DELTA_PACKAGE,
        "spark.jars": str(bundled_jar()),
        "spark.sql.extensions": f"{DELTA},{OURS}",
        "spark.sql.catalog.spark_catalog": CATALOG,
    }


def test_what_the_builder_was_told_before_is_kept(
    bare: Path, builder: SparkSession.Builder
) -> None:
    builder.config("spark.jars", "/a.jar").config("spark.jars.packages", "a:b:1")
    builder.config("spark.sql.extensions", "my.First")
    builder.config("spark.sql.catalog.spark_catalog", "my.Catalog")

    configure_spark_with_collations(
        builder, extra_packages=["c:d:2"], extra_extensions=["my.Second"]
    )

    assert bare.exists()
    assert options(builder) == {
        "spark.jars": f"/a.jar,{bundled_jar()}",
        "spark.jars.packages": f"a:b:1,{DELTA_PACKAGE},c:d:2",
        "spark.sql.extensions": f"my.First,{DELTA},my.Second,{OURS}",
        "spark.sql.catalog.spark_catalog": "my.Catalog",
    }


def test_what_spark_defaults_say_is_kept(bare: Path, builder: SparkSession.Builder) -> None:
    (bare / "spark-defaults.conf").write_text(
        "# settings of the site\n"
        "spark.jars                       /site.jar\n"
        "spark.sql.extensions=site.Extension\n"
        "spark.sql.catalog.spark_catalog: site.Catalog\n"
        "spark.flag\n"
    )

    told = options(configure_spark_with_collations(builder))

    assert told["spark.jars"] == f"/site.jar,{bundled_jar()}"
    assert told["spark.sql.extensions"] == f"site.Extension,{DELTA},{OURS}"
    assert "spark.sql.catalog.spark_catalog" not in told


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("spark.jars", f"/lib/{DELTA_JAR}", id="as a jar"),
        pytest.param("spark.jars.packages", DELTA_PACKAGE, id="as package"),
    ],
)
def test_a_delta_that_is_there_already_is_not_added_again(
    bare: Path, builder: SparkSession.Builder, key: str, value: str
) -> None:
    packages = options(configure_spark_with_collations(builder.config(key, value)))

    assert bare.exists()
    assert packages.get("spark.jars.packages", "") == (value if key.endswith("packages") else "")


def test_a_delta_in_the_folder_of_sparks_jars_is_not_added_again(
    bare: Path, builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bare / DELTA_JAR).touch()
    monkeypatch.setattr(session, "jar_folder", lambda: bare)

    assert "spark.jars.packages" not in options(configure_spark_with_collations(builder))


def test_calling_the_helper_twice_changes_nothing(
    bare: Path, builder: SparkSession.Builder
) -> None:
    once = options(configure_spark_with_collations(builder))

    assert bare.exists()
    assert options(configure_spark_with_collations(builder)) == once


@pytest.mark.parametrize(
    ("delta", "wanted"), [("4.4.0", "4.4.0"), ("4.1.7", "4.1.0"), ("5.0.0", "4.4.0")]
)
def test_delta_comes_in_the_minor_that_pip_installed_or_the_newest(delta: str, wanted: str) -> None:
    platform = session.supported_platform("4.0.9", delta)

    assert platform["delta"] == f"io.delta:delta-spark_4.0_2.13:{wanted}"
    assert platform["jar"].startswith("delta-collations_4.0_2.13-")


def test_a_pyspark_without_a_jar_is_named_with_what_to_install() -> None:
    with pytest.raises(UnsupportedSparkError) as refused:
        session.supported_platform("3.5.4")

    assert (refused.value.found, refused.value.supported) == ("3.5.4", ["4.2", "4.1", "4.0"])
    assert 'pip install "pyspark==4.2.*"' in str(refused.value)


def test_supported_platform_says_what_to_install_when_delta_spark_is_missing(
    bare: Path, builder: SparkSession.Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_installed(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)

    with pytest.raises(ImportError, match=r'pip install "delta-spark==4\.4\.0"'):
        session.supported_platform("4.2.0")
    with pytest.raises(ImportError, match="delta-spark is not installed"):
        configure_spark_with_collations(builder)
    assert bare.exists()
    # Neither the jar nor a session that already has Delta needs the package.
    assert bundled_jar().name.endswith(".jar")
    configure_spark_with_collations(builder.config("spark.jars", f"/lib/{DELTA_JAR}"))


def test_something_that_is_no_builder_is_refused(spark: SparkSession) -> None:
    with pytest.raises(TypeError, match=r"Expected a SparkSession\.Builder, not SparkSession"):
        configure_spark_with_collations(spark)  # type: ignore[arg-type]


def test_a_session_that_runs_already_is_warned_of(spark: SparkSession) -> None:
    assert spark.version
    with pytest.warns(UserWarning, match=r"already running.*spark\.stop\(\)"):
        configure_spark_with_collations(SparkSession.builder)


# --- sessions in a JVM of their own ---------------------------------------------------------------


def by_hand(**settings: str) -> str:
    """Return the start of a script whose session is configured setting by setting."""
    settings = {**SMALL, "spark.sql.catalog.spark_catalog": CATALOG, **settings}
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
                "spark.sql.extensions": f"{OURS},{DELTA},{OURS}",
            },
            id="our extension listed before Delta's and again after it",
        ),
        pytest.param(
            {
                "spark.driver.extraClassPath": DELTA_JARS.replace(",", ":"),
                "spark.jars": str(bundled_jar()),
                "spark.sql.extensions": f"{DELTA},{OURS}",
            },
            id="Delta in a class loader that cannot see our jar",
        ),
    ],
)
def test_a_session_configured_by_hand_works(
    bare: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    script = by_hand(**settings) + "spark = builder.getOrCreate()\n" + CREATE_AND_FIND

    assert run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(bare)) == "Bob\n"


def test_delta_used_before_our_extension_came_is_changed_while_it_runs(
    bare: Path, tmp_path: Path
) -> None:
    jars = {"spark.jars": f"{DELTA_JARS},{bundled_jar()}"}
    script = (
        by_hand(**jars, **{"spark.sql.extensions": DELTA})
        + "spark = builder.getOrCreate()\n"
        + "spark.range(3).write.format('delta').save(path + '-plain')\n"
        + "spark.stop()\n"
        + f"builder.config('spark.sql.extensions', '{DELTA},{OURS}')\n"
        + "spark = builder.getOrCreate()\n"
        + CREATE_AND_FIND
        + "print(spark.read.format('delta').load(path + '-plain').count())\n"
    )

    assert run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(bare)) == "Bob\n3\n"


def test_a_session_without_delta_does_not_start_and_says_what_to_add(
    bare: Path, tmp_path: Path
) -> None:
    catalog = "org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog"
    script = by_hand(
        **{
            "spark.jars": str(bundled_jar()),
            "spark.sql.extensions": OURS,
            "spark.sql.catalog.spark_catalog": catalog,
        }
    ) + (
        "try:\n"
        "    builder.getOrCreate()\n"
        "except Exception as error:\n"
        "    print(error.java_exception.getCondition())\n"
        "    print(error.java_exception.getMessage())\n"
    )
    condition, message = run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(bare)).split(
        "\n", 1
    )

    assert condition == "COLLATIONS_DELTA_NOT_FOUND"
    assert f"Add the package {DELTA_PACKAGE} to the session" in message


def test_the_helper_fetches_delta_where_a_session_has_none(bare: Path, tmp_path: Path) -> None:
    script = (
        by_hand()
        + "from delta_collations import configure_spark_with_collations\n"
        + "spark = configure_spark_with_collations(builder).getOrCreate()\n"
        + CREATE_AND_FIND
    )

    assert run_in_new_process(script, tmp_path / "t", SPARK_CONF_DIR=str(bare)) == "Bob\n"


def test_a_spark_connect_session_works_the_same_way(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pyspark.sql import SparkSession\n"
        "from delta_collations import configure_spark_with_collations\n"
        "path = sys.argv[1]\n"
        "builder = SparkSession.builder.remote('local[1]')\n"
        f"for key, value in {SMALL!r}.items():\n"
        "    builder.config(key, value)\n"
        "spark = configure_spark_with_collations(builder).getOrCreate()\n"
    ) + CREATE_AND_FIND
    script += (
        "print(*spark.sql(f'ANALYZE TABLE delta.`{path}` COMPUTE DELTA STATISTICS').columns)\n"
    )

    said = run_in_new_process(script, tmp_path / "t")
    assert said == "Bob\nfiles_checked files_refreshed bytes_read files_relabeled\n"
