# SPDX-License-Identifier: Apache-2.0
"""The metadata domain ``collations`` lists the collation versions of the statistics."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from support.platforms import ICU as CURRENT_ICU
from support.tables import ForeignTable, Json, Table, collated, setting
from support.write_versions import (
    COLLATED,
    LISTED_VERSIONS,
    REMOVAL,
    append_commit,
    checkpointed_domains,
    current_domain,
    domain_action,
    domains_in_commit,
    listed_versions,
)

FEATURES = ["appendOnly", "collations", "domainMetadata", "invariants"]


def test_write_versions_listed_with_first_stats(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")

    assert domains_in_commit(table, 0) == []
    assert table.log.actions("domainMetadata") == [
        domain_action(f'{{"writeVersions":{{"icu.UNICODE_CI":["{CURRENT_ICU}"]}}}}')[
            "domainMetadata"
        ]
    ]
    assert f'"icu.UNICODE_CI.{CURRENT_ICU}"' in table.log.actions("add")[0]["stats"]
    assert domains_in_commit(table, 1) == ["collations"]
    assert current_domain(table) == f'{{"writeVersions":{{"icu.UNICODE_CI":["{CURRENT_ICU}"]}}}}'


def test_write_versions_listed_by_ctas(
    table: Table,
) -> None:
    table.sql(
        "CREATE TABLE {t} USING delta AS SELECT 'a' COLLATE UNICODE_CI AS a, "
        "named_struct('b', 'b' COLLATE UTF8_LCASE) AS s, array('c' COLLATE sv) AS c, 'd' AS d"
    )

    assert domains_in_commit(table, 0) == ["collations"]
    # Delta collects no bounds of array elements, so the collation of `c` is not listed.
    assert listed_versions(table) == [LISTED_VERSIONS | {"spark.UTF8_LCASE": [CURRENT_ICU]}]


def test_write_versions_unchanged_without_new_version(table: Table) -> None:
    table.create(f"id INT, {COLLATED}").insert("1, 'Bob'")
    table.insert("2, 'Eve'").sql("UPDATE {t} SET name = 'Rob' WHERE name = 'BOB'")
    table.sql(
        "MERGE INTO {t} t USING (SELECT 3 AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (3, 'Zoë')"
    )
    table.sql("OPTIMIZE {t}")
    table.sql("DELETE FROM {t}")

    assert len(table.log.commits) > 5
    assert listed_versions(table) == [LISTED_VERSIONS]


def test_write_versions_not_listed_without_stats(table: Table) -> None:
    table.create(COLLATED)
    with setting(table.spark, "spark.deltaCollations.stats.enabled", "false"):
        table.insert("'Bob'")
    assert listed_versions(table) == []

    assert listed_versions(table.insert("'Eve'")) == [LISTED_VERSIONS]


def test_write_versions_list_collation_of_added_column(table: Table) -> None:
    table.create(COLLATED).insert("'Bob'")
    table.sql("ALTER TABLE {t} ADD COLUMN nick STRING COLLATE UTF8_LCASE")
    assert listed_versions(table) == [LISTED_VERSIONS]

    table.insert("'Eve', 'evi'")
    assert listed_versions(table) == [
        LISTED_VERSIONS,
        LISTED_VERSIONS | {"spark.UTF8_LCASE": [CURRENT_ICU]},
    ]


def test_write_versions_keep_older_version_and_its_stats(
    spark: SparkSession, tmp_path: Path
) -> None:
    bounds = {"minValues": {"name": "Bob"}, "maxValues": {"name": "Bob"}}
    stats = {"numRecords": 1, "statsWithCollation": {"icu.UNICODE_CI.75.1": bounds}}
    foreign = ForeignTable(tmp_path / "t", [collated("name", "icu.UNICODE_CI")], FEATURES)
    table = Table(spark, foreign.write(({"name": ["Bob"]}, stats)))
    append_commit(
        table,
        domain_action({"writeVersions": {"icu.UNICODE_CI": ["75.1"], "acme.X": ["9", "10"]}}),
    )
    table.insert("'Eve'")

    assert listed_versions(table)[-1] == {
        "acme.X": ["9", "10"],
        "icu.UNICODE_CI": ["75.1", CURRENT_ICU],
    }
    assert json.loads(table.log.actions("add")[0]["stats"]) == stats
    assert len(table.log.actions("remove")) == 0


def test_write_versions_keep_unavailable_version(table: Table) -> None:
    append_commit(
        table.create(COLLATED), domain_action({"writeVersions": {"icu.UNICODE_CI": ["999.9"]}})
    )

    assert table.insert("'Bob'").column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]
    assert listed_versions(table)[-1] == {"icu.UNICODE_CI": ["999.9", CURRENT_ICU]}
    assert "999.9" not in table.log.actions("add")[0]["stats"]


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param("", {}, id="empty"),
        pytest.param("not JSON {", {}, id="invalid JSON"),
        pytest.param([LISTED_VERSIONS], {}, id="not an object"),
        pytest.param({"writeVersions": 7}, {}, id="a number instead of an object"),
        pytest.param(
            {"writeVersions": {"icu.UNICODE_CI": CURRENT_ICU}}, {}, id="a string instead of a list"
        ),
        pytest.param({"readVersions": LISTED_VERSIONS}, {}, id="older format"),
        pytest.param({"b": [1], "a": None}, {"a": None, "b": [1]}, id="unknown keys"),
    ],
)
def test_table_usable_when_write_versions_are_malformed(
    table: Table,
    configuration: Any,  # noqa: ANN401
    expected: Json,
) -> None:
    append_commit(table.create(COLLATED), domain_action(configuration))

    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == []
    assert table.insert("'Bob'").column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]
    written = table.log.actions("domainMetadata")[-1]["configuration"]
    assert json.loads(written) == {"writeVersions": LISTED_VERSIONS} | expected


def test_write_versions_not_listed_without_domain_metadata_feature(
    spark: SparkSession, tmp_path: Path
) -> None:
    features = ["appendOnly", "collations", "invariants"]
    path = ForeignTable(tmp_path / "t", [collated("name", "icu.UNICODE_CI")], features).write()
    table = Table(spark, path).insert("'Bob'")

    assert table.column("SELECT name FROM {t} WHERE name = 'BOB'") == ["Bob"]
    assert table.log.actions("domainMetadata") == []


def test_write_versions_listed_in_commit_that_adds_feature(
    spark: SparkSession, tmp_path: Path
) -> None:
    schema = [collated("name", "icu.UNICODE_CI")]
    table = Table(spark, ForeignTable(tmp_path / "t", schema, None).write()).insert("'Bob'")

    assert set(FEATURES) == set(table.log.protocol["writerFeatures"])
    assert domains_in_commit(table, 1) == ["collations"]


def test_write_versions_stay_removed_until_next_stats(
    table: Table,
) -> None:
    table.create(COLLATED, **{"delta.checkpointInterval": "3"}).insert("'Bob'")
    before = table.log.actions("domainMetadata")[-1]
    append_commit(table, {"domainMetadata": before | {"removed": True}})
    assert current_domain(table) is None

    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('mine' = 'yes')")
    assert domains_in_commit(table, 3) == []
    assert checkpointed_domains(table) == []

    table.insert("'Eve'")
    assert listed_versions(table) == [LISTED_VERSIONS, LISTED_VERSIONS, LISTED_VERSIONS]
    assert table.log.actions("domainMetadata")[-1] == before
    assert current_domain(table) is not None


def test_metadata_domains_survive_commits_and_checkpoint(
    table: Table,
) -> None:
    table.create(f"id INT, {COLLATED}", **{"delta.checkpointInterval": "5"})
    append_commit(table, domain_action("any text", "acme.notes"))
    table.insert("1, 'Bob'").insert("2, 'Eve'")
    table.sql("UPDATE {t} SET id = 3 WHERE name = 'EVE'")
    table.sql("OPTIMIZE {t}")

    assert current_domain(table, "acme.notes") == "any text"
    assert checkpointed_domains(table) == ["acme.notes", "collations"]
    assert len(table.log.actions("domainMetadata")) == 2
    table.insert("4, 'Zoë'")
    assert len(table.log.actions("domainMetadata")) == 2


def test_write_versions_of_clone_listed_with_next_stats(table: Table) -> None:
    table.create(COLLATED).insert("'Bob'")
    clone = Table(table.spark, table.path.parent / "clone")
    table.sql(f"CREATE TABLE {clone.name} SHALLOW CLONE {{t}}")
    assert f"icu.UNICODE_CI.{CURRENT_ICU}" in clone.log.actions("add")[0]["stats"]
    assert listed_versions(clone) == []

    assert listed_versions(clone.insert("'Eve'")) == [LISTED_VERSIONS]


def test_write_versions_of_converted_table_listed_with_next_stats(table: Table) -> None:
    rows = table.spark.sql("SELECT 'Bob' COLLATE UNICODE_CI AS name")
    rows.write.parquet(str(table.path))
    table.spark.sql(f"CONVERT TO DELTA parquet.`{table.path}`")
    assert table.log.collations("name") == {"name": "icu.UNICODE_CI"}
    assert listed_versions(table) == []

    assert listed_versions(table.insert("'Eve'")) == [LISTED_VERSIONS]


def test_write_versions_kept_or_listed_again_after_restore(
    table: Table,
) -> None:
    table.create(COLLATED).insert("'Bob'")
    table.sql("RESTORE TABLE {t} TO VERSION AS OF 0")
    table.insert("'Eve'")
    assert listed_versions(table) == [LISTED_VERSIONS]

    append_commit(table, REMOVAL)
    table.sql("RESTORE TABLE {t} TO VERSION AS OF 1")
    assert current_domain(table) is None
    table.insert("'Eve'")
    assert listed_versions(table)[-1] == LISTED_VERSIONS
    assert current_domain(table) is not None


def test_write_versions_kept_by_replace_and_overwrite(table: Table) -> None:
    table.create(COLLATED).insert("'Bob'")
    table.sql("INSERT OVERWRITE {t} VALUES ('Eve')")
    table.sql(f"CREATE OR REPLACE TABLE {{t}} ({COLLATED}) USING delta")
    table.sql("CREATE OR REPLACE TABLE {t} USING delta AS SELECT 'Zoë' COLLATE UNICODE_CI AS name")
    assert listed_versions(table) == [LISTED_VERSIONS]
    assert current_domain(table) is not None

    other = table.spark.sql("SELECT 'Åsa' COLLATE UTF8_LCASE AS name").write.format("delta")
    other.mode("overwrite").option("overwriteSchema", "true").save(str(table.path))
    assert listed_versions(table)[1:] == [LISTED_VERSIONS | {"spark.UTF8_LCASE": [CURRENT_ICU]}]


def test_write_versions_not_listed_by_row_tracking_backfill(table: Table) -> None:
    table.create(COLLATED).insert("'Bob'")
    append_commit(table, REMOVAL)
    table.sql("ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")

    backfill = [commit for commit in table.log.commits if "ROW TRACKING BACKFILL" in str(commit)]
    assert len(backfill) == 1
    assert current_domain(table) is None
