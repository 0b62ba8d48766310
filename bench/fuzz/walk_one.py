"""One walk: a query written word by word under a constraint, within its budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from walk_ways import WAYS
from walk_words import Question
from walker import Walker

from querent.data.errors import ConstraintError
from querent.grammar import EOS, Constraint, State

__all__ = ["walk"]


def walk(
    constraint: Constraint, walker: Walker, way: str, question: Question, budget: int, *, strict: bool = False
) -> list[int]:
    """Write one query.

    Raises:
        ConstraintError: the constraint forbids everything, or lets a query grow beyond its budget; if ``strict``,
            also where the words that finish it have become more than was promised.
    """
    try:
        state = constraint.start(question.words, budget, question.told)
    except ConstraintError:  # so few words make no query, or none so short
        question, budget = replace(question, words=None), max(budget, 20)
        state = constraint.start(None, budget, question.told)
    choose = WAYS[way]
    while True:
        if way == "shortest" and len(walker.ids) == walker.free:
            state = tightest(constraint, question, walker.ids, budget)
            budget = len(walker.ids) + state.left
        allowed = walker.not_shunned(np.flatnonzero(state.allowed()))
        if not len(allowed):
            raise ConstraintError("nothing may come next")
        word = walker.repeated(allowed)
        word = walker.window(allowed) if word is None else word
        word = walker.common(allowed) if word is None else word
        word = choose(walker, allowed) if word is None else word
        if word == EOS:
            return walker.ids
        if len(walker.ids) == budget:
            raise ConstraintError("the query grows beyond its budget")
        promised = state.need(word) - 1
        walker.ids.append(word)
        state = state.advance(word)
        if strict and (least := state.least) > promised:
            raise ConstraintError(f"{promised} words more were promised, and {least} are needed")


def tightest(constraint: Constraint, question: Question, ids: list[int], budget: int) -> State:
    """Return the state after ``ids`` that has the smallest budget with which they can be written and finished."""
    low, high = len(ids), budget
    found = _replayed(constraint, question, ids, budget)
    while low < high:
        middle = (low + high) // 2
        state = _replayed(constraint, question, ids, middle)
        low, high, found = (middle + 1, high, found) if state is None else (low, middle, state)
    if found is None:
        raise ConstraintError("words that were admitted once are refused the second time")
    return found


def _replayed(constraint: Constraint, question: Question, ids: list[int], budget: int) -> State | None:
    """Return the state after ``ids``, or None where a budget has no room for them."""
    try:
        state = constraint.start(question.words, budget, question.told)
    except ConstraintError:
        return None
    for word in ids:
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    return state
