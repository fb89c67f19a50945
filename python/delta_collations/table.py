# SPDX-License-Identifier: Apache-2.0
"""What a user wants to know of a table with collated columns, by SQL alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame, SparkSession


class RefreshResult(NamedTuple):
    """What a refresh did; ``bytes_read`` is the size of the files that were read.

    ``files_relabelled`` are those of ``files_refreshed`` that needed no reading.
    """

    files_checked: int
    files_refreshed: int
    bytes_read: int
    files_relabelled: int


class CollatedTable:
    """A Delta table with collated columns: their state, and what to do about it.

    Every method issues SQL, so it works the same through Spark Connect. Those that return a
    DataFrame read the log of the table when it is shown, and never the data.
    """

    def __init__(self, spark: SparkSession, name: str) -> None:
        """Take the table that SQL knows by ``name``; fails if there is no such Delta table."""
        self._spark = spark
        self._name = name
        _ = self.columns().schema

    @classmethod
    def forName(cls, spark: SparkSession, tableName: str) -> CollatedTable:  # noqa: N802, N803
        """Return the table of this name, such as ``people`` or ``sales.people``."""
        return cls(spark, tableName)

    @classmethod
    def forPath(cls, spark: SparkSession, path: str) -> CollatedTable:  # noqa: N802
        """Return the table in this folder."""
        quoted = path.replace("`", "``")
        return cls(spark, f"delta.`{quoted}`")

    def __repr__(self) -> str:
        """Show the name that SQL knows the table by."""
        return f"CollatedTable({self._name})"

    def columns(self) -> DataFrame:
        """Return the collated columns, and how many files have statistics to skip them by."""
        return self._function("collation_columns")

    def status(self) -> DataFrame:
        """Return a verdict on the statistics of each column, and the command to run next."""
        return self._function("collation_status")

    def explain(self, predicate: str) -> DataFrame:
        """Return how many files a query with this predicate reads or leaves out, and why."""
        return self._function("collation_explain", predicate)

    def refresh(self) -> RefreshResult:
        """Collect the statistics that files lack, and return what was done."""
        (done,) = self._spark.sql(f"ANALYZE TABLE {self._name} COMPUTE DELTA STATISTICS").collect()
        return RefreshResult(*done)

    def collisions(self, column: str, collation: str) -> DataFrame:
        """Return the values of a column that another collation would make equal.

        Each row is a group: ``rows`` that have one of its ``values``, which are listed with their
        own numbers of rows. The most frequent come first, of groups and of values. This reads the
        column.
        """
        value = F.col(column)
        values = (
            self._spark.table(self._name)
            .where(value.isNotNull())
            .groupBy(value.alias("value"))
            .agg(F.count("*").alias("rows"))
        )
        listed = F.sort_array(F.collect_list(F.struct("rows", "value")), asc=False)
        return (
            values.groupBy(F.collate("value", collation).alias("value"))
            .agg(F.sum("rows").alias("rows"), listed.alias("values"))
            .where(F.size("values") > 1)
            .select("rows", "values")
            .orderBy(F.desc("rows"), F.col("values")[0]["value"])
        )

    def plot(self, predicate: str | None = None, *, column: str | None = None) -> Figure:
        """Draw each file as a bar over the order of a column's collation.

        With a predicate, the strings in it are lines, and the files that it would read stand out.
        Where bars lie side by side, a lookup reads few files; where they all overlap, it reads all.
        Without ``column``, that is the first collated column, of those in the predicate if there
        are such. Needs the extra ``plot``.
        """
        from delta_collations._plot import drawn  # noqa: PLC0415

        return drawn(self._spark, self._name, self.columns(), predicate, column)

    def _function(self, name: str, *arguments: str) -> DataFrame:
        places = ", ".join("?" * (1 + len(arguments)))
        return self._spark.sql(f"SELECT * FROM {name}({places})", [self._name, *arguments])  # noqa: S608
