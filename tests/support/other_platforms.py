# SPDX-License-Identifier: Apache-2.0
"""The Spark versions that ``./dev test`` installs next to the one that the tests run on."""

from __future__ import annotations

import os

import pytest

from support.platforms import PLATFORMS, RELEASES
from support.processes import ROOT

DEV_FOLDER = ROOT / ".dev"


def oldest_to_newest() -> list[str]:
    """Return the first platform of each Spark version, which has its newest Delta."""
    newest = {each["spark"]: each["name"] for each in reversed(PLATFORMS)}
    return [newest[spark] for spark in sorted(newest)]


def platform_environment(platform: str) -> dict[str, str]:
    """Return the environment of a Python process that uses this platform, or skip the test."""
    name, spark, delta = next(release for release in RELEASES if release[0] == platform)
    folders = [DEV_FOLDER / "python" / f"delta-{delta}", DEV_FOLDER / "python" / f"spark-{spark}"]
    if platform == PLATFORMS[0]["name"]:
        folders = []
    elif not all(folder.exists() for folder in folders):
        pytest.skip(f"{platform} is not set up; ./dev test without arguments does that")
    return {
        "SPARK_CONF_DIR": str(DEV_FOLDER / "conf" / name),
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
    }
