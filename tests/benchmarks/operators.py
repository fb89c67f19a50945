# SPDX-License-Identifier: Apache-2.0
"""Sorting, grouping, joining and filtering collated strings, compared with UTF8_BINARY strings.

Also compared with ``lower(name)`` on UTF8_BINARY strings, which ignores letter case without a
collation.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.operator_data import TEXTS, literal, make_tables, rows_of
from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject

QUERIES = {
    "GROUP BY, few": "SELECT {few}, count(*) FROM {t} GROUP BY {few}",
    "DISTINCT, few": "SELECT DISTINCT {few} FROM {t}",
    "GROUP BY, many": "SELECT {many}, count(*) FROM {t} GROUP BY {many}",
    "DISTINCT, many": "SELECT DISTINCT {many} FROM {t}",
    "COUNT(DISTINCT), many": "SELECT count(DISTINCT {many}) FROM {t}",
    "GROUP BY, four keys": "SELECT {keys}, count(*) FROM {t} GROUP BY {keys}",
    "sort-merge join": (
        "SELECT /*+ MERGE(u) */ u.id FROM {t} t JOIN {t}_half u ON {t.many} = {u.many}"
    ),
    "broadcast join": (
        "SELECT /*+ BROADCAST(u) */ u.id FROM {t} t JOIN {t}_words u ON {t.few} = {u.few}"
    ),
    "window": "SELECT row_number() OVER (PARTITION BY {few} ORDER BY {many}) FROM {t}",
    "ORDER BY": "SELECT {many} FROM {t} ORDER BY {many}",
    "ORDER BY … LIMIT 100": "SELECT {many} FROM {t} ORDER BY {many} LIMIT 100",
    "=": "SELECT id FROM {t} WHERE {many} = {one}",
    "<": "SELECT id FROM {t} WHERE {many} < {one}",
    "IN of 12": "SELECT id FROM {t} WHERE {many} IN ({twelve})",
    "IN of 1,000": "SELECT id FROM {t} WHERE {many} IN ({thousand})",
    "contains": "SELECT id FROM {t} WHERE contains({many}, {part})",
    "startswith": "SELECT id FROM {t} WHERE startswith({many}, {part})",
    "endswith": "SELECT id FROM {t} WHERE endswith({many}, '77')",
    "locate": "SELECT id FROM {t} WHERE locate({part}, {many}) = 3",
    "replace": "SELECT replace({many}, {part}, 'x') FROM {t}",
    "MIN, MAX": "SELECT min({many}), max({many}) FROM {t}",
    "LIKE": "SELECT id FROM {t} WHERE {many} LIKE {pattern}",
}

# Spark supports LIKE under these collations only.
LIKE_COLLATIONS = ("UTF8_BINARY", "UTF8_LCASE")

SETTINGS = ("spark.deltaCollations.speed.enabled", "spark.deltaCollations.correctness.enabled")

# The collations of the keys of "GROUP BY, four keys".
KEY_COLLATIONS = ("UTF8_LCASE", "UNICODE", "UNICODE_CI", "de_CI_AI")

# The texts and collations of ``--all``.
ALL = [
    ("european", "UNICODE_CI"), ("ascii", "UNICODE_CI"), ("world", "UNICODE_CI"),
    ("european", "UNICODE"), ("european", "UTF8_LCASE"), ("mixed", "UNICODE_CI"),
    ("mixed", "UNICODE"), ("skewed", "UNICODE_CI"), ("200 characters", "UNICODE_CI"),
    ("5,000 characters", "UNICODE_CI"),
]  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """One way to run a query: on which table, with which columns, with our settings or without."""

    table: str
    column: str = "{}"
    enabled: str = "true"
    key: str = "collate(concat(few, {0}), '{1}')"


VARIANTS = {
    "ours": Variant("collated"),
    "native": Variant("collated", enabled="false"),
    "binary": Variant("plain", key="concat(few, {0})"),
    "lower": Variant("plain", column="lower({})", key="lower(concat(few, {0}))"),
}


def start() -> SparkSession:
    """Start a session with enough memory for ten million rows."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "12g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
    )
    return configure_spark_with_collations(builder).getOrCreate()


def query_of(template: str, variant: Variant, values: dict[str, str]) -> str:
    """Return a query for a variant. ``lower`` compares with constants in lower case."""
    lower = variant.column != "{}"
    query = template
    for name in ("few", "many", "t.few", "t.many", "u.few", "u.many"):
        query = query.replace(f"{{{name}}}", variant.column.format(name))
    keys = (variant.key.format(*pair) for pair in enumerate(KEY_COLLATIONS))
    query = query.replace("{keys}", ", ".join(keys)).replace("{t}", variant.table)
    for name, value in values.items():
        query = query.replace(f"{{{name}}}", value.lower() if lower else value)
    return query


