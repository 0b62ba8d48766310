"""Which signatures a query uses: to see what random walks have tried, and what they have not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from .calls import Refused
from .phrases import Phrases
from .rules import LEVELS, active
from .signatures import Types
from .stacks import Stacks
from .tables import END

if TYPE_CHECKING:
    from .grammar import Grammar
    from .lexicon import Lexicon

__all__ = ["known_signatures", "used_signatures"]


def used_signatures(grammar: Grammar, lexicon: Lexicon, ids: Sequence[int]) -> set[str]:
    """Return the signatures that a query uses, as ``NAME: line``."""
    phrases = Phrases(grammar.tables, lexicon.types, active(LEVELS[-1], grammar.dialect))
    phrases.calls.heard = heard = set[str]()
    stacks = Stacks(grammar.tables, phrases)
    node = stacks.root
    # a query of another level, or with numbers that are not whole, may end in a phrase that is refused
    with suppress(Refused):
        for word in ids:
            terminal, value = lexicon.classes[lexicon.of[word]]
            node = stacks.shift(stacks.path(node, terminal), terminal, value)
        stacks.path(node, END)
    return heard


def known_signatures(grammar: Grammar, types: Types) -> set[str]:
    """Return every signature of the operators, functions and casts of a grammar."""
    words = set(grammar.tables.texts.values()) | {"neg", "SIMILAR TO"}
    tables = ((types.operators, words), (types.functions, grammar.functions.keys()), (types.casts, words))
    return {
        f"{name}: {s.text}" for lines, able in tables for name, found in lines.items() if name in able for s in found
    }
