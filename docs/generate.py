# SPDX-License-Identifier: Apache-2.0
"""Generate the pages that are derived from code: ``./dev python docs/generate.py [--check]``.

The settings come from the code, the errors from their catalog, and the notebook's output from running it.
With ``--check``, which the tests use, nothing is written and the script fails if a page is out of date.
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
CATALOG = DOCS.parent / "scala/src/main/resources/error/collations-error-conditions.json"


def main() -> None:
    """Write every page, or report the pages that are out of date."""
    pages = {DOCS / "errors.md": errors(), DOCS / "tour.ipynb": notebook(DOCS / "tour.ipynb")}
    # The notebook has started a session.
    pages[DOCS / "configuration.md"] = settings(SparkSession.builder.getOrCreate())
    stale = [page.name for page, text in pages.items() if current_text(page) != without_images(text)]
    if "--check" in sys.argv:
        sys.exit(f"Out of date, run docs/generate.py: {', '.join(stale)}" if stale else 0)
    for page, text in pages.items():
        page.write_text(text, "utf-8")


def errors() -> str:
    """Return the page of error conditions."""
    lines = [
        "# Errors",
        "",
        "Every exception of this library has an error condition, which `getCondition()` returns, and a message with",
        "the next step. `<…>` marks the parameters. `docs/generate.py` generates this list from the error catalog.",
        "",
        "| Condition | SQLSTATE | Message |",
        "|---|---|---|",
    ]
    for name, entry in json.loads(CATALOG.read_text("utf-8")).items():
        message = " ".join(entry["message"])
        for subclass, detail in entry.get("subClass", {"": {"message": []}}).items():
            condition = f"{name}.{subclass}" if subclass else name
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
        "`configure_spark_with_collations` sets these settings. Without it, set them yourself:",
        "",
        "| Setting | Value |",
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


def rows(settings: Any) -> list[str]:  # noqa: ANN401
    """Return a table row for each setting in a Scala list."""
    each = (settings.apply(index) for index in range(settings.size()))
    return [f"| `{setting.key()}` | {setting.doc()} |" for setting in each]


def notebook(page: Path) -> str:
    """Run a notebook and return it with the current output of its cells."""
    content = json.loads(page.read_text("utf-8"))
    names: dict[str, Any] = {}
    previous = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            # One session for all cells, with its tables in a temporary directory.
            builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
            builder.config("spark.sql.shuffle.partitions", "2")
            builder.config("spark.databricks.delta.snapshotPartitions", "2")
            builder.config("spark.sql.warehouse.dir", folder)
            configure_spark_with_collations(builder).getOrCreate()
            # The first cell would warn about this session.
            warnings.filterwarnings("ignore", "A Spark session is already running")
            code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
            for number, cell in enumerate(code, 1):
                cell["execution_count"] = number
                cell["outputs"] = outputs("".join(cell["source"]), names, number)
        finally:
            os.chdir(previous)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell as a notebook does and return its outputs."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    stdout = io.StringIO()
    value = None
    with redirect_stdout(stdout):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    result: list[dict[str, Any]] = []
    if stdout.getvalue():
        text = stdout.getvalue().splitlines(keepends=True)
        result.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        result.append(
            {
                "data": rendered(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return result


def rendered(value: object) -> dict[str, Any]:
    """Return a value in the formats that a notebook displays."""
    if not hasattr(value, "savefig"):
        return {"text/plain": [repr(value)]}
    png = io.BytesIO()
    value.savefig(png, format="png", dpi=80)
    image = base64.b64encode(png.getvalue()).decode()
    return {"image/png": image, "text/plain": ["<Figure>"]}


def current_text(page: Path) -> str:
    """Return the current text of a page, without images."""
    return without_images(page.read_text("utf-8")) if page.exists() else ""


def without_images(text: str) -> str:
    """Remove images, which depend on the fonts of the machine."""
    return "\n".join(line for line in text.splitlines() if '"image/png"' not in line)


if __name__ == "__main__":
    main()
