# SPDX-License-Identifier: Apache-2.0
"""Random streams with collated keys, failures and restarts, compared with plain canonical keys.

``./dev bench stateful-streams [COUNT] [SEED] [FIRST]`` runs COUNT cases, starting with the number
FIRST. The process that runs them is killed now and then; another one continues the case.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from delta_collations import configure_spark_with_collations
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812
from support.stateful_streams import Source, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

STATE_STORES = ("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
FAILURE_CHANCE, KILL_CHANCE = 0.15, 0.01
INJECTED = "injected failure"
COUNT, SEED = 2000, 20261119
PROGRESS = 100
KILLED = 137

Query = "Callable[[DataFrame], DataFrame]"


class Case:
    """One stream: its query, its rows, and when it fails, all drawn from the number of the case."""

    def __init__(self, seed: int, number: int) -> None:
        """Draw the query."""
        self.chance = random.Random(f"{seed}:{number}")  # noqa: S311
        self.store = self.chance.choice(STATE_STORES)
        self.late = self.chance.choice([0, 60, 300])
        self.steps = self.chance.randint(2, 4)
        self.mode, self.query, self.text = self._query()

    def _query(self) -> tuple[str, Any, str]:
        chance = self.chance
        keys = chance.sample(["name", "other", "s", "a", "s.f", "id % 3"], chance.randint(1, 3))
        if not {"name", "other", "s", "a", "s.f"} & set(keys):
            keys.append("name")
        columns: list[Column] = [F.expr(key).alias(f"k{n}") for n, key in enumerate(keys)]
        names = [f"k{n}" for n in range(len(keys))]
        minutes = chance.choice(["30 seconds", "2 minutes"])
        counts = [F.count("*").alias("n"), F.max("id").alias("m"), F.sum("id").alias("t")]

        def watermarked(rows: DataFrame) -> DataFrame:
            return rows.withWatermark("ts", minutes)

        def deduplicated(rows: DataFrame) -> DataFrame:
            return rows.select(*columns, "id").dropDuplicates(names)

        def within_watermark(rows: DataFrame) -> DataFrame:
            return (
                watermarked(rows).select(*columns, "id", "ts").dropDuplicatesWithinWatermark(names)
            )

        def windows(rows: DataFrame) -> DataFrame:
            return watermarked(rows).groupBy(F.window("ts", "1 minute"), *columns).agg(*counts)

        def sessions(rows: DataFrame) -> DataFrame:
            return (
                watermarked(rows)
                .groupBy(F.session_window("ts", "20 seconds"), *columns)
                .agg(*counts)
            )

        def joined(kind: str) -> Callable[[DataFrame], DataFrame]:
            def query(rows: DataFrame) -> DataFrame:
                left = watermarked(rows).where("id % 2 = 0").alias("l")
                right = watermarked(rows).where("id % 2 = 1").alias("r")
                key = chance_key
                condition = (
                    f"l.{key} = r.{key} AND r.ts BETWEEN l.ts - INTERVAL 2 MINUTES AND "
                    "l.ts + INTERVAL 2 MINUTES"
                )
                frame = left.join(right, F.expr(condition), kind)
                return frame.select("l.id") if kind == "left_semi" else frame.select("l.id", "r.id")

            return query

        chance_key = chance.choice(["name", "other", "s", "a", "s.f"])
        kind = chance.choice(["inner", "left_outer", "left_semi"])
        choices: list[tuple[str, Any, str]] = [
            ("update", lambda rows: rows.groupBy(*columns).agg(*counts), f"group by {keys}"),
            ("complete", lambda rows: rows.groupBy(*columns).agg(*counts), f"group by {keys}"),
            ("update", lambda rows: rows.select(*columns).distinct(), f"distinct {keys}"),
            ("append", deduplicated, f"deduplicate {keys}"),
            ("append", within_watermark, f"deduplicate within {minutes} {keys}"),
            ("append", windows, f"windows {minutes} {keys}"),
            ("update", windows, f"windows {minutes} {keys}"),
            ("append", sessions, f"sessions {minutes} {keys}"),
            ("append", joined(kind), f"{kind} join {chance_key} {minutes}"),
        ]
        return chance.choice(choices)

    def run(self, spark: SparkSession, folder: Path, *, can_kill: bool = False) -> str | None:
        """Run the stream and its counterpart on plain strings; return the difference, if any."""
        provider = f"org.apache.spark.sql.execution.streaming.state.{self.store}"
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
        source = Source(spark, folder, self.chance)
        state = folder / "step"
        done = int(state.read_text()) if state.exists() else 0
        for step in range(self.steps):
            # The rows of steps before a kill are drawn again, and are the same.
            for _ in range(self.chance.randint(1, 2)):
                source.add(self.chance.randint(1, 8), late_seconds=self.late)
            failures = [self.chance.random() for _ in range(8)]
            if step < done:
                continue
            self._run(source, failures, is_canonical=False, can_kill=can_kill)
            self._run(source, [], is_canonical=True, can_kill=False)
            state.write_text(str(step + 1))
        ours, plain = (self._output(folder / each) for each in ("out-0", "out-1"))
        return (
            None if ours == plain else f"{self.text}, {self.mode}, {self.store}: {ours} != {plain}"
        )

    def _run(
        self, source: Source, failures: list[float], *, is_canonical: bool, can_kill: bool
    ) -> None:
        """Run all new files. Each failure restarts the stream."""
        out = source.folder / f"out-{int(is_canonical)}"
        out.mkdir(exist_ok=True)
        remaining = iter(failures)

        def write(batch: DataFrame, number: int) -> None:
            rows = [repr(row) for row in sorted(map(repr, counted(batch.collect()).elements()))]
            draw = next(remaining, 1.0)
            if draw < FAILURE_CHANCE / 2:
                raise RuntimeError(INJECTED)
            (out / f"{number:05}.json").write_text(json.dumps(rows), "utf-8")
            if draw > 1 - KILL_CHANCE and draw < 1 and can_kill and not (out / "killed").exists():
                (out / "killed").touch()
                jvm = source.spark._jvm  # noqa: SLF001
                assert jvm is not None
                jvm.java.lang.Runtime.getRuntime().halt(KILLED)
            if draw < FAILURE_CHANCE:
                raise RuntimeError(INJECTED)

        while True:
            stream = self.query(source.stream(is_canonical=is_canonical)).writeStream
            stream = stream.outputMode(self.mode).foreachBatch(write)
            checkpoint = source.folder / f"checkpoint-{int(is_canonical)}"
            stream = stream.option("checkpointLocation", str(checkpoint))
            try:
                stream.trigger(availableNow=True).start().awaitTermination()
            except StreamingQueryException as failure:
                if INJECTED not in str(failure):
                    raise
            else:
                return

    def _output(self, out: Path) -> list[str]:
        """Return the rows of all batches, in the order of the batches."""
        batches = [json.loads(path.read_text("utf-8")) for path in sorted(out.glob("*.json"))]
        if self.mode == "append":
            return sorted(row for batch in batches for row in batch)
        return [f"{n} {row}" for n, batch in enumerate(batches) for row in batch]


def start() -> SparkSession:
    """Start a session for many small streams."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.codegen.cache.maxEntries", "5000")
        .config("spark.sql.ui.retainedExecutions", "10")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1")
    )
    return configure_spark_with_collations(builder).getOrCreate()


