# SPDX-License-Identifier: Apache-2.0
"""Runs the library on a standalone cluster and on S3, and with dbt and PyHive.

``./dev bench reach [ARGS…]`` installs the other programs into an environment of its own and runs
``tests/environments``; ARGS are passed to pytest. It prints which of them could not be installed or
started, and why.
"""

import os
import subprocess
import sys
import sysconfig

from support.processes import ROOT

ENVIRONMENT = ROOT / ".dev" / "reach"
# Each by itself, so that one that cannot be installed does not hide the others.
PACKAGES = (
    "moto[server]==5.2.5",
    # Later versions of dbt-core download a parser from elsewhere.
    "dbt-spark[session]==1.11.0 dbt-core==1.11.16",
    "pyhive[hive-pure-sasl]==0.7.0",
)


def install(packages: str) -> bool:
    """Install packages that are missing, and return whether they are there now."""
    stamp = ENVIRONMENT / f"{packages}.installed"
    if not stamp.exists():
        # PySpark and other packages of ./dev come first on Python's path.
        command = [str(ENVIRONMENT / "bin" / "pip"), "install", "--quiet", *packages.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{packages} could not be installed:\n{done.stderr}", flush=True)
            return False
        stamp.touch()
    return True


def main() -> None:
    """Install what is missing, then run the tests."""
    if not ENVIRONMENT.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    installed = [install(packages) for packages in PACKAGES]
    python_path = os.pathsep.join([str(ROOT / "tests"), sysconfig.get_path("purelib")])
    tests = [str(ROOT / "tests" / "environments"), "-v", "-rs", *sys.argv[1:]]
    done = subprocess.run(
        [ENVIRONMENT / "bin" / "python", "-m", "pytest", *tests],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": python_path},
        check=False,
    )
    sys.exit(done.returncode or not all(installed))


if __name__ == "__main__":
    main()
