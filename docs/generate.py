# SPDX-License-Identifier: Apache-2.0
"""Make the pages that say what the code says: ``./dev python docs/generate.py [--check]``.

Settings come from the code, errors from their catalogue, and the notebook is run from top to bottom. With
``--check`` nothing is written, and a page that would change is an error; the tests do that.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from delta_collations import configure_spark_with_collations
from pyspark.sql import SparkSession

DOCS = Path(__file__).resolve().parent
CATALOGUE = DOCS.parent / "scala/src/main/resources/error/collations-error-conditions.json"


def main() -> None:
    """Make every page, or tell which are out of date."""
    made = {DOCS / "errors.md": errors(), DOCS / "tour.ipynb": notebook(DOCS / "tour.ipynb")}
    # The notebook has started a session by now.
    made[DOCS / "configuration.md"] = settings(SparkSession.builder.getOrCreate())
    stale = [page.name for page, text in made.items() if without_pictures(page) != plain(text)]
    if "--check" in sys.argv:
        sys.exit(f"Out of date, run docs/generate.py: {', '.join(stale)}" if stale else 0)
    for page, text in made.items():
        page.write_text(text, "utf-8")


def errors() -> str:
    """Return the page of error conditions."""
    lines = [
        "# Errors",
        "",
        "Every failure of this library has a condition, which `getCondition()` of the exception returns, and",
        "says what to do. Made from the catalogue by `docs/generate.py`; `<…>` stands for what it was about.",
        "",
        "| Condition | SQLSTATE | Message |",
        "|---|---|---|",
    ]
    for name, entry in json.loads(CATALOGUE.read_text("utf-8")).items():
        message = " ".join(entry["message"])
        for inner, detail in entry.get("subClass", {"": {"message": []}}).items():
            condition = f"{name}.{inner}" if inner else name
            text = " ".join([message, *detail["message"]]).replace("|", "\\|")
            lines.append(f"| `{condition}` | {entry['sqlState']} | {text} |")
    return "\n".join(lines) + "\n"


def settings(spark: SparkSession) -> str:
    """Return the page of settings."""
    jvm = spark._jvm  # noqa: SLF001
    assert jvm is not None  # noqa: S101
    conf = jvm.org.deltacollations.config.CollationsConf
    lines = [
        "# Configuration",
        "",
        "`configure_spark_with_collations` sets these; elsewhere they must hold:",
        "",
        "| Setting | Must hold |",
        "|---|---|",
        "| `spark.sql.extensions` | `org.deltacollations.CollationsExtension`, after Delta's |",
        "| `spark.sql.catalog.spark_catalog` | Delta's catalog, or one that delegates to it |",
        "| `spark.jars` | the jar of this package, `bundled_jar()` |",
        "",
        "These settings are `true` by default and can be changed while a session runs. `docs/generate.py` generates",
        "this list from the code.",
        "",
        "| Setting | Description |",
        "|---|---|",
    ]
    lines += rows(conf.booleans())
    lines += [
        "",
        "These settings are comma-separated lists, empty by default. They can be changed while a session runs.",
        "",
        "| Setting | Description |",
        "|---|---|",
        *rows(conf.lists()),
    ]
    return "\n".join(lines) + "\n"


def rows(found: Any) -> list[str]:  # noqa: ANN401
    """Return a line of a table for each setting of a list of Scala's."""
    each = (found.apply(number) for number in range(found.size()))
    return [f"| `{setting.key()}` | {setting.doc()} |" for setting in each]


def notebook(page: Path) -> str:
    """Return a notebook with the output that its cells have now."""
    content = json.loads(page.read_text("utf-8"))
    names: dict[str, Any] = {}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            # One session for all cells, with room for their tables where they leave no trace.
            builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
            builder.config("spark.sql.shuffle.partitions", "2")
            builder.config("spark.databricks.delta.snapshotPartitions", "2")
            builder.config("spark.sql.warehouse.dir", folder)
            configure_spark_with_collations(builder).getOrCreate()
            # Of the first cell, which finds this session running.
            warnings.filterwarnings("ignore", "A Spark session is running already")
            code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
            for number, cell in enumerate(code, 1):
                cell["execution_count"] = number
                cell["outputs"] = outputs("".join(cell["source"]), names, number)
        finally:
            os.chdir(before)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell as a notebook does, and return what it shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    value = None
    with redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    shown: list[dict[str, Any]] = []
    if said.getvalue():
        text = said.getvalue().splitlines(keepends=True)
        shown.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        shown.append(
            {
                "data": pictured(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return shown


def pictured(value: object) -> dict[str, Any]:
    """Return a value in the forms a notebook shows."""
    if not hasattr(value, "savefig"):
        return {"text/plain": [repr(value)]}
    drawn = io.BytesIO()
    value.savefig(drawn, format="png", dpi=80)
    picture = base64.b64encode(drawn.getvalue()).decode()
    return {"image/png": picture, "text/plain": ["<Figure>"]}


def without_pictures(page: Path) -> str:
    """Return what a page says now."""
    return plain(page.read_text("utf-8")) if page.exists() else ""


def plain(text: str) -> str:
    """Leave out pictures, which differ with the fonts of a machine."""
    return "\n".join(line for line in text.splitlines() if '"image/png"' not in line)


if __name__ == "__main__":
    main()
