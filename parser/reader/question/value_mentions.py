"""Where a question says a value, whether or not a cell of the database holds it: what the span finder reads there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from ....classifiers.span_finder import SpanFinder, WordStates
from ....encoders import load_encoder
from ....ner.units import units
from ...base import spans_file
from .question import read_question
from .word_states import word_states, words_of_many

__all__ = ["read_mentions", "value_mentions"]

Mentions = tuple[tuple[int, int], ...]

_MOST = 1024
"""Questions whose mentions are kept; more where more are read together."""

_known: dict[str, Mentions] = {}


def value_mentions(question: str) -> Mentions:
    """Return (start, end) of each value that a question says, in order.

    Raises:
        RunError: the weights of the span finder are missing.
        InputError: the encoder that it reads is not installed.
    """
    if (found := _known.get(question)) is None:
        finder = _finder()
        encoder = load_encoder(finder.encoder)
        read = read_question(question, (), encoder)
        found = _found(question, word_states(read, encoder, finder.layers)) if read.stems else ()
        _keep({question: found})
    return found


def read_mentions(questions: Iterable[str]) -> None:
    """Let the encoder read questions of one length together, which is quicker; `value_mentions` then knows them."""
    finder, new = _finder(), [one for one in dict.fromkeys(questions) if one not in _known]
    encoder = load_encoder(finder.encoder)
    read = [one for text in new if (one := read_question(text, (), encoder)).stems]
    _keep({read[n].text: _found(read[n].text, said) for n, said in words_of_many(read, encoder, finder.layers)})


def _found(question: str, said: WordStates) -> Mentions:
    finder = _finder()
    spans = finder.set(finder.predict(said), units(question))
    return tuple((one.start, one.end) for one in spans if one.kind == "value")


def _keep(found: Mapping[str, Mentions]) -> None:
    """Keep what was found, and drop the oldest when it is too much."""
    _known.update(found)
    while len(_known) > max(_MOST, len(found)):
        _known.pop(next(iter(_known)), None)


@cache
def _finder() -> SpanFinder:
    return SpanFinder.load(spans_file())
