# SPDX-License-Identifier: Apache-2.0
"""Start of a session and creation of its first table, with and without the extension."""

import subprocess
import sys
import tempfile
from pathlib import Path

from delta_collations import bundled_jar

ROUNDS = 4

# Prints the times to start a session, to create the first table and to create a further one.
SCRIPT = """
import sys, time
from pyspark.sql import SparkSession
extensions, jars, folder = sys.argv[1:]
builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.sql.extensions", extensions)
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.databricks.delta.snapshotPartitions", "2")
)
if jars:
    builder.config("spark.jars", jars)
started = time.monotonic()
spark = builder.getOrCreate()
session = time.monotonic()
spark.sql(f"CREATE TABLE delta.`{folder}/first` (name STRING) USING delta")
first = time.monotonic()
for number in range(5):
    spark.sql(f"CREATE TABLE delta.`{folder}/t{number}` (name STRING) USING delta")
print(session - started, first - session, (time.monotonic() - first) / 5)
"""

DELTA = "io.delta.sql.DeltaSparkSessionExtension"
VARIANTS = {
    "plain Delta": DELTA,
    "with collations": f"{DELTA},org.deltacollations.CollationsExtension",
}


def measure(extensions: str) -> list[float]:
    """Start a new JVM and return its three times."""
    from delta_collations._spark_conf import spark_defaults  # noqa: PLC0415

    jars = f"{spark_defaults()['spark.jars']},{bundled_jar()}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, extensions, jars, folder],
            capture_output=True,
            text=True,
            check=True,
        )
    return [float(word) for word in done.stdout.split()]


def main() -> None:
    """Alternate between the variants and print the best times with ratios."""
    best: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for variant, extensions in VARIANTS.items():
            times = measure(extensions)
            best[variant] = [
                min(pair) for pair in zip(best.get(variant, times), times, strict=True)
            ]
    plain, collations = best.values()
    print(f"Seconds, best of {ROUNDS} new JVMs each, alternating\n")
    print(f"{'':<18}{'plain Delta':>14}{'with collations':>18}{'ratio':>9}")
    for row, a, b in zip(
        ("session", "first table", "further tables"), plain, collations, strict=True
    ):
        print(f"{row:<18}{a:>14.2f}{b:>18.2f}{b / a:>9.2f}")


if __name__ == "__main__":
    assert Path(bundled_jar()).is_file()
    main()
