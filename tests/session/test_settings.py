# SPDX-License-Identifier: Apache-2.0
"""Settings of the library are registered with Spark, which checks their values."""

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession
from support.processes import run_in_new_process

SPEED = "spark.deltaCollations.speed.enabled"
ICU_VERSIONS = "spark.deltaCollations.stats.icuVersions"


@pytest.mark.parametrize(
    ("key", "value"), [(SPEED, "maybe"), (SPEED, ""), (ICU_VERSIONS, "latest")]
)
def test_setting_rejects_invalid_value(spark: SparkSession, key: str, value: str) -> None:
    before = spark.conf.get(key)
    with pytest.raises(IllegalArgumentException) as error:
        spark.conf.set(key, value)

    assert key in str(error.value)
    assert spark.conf.get(key) == before


@pytest.mark.parametrize(("key", "value"), [(SPEED, "TRUE"), (ICU_VERSIONS, "76.1, 77.1")])
def test_setting_accepts_valid_value(spark: SparkSession, key: str, value: str) -> None:
    spark.conf.set(key, value)
    spark.conf.unset(key)


def test_set_v_lists_settings_with_documentation(spark: SparkSession) -> None:
    listed = {row.key: row.meaning for row in spark.sql("SET -v").collect()}

    assert "sort keys" in listed[SPEED]
    assert sum(key.startswith("spark.deltaCollations.") for key in listed) == 17


def test_session_rejects_invalid_setting_of_builder() -> None:
    output = run_in_new_process(
        "from delta_collations import configure_spark_with_collations\n"
        "from pyspark.sql import SparkSession\n"
        f"builder = SparkSession.builder.master('local[1]').config('{SPEED}', 'maybe')\n"
        "try:\n"
        "    configure_spark_with_collations(builder).getOrCreate().sql('SELECT 1')\n"
        "except Exception as error:\n"
        "    print('rejected:', error)\n"
    )

    assert output.startswith("rejected:")
    assert f"The value 'maybe' in the config \"{SPEED}\" is invalid" in output
