"""Queries whose joins say what is meant: each row is counted once, NULL is no trap, what is needless is not there.

Decided by keys and data, not by a question's words. What a query says stays as it is wherever its joins repeat no row
and no cell is missing.
"""

from __future__ import annotations

from ....data.errors import QueryError
from ....data.profiles.database_profile import DatabaseProfile
from ....grammar import Grammar
from ..binding import Binder
from ..sources import QueryScope
from ..writing import NormalForm
from .fan_out import rows_once
from .join_tree import JoinTree
from .left_joins import with_empty_groups, with_referring_none
from .missing_cells import without_missing_first, without_nulls
from .needless_tables import asks_own_columns, without_needless
from .row_counts import RowCounts

__all__ = ["MeantJoins"]


class MeantJoins:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: of the queries.
        profile: what the database holds; None if nobody has looked.
    """

    def __init__(self, grammar: Grammar, profile: DatabaseProfile | None = None) -> None:
        self._normal = NormalForm(grammar)
        self._counts = RowCounts(grammar.schema, profile)

    def of(self, sql: str) -> str:
        """Return a query, slotted or filled, with its joins as they are meant; as it was where they are so already.

        A query that has no normal form stays as it was.
        """
        if not any(word in sql for word in ("JOIN", "NOT IN", "LIMIT")):
            return sql
        try:
            return self._normal.rewritten(sql, self._rewritten)
        except QueryError:
            return sql

    def _rewritten(self, binder: Binder) -> bool:
        """Rewrite all SELECTs; say whether anything was changed."""
        changed = False
        for scope in list(binder.scopes):
            changed |= without_nulls(scope, binder.sources, self._counts)
            changed |= without_missing_first(scope, binder.sources, self._counts, self._normal.grammar.dialect)
            changed |= self._joins(scope, binder)
        return changed

    def _joins(self, scope: QueryScope, binder: Binder) -> bool:
        tree, changed = JoinTree.of(scope, self._counts), False
        for rewrite in (_counted, asks_own_columns, without_needless, with_referring_none):
            while tree is not None and rewrite(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed


def _counted(tree: JoinTree, binder: Binder) -> bool:
    return with_empty_groups(tree, binder) or rows_once(tree, binder)
