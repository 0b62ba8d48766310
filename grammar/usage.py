"""Which signatures a query uses: to see what random walks have tried, and what they have not."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .calls import Refused
from .dialect_types import Types
from .phrases import Phrases
from .rules import LEVELS, active
from .stacks import Stacks
from .tables import END

if TYPE_CHECKING:
    from .grammar import Grammar

__all__ = ["Usage", "known_signatures"]


class Usage:
    """Reads queries of one grammar again, to hear which signatures they use."""

    def __init__(self, grammar: Grammar, types: Types) -> None:
        self._phrases = Phrases(grammar.tables, types, active(LEVELS[-1], grammar.dialect))
        self._stacks = Stacks(grammar.tables, self._phrases)

    def signatures(self, symbols: Iterable[tuple[int, Any]]) -> set[str]:
        """Return the signatures that a query uses, as ``NAME: line``, given the terminals and values of its words."""
        self._phrases.calls.heard = heard = set[str]()
        self._phrases.known.clear()  # what is known is not judged, and so not heard, again
        self._stacks.forget()
        node = self._stacks.root
        # a query of another level, or with numbers that are not whole, may end in a phrase that is refused
        with suppress(Refused):
            for terminal, value in symbols:
                node = self._stacks.shift(self._stacks.path(node, terminal), terminal, value)
            self._stacks.path(node, END)
        return heard


def known_signatures(grammar: Grammar, types: Types) -> set[str]:
    """Return every signature of the operators, functions and casts of a grammar, but for those that only refuse."""
    words = set(grammar.tables.texts.values()) | {"neg", "SIMILAR TO"}
    tables = ((types.operators, words), (types.functions, grammar.functions.keys()), (types.casts, words))
    return {
        f"{name}: {s.text}"
        for lines, able in tables
        for name, found in lines.items()
        for s in found
        if name in able and not types.refuses(s)
    }
