"""One walk: a query written word by word under a constraint, within its budget."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from walk_ways import WAYS, Walker

from querent.data.errors import ConstraintError
from querent.grammar import EOS, Constraint

__all__ = ["walk"]

Mask = NDArray[np.bool_]


def walk(constraint: Constraint, walker: Walker, way: str, mask: Mask, budget: int) -> list[int]:
    """Write one query.

    Raises:
        ConstraintError: the constraint forbids everything, or lets a query grow beyond its budget.
    """
    available: Mask | None = None if mask.all() else mask
    try:
        state = constraint.start(available, budget)
    except ConstraintError:  # so few words make no query, or none so short
        available, budget = None, max(budget, 20)
        state = constraint.start(available, budget)
    walker.budget, walker.masked = budget, available is not None
    choose = WAYS[way]
    while True:
        if way == "shortest" and len(walker.ids) == walker.free:
            state = tightest(constraint, available, walker.ids, budget)
            walker.budget = budget = len(walker.ids) + state.left
        allowed = np.flatnonzero(state.allowed())
        if not len(allowed):
            raise ConstraintError("nothing may come next")
        word = choose(walker, allowed)
        if word == EOS:
            return walker.ids
        if len(walker.ids) == budget:
            raise ConstraintError("the query grows beyond its budget")
        walker.ids.append(word)
        state = state.advance(word)


def tightest(constraint: Constraint, available: Mask | None, ids: list[int], budget: int) -> Any:
    """Return the state after ``ids`` that has the smallest budget with which they can be written and finished."""
    low, high = len(ids), budget
    found = _replayed(constraint, available, ids, budget)
    while low < high:
        middle = (low + high) // 2
        state = _replayed(constraint, available, ids, middle)
        low, high, found = (middle + 1, high, found) if state is None else (low, middle, state)
    return found


def _replayed(constraint: Constraint, available: Mask | None, ids: list[int], budget: int) -> Any:
    """Return the state after ``ids``, or None where a budget has no room for them."""
    try:
        state = constraint.start(available, budget)
    except ConstraintError:
        return None
    for word in ids:
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    return state
