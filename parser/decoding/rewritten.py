"""What becomes of a query between the decoder and the answer: its joins are rewritten, then its names.

Everything that runs has been under the constraint: where a rewriting of joins changes words, the constraint is asked
once more, and where it does not accept them the query stays as the network wrote it.
"""

from __future__ import annotations

from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...grammar import Constraint, Vocabulary
from ...grammar.decoding.state import Mask
from ..normal_form import JoinRewriter
from ..normal_form.own_names import column_names
from ..normal_form.top_k_per_group import with_row_numbers

__all__ = ["as_people_write", "with_joins_rewritten"]


def with_joins_rewritten(
    query: Query, joins: JoinRewriter, constraint: Constraint, available: Mask | None = None
) -> Query:
    """Return a query with its joins rewritten, itself where the constraint does not accept that.

    Args:
        query: in normal form.
        joins: of the same database.
        constraint: that the query was written under.
        available: the words of the vocabulary that the question may use, shape (vocabulary,), bool.
    """
    new = joins.of(query)
    return new if new is query or _accepts(constraint, new, available) else query


def as_people_write(query: Query, schema: Schema) -> Query:
    """Return a query in normal form as engines and people have it: without PER, its derived tables' columns by name."""
    if " PER " not in query.slotted and " AS " not in query.slotted:
        return query
    return query.rewritten((column_names, lambda tree: with_row_numbers(tree, schema)))


def _accepts(constraint: Constraint, query: Query, available: Mask | None) -> bool:
    """Say whether a constraint accepts a query, though its vocabulary may lack some of the query's words."""
    grammar, known = constraint.grammar, constraint.vocabulary.words
    values = {value.slot: value.mention.sql for value in query.values}
    lacking = {(t.text, t.terminal) for t in grammar.tokenize(query.slotted)} - {(w.text, w.terminal) for w in known}
    if not lacking:  # what the constraint has worked out for the question's words serves again
        again = available is not None and constraint.admits(query.slotted, values, available)
        return again or constraint.admits(query.slotted, values)
    built = Vocabulary.build(grammar, [query.slotted]).words
    words = [word for word in built if (word.text, word.terminal) in lacking]
    return constraint.over(Vocabulary(grammar, (*known, *words))).admits(query.slotted, values)
