# SPDX-License-Identifier: Apache-2.0

"""Finds differences that docs/ordering.md does not explain.

Each kind of explained difference is defined by characters. Names with such characters are removed,
one kind after the other, and the other names are compared again. Differences that remain are not
explained.
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
    """Return a description of the differences left after each kind, and those at the end."""
    found = compare(ours, theirs)
    counts = [f"{len(found):,} neighbors differ"]
    kept: Ranks = np.arange(len(words))
    for kind, characters in KINDS.items():
        without = np.array(
            [each for each in kept.tolist() if not characters.search(words[each])], int
        )
        rest = compare(ours[without], theirs[without])
        if len(rest) < len(found):
            kept, found = without, rest
            counts.append(f"{len(found):,} without names with {kind}")
    return counts, found.of(kept)
