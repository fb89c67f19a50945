# SPDX-License-Identifier: Apache-2.0
"""Random strings in many scripts, and variants that some collation orders next to them."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

# ./dev prints the seed. It is another one in every run, and a fixed one in CI.
SEED = int(os.environ.get("DELTA_COLLATIONS_SEED", "1"))

ALPHABETS = [
    "abcXYZ", "AaBbÀàÁáÅåÄä", "sSßẞ\u017fﬀﬁﬅ", "iI\u0131İi̇", "σςΣΑα", "กขเแโะา", "日あアｱ",
    "🙂👩\u200d👧", "zŽžöØ", "09①", "e\u0301\u0315\u0323", "'\"\\%_ -", "KkÅ\u212a\u212b",
    "\uffff\ufffe\U0010ffff\u00ad\u200b",
]  # fmt: skip

PREFIXES = ["", "", "", "m", "M", "straße", "the same forty characters at the very start "]


def random_string(chance: random.Random) -> str:
    """Return a string of one or two scripts, sometimes long or with trailing spaces."""
    alphabet = "".join(chance.choices(ALPHABETS, k=chance.choice([1, 1, 2])))
    letters = "".join(chance.choices(alphabet, k=chance.choice([0, 1, 1, 2, 3, 5])))
    ending = chance.choice(["", "", "", "", " ", "  ", "x" * 60])
    return chance.choice(PREFIXES) + letters + ending


def random_variant(chance: random.Random, text: str) -> str:
    """Return a string that some collation may order equal or next to ``text``."""
    variants = [
        text, text.upper(), text.lower(), text.swapcase(), text + " ", text.rstrip(), text[:-1],
        text + "a", unicodedata.normalize("NFD", text), unicodedata.normalize("NFKC", text),
        "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)),
    ]  # fmt: skip
    return chance.choice(variants)


def sql_literal(text: str) -> str:
    """Return ``text`` as a SQL string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
