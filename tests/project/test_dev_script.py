# SPDX-License-Identifier: Apache-2.0
"""The script ./dev says what is missing, does nothing twice, and stays out of the way."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.processes import ROOT

TOOLS = ["bash", "cat", "dirname", "env", "sed", "tr", "mkdir", "rm", "grep", "tail", "uname"]


def dev(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script and return what it said."""
    return subprocess.run(
        [str(ROOT / "dev"), *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def few_tools(tmp_path: Path) -> Path:
    """Return a PATH with everyday tools, but neither Python nor Java."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def test_without_a_command_it_lists_them() -> None:
    said = dev().stdout

    for command in ("demo", "test", "build", "python", "bench", "lint"):
        assert f"\n  {command} " in said


def test_an_unknown_command_is_refused_by_name() -> None:
    done = dev("dance")

    assert done.returncode == 1
    assert "dev: there is no command dance." in done.stderr


def test_a_second_build_has_nothing_to_say(tmp_path: Path) -> None:
    done = dev("build", cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_missing_python_is_named_with_how_to_get_one(few_tools: Path) -> None:
    done = dev("build", PATH=str(few_tools))

    assert done.returncode == 1
    assert done.stderr.startswith("dev: Python 3.10 or newer is needed. Install it (Debian: apt")


def test_a_missing_jdk_is_named_with_how_to_get_one(tmp_path: Path) -> None:
    done = dev("build", JAVA_HOME=str(tmp_path))

    assert done.returncode == 1
    assert f"A JDK 17 or newer is needed, and {tmp_path}/bin/javac does not run" in done.stderr


def test_a_jdk_that_is_too_old_is_named_with_its_version(tmp_path: Path) -> None:
    javac = tmp_path / "bin" / "javac"
    javac.parent.mkdir()
    javac.write_text("#!/bin/sh\necho javac 11.0.22\n")
    javac.chmod(0o755)

    done = dev("build", JAVA_HOME=str(tmp_path))

    assert done.returncode == 1
    assert f"A JDK 17 or newer is needed, and {javac} is 11." in done.stderr


def test_python_runs_where_it_is_called_with_the_package_and_delta(tmp_path: Path) -> None:
    code = "import os, delta, delta_collations, pyspark; print(os.getcwd(), pyspark.__version__)"
    done = dev("python", "-c", code, cwd=tmp_path)

    assert done.stdout == f"{tmp_path} 4.2.0\n"


def test_benchmarks_are_listed_and_an_unknown_one_is_refused() -> None:
    listed, unknown = dev("bench"), dev("bench", "nothing")

    assert listed.returncode == 0
    assert "startup" in listed.stdout
    assert unknown.returncode == 1
    assert "dev: there is no benchmark nothing." in unknown.stderr
