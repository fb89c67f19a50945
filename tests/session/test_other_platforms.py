# SPDX-License-Identifier: Apache-2.0
"""The smoke tests on every other Spark version, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.other_platforms import oldest_to_newest, platform_environment
from support.platforms import CURRENT, PLATFORMS
from support.processes import ROOT

# ./dev test --platform runs the tests on one platform only.
OTHERS = oldest_to_newest()[:-1] if PLATFORMS[0] == CURRENT else []


@pytest.mark.parametrize("platform", OTHERS)
def test_smoke_tests_pass_on_other_spark(platform: str) -> None:
    environment = platform_environment(platform)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/session/test_platform_smoke.py"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed in " in done.stdout
    assert "skipped" not in done.stdout
