"""What the clauses of a query are worth: FROM, WHERE, GROUP BY, HAVING, ORDER BY and LIMIT."""

from __future__ import annotations

from ..types.abstract_values import (
    AGGREGATE,
    LITERAL,
    NAME,
    ONE,
    PINNED,
    QUERIED,
    WINDOW,
    AbstractValue,
    position_mark,
)
from .checks import Checks, Parts

__all__ = ["ORDERED", "TABLE", "ClauseActions"]

TABLE = "TABLE"
"""What a FROM of one table and nothing more is worth."""

ORDERED = 1 << 20
"""Mark of an ORDER BY that is there."""


class ClauseActions(Checks):
    """A method for each head of a production, called with its body."""

    # ---- LIMIT

    def _limit(self, parts: Parts) -> bool:
        """``LIMIT 1``: one row; ``LIMIT 'x'`` is refused."""
        values = [v for name, v in parts if name == "WHOLE"]
        self.rows_count(values)
        words = [name for name, _ in parts]
        if "FETCH" in words:  # that of one row needs no number
            fetched = [v for name, v in parts[words.index("FETCH") :] if name == "WHOLE"]
            return all(v.marks & ONE for v in fetched)
        if "LIMIT" not in words or words[1] in {"ALL", "-"}:
            return False
        return bool(values[-1 if words[-2] in {",", "LIMIT"} else 0].marks & ONE)

    def _limit_per(self, parts: Parts) -> None:
        """``LIMIT 'x' PER t.a``: refused."""
        self._limit(parts[:-2])

    # ---- FROM: whether it is one table

    def _source(self, parts: Parts) -> str | None:
        """``FROM t``: one table; ``FROM w``, of WITH: as one, but for what its star stands for; else None."""
        return parts[0][0] if parts[0][0] in {TABLE, "ALIAS"} else None

    def _joined(self, parts: Parts) -> str | None:
        """``t JOIN s``: not one table, as one in brackets may not be where types are strict: ``FROM (t)``."""
        if parts[0][0] == "(":
            self.check("derived", not self.types.strict or parts[1][1] is None, "one table alone stands in brackets")
        return parts[0][1] if len(parts) == 1 else None

    _joins = _joined

    def _from(self, parts: Parts) -> str | None:
        return parts[1][1]

    # ---- clauses

    def _where(self, parts: Parts) -> bool:
        """``WHERE id = 7``: one row, if id is unique; ``WHERE MAX(a) > 1`` is refused."""
        self.condition(parts[1][1])
        self.no_aggregate(parts[1][1])
        return bool(parts[1][1].marks & PINNED)

    def _join_on(self, parts: Parts) -> None:
        """``ON MAX(a) > 1``: refused."""
        if parts[0][0] == "ON":
            self._where(parts)

    def _having(self, parts: Parts) -> None:
        """``HAVING MAX(a)``: refused where a number is no condition."""
        self.condition(parts[1][1])
        self.no_window(parts[1][1])

    def _keys(self, parts: Parts) -> int | None:
        """``GROUP BY MAX(a)``, ``GROUP BY 'x'``: refused; ``GROUP BY 1``, too, unless the form is wide."""
        key: AbstractValue = parts[-1][1]
        self.no_aggregate(key)
        self.ordered(key)
        constant = key.marks & LITERAL and not (key.position or self._unlike_position(key))
        self.check("constant terms", not constant, "GROUP BY a constant")
        before: int = (parts[0][1] or 0) if len(parts) > 1 else 0
        return before | position_mark(key.position) or None

    def _group_by(self, parts: Parts) -> int | None:
        return parts[2][1]

    def _unlike_position(self, constant: AbstractValue) -> bool:
        """Say whether a constant is sorted by as any value is: ``ORDER BY NULL``, where the engine lets it."""
        return self.wide and not self.types.strict and constant.type in {"null", "text", "dec", "float"}

    def _order_item(self, parts: Parts) -> int:
        """``ORDER BY 'x'``: refused; ``ORDER BY 1`` is the first column."""
        term: AbstractValue = parts[0][1]
        self.ordered(term)
        placed = term.marks & ONE or term.position
        constant = term.marks & LITERAL and not (placed or self._unlike_position(term))
        self.check("constant terms", not constant, "ORDER BY a constant")
        known = term.marks & (AGGREGATE | NAME | ONE | QUERIED | WINDOW)
        return known | position_mark(term.position) | (NAME if placed else 0)

    def _order_list(self, parts: Parts) -> int:
        """``ORDER BY a, b + 1``: not names alone."""
        marks = [m for name, m in parts if name != ","]
        either = (marks[0] | marks[-1]) & ~NAME
        return either | (marks[0] & marks[-1] & NAME)

    def _order_by(self, parts: Parts) -> int:
        return parts[2][1] | ORDERED
