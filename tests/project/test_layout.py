# SPDX-License-Identifier: Apache-2.0
"""Rules on the size, the imports and the names of Python modules."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from support.processes import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_LINES = 400

PACKAGE = ROOT / "python" / "delta_collations"
MODULES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")])


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the full names of imported modules and of the names imported from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def edits_sys_path(tree: ast.Module) -> bool:
    """Return whether a module modifies ``sys.path``."""
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            targets = [node.func.value]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        if any(ast.unparse(target).startswith("sys.path") for target in targets):
            return True
    return False


def violations(rule: str, path: Path, source: str) -> list[str]:
    """Return the path of a module that violates a rule, or an empty list."""
    tree = ast.parse(source)
    names = list(imported(tree))
    in_tests = ROOT / "tests" in path.parents
    violated = {
        "at most 400 lines": source.count("\n") > MAX_LINES,
        "no changes to sys.path": edits_sys_path(tree),
        "no imports from tests": in_tests
        and any(part.startswith("test_") for name in names for part in name.split(".")),
        "no Spark in the command line": PACKAGE / "cli" in path.parents
        and any(
            name.startswith(("pyspark", "delta_collations.session", "delta_collations.table"))
            for name in names
        ),
    }
    return [str(path.relative_to(ROOT))] if violated[rule] else []


# Every rule with a module that violates it.
EXAMPLES = {
    "at most 400 lines": "\n" * 401,
    "no changes to sys.path": "import sys\nsys.path.insert(0, 'tests')\n",
    "no imports from tests": "from cli.test_cli import run\n",
    "no Spark in the command line": "from delta_collations.session import bundled_jar\n",
}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_layout_rule_holds_for_all_modules(rule: str) -> None:
    assert [
        each for path in MODULES for each in violations(rule, path, path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize("rule", EXAMPLES)
def test_layout_rule_detects_violation(rule: str) -> None:
    folder = PACKAGE / "cli" if rule == "no Spark in the command line" else ROOT / "tests"

    assert violations(rule, folder / "example.py", EXAMPLES[rule]) != []


def test_test_module_names_are_unique() -> None:
    counts = Counter(path.name for path in MODULES if path.name.startswith("test_"))

    assert [name for name, count in counts.items() if count > 1] == []
