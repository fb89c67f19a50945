# SPDX-License-Identifier: Apache-2.0
"""Compares results with executors in separate JVMs, Kryo, AQE and codegen settings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from robustness.harness.sessions import SHORT_LIVED
from robustness.harness.spark_home import cluster
from support.processes import python_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

# Two executors, or one, with one core each, in separate JVMs.
CLUSTER = "local-cluster[2,1,1024]"
SMALL_CLUSTER = "local-cluster[1,1,1024]"
LOCAL = "local[2]"

STOCK = {
    "spark.deltaCollations.speed.enabled": "false",
    "spark.deltaCollations.skipping.enabled": "false",
}
KRYO = {"spark.serializer": "org.apache.spark.serializer.KryoSerializer"}
WITHOUT_AQE = {"spark.sql.adaptive.enabled": "false"}
WITHOUT_CODEGEN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# Jobs wait until all executors have registered.
WAIT_FOR_EXECUTORS = {
    "spark.scheduler.minRegisteredResourcesRatio": "1",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "20min",
}
TWO_EXECUTORS = WAIT_FOR_EXECUTORS | {"spark.cores.max": "2"}
DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.initialExecutors": "1",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.maxExecutors": "2",
    # Executors are started and removed while the queries run.
    "spark.dynamicAllocation.executorIdleTimeout": "2s",
    "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
    "spark.dynamicAllocation.shuffleTracking.timeout": "5s",
}

# The master and settings of each application, and the settings of its sessions by name.
Sessions = dict[str, dict[str, str]]
APPLICATIONS: list[tuple[str, dict[str, str], Sessions]] = [
    (LOCAL, {}, {"stock Spark, one JVM": STOCK, "one JVM": {}}),
    (
        CLUSTER,
        TWO_EXECUTORS,
        {
            "two executors": {},
            "two executors, no AQE": WITHOUT_AQE,
            "two executors, no codegen": WITHOUT_CODEGEN,
        },
    ),
    (
        CLUSTER,
        TWO_EXECUTORS | KRYO,
        {
            "two executors, Kryo": {},
            "two executors, Kryo, no AQE, no codegen": WITHOUT_AQE | WITHOUT_CODEGEN,
        },
    ),
    (
        CLUSTER,
        KRYO | DYNAMIC,
        {
            "one or two executors, Kryo": {},
            "one or two executors, Kryo, no AQE": WITHOUT_AQE,
        },
    ),
]

# A few words, each in several spellings that are equal under the collations below.
WORDS = ["straße", "Ångström", "naïve", "Zoë", "bob", "éclair", "İzmir", "łódź", "mañana", "o'neil"]
COLUMNS = """id BIGINT, name STRING COLLATE UNICODE_CI, city STRING COLLATE UTF8_LCASE,
             s STRUCT<n: STRING COLLATE de_CI_AI>"""

# A group may return any of its spellings, so no query selects the grouping key.
QUERIES = {
    "sort": "SELECT id FROM {t} ORDER BY name, city DESC, id",
    "sort, first rows": "SELECT id FROM {t} ORDER BY s.n DESC, id LIMIT 17",
    "group": "SELECT min(id), count(*), sum(id), lower(max(city)) FROM {t} GROUP BY name",
    "group, two keys": "SELECT min(id), count(*) FROM {t} GROUP BY s.n, city",
    "group, distinct": "SELECT min(id), count(DISTINCT city) FROM {t} GROUP BY name",
    "distinct": "SELECT count(*) FROM (SELECT DISTINCT name, s.n FROM {t})",
    "except": """SELECT count(*) FROM (SELECT name FROM {t} EXCEPT
                 SELECT city COLLATE UNICODE_CI FROM {t} WHERE id < 13)""",
    "cube": "SELECT min(id), count(*) FROM {t} GROUP BY CUBE (name, id % 2)",
    "window": """SELECT id, rank() OVER w, count(*) OVER w, lag(id) OVER w FROM {t}
                 WINDOW w AS (PARTITION BY name ORDER BY city, id)""",
    "window, ranks": "SELECT id, dense_rank() OVER (ORDER BY name) FROM {t}",
    **{
        f"join, {hint.lower()}": f"""SELECT /*+ {hint}(b) */ a.id, b.id FROM {{t}} a {kind} JOIN
                 (SELECT * FROM {{t}} WHERE id % 13 = 0) b
                 ON a.name = b.city COLLATE UNICODE_CI AND a.id < b.id + 40"""
        for hint, kind in [("MERGE", "LEFT"), ("SHUFFLE_HASH", "INNER"), ("BROADCAST", "LEFT")]
    },
    "join, semi": """SELECT id FROM {t} WHERE name IN
                 (SELECT city COLLATE UNICODE_CI FROM {t} WHERE id < 9)""",
    "subquery": "SELECT id, (SELECT count(*) FROM {t} u WHERE u.name = t.name) FROM {t} t",
    "search": """SELECT id, contains(name, 'ASS'), startswith(city, 'éC'), endswith(s.n, 'E3'),
                 locate('o', name), replace(city, 'B', '-') FROM {t}""",
    "filter": "SELECT id FROM {t} WHERE name > 'M' AND city <= 'Zoë2' OR s.n = 'MANANA1'",
    "exact spelling": """SELECT a.id, b.id FROM {t} a JOIN {t} b
                 ON a.name = b.name AND hex(a.name) = hex(b.name) WHERE b.id < 50""",
    # MIN and MAX may return any of several equal values, so one spelling is compared.
    "min and max": """SELECT lower(min(name)), lower(max(name)), lower(min(s.n)) FROM {t}
                 WHERE id > 20""",
}

SHORT = ["sort", "group", "join, merge", "search"]

# Predicates whose number of skipped files is counted as well.
LOOKUPS = ["name = 'BOB2'", "name IN ('zoë1', 'NAÏVE3')", "city > 'ŁÓ'", "s.n >= 'zoe3'"]

STATEMENTS = [
    "UPDATE {t} SET city = 'changed' WHERE name = 'BOB1'",
    "DELETE FROM {t} WHERE city = 'ÉCLAIR2'",
    """MERGE INTO {t} USING (SELECT DISTINCT upper(name) AS key FROM {t} WHERE id < 9
         UNION ALL SELECT collate('new', 'UNICODE_CI')) ON name = key
       WHEN MATCHED AND id % 2 = 0 THEN UPDATE SET city = 'MERGED'
       WHEN MATCHED AND id % 5 = 0 THEN DELETE
       WHEN NOT MATCHED THEN INSERT (id, name, city, s)
         VALUES (-1, key, 'new', named_struct('n', 'new'))""",
    "DELETE FROM {t} WHERE name BETWEEN 'ł' AND 'MAÑANA1' AND id % 3 = 0",
    "OPTIMIZE {t}",
]

STATUS = "SELECT column, status, files, files_covered FROM collation_status('{t}')"
ROWS = "SELECT id, name, city, s.n FROM {t}"


class Trial:
    """Runs all steps in one session on one table, and keeps the results."""

    def __init__(self, spark: SparkSession, path: str, *, is_short: bool) -> None:
        """Prepare a trial; a short one has only a few steps of each kind."""
        self.spark = spark
        self.queries = SHORT if is_short else list(QUERIES)
        self.lookups = LOOKUPS[:1] if is_short else LOOKUPS
        self.statements = STATEMENTS[2:3] if is_short else STATEMENTS
        self.path = path
        self.name = f"delta.`{path}`"
        self.results: dict[str, Any] = {}
        self.pruned = 0

    def run(self) -> None:
        """Run all steps."""
        self.sql(
            f"CREATE TABLE {{t}} ({COLUMNS}) USING delta "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
        )
        self.insert(0, 400)
        self.collect("rows written", ROWS)
        self.collect("status", STATUS)
        for label in self.queries:
            self.collect(label, QUERIES[label])
        self.look_up("before changes")
        for number, statement in enumerate(self.statements):
            self.sql(statement)
            self.collect(f"rows after statement {number}", ROWS)
        self.refresh()
        self.look_up("after all changes")

    def refresh(self) -> None:
        """Write files without statistics, and refresh them."""
        self.spark.conf.set("spark.deltaCollations.stats.enabled", "false")
        self.insert(1000, 40)
        self.spark.conf.unset("spark.deltaCollations.stats.enabled")
        self.collect("status without statistics", STATUS)
        [done] = self.sql("ANALYZE TABLE {t} COMPUTE DELTA STATISTICS").collect()
        self.results["files refreshed"] = [done.files_checked, done.files_refreshed]
        self.collect("status after a refresh", STATUS)

    def insert(self, first: int, rows: int) -> None:
        """Write rows into four files, ordered by name."""
        words = ", ".join(json.dumps(word) for word in WORDS)
        numbered = self.spark.range(rows).selectExpr(
            f"id + {first} AS id",
            f"element_at(array({words}), CAST(id * 7 % {len(WORDS)} + 1 AS INT)) "
            "|| id DIV 10 % 4 AS word",
        )
        spelled = "CASE id % 3 WHEN 0 THEN upper(word) WHEN 1 THEN word ELSE initcap(word) END"
        named = numbered.selectExpr("id", f"{spelled} AS name")
        full = named.selectExpr("id", "name", "name AS city", "named_struct('n', name) AS s")
        ordered = full.repartitionByRange(4, F.collate("name", "UNICODE_CI"), "id")
        ordered.write.format("delta").mode("append").save(self.path)

    def sql(self, statement: str) -> DataFrame:
        """Run a statement in which ``{t}`` is the table."""
        return self.spark.sql(statement.replace("{t}", self.name))

    def collect(self, label: str, query: str) -> None:
        """Keep the rows of a query, sorted unless the query has an ORDER BY."""
        rows = [list(row) for row in self.sql(query).collect()]
        # An ORDER BY in a window does not sort the rows.
        is_sorted = re.search(r"\bORDER BY [^()]*$", query)
        self.results[label] = rows if is_sorted else sorted(rows, key=repr)

    def look_up(self, when: str) -> None:
        """Keep the rows of each lookup, and count the skipped files."""
        for predicate in self.lookups:
            self.collect(f"{predicate} {when}", f"SELECT id FROM {{t}} WHERE {predicate}")
            query = f"SELECT * FROM collation_explain('{{t}}', \"{predicate}\")"
            outcomes = self.sql(query).collect()
            self.pruned += sum(row.files for row in outcomes if "collated" in row.outcome)


def session(master: str, settings: dict[str, str]) -> SparkSession:
    """Start an application with settings for small tables."""
    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "3")
    builder.config("spark.databricks.delta.snapshotPartitions", "2")
    builder.config("spark.driver.memory", "1g")
    for jvm in ("driver", "executor"):
        builder.config(f"spark.{jvm}.extraJavaOptions", " ".join(SHORT_LIVED))
    builder.config("spark.ui.enabled", "false")
    if master == LOCAL:
        builder.master(master)
    else:
        cluster(builder, master)
    for key, value in settings.items():
        builder.config(key, value)
    return configure_spark_with_collations(builder).getOrCreate()


def run_sessions(
    master: str, settings: dict[str, str], sessions: Sessions, *, is_short: bool
) -> Iterator[dict[str, Any]]:
    """Run all steps in each session of an application, and yield the results."""
    spark = session(master, settings)
    for name, own in sessions.items():
        started = time.monotonic()
        each = spark.newSession()
        for key, value in own.items():
            each.conf.set(key, value)
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(each, f"{folder}/table", is_short=is_short)
            trial.run()
        yield {
            "name": name,
            "results": trial.results,
            "pruned": trial.pruned,
            # All executors that ever registered, without the driver.
            "executors": spark._jsc.sc().statusStore().executorList(False).size() - 1,  # noqa: FBT003, SLF001
            "seconds": time.monotonic() - started,
        }
    spark.stop()


def run(
    master: str, settings: dict[str, str], sessions: Sessions, *, is_short: bool = False
) -> Iterator[dict[str, Any]]:
    """Run the sessions of an application in a new process."""
    with subprocess.Popen(
        [sys.executable, __file__, json.dumps([master, settings, sessions]), str(int(is_short))],
        stdout=subprocess.PIPE,
        text=True,
        env=python_environment(),
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    assert process.returncode == 0


def main() -> None:
    """Print how many results of each session match the first session, and which differ."""
    expected: dict[str, Any] = {}
    differing = 0
    print(f"{'':<42}{'results':>9}{'same':>6}{'files skipped':>16}{'executors':>11}{'s':>6}")
    for application in APPLICATIONS:
        for found in run(*application):
            results = found["results"]
            expected = expected or results
            other = [label for label, rows in expected.items() if results.get(label) != rows]
            differing += len(other)
            print(
                f"{found['name']:<42}{len(results):>9}{len(expected) - len(other):>6}"
                f"{found['pruned']:>16}{found['executors']:>11}{found['seconds']:>6.0f}",
                *other,
                flush=True,
            )
    sys.exit(bool(differing))


if __name__ == "__main__":
    if sys.argv[1:]:
        for done in run_sessions(*json.loads(sys.argv[1]), is_short=sys.argv[2] == "1"):
            print(json.dumps(done), flush=True)
    else:
        main()
