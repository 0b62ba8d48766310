"""Queries whose joins count each row once: aggregates over a fan-out, NULL in NOT IN, columns that a join repeats.

The rules go by keys and data, not by the words of a question. A query stays as it is where its joins repeat no row and
no cell is missing.
"""

from __future__ import annotations

from ....data.errors import QueryError
from ....data.profiles.database_profile import DatabaseProfile
from ....data.sql.query import Query
from ....grammar import Grammar
from ..binding import Binder
from ..sources import QueryScope
from ..writing import NormalForm
from .fan_out import remove_fan_out
from .join_tree import JoinTree
from .null_safe_not_in import null_safe_not_in
from .own_columns import to_own_columns
from .row_counts import RowCounts

__all__ = ["JoinRewriter"]

RULES = (remove_fan_out, to_own_columns)
"""What is done to the inner joins of one SELECT, in this order, each as often as it changes something."""


class JoinRewriter:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: of the queries.
        profile: what the database holds; None if nobody has looked.
    """

    def __init__(self, grammar: Grammar, profile: DatabaseProfile | None = None) -> None:
        self._normal = NormalForm(grammar)
        self._counts = RowCounts(grammar.schema, profile)

    def of(self, query: Query) -> Query:
        """Return a query in normal form with its joins rewritten, itself where no rule applies."""
        if not any(word in query.slotted for word in ("JOIN", "NOT IN")):
            return query
        try:
            return self._normal.rewritten(query, self._rewritten)
        except QueryError:  # the normal form cannot say what the rules have made
            return query

    def _rewritten(self, binder: Binder) -> bool:
        """Rewrite all SELECTs; say whether anything was changed."""
        changed = False
        for scope in list(binder.scopes):
            changed |= null_safe_not_in(scope, binder.sources, self._counts)
            changed |= self._joins(scope, binder)
        return changed

    def _joins(self, scope: QueryScope, binder: Binder) -> bool:
        tree, changed = JoinTree.of(scope, self._counts), False
        for rule in RULES:
            while tree is not None and rule(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed
