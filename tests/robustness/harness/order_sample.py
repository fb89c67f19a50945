# SPDX-License-Identifier: Apache-2.0

"""Reads and writes the sample for ``./dev test``: a few hundred names and their order in Node.

``./dev bench ordering --make-sample`` writes it.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from robustness.harness import conformance
from robustness.harness.order_oracles import Node, ParsedCollation
from robustness.harness.place_names import Names

if TYPE_CHECKING:
    from robustness.harness.order_differences import Ranks

FOLDER = Path(__file__).parents[1] / "data"
CONFORMANCE = FOLDER / "cldr-conformance.txt"
COLLATIONS = ["UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "sv", "da", "cs_CI", "zh"]


def names(folder: Path) -> Names:
    """Return the names of the sample; ``folder`` is for programs that read a file."""
    return Names((FOLDER / "names.txt").read_text("utf-8").split("\n")[:-1], folder)


def by_node(collation: str) -> Ranks:
    """Return the ranks that Node computed when the sample was written."""
    ranks = json.loads((FOLDER / "orders-by-node.json").read_text("utf-8"))["ranks"][collation]
    return np.array(ranks, np.int32)


def make(million: Names, path: Path) -> None:
    """Write the sample: names, their ranks in Node, and an excerpt of the conformance file."""
    FOLDER.mkdir(exist_ok=True)
    chosen = Names(sorted(_of_every_script(million.words) | _near(million.words)), million.folder)
    text = "".join(f"{word}\n" for word in chosen.words)
    (FOLDER / "names.txt").write_text(text, "utf-8")
    chosen.lines.write_text(text, "utf-8")
    node = Node()
    ranks = {name: node.ranks(chosen, ParsedCollation(name)).tolist() for name in COLLATIONS}
    made = {"by": f"Node {node.version()}", "ranks": ranks}
    (FOLDER / "orders-by-node.json").write_text(json.dumps(made) + "\n", "utf-8")
    CONFORMANCE.write_text(_excerpt(path), "utf-8")


def _of_every_script(words: list[str]) -> set[str]:
    """Return about eight names of each script, evenly distributed."""
    scripts = defaultdict(list)
    for word in words:
        scripts[unicodedata.name(word[0], "?").split()[0]].append(word)
    return {word for found in scripts.values() for word in found[:: len(found) // 8 + 1]}


def _near(words: list[str]) -> set[str]:
    """Return names that differ only in case, accents and punctuation, which are hard to sort."""
    similar = defaultdict(list)
    for word in words:
        letters = unicodedata.normalize("NFKD", word).casefold()
        similar["".join(letter for letter in letters if letter.isalpha())].append(word)
    groups = [found for found in similar.values() if len(found) > 7]
    return {word for found in groups[:: len(groups) // 20 + 1] for word in found}


def _excerpt(path: Path) -> str:
    """Return the header of the file, and two adjacent lines out of every 600."""
    lines = path.read_text("utf-8").splitlines()
    notice = [line for line in lines if line.startswith("#")]
    data = [line for line in lines if line and not line.startswith("#")]
    pairs = [line for place in range(0, len(data) - 1, 600) for line in data[place : place + 2]]
    comment = (
        "# An excerpt, made by ./dev bench ordering --make-sample: two lines out of every 600."
    )
    return "\n".join([*notice, comment, *pairs, ""])


def read_excerpt() -> conformance.Conformance:
    """Return the strings of the excerpt in CLDR order."""
    return conformance.read(CONFORMANCE)
