# SPDX-License-Identifier: Apache-2.0

"""Records, replays and reduces random choices."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


class Draws:
    """A source of choices; 0 is always the simplest choice."""

    def __init__(self, source: str | list[int]) -> None:
        """Choose at random from a seed, or replay recorded choices; after their end choose 0."""
        self._random: random.Random | None = None
        self._replayed: list[int] = []
        if isinstance(source, str):
            self._random = random.Random(source)  # noqa: S311
        else:
            self._replayed = list(source)
        self.made: list[int] = []

    def below(self, end: int) -> int:
        """Choose a number from 0 to ``end``, exclusive."""
        if self._random:
            chosen = self._random.randrange(end)
        elif len(self.made) < len(self._replayed):
            chosen = min(self._replayed[len(self.made)], end - 1)
        else:
            chosen = 0
        self.made.append(chosen)
        return chosen

    def chance(self, percent: int) -> bool:
        """Choose True with this probability."""
        return self.below(100) >= 100 - percent

    def pick(self, choices: Sequence[T]) -> T:
        """Choose one; the first is the simplest."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], least: int, most: int) -> list[T]:
        """Choose several different ones."""
        left = list(choices)
        count = min(least + self.below(most - least + 1), len(left))
        return [left.pop(self.below(len(left))) for _ in range(count)]


def reduced(
    made: list[int], still_fails: Callable[[list[int]], bool], attempts: int = 150
) -> list[int]:
    """Return fewer and smaller choices that still fail, found within some attempts."""
    while attempts > 0:
        for candidate in _smaller(made):
            attempts -= 1
            if still_fails(candidate):
                made = candidate
                break
            if attempts <= 0:
                return made
        else:
            return made
    return made


def _smaller(made: list[int]) -> Iterator[list[int]]:
    """Yield choices with a part removed, then with a part set to 0, larger parts first."""
    size = max(1, len(made) // 2)
    while True:
        for start in range(0, len(made), size):
            yield made[:start] + made[start + size :]
        for start in range(0, len(made), size):
            if any(made[start : start + size]):
                zeros = [0] * len(made[start : start + size])
                yield made[:start] + zeros + made[start + size :]
        if size == 1:
            return
        size //= 2
