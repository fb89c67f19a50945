# SPDX-License-Identifier: Apache-2.0
"""Order changes between ICU versions, derived and checked against a million real names.

``./dev bench icu-order-changes`` fails if the resource in the jar is out of date. With ``--write``,
it writes the resource. Every step between two versions is checked with every collation that Spark
has in both.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from robustness.harness import place_names
from support.processes import ROOT

RESOURCE = ROOT / "scala" / "src" / "main" / "resources" / "icu-order-changes.tsv"


def main() -> None:
    """Derive the changes in a separate JVM, then compare or write them."""
    with tempfile.TemporaryDirectory() as folder:
        names = place_names.load(Path(folder), 1)
        output = Path(folder) / "icu-order-changes.tsv"
        derive = [
            str(ROOT / "dev"),
            "bench",
            "derived-icu-order-changes",
            str(names.lines),
            str(output),
        ]
        if subprocess.run(derive, check=False).returncode != 0:
            sys.exit("The derivation failed, or a name contradicts the derived order changes.")
        derived = output.read_text("utf-8")
    if "--write" in sys.argv:
        RESOURCE.write_text(derived, "utf-8")
    elif RESOURCE.read_text("utf-8") != derived:
        sys.exit(f"{RESOURCE.name} is out of date. Run ./dev bench icu-order-changes --write")
    print("The resource in the jar equals the derived order changes.")


if __name__ == "__main__":
    main()
