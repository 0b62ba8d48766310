"""The query before, word for word, as the network reads it beside a question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...normal_form.keys import Words

__all__ = ["NO_QUERY", "EarlierQuery", "UsedAs", "uses_of"]


class UsedAs(IntEnum):
    """As what the query before used an item or value."""

    SHOWN = 0
    AGGREGATED = 1
    CONDITION = 2
    GROUPED = 3
    SORTED = 4
    JOINED = 5


_CLAUSES = {
    "SELECT": UsedAs.SHOWN,
    "FROM": UsedAs.JOINED,
    "JOIN": UsedAs.JOINED,
    "WHERE": UsedAs.CONDITION,
    "ON": UsedAs.CONDITION,
    "HAVING": UsedAs.CONDITION,
    "GROUP": UsedAs.GROUPED,
    "ORDER": UsedAs.SORTED,
}


@dataclass(frozen=True)
class EarlierQuery:
    """The words of the query before.

    Attributes:
        places: among the outputs as if all items were read, `UNKNOWN` for words that no network writes, (words,).
        uses: numbers of `UsedAs`, by the clause that each word stands in, (words,).
    """

    places: NDArray[np.int64]
    uses: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)


NO_QUERY = EarlierQuery(np.zeros(0, np.int64), np.zeros(0, np.int64))


def uses_of(words: Words) -> list[UsedAs]:
    """Return for each word as what it is used."""
    found: list[UsedAs] = []
    clauses, calls = [UsedAs.SHOWN], [False]
    for (text, terminal), before in zip(words, (("", ""), *words), strict=False):
        clauses[-1] = _CLAUSES.get(text, clauses[-1])
        if text == "(":
            clauses.append(clauses[-1])
            calls.append(calls[-1] or _calls(before[1]))
        elif text == ")" and len(clauses) > 1:
            clauses.pop()
            calls.pop()
        shown = clauses[-1] == UsedAs.SHOWN and (calls[-1] or _calls(terminal))
        found.append(UsedAs.AGGREGATED if shown else clauses[-1])
    return found


def _calls(terminal: str) -> bool:
    """Is a word that of a function?"""
    return terminal.startswith(("FUNC", "AGG", "COUNT"))
