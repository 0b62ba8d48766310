"""How many tokens a chat is likely to take, where only a server knows its tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ..messages import Message

__all__ = ["likely_tokens"]

_MARKS = 8
"""Tokens that a chat template puts around a message."""


def likely_tokens(messages: Sequence[Message]) -> int:
    """Return a number of tokens that is seldom too small.

    SQL and names of columns have some 2.4 letters a token for a tokenizer of 49,152 tokens, prose 3.8, Chinese half a
    letter; many tokenizers write each digit as one. Larger vocabularies take fewer.
    """
    return sum(_MARKS + _likely(message.content) for message in messages)


def _likely(text: str) -> int:
    digits = sum(letter.isdigit() for letter in text)
    others = sum(not letter.isascii() for letter in text)
    return digits + 2 * others + ceil((len(text) - digits - others) / 2)
