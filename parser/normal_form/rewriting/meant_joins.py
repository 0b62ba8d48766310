"""Queries whose joins say what is meant: each row is counted once, NULL is no trap, what is needless is not there.

Decided by keys and data, not by a question's words. What a query says stays as it is wherever its joins repeat no row
and no cell is missing.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias, get_args

from ....data.errors import QueryError
from ....data.profiles.database_profile import DatabaseProfile
from ....grammar import Grammar
from ..binding import Binder
from ..sources import QueryScope
from ..writing import NormalForm
from .empty_groups import with_empty_groups
from .fan_out import lists_once, rows_once, without_needless
from .join_tree import JoinTree
from .missing_first import without_missing_first
from .own_columns import asks_own_columns
from .referring_none import with_referring_none
from .row_counts import RowCounts
from .without import without_nulls

__all__ = ["JOIN_RULES", "JoinRule", "MeantJoins"]

JoinRule: TypeAlias = Literal[
    "aggregates", "counts", "lists", "needless", "columns", "nulls", "missing", "few", "own", "each"
]
"""What a rule does.

aggregates: SUM, AVG and COUNT of a column take each row of its table once.
counts: COUNT(*) takes each row once of a table that is joined for nothing else.
lists: a list without aggregates has a row once, however many rows ask for it to be there.
needless: a table that rows refer to, and that nothing is read from, is left out.
columns: a table that is asked for values of the column that joins it alone is left out, and its neighbour asked.
nulls: NOT IN looks at no NULL.
missing: the first by something are of those that have it.
few: what nothing refers to has the fewest.
own: rows that refer to none of their own table are listed beside those that do.
each: what nothing refers to is counted, too, with 0.
"""

JOIN_RULES: frozenset[JoinRule] = frozenset(
    {"aggregates", "counts", "needless", "columns", "nulls", "missing", "few", "own"}
)
"""Those that hold if nothing else is said."""


class MeantJoins:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: of the queries.
        profile: what the database holds; None if nobody has looked.
        rules: that hold.
    """

    def __init__(
        self, grammar: Grammar, profile: DatabaseProfile | None = None, rules: Collection[JoinRule] = JOIN_RULES
    ) -> None:
        unknown = set(rules) - set(get_args(JoinRule))
        if unknown:
            raise ValueError(f"no rules {sorted(unknown)}")
        self.rules = frozenset(rules)
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
            if "nulls" in self.rules:
                changed |= without_nulls(scope, binder.sources, self._counts)
            if "missing" in self.rules:
                changed |= without_missing_first(scope, binder.sources, self._counts, self._normal.grammar.dialect)
            changed |= self._joins(scope, binder)
        return changed

    def _joins(self, scope: QueryScope, binder: Binder) -> bool:
        tree, changed = JoinTree.of(scope, self._counts), False
        for rewrite in (self._counted, self._asked, self._needed, self._own):
            while tree is not None and rewrite(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed

    def _counted(self, tree: JoinTree, binder: Binder) -> bool:
        rules = self.rules
        if with_empty_groups(tree, binder, few="few" in rules, each="each" in rules):
            return True
        once = rows_once(tree, binder, columns="aggregates" in rules, stars="counts" in rules)
        return once or ("lists" in rules and lists_once(tree, binder))

    def _asked(self, tree: JoinTree, binder: Binder) -> bool:
        return "columns" in self.rules and asks_own_columns(tree, binder)

    def _needed(self, tree: JoinTree, binder: Binder) -> bool:
        return "needless" in self.rules and without_needless(tree, binder)

    def _own(self, tree: JoinTree, binder: Binder) -> bool:
        return "own" in self.rules and with_referring_none(tree, binder)
