# SPDX-License-Identifier: Apache-2.0
"""Python modules follow the rules of the layout."""

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
    """Yield the full names of imported modules, and of what is imported from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def edits_sys_path(tree: ast.Module) -> bool:
    """Return whether a module calls a method of ``sys.path`` or assigns to it."""
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


def found(rule: str, path: Path, source: str) -> list[str]:
    """Return where a module breaks a rule."""
    tree = ast.parse(source)
    names = list(imported(tree))
    in_tests = ROOT / "tests" in path.parents
    broken = {
        "at most 400 lines": source.count("\n") > MAX_LINES,
        "no edit of sys.path": edits_sys_path(tree),
        "no import of a test": in_tests
        and any(part.startswith("test_") for name in names for part in name.split(".")),
        "no Spark in the command line": PACKAGE / "cli" in path.parents
        and any(
            name.startswith(("pyspark", "delta_collations.session", "delta_collations.table"))
            for name in names
        ),
    }
    return [str(path.relative_to(ROOT))] if broken[rule] else []


# Every rule, with a module that breaks it.
VIOLATIONS = {
    "at most 400 lines": "\n" * 401,
    "no edit of sys.path": "import sys\nsys.path.insert(0, 'tests')\n",
    "no import of a test": "from cli.test_cli import run\n",
    "no Spark in the command line": "from delta_collations.session import bundled_jar\n",
}


@pytest.mark.parametrize("rule", VIOLATIONS)
def test_layout_rule_holds_for_all_modules(rule: str) -> None:
    assert [each for path in MODULES for each in found(rule, path, path.read_text("utf-8"))] == []


@pytest.mark.parametrize("rule", VIOLATIONS)
def test_layout_rule_detects_a_violation(rule: str) -> None:
    folder = PACKAGE / "cli" if rule == "no Spark in the command line" else ROOT / "tests"

    assert found(rule, folder / "planted.py", VIOLATIONS[rule]) != []


def test_names_of_test_modules_are_unique() -> None:
    counts = Counter(path.name for path in MODULES if path.name.startswith("test_"))

    assert [name for name, count in counts.items() if count > 1] == []
