# SPDX-License-Identifier: Apache-2.0

"""A few hundred of the names, and their order as Node has it: what ``./dev test`` goes by.

``./dev bench ordering --make-sample`` writes it anew.
"""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from robustness.harness import conformance
from robustness.harness.order_oracles import Asked, Node
from robustness.harness.place_names import Names

if TYPE_CHECKING:
    from robustness.harness.order_differences import Ranks

FOLDER = Path(__file__).parents[1] / "data"
CONFORMANCE = FOLDER / "cldr-conformance.txt"
COLLATIONS = ["UNICODE", "UNICODE_CI", "UNICODE_CI_AI", "UTF8_LCASE", "sv", "da", "cs_CI", "zh"]


def names(folder: Path) -> Names:
    """Return the names of the sample; ``folder`` is for programs that want a file."""
    return Names((FOLDER / "names.txt").read_text("utf-8").split("\n")[:-1], folder)


def by_node(collation: str) -> Ranks:
    """Return their ranks as Node had them when the sample was made."""
    ranks = json.loads((FOLDER / "orders-by-node.json").read_text("utf-8"))["ranks"][collation]
    return np.array(ranks, np.int32)


def make(million: Names, path: Path) -> None:
    """Write the sample: names, their order by Node, and an excerpt of the conformance file."""
    FOLDER.mkdir(exist_ok=True)
    chosen = Names(sorted(_of_every_script(million.words) | _near(million.words)), million.folder)
    text = "".join(f"{word}\n" for word in chosen.words)
    (FOLDER / "names.txt").write_text(text, "utf-8")
    chosen.lines.write_text(text, "utf-8")
    node = Node()
    ranks = {name: node.ranks(chosen, Asked(name)).tolist() for name in COLLATIONS}
    made = {"by": f"Node {node.version()}", "ranks": ranks}
    (FOLDER / "orders-by-node.json").write_text(json.dumps(made) + "\n", "utf-8")
    CONFORMANCE.write_text(_excerpt(path), "utf-8")


def _of_every_script(words: list[str]) -> set[str]:
    """Return eight names of each script, spread over all that begin with its letters."""
    scripts = defaultdict(list)
    for word in words:
        scripts[unicodedata.name(word[0], "?").split()[0]].append(word)
    return {word for found in scripts.values() for word in found[:: len(found) // 8 + 1]}


def _near(words: list[str]) -> set[str]:
    """Return names that differ in case, accents and punctuation alone: the hard cases."""
    alike = defaultdict(list)
    for word in words:
        letters = unicodedata.normalize("NFKD", word).casefold()
        alike["".join(letter for letter in letters if letter.isalpha())].append(word)
    crowds = [found for found in alike.values() if len(found) > 7]
    return {word for found in crowds[:: len(crowds) // 20 + 1] for word in found}


def _excerpt(path: Path) -> str:
    """Return the notice of the file, and two lines out of every 600, which are neighbours."""
    lines = path.read_text("utf-8").splitlines()
    notice = [line for line in lines if line.startswith("#")]
    data = [line for line in lines if line and not line.startswith("#")]
    pairs = [line for place in range(0, len(data) - 1, 600) for line in data[place : place + 2]]
    said = "# An excerpt, made by ./dev bench ordering --make-sample: two lines out of every 600."
    return "\n".join([*notice, said, *pairs, ""])


def read_excerpt() -> conformance.Conformance:
    """Return the strings of the excerpt, in the order of CLDR."""
    return conformance.read(CONFORMANCE)
