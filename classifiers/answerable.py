"""When there is no answer: what the head says, held against the words that nothing in the database accounts for."""

from __future__ import annotations

__all__ = ["ANSWERABLE", "UNLINKED", "unanswerable"]

ANSWERABLE = 0.3
UNLINKED = 0.1
"""Both were chosen on held-out databases: .7 % of their own questions are refused, and 92 % of those that were asked of
other databases."""


def unanswerable(answerable: float, unlinked: float) -> bool:
    """Is a question likely to have no answer at all?

    Args:
        answerable: the probability that it has one.
        unlinked: share of its words that no name and no value of the database accounts for.
    """
    return answerable < ANSWERABLE and unlinked >= UNLINKED
