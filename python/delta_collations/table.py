# SPDX-License-Identifier: Apache-2.0
"""Inspects and maintains Delta tables with collated columns, by SQL alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F  # noqa: N812

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["CollatedTable", "RefreshResult"]


class RefreshResult(NamedTuple):
    """The result of :meth:`CollatedTable.refresh`.

    Examples
    --------
    >>> from delta_collations import RefreshResult
    >>> result = RefreshResult(
    ...     files_checked=8, files_refreshed=3, bytes_read=4096, files_relabeled=2
    ... )
    >>> result.files_refreshed - result.files_relabeled  # files that were read
    1
    """

    files_checked: int
    """The number of files in the table."""
    files_refreshed: int
    """The number of files that got new statistics."""
    bytes_read: int
    """The size of the files that were read."""
    files_relabeled: int
    """The number of refreshed files that did not have to be read."""


class CollatedTable:
    """A Delta table with collated columns.

    All methods run SQL, so they also work with Spark Connect. Methods that return a DataFrame read
    the log of the table when the DataFrame is evaluated. Only :meth:`collisions` and
    :meth:`refresh` read data files.

    Parameters
    ----------
    spark : SparkSession
        A session with the extension of delta-collations.
    name : str
        The name of the table in SQL.

    Raises
    ------
    pyspark.errors.AnalysisException
        If there is no Delta table with this name.

    See Also
    --------
    CollatedTable.forName, CollatedTable.forPath

    Examples
    --------
    >>> _ = spark.sql("CREATE TABLE people (id INT, name STRING COLLATE UNICODE_CI) USING delta")
    >>> _ = spark.sql("INSERT INTO people VALUES (1, 'Bob'), (2, 'Zoë'), (3, 'ZOË'), (4, 'Zoe')")
    >>> from delta_collations import CollatedTable
    >>> people = CollatedTable.forName(spark, "people")
    >>> people
    CollatedTable(people)
    """

    def __init__(self, spark: SparkSession, name: str) -> None:
        self._spark = spark
        self._name = name
        # Resolve the table here, so that a missing table fails in the constructor.
        _ = self.columns().schema

    @classmethod
    def forName(cls, spark: SparkSession, tableName: str) -> CollatedTable:  # noqa: N802, N803
        """Return the table with a name.

        Parameters
        ----------
        spark : SparkSession
            A session with the extension of delta-collations.
        tableName : str
            The name of the table, such as ``people`` or ``sales.people``.

        Returns
        -------
        CollatedTable
            The table.

        Raises
        ------
        pyspark.errors.AnalysisException
            If there is no Delta table with this name.

        Examples
        --------
        >>> CollatedTable.forName(spark, "default.people")
        CollatedTable(default.people)
        """
        return cls(spark, tableName)

    @classmethod
    def forPath(cls, spark: SparkSession, path: str) -> CollatedTable:  # noqa: N802
        """Return the table in a folder.

        Parameters
        ----------
        spark : SparkSession
            A session with the extension of delta-collations.
        path : str
            The path of the folder, or its URI.

        Returns
        -------
        CollatedTable
            The table.

        Raises
        ------
        pyspark.errors.AnalysisException
            If there is no Delta table in the folder.

        Examples
        --------
        >>> location = spark.sql("DESCRIBE DETAIL people").first()["location"]
        >>> CollatedTable.forPath(spark, location)
        CollatedTable(delta.`file:...people`)
        """
        quoted = path.replace("`", "``")
        return cls(spark, f"delta.`{quoted}`")

    def __repr__(self) -> str:
        """Return the name of the table in SQL."""
        return f"CollatedTable({self._name})"

    def columns(self) -> DataFrame:
        """Return the collated columns, and the number of files that can be skipped by each.

        Returns
        -------
        DataFrame
            The rows of the table function ``collation_columns``.

        Examples
        --------
        >>> people.columns().select("column", "collation", "statistics").show()
        +------+--------------+----------+
        |column|     collation|statistics|
        +------+--------------+----------+
        |  name|icu.UNICODE_CI| collected|
        +------+--------------+----------+
        <BLANKLINE>
        """
        return self._function("collation_columns")

    def status(self) -> DataFrame:
        """Return the status of the statistics of each column, and the command to run next.

        Returns
        -------
        DataFrame
            The rows of the table function ``collation_status``: one for the current ICU version,
            and one for each other version that files have statistics of.

        Examples
        --------
        >>> people.status().select("column", "is_current", "status", "command").show()
        +------+----------+-------+-------+
        |column|is_current| status|command|
        +------+----------+-------+-------+
        |  name|      true|healthy|   NULL|
        +------+----------+-------+-------+
        <BLANKLINE>
        """
        return self._function("collation_status")

    def explain(self, predicate: str) -> DataFrame:
        """Return how many files a query with a predicate reads or skips, and why.

        Parameters
        ----------
        predicate : str
            A condition in SQL, as after ``WHERE``.

        Returns
        -------
        DataFrame
            The rows of the table function ``collation_explain``.

        Raises
        ------
        pyspark.errors.AnalysisException
            If the predicate is not valid for the table.

        Examples
        --------
        >>> explained = people.explain("name < 'a'").where("files > 0")
        >>> explained.select("outcome", "reason").show(truncate=False)
        +-----------------------------+-------------------------------------+
        |outcome                      |reason                               |
        +-----------------------------+-------------------------------------+
        |pruned by collated statistics|no row between their bounds can match|
        +-----------------------------+-------------------------------------+
        <BLANKLINE>
        """
        return self._function("collation_explain", predicate)

    def refresh(self) -> RefreshResult:
        """Add missing statistics to files.

        Runs ``ANALYZE TABLE … COMPUTE DELTA STATISTICS``. Reads only files whose statistics cannot
        be taken from those of another ICU version.

        Returns
        -------
        RefreshResult
            The numbers of files and bytes.

        Examples
        --------
        >>> people.refresh().files_refreshed
        0
        """
        (result,) = self._spark.sql(
            f"ANALYZE TABLE {self._name} COMPUTE DELTA STATISTICS"
        ).collect()
        return RefreshResult(*result)

    def collisions(self, column: str, collation: str) -> DataFrame:
        """Return the values of a column that another collation would make equal.

        Reads the column.

        Parameters
        ----------
        column : str
            The name of a string column.
        collation : str
            The name of a collation, such as ``UNICODE_CI_AI``.

        Returns
        -------
        DataFrame
            A row for each group of values that would be equal: ``rows``, the number of rows with
            these values, and ``values``, an array of structs with the number of rows and the value.
            The most frequent groups and values come first.

        Raises
        ------
        pyspark.errors.AnalysisException
            If the column or the collation does not exist.

        Examples
        --------
        >>> [group] = people.collisions("name", "UNICODE_CI_AI").collect()
        >>> group["rows"], len(group["values"])
        (3, 2)
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
        """Draw each file as a bar from its minimum to its maximum, in the order of a collation.

        With a predicate, its string literals are drawn as lines, and files that a query would read
        are highlighted. A query for one value reads few files if the bars do not overlap, and all
        files if all bars overlap.

        Parameters
        ----------
        predicate : str, optional
            A condition in SQL, as after ``WHERE``.
        column : str, optional
            The collated column to draw. By default the first collated column that the predicate
            names, or the first collated column.

        Returns
        -------
        matplotlib.figure.Figure
            The plot.

        Raises
        ------
        ImportError
            If matplotlib is not installed. The extra ``plot`` installs it.
        ValueError
            If the table has no collated columns, or ``column`` is not one of them.

        Examples
        --------
        >>> figure = people.plot("name = 'zoë'")
        >>> figure.axes[0].get_xlabel()
        'name, in the order of icu.UNICODE_CI'
        """
        try:
            from delta_collations._plot import plot_files  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "matplotlib":
                raise
            raise ImportError(
                "CollatedTable.plot requires matplotlib. Install it with: "
                'pip install "delta-collations[plot]"'
            ) from error
        return plot_files(self._spark, self._name, self.columns(), predicate, column)

    def _function(self, name: str, *arguments: str) -> DataFrame:
        markers = ", ".join("?" * (1 + len(arguments)))
        return self._spark.sql(f"SELECT * FROM {name}({markers})", [self._name, *arguments])  # noqa: S608
