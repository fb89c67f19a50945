# SPDX-License-Identifier: Apache-2.0

"""The kinds of differences that docs/ordering.md explains, and whether they are all there is.

A kind is known by its letters. Names with such letters are set aside, kind by kind, and the rest is
compared again: what is left at the end has no explanation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from robustness.harness.order_differences import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robustness.harness.order_differences import Differences, Ranks

KINDS = {
    "typographic quotes": re.compile("[\u2018-\u201f\u05f3\u05f4]"),
    "Chinese characters": re.compile(
        "[\u2e80-\u2fd5\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    ),
    "kana": re.compile("[\u3041-\u30ff]"),
    "İ": re.compile("İ"),
}


def explain(ours: Ranks, theirs: Ranks, words: Sequence[str]) -> tuple[list[str], Differences]:
    """Return what is left after each kind, in words, and what no kind explains."""
    found = compare(ours, theirs)
    said = [f"{len(found):,} neighbours differ"]
    kept: Ranks = np.arange(len(words))
    for kind, letters in KINDS.items():
        without = np.array([each for each in kept.tolist() if not letters.search(words[each])], int)
        rest = compare(ours[without], theirs[without])
        if len(rest) < len(found):
            kept, found = without, rest
            said.append(f"{len(found):,} without names with {kind}")
    return said, found.of(kept)
