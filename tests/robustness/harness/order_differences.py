# SPDX-License-Identifier: Apache-2.0

"""Compares two orders of the same strings.

An order is a rank for each string; equal strings have equal ranks. Two orders are the same if all
neighbors in one order have the same relation in the other.
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
    """Return ranks from sorted indexes; ``is_new`` is whether a string differs from the last."""
    steps = np.asarray(is_new, np.int32)
    found = np.empty(len(order), np.int32)
    found[np.asarray(order)] = np.cumsum(steps) - steps[0]
    return found


@dataclass(frozen=True)
class Differences:
    """Neighbors in our order whose relation in the other order is different."""

    left: Ranks
    right: Ranks
    ours: Ranks
    theirs: Ranks
    out_of_place: int

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.left)

    def describe(self, words: Sequence[str], index: int) -> str:
        """Return a description of one pair."""
        left, right = words[self.left[index]], words[self.right[index]]
        ours, theirs = SIGNS[int(self.ours[index])], SIGNS[int(self.theirs[index])]
        return f"«{left}» {ours} «{right}», other order: {theirs}"

    def of(self, strings: Ranks) -> Differences:
        """Return the same pairs as indexes of a larger list."""
        return replace(self, left=strings[self.left], right=strings[self.right])


def compare(ours: Ranks, theirs: Ranks) -> Differences:
    """Return the differences between two orders of the same strings."""
    # Sort equal strings by the other order, or their positions would count as differences.
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
    """Return the number of strings that must move to sort the list."""
    ends: list[int] = []
    for rank in ranks:
        place = bisect_right(ends, rank)
        ends[place : place + 1] = [rank]
    return len(ranks) - len(ends)
