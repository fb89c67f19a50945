# SPDX-License-Identifier: Apache-2.0

"""Two orders of the same strings, held against each other.

An order is a rank for each string; equal strings have equal ranks. Strings that are neighbours in
one order are looked up in the other: if all neighbours agree, the two orders are one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Ranks = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

SIGNS = {-1: ">", 0: "=", 1: "<"}


def ranks_of(order: Ranks | Sequence[int], is_new: Flags | Sequence[bool]) -> Ranks:
    """Return ranks from strings in order; ``is_new`` says of each if it differs from the last."""
    steps = np.asarray(is_new, np.int32)
    found = np.empty(len(order), np.int32)
    found[np.asarray(order)] = np.cumsum(steps) - steps[0]
    return found


@dataclass(frozen=True)
class Differences:
    """Neighbours by our order that the other order sees otherwise."""

    left: Ranks
    right: Ranks
    ours: Ranks
    theirs: Ranks
    out_of_place: int

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.left)

    def told(self, words: Sequence[str], index: int) -> str:
        """Say one of them in words."""
        left, right = words[self.left[index]], words[self.right[index]]
        ours, theirs = SIGNS[int(self.ours[index])], SIGNS[int(self.theirs[index])]
        return f"«{left}» {ours} «{right}», they say {theirs}"

    def of(self, strings: Ranks) -> Differences:
        """Return the same for the list that these strings have their places in."""
        return replace(self, left=strings[self.left], right=strings[self.right])

    def seen_otherwise_by(self, third: Ranks) -> int:
        """Count the pairs on which a third order is not ours either."""
        return int(np.count_nonzero(np.sign(third[self.right] - third[self.left]) != self.ours))


def compare(ours: Ranks, theirs: Ranks) -> Differences:
    """Return where two orders of the same strings differ."""
    # Equal strings stand as the other order has them, or their places would count as differences.
    order = np.lexsort((theirs, ours))
    our_steps = np.sign(np.diff(ours[order]))
    their_steps = np.sign(np.diff(theirs[order]))
    places = np.flatnonzero(our_steps != their_steps)
    return Differences(
        left=order[places],
        right=order[places + 1],
        ours=our_steps[places],
        theirs=their_steps[places],
        out_of_place=_out_of_place(theirs[order].tolist()) if len(places) else 0,
    )


def _out_of_place(ranks: list[int]) -> int:
    """Return how many strings must move before the rest is in order."""
    ends: list[int] = []
    for rank in ranks:
        place = bisect_right(ends, rank)
        ends[place : place + 1] = [rank]
    return len(ranks) - len(ends)
