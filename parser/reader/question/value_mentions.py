"""Where a question says a value, whether or not a cell of the database holds it: what the span finder reads there."""

from __future__ import annotations

from functools import cache, lru_cache

from ....classifiers.span_finder import SpanFinder
from ....encoders import load_encoder
from ....ner.units import units
from ...base import spans_file
from .question import read_question
from .word_states import word_states

__all__ = ["value_mentions"]


@lru_cache(maxsize=1024)
def value_mentions(question: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of each value that a question says, in order.

    Raises:
        RunError: the weights of the span finder are missing.
        InputError: the encoder that it reads is not installed.
    """
    finder = _finder()
    encoder = load_encoder(finder.encoder)
    read = read_question(question, (), encoder)
    if not read.stems:
        return ()
    found = finder.set(finder.predict(word_states(read, encoder, finder.layers)), units(question))
    return tuple((one.start, one.end) for one in found if one.kind == "value")


@cache
def _finder() -> SpanFinder:
    return SpanFinder.load(spans_file())
