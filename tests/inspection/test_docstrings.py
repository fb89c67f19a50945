# SPDX-License-Identifier: Apache-2.0
"""The public API is documented, and the examples in its docstrings run."""

from __future__ import annotations

import doctest
import inspect
import pydoc
from importlib import metadata
from typing import TYPE_CHECKING

import delta_collations
import pytest
from delta_collations import CollatedTable, cli, errors, session, table
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from types import ModuleType

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PUBLIC_NAMES = ["CollatedTable", "RefreshResult", "UnsupportedSparkError", "bundled_jar",
                "configure_spark_with_collations"]  # fmt: skip


def docstrings(*modules: ModuleType) -> dict[str, doctest.DocTest]:
    """Return the docstrings with examples, by the names of the objects."""
    finder = doctest.DocTestFinder()
    found = [test for module in modules for test in finder.find(module)]
    return {test.name.removeprefix("delta_collations."): test for test in found if test.examples}


EXAMPLES = docstrings(session, table, errors)
# Methods use the table that the docstring of their class creates.
CLASS_EXAMPLES = EXAMPLES["table.CollatedTable"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring_examples_run(
    spark: SparkSession, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The shared session would be reported as already running.
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    test = EXAMPLES[name]
    if name.startswith("table.CollatedTable."):
        test.examples[:0] = CLASS_EXAMPLES.examples
    test.globs = {"spark": spark, **vars(delta_collations)}
    report: list[str] = []
    try:
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    finally:
        spark.sql("DROP TABLE IF EXISTS people")

    assert result.failed == 0, "".join(report)
    assert result.attempted > 0


def public_objects() -> dict[str, object]:
    """Return all public names of the package, with the methods of its classes."""
    found: dict[str, object] = {}
    for name in delta_collations.__all__:
        value = getattr(delta_collations, name)
        found[name] = value
        if inspect.isclass(value):
            methods = inspect.getmembers(value, inspect.isroutine)
            found |= {
                f"{name}.{method}": function
                for method, function in methods
                if method in vars(value) and not method.startswith("_")
            }
    return found


def test_dir_lists_the_public_names_and_nothing_else() -> None:
    names = [name for name in dir(delta_collations) if not name.startswith("_")]

    assert names == PUBLIC_NAMES == sorted(delta_collations.__all__)
    assert "__version__" in dir(delta_collations)
    assert all(hasattr(delta_collations, name) for name in dir(delta_collations))


def test_help_shows_every_public_name() -> None:
    text = pydoc.plain(pydoc.render_doc(delta_collations))

    assert [name for name in PUBLIC_NAMES if name not in text] == []
    assert f"VERSION\n    {delta_collations.__version__}" in text


def test_version_matches_installed_package() -> None:
    assert delta_collations.__version__ == metadata.version("delta-collations")


def test_every_public_name_has_a_docstring_with_an_example() -> None:
    undocumented = [
        name
        for name, value in public_objects().items()
        if "Examples\n--------" not in (inspect.getdoc(value) or "")
    ]

    assert undocumented == []
    assert inspect.getdoc(CollatedTable.plot)


def test_every_parameter_is_documented() -> None:
    missing = [
        f"{name}({parameter})"
        for name, value in {**public_objects(), "main": cli.main}.items()
        if inspect.isfunction(value) or inspect.ismethod(value)
        for parameter in inspect.signature(value).parameters
        if parameter != "self" and f"{parameter} : " not in (inspect.getdoc(value) or "")
    ]

    assert missing == []
