# SPDX-License-Identifier: Apache-2.0
"""Derive what versions of ICU order alike, and hold a million real names against it.

``./dev bench icu-order-changes [--write]``: fails if what the jar carries differs, or puts
it there. Every step between two versions is tried under every order that Spark offers in both.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from robustness.harness import place_names
from support.processes import ROOT

SHIPPED = ROOT / "scala" / "src" / "main" / "resources" / "icu-order-changes.tsv"


def main() -> None:
    """Have the tool derive them in a JVM of its own, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        names = place_names.load(Path(folder), 1)
        made = Path(folder) / "icu-order-changes.tsv"
        derive = [
            str(ROOT / "dev"),
            "bench",
            "derived-icu-order-changes",
            str(names.lines),
            str(made),
        ]
        if subprocess.run(derive, check=False).returncode != 0:
            sys.exit("A name tells that a certificate is false, or the tool failed.")
        derived = made.read_text("utf-8")
    if "--write" in sys.argv:
        SHIPPED.write_text(derived, "utf-8")
    elif SHIPPED.read_text("utf-8") != derived:
        sys.exit(f"{SHIPPED.name} is out of date: ./dev bench icu-order-changes --write")
    print("The jar carries what was derived.")


if __name__ == "__main__":
    main()