def values_of(spark: SparkSession) -> dict[str, str]:
    """Return the constants of the queries, which occur in the plain table."""
    names = [row[0] for row in spark.table("plain").limit(1000).select("many").collect()]
    part = names[0][:4]
    return {
        "one": literal(names[0]),
        "twelve": ", ".join(map(literal, names[:12])),
        "thousand": ", ".join(map(literal, names)),
        "part": literal(part),
        "pattern": literal(f"%{part}%"),
    }


@dataclass
class Result:
    """Times and peak memory of a query in one variant. A time is elapsed or CPU time of tasks."""

    times: list[dict[str, float]] = field(default_factory=list)
    memory: int = 0


def run(spark: SparkSession, query: str, variant: Variant, result: Result) -> None:
    """Run a query, discard its rows, and add its time and the memory of its operators."""
    for each in SETTINGS:
        spark.conf.set(each, variant.enabled)
    group = uuid.uuid4().hex
    spark.sparkContext.setJobGroup(group, query)
    started = time.monotonic()
    spark.sql(query).write.format("noop").mode("overwrite").save()
    elapsed = time.monotonic() - started
    stages = stages_of(spark, group)
    cpu = sum(each.executorCpuTime() for each in stages) / 1e9
    result.times.append({"elapsed": elapsed, "cpu": cpu})
    result.memory = max(result.memory, *(each.peakExecutionMemory() for each in stages))


def stages_of(spark: SparkSession, group: str) -> list[JavaObject]:
    """Return Spark's metrics of the stages of a job group."""
    context = spark.sparkContext._jsc.sc()  # noqa: SLF001
    context.listenerBus().waitUntilEmpty()
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job for stage in job.stageIds}
    return [context.statusStore().lastStageAttempt(stage) for stage in stages]


def print_header(variants: list[str]) -> None:
    """Print the names of the columns."""
    ratios = "".join(f"{'x ' + each:>10}" for each in variants[1:])
    memory = "".join(f"{each + ' MB':>10}" for each in variants)
    print(f"{'':<24}{''.join(f'{each:>8}' for each in variants)}{ratios}{memory}")


def print_results(name: str, results: dict[str, Result], clock: str) -> None:
    """Print a line with the best times, and how long ours takes relative to the others."""
    best = [min(time[clock] for time in each.times) for each in results.values()]
    times = "".join(f"{each:>8.2f}" for each in best)
    ratios = "".join(f"{best[0] / each:>10.2f}" for each in best[1:])
    memory = "".join(f"{each.memory / 1e6:>10.0f}" for each in results.values())
    print(f"{name:<24}{times}{ratios}{memory}", flush=True)


def measure(spark: SparkSession, text: str, collation: str, arguments: argparse.Namespace) -> None:
    """Alternate between the variants and print the best time of each with ratios."""
    with tempfile.TemporaryDirectory() as created:
        folder = Path(created) if arguments.delta else None
        rows = arguments.rows // TEXTS[text].share
        for name, kind in (("plain", None), ("collated", collation)):
            make_tables(spark, name, rows_of(TEXTS[text], rows, kind), folder)
        print(f"\n{rows:,} rows{' in Delta tables' if folder else ''}, {text}, {collation}\n")
        print_header(arguments.variants)
        values = values_of(spark)
        for name, template in QUERIES.items():
            if name == "LIKE" and collation not in LIKE_COLLATIONS:
                continue
            if not any(part.lower() in name.lower() for part in arguments.only):
                continue
            results = {variant: Result() for variant in arguments.variants}
            first = next(iter(results.values())).times
            # Short queries need many rounds before the JVM has compiled them.
            while len(first) < arguments.rounds or (
                len(first) < 12 and sum(each["elapsed"] for each in first) < 3
            ):
                for variant, result in results.items():
                    query = query_of(template, VARIANTS[variant], values)
                    run(spark, query, VARIANTS[variant], result)
            print_results(name, results, arguments.clock)
        spark.catalog.clearCache()


def main() -> None:
    """Measure one table, or all of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--text", choices=TEXTS, default="european")
    parser.add_argument("--collation", default="UNICODE_CI")
    parser.add_argument("--all", action="store_true", help="all texts and collations")
    parser.add_argument("--delta", action="store_true", help="Delta tables, not rows in memory")
    parser.add_argument(
        "--clock", choices=["elapsed", "cpu"], default="elapsed", help="cpu: on a busy machine"
    )
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default=[""], nargs="+", help="substrings of operation names")
    parser.add_argument("--variants", default=[*VARIANTS], nargs="+", choices=VARIANTS)
    arguments = parser.parse_args()
    spark = start()
    print(
        f"{arguments.clock} seconds, best of {arguments.rounds} or more rounds, alternating; how "
        "long the first variant takes relative to the others; peak memory of the operators"
    )
    for text, collation in ALL if arguments.all else [(arguments.text, arguments.collation)]:
        measure(spark, text, collation, arguments)


if __name__ == "__main__":
    main()
