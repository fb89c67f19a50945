# SPDX-License-Identifier: Apache-2.0
"""The script ./dev: its commands, its error messages, and repeated builds."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.processes import ROOT

TOOLS = ["bash", "cat", "dirname", "env", "sed", "tr", "mkdir", "rm", "grep", "tail", "uname"]


def dev(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script and return its exit code and output."""
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
def path_without_python(tmp_path: Path) -> Path:
    """Return a PATH with common tools, but neither Python nor Java."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return folder


def test_dev_lists_its_commands_when_called_without_arguments() -> None:
    output = dev().stdout

    for command in ("demo", "test", "build", "python", "bench", "preview", "lint"):
        assert f"\n  {command} " in output


def test_dev_rejects_unknown_command() -> None:
    done = dev("dance")

    assert done.returncode == 1
    assert "dev: there is no command dance." in done.stderr


def test_dev_build_prints_nothing_when_up_to_date(tmp_path: Path) -> None:
    done = dev("build", cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_dev_build_explains_how_to_install_missing_python(path_without_python: Path) -> None:
    done = dev("build", PATH=str(path_without_python))

    assert done.returncode == 1
    assert done.stderr.startswith("dev: Python 3.10 or newer is needed. Install it (Debian: apt")


def test_dev_build_explains_how_to_install_missing_jdk(tmp_path: Path) -> None:
    done = dev("build", JAVA_HOME=str(tmp_path))

    assert done.returncode == 1
    assert f"A JDK 17 or newer is needed, and {tmp_path}/bin/javac does not run" in done.stderr


def test_dev_build_reports_version_of_old_jdk(tmp_path: Path) -> None:
    javac = tmp_path / "bin" / "javac"
    javac.parent.mkdir()
    javac.write_text("#!/bin/sh\necho javac 11.0.22\n")
    javac.chmod(0o755)

    done = dev("build", JAVA_HOME=str(tmp_path))

    assert done.returncode == 1
    assert f"A JDK 17 or newer is needed, and {javac} is 11." in done.stderr


def test_dev_python_runs_in_current_directory_with_package_and_delta(tmp_path: Path) -> None:
    code = "import os, delta, delta_collations, pyspark; print(os.getcwd(), pyspark.__version__)"
    done = dev("python", "-c", code, cwd=tmp_path)

    assert done.stdout == f"{tmp_path} 4.2.0\n"


def test_dev_bench_lists_benchmarks_and_rejects_unknown_one() -> None:
    listed, unknown = dev("bench"), dev("bench", "nothing")

    assert listed.returncode == 0
    assert "startup" in listed.stdout
    assert unknown.returncode == 1
    assert "dev: there is no benchmark nothing." in unknown.stderr
