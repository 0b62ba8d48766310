"""How a text is read so far: the words that are complete, and where in the spelling of the next one it stands."""

from __future__ import annotations

from typing import NamedTuple

from ..decoding.state import State
from .spelling.lexicon import Ending

__all__ = ["MAX_NAME", "MAX_SPACES", "MAX_TEXT", "At", "TextReading"]

MAX_SPACES = 12
"""Spaces and line breaks between two words."""

MAX_NAME = 30
"""Bytes of a name that a query makes up."""

MAX_TEXT = 100
"""Characters of a text."""


class At:
    """Where a reading stands that is at no node of the lexicon; plain numbers below those of the nodes.

    Attributes:
        GAP: between two words.
        NAME: in a name for an alias.
        TEXT: in any text.
        QUOTED: behind a quote in it, which ends it if it is not doubled.
        BEFORE: in what stands before the query.
        BEHIND: in what stands behind it.
    """

    GAP, NAME, TEXT, QUOTED, BEFORE, BEHIND = -1, -2, -3, -4, -5, -6


class TextReading(NamedTuple):
    """One way to read a text.

    Attributes:
        state: the words that are complete.
        names: what the slots are called, in order.
        at: the node of the lexicon, or one of `At`.
        text: of a name, what is written of it; of a text, the bytes of a character that is not complete.
        size: the spaces, the characters of a text, or the bytes of what stands before the query or behind it.
        ending: what the last word ended with.
        free: between words, whether AS or WITH was written, so that any name may follow; of a name, whether it is such.
        owner: of a name behind a point, the slot before it; else -1.
    """

    state: State
    names: tuple[str, ...]
    at: int = At.GAP
    text: bytes = b""
    size: int = 0
    ending: Ending = Ending.OPEN
    free: bool = False
    owner: int = -1
