# SPDX-License-Identifier: Apache-2.0
"""The command line starts without Spark and parses its arguments."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from delta_collations.cli import main
from support.command_line import ICU, error_message, run
from support.log_builder import (
    add,
    table,
)


def test_icu_version_defaults_to_that_of_the_installed_pyspark(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    _, out, _ = run("status", tmp_path, "--json")

    import pyspark  # noqa: PLC0415

    (jar,) = Path(pyspark.__path__[0], "jars").glob("icu4j-*.jar")
    assert f"icu4j-{json.loads(out)[0]['version']}.jar" == jar.name


@pytest.mark.parametrize(
    "arguments",
    [
        ["status"],
        ["dance", "x"],
        ["status", "x", "--icu-version", "new"],
        ["status", "x", "--icu", "78.3"],
        [],
    ],
)
def test_invalid_arguments_print_usage(arguments: list[str]) -> None:
    code, out, error = run(*arguments)

    assert (code, out) == (2, "")
    assert error.startswith("usage: delta-collations")


def fresh(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a new Python process."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_module_runs_without_importing_pyspark(tmp_path: Path) -> None:
    table(tmp_path, add("a"))

    done = fresh(
        """if True:
        import runpy, sys
        sys.argv[0] = "delta_collations"
        try:
            runpy.run_module("delta_collations", run_name="__main__", alter_sys=True)
        finally:
            print({"pyspark", "py4j", "delta"} & set(sys.modules))
        """,
        "status",
        tmp_path,
        "--icu-version",
        ICU,
    )

    assert "missing: no file has statistics" in done.stdout
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (1, "set()", "")


def test_package_imports_pyspark_and_pyarrow_lazily() -> None:
    done = fresh(
        """if True:
        import sys, delta_collations
        print({"pyspark", "pyarrow"} & set(sys.modules), len(delta_collations.__all__))
        from delta_collations import *
        print("pyspark" in sys.modules, callable(configure_spark_with_collations))
        delta_collations.nothing
        """
    )

    assert done.stdout.splitlines() == [
        "set() 5",
        "True True",
    ]
    assert "AttributeError: module 'delta_collations' has no attribute 'nothing'" in done.stderr


def test_error_names_the_extra_when_pyarrow_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path, add("a"))
    monkeypatch.delitem(sys.modules, "delta_collations.cli.delta_log", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert error_message(tmp_path) == (
        'pyarrow is not installed. Install it with: pip install "delta-collations[cli]"'
    )


def test_error_names_the_option_when_pyspark_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    code, _, error = run("status", table(tmp_path, add("a")))

    assert code == 2
    assert error.endswith("Specify it, for example with --icu-version 78.3.\n")


def test_package_installs_the_command() -> None:
    (script,) = entry_points(group="console_scripts", name="delta-collations")

    assert script.load() is main
