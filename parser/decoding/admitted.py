"""Whether the constraint admits what a query has become since its words were chosen."""

from __future__ import annotations

from collections.abc import Mapping

from ...grammar import Constraint, Vocabulary
from ...grammar.decoding.state import Mask

__all__ = ["admitted"]


def admitted(sql: str, values: Mapping[str, str], constraint: Constraint, available: Mask | None = None) -> bool:
    """Does a constraint admit a query, though its vocabulary may lack some of its words?

    Args:
        sql: with slots.
        values: what fills them.
        constraint: on the words that the query was first written with.
        available: the words that the question may use; what the constraint has worked out for them serves again.
    """
    grammar, known = constraint.grammar, constraint.vocabulary.words
    lacking = {(one.text, one.terminal) for one in grammar.tokenize(sql)} - {(w.text, w.terminal) for w in known}
    if not lacking:
        again = available is not None and constraint.admits(sql, values, available)
        return again or constraint.admits(sql, values)
    words = [word for word in Vocabulary.build(grammar, [sql]).words if (word.text, word.terminal) in lacking]
    return constraint.over(Vocabulary(grammar, (*known, *words))).admits(sql, values)
