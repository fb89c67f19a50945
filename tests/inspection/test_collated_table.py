# SPDX-License-Identifier: Apache-2.0
"""``CollatedTable``, the Python API of the table functions and the refresh."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from delta_collations import CollatedTable, RefreshResult
from pyspark.errors import AnalysisException
from support.processes import run_in_new_process
from support.refresh import insert_one_file, without_collated_stats
from support.tables import Table

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure
    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture
def people(table: Table) -> Table:
    table.create("id INT, name STRING COLLATE UNICODE_CI, city STRING COLLATE UNICODE")
    for number, name in enumerate(["Ada", "bob", "Čeněk", "Eve"]):
        insert_one_file(table, f"{number}, '{name}', 'Ulm'")
    return table


def values(rows: DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows.select(*columns).collect()]


def test_for_name_and_for_path_find_table(spark: SparkSession, people: Table) -> None:
    by_path = CollatedTable.forPath(spark, str(people.path))
    assert repr(by_path) == f"CollatedTable({people.name})"
    assert values(by_path.columns(), "column") == [("name",), ("city",)]

    spark.sql(f"CREATE TABLE named USING delta LOCATION '{people.path}'")
    try:
        by_name = CollatedTable.forName(spark, "named")
        assert values(by_name.status(), "status", "files") == [("healthy", 4)] * 2
    finally:
        spark.sql("DROP TABLE named")


def test_for_path_accepts_special_characters(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "it's `here`, ü"
    rows = spark.createDataFrame([("Bob",)], "name STRING COLLATE UNICODE_CI")
    rows.write.format("delta").save(str(path))

    found = CollatedTable.forPath(spark, str(path))
    assert values(found.status(), "status") == [("healthy",)]
    assert found.refresh() == RefreshResult(1, files_refreshed=0, bytes_read=0, files_relabeled=0)


def test_for_name_and_for_path_reject_missing_table(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        CollatedTable.forName(spark, "nowhere")
    with pytest.raises(AnalysisException, match="DELTA_MISSING_DELTA_TABLE"):
        CollatedTable.forPath(spark, str(tmp_path / "nowhere"))


def test_refresh_returns_file_and_byte_counts(spark: SparkSession, people: Table) -> None:
    with without_collated_stats(people):
        insert_one_file(people, "9, 'Zoë', 'Ulm'")
    size = list(people.log.files.values())[-1]["size"]
    table = CollatedTable.forPath(spark, str(people.path))

    assert table.refresh() == RefreshResult(
        5, files_refreshed=1, bytes_read=size, files_relabeled=0
    )
    assert values(table.explain("name = 'BOB'"), "files", "outcome")[2:] == [
        (4, "pruned by collated statistics"),
        (1, "read"),
    ]


def test_collisions_are_values_that_another_collation_makes_equal(
    spark: SparkSession, table: Table
) -> None:
    table.create("name STRING COLLATE UNICODE_CI, inner STRUCT<word: STRING>")
    insert_one_file(
        table,
        "'Zoë', named_struct('word', 'a')", "'ZOË', named_struct('word', 'A')",
        "'Zoe', named_struct('word', 'b')", "'zoe', NULL", "'Zoe', NULL",
        "'Ada', NULL", "'Ána', NULL", "'Ana', NULL", "NULL, NULL",
    )  # fmt: skip
    found = CollatedTable.forPath(spark, str(table.path))

    assert [
        (row["rows"], [(each["rows"], each["value"].lower()) for each in row["values"]])
        for row in found.collisions("name", "UNICODE_CI_AI").collect()
    ] == [(5, [(3, "zoe"), (2, "zoë")]), (2, [(1, "ána"), (1, "ana")])]
    assert found.collisions("name", "UNICODE_CI").collect() == []
    assert [row["rows"] for row in found.collisions("inner.word", "UTF8_LCASE").collect()] == [2]
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        found.collisions("nobody", "UNICODE_CI")
    with pytest.raises(AnalysisException, match="COLLATION_INVALID_NAME"):
        found.collisions("name", "KLINGON").collect()


def texts(figure: Figure) -> list[str]:
    (axes,) = figure.axes
    lines = [text.get_text() for text in axes.texts]
    return [axes.get_title(loc="left"), axes.get_xlabel(), *lines]


def bars(figure: Figure) -> dict[str, int]:
    (axes,) = figure.axes
    return {str(each.get_label()): len(each.get_segments()) for each in axes.collections}  # type: ignore[attr-defined]


def test_plot_has_a_bar_per_file_and_a_line_per_string(
    spark: SparkSession, people: Table, tmp_path: Path
) -> None:
    with without_collated_stats(people):
        insert_one_file(people, "9, 'Zoë', 'Ulm'")
    table = CollatedTable.forPath(spark, str(people.path))

    figure = table.plot("name IN ('BOB', 'it''s $x$')")
    figure.savefig(tmp_path / "drawn.png")
    assert bars(figure) == {"skipped": 3, "read": 2}
    title, order, *lines = texts(figure)
    assert "5 files, 2 read" in title
    assert order == "name, in the order of icu.UNICODE_CI"
    assert lines == ["BOB", r"it's \$x\$"]

    city = table.plot(column="city")
    assert bars(city) == {"file": 5}
    assert texts(city)[1] == "city, in the order of icu.UNICODE"


def test_plot_orders_bars_by_collation(spark: SparkSession, people: Table) -> None:
    figure = CollatedTable.forPath(spark, str(people.path)).plot()
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Ada", "bob", "Čeněk", "Eve"]
    assert list(axes.get_xticks()) == [0, 1, 2, 3]


def test_plot_accepts_empty_table_and_rejects_missing_collated_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    empty = Table(spark, tmp_path / "a").create("name STRING COLLATE UNICODE_CI")
    assert bars(CollatedTable.forPath(spark, str(empty.path)).plot("name = 'x'")) == {}

    plain = Table(spark, tmp_path / "b").create("name STRING")
    with pytest.raises(ValueError, match="no collated column"):
        CollatedTable.forPath(spark, str(plain.path)).plot()
    with pytest.raises(ValueError, match="no collated column nobody"):
        CollatedTable.forPath(spark, str(empty.path)).plot(column="nobody")


def test_plot_names_pip_extra_when_matplotlib_is_missing(
    spark: SparkSession, people: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "delta_collations._plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.collections", None)

    with pytest.raises(ImportError, match=r'pip install "delta-collations\[plot\]"'):
        CollatedTable.forPath(spark, str(people.path)).plot()


def test_import_does_not_load_matplotlib() -> None:
    script = "import delta_collations, sys; print('matplotlib' in sys.modules)"
    assert run_in_new_process(script) == "False\n"
    assert "matplotlib" in sys.modules