def work(folder: Path, count: int, seed: int, first: int) -> None:
    """Run cases until the end, or until a case kills this process."""
    spark = start()
    for number in range(first, first + count):
        case_folder = folder / str(number)
        case = Case(seed, number)
        try:
            difference = case.run(spark, case_folder, can_kill=True)
        except StreamingQueryException as failure:
            difference = f"{case.text}: {failure}"
        killed = (case_folder / "out-0" / "killed").exists()
        line = {"case": number, "difference": difference, "killed": killed}
        with (folder / "results").open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")
        shutil.rmtree(case_folder, ignore_errors=True)


def main() -> None:
    """Start processes until all cases are done, and print the differences."""
    if sys.argv[1:2] == ["--work"]:
        work(Path(sys.argv[2]), *map(int, sys.argv[3:]))
        return
    count, seed, first = (
        int(given) if given else default
        for given, default in zip([*sys.argv[1:], "", "", ""][:3], (COUNT, SEED, 0), strict=True)
    )
    with tempfile.TemporaryDirectory() as name:
        results, processes = Path(name) / "results", 0
        done: list[dict[str, Any]] = []
        while len(done) < count:
            rest = [str(count - len(done)), str(seed), str(first + len(done))]
            before = len(done)
            subprocess.run([sys.executable, __file__, "--work", name, *rest], check=False)
            processes += 1
            done = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
            if len(done) == before and processes > count:
                break
        differences = [each for each in done if each["difference"]]
        for each in differences:
            print(f"case {seed}:{each['case']}: {each['difference']}"[:2000])
        kills = sum(each["killed"] for each in done)
        print(f"{len(done)} cases, seed {seed}: {len(differences)} differences, {kills} kills")
        sys.exit(bool(differences))


if __name__ == "__main__":
    main()
