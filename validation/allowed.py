"""What could have stood in place of a word, as a message lists it."""

from __future__ import annotations

import numpy as np

from ..grammar import EOS, Word
from .likeness import alike, likeness
from .query_words import QueryWords, labels
from .refusal import Refusal
from .walk import Walk, after

__all__ = ["allowed"]

_LISTED = 5
"""Words of a kind that are listed."""

_TRIED = 25
"""Words, the most alike, of which it is asked whether what follows may follow them."""


def allowed(query: QueryWords, found: Walk, refused: Refusal) -> dict[str, tuple[str, ...]]:
    """Return what may come in place of the word to blame, by kind; those that are spelled alike come first.

    Functions and constants are told only if they are alike, or labels: a list of all helps nobody. Where a later word
    was stopped, it is what the query comes past that word with.
    """
    states = found.before[refused.place]
    able = np.flatnonzero(np.any([state.allowed() for state in states], axis=0)).tolist()
    text = query.lexemes[refused.place].text if refused.place < len(query.lexemes) else ""
    words = query.vocabulary.words
    able.sort(key=lambda i: -likeness(text, words[i], query.tables))
    if refused.place < refused.stopped:
        rest = [*query.choices, (EOS,)][refused.place + 1 : refused.stopped + 1]
        able = [i for i in able[:_TRIED] if after(states, [(i,), *rest])]
    able = _telling(query, refused, able)
    kinds: dict[str, list[str]] = {}
    for i in able:
        word = words[i]
        listed = kinds.setdefault("end" if i == EOS else word.kind, [])
        if len(listed) < _LISTED and not _again(word, text, listed):
            listed.append("(end)" if i == EOS else word.text)
    return {kind: tuple(listed) for kind, listed in kinds.items()}


def _telling(query: QueryWords, refused: Refusal, able: list[int]) -> list[int]:
    """Leave out what nobody looks for there: constants and functions of other spelling, keywords in place of names."""
    words, place = query.vocabulary.words, refused.place
    lexeme = query.lexemes[place] if place < len(query.lexemes) else None
    known = {words[i].kind for i in query.choices[place]} if lexeme else set[str]()
    if lexeme and not known and query.called(place):
        return [i for i in able if words[i].kind == "function"]
    text = lexeme.text if lexeme else ""
    listed = labels(query.vocabulary.grammar) if refused.rule == "comparisons" else ()
    asked = {i for i in able if words[i].kind not in {"function", "constant"} or words[i].text in listed}
    able = [i for i in able if i in asked or alike(text, words[i])]
    if lexeme and lexeme.kind == "name" and refused.rule != "grammar" and not known & {"keyword", "function"}:
        return [i for i in able if words[i].kind not in {"keyword", "operator"}]
    return able


def _again(word: Word, text: str, listed: list[str]) -> bool:
    """Say whether a column is listed already, in the way that the query writes columns."""
    other_way = word.kind == "column" and ("." in text) != ("." in word.text)
    return other_way and len(listed) > 0
