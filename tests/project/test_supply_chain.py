# SPDX-License-Identifier: Apache-2.0
"""Dependencies are pinned, and the wheel works without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from support.platforms import CURRENT, PLATFORMS, RELEASES
from support.processes import ROOT, run_in_new_process

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = ROOT / "python"

# Enables the loopback interface, which Spark needs, and checks that there is no other network.
CHECK_OFFLINE = """
import fcntl, socket, struct

SET_FLAGS, UP = 0x8914, 1
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", UP))
try:
    socket.create_connection(("192.0.2.1", 443), timeout=5)
except OSError:
    print("offline")
"""

USE_PACKAGE = """
import sys
from pyspark.sql import SparkSession
import delta_collations

assert delta_collations.__file__.startswith(sys.argv[1]), delta_collations.__file__
spark = delta_collations.configure_spark_with_collations(
    SparkSession.builder.master("local[1]")
).getOrCreate()
table = f"delta.`{sys.argv[1]}/people`"
spark.sql(f"CREATE TABLE {table} (name STRING COLLATE UNICODE_CI) USING delta")
spark.sql(f"INSERT INTO {table} VALUES ('Bob')")
print(spark.sql(f"SELECT name FROM {table} WHERE name = 'BOB'").collect()[0][0])
"""


def locked(name: str) -> dict[str, list[str]]:
    """Return the releases in a lock file by package, each of which must have a checksum."""
    text = (PYTHON / name).read_text("utf-8").replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^[a-z].*", text, re.MULTILINE):
        package, release = re.match(r"([\w.-]+)==(\S+)", line).groups()  # type: ignore[union-attr]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", line), line
        found.setdefault(package, []).append(release)
    return found


def test_installed_packages_are_pinned_with_checksum() -> None:
    pinned = locked("requirements.lock") | locked("platforms.lock")
    own = {"delta-collations", "pip"}
    installed = {
        re.sub(r"[-_.]+", "-", each.name).lower(): each.version for each in metadata.distributions()
    }
    unpinned = {
        name: version
        for name, version in installed.items()
        if name not in own and version not in pinned.get(name, [])
    }
    assert unpinned == {}


def test_spark_and_delta_of_every_platform_are_pinned() -> None:
    build = (ROOT / "project/Platforms.scala").read_text("utf-8")
    [next_spark] = re.findall(r'name = "next-spark", spark = "(.*?)"', build)
    pinned = locked("platforms.lock")
    assert {spark for _, spark, _ in RELEASES} | {next_spark} == set(pinned["pyspark"])
    assert set(pinned["pyspark-client"]) <= set(pinned["pyspark"])
    assert {delta for _, _, delta in RELEASES} == set(pinned["delta-spark"])


def test_pip_does_not_download_a_pyspark_that_delta_spark_does_not_allow() -> None:
    # pip downloads the newest PySpark that this package allows before it reads what Delta allows.
    def newest(package: str) -> list[str]:
        required = [each for each in metadata.requires(package) or () if each.startswith("pyspark")]
        return re.findall(r"<=?([\d.]+)", required[0])

    if PLATFORMS[0] != CURRENT:
        pytest.skip("only the newest Delta is the one that pip chooses")
    assert newest("delta-collations") == newest("delta-spark")


def test_wheel_installs_and_session_starts_without_network(tmp_path: Path) -> None:
    no_network = ["unshare", "--net"]
    if not shutil.which("unshare") or subprocess.run([*no_network, "true"], check=False).returncode:
        pytest.skip("this user cannot run a process without a network")
    [wheel] = (ROOT / ".dev" / "dist").glob("*.whl")
    install = ["-m", "pip", "install", "--no-index", "--no-deps", "--target", str(tmp_path)]
    subprocess.run(
        [*no_network, sys.executable, *install, str(wheel)], check=True, capture_output=True
    )

    python_path = ":".join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    script = CHECK_OFFLINE + USE_PACKAGE
    output = run_in_new_process(script, tmp_path, command_prefix=no_network, PYTHONPATH=python_path)
    assert output.splitlines() == ["offline", "Bob"]
