"""What window functions are worth: the reductions of ``RANK() OVER (PARTITION BY a ORDER BY b)``."""

from __future__ import annotations

from typing import Any

from ..types.abstract_values import AGGREGATE, COLLATED, LITERAL, PLAIN, QUERIED, WINDOW, AbstractValue
from .checks import Checks, Parts

__all__ = ["WindowActions"]

_HELD = AGGREGATE | PLAIN | QUERIED
"""Marks of a window's terms that its function has, too."""


class WindowActions(Checks):
    """A method for each head of a production, called with its body; all within a window are worth their marks."""

    def _window(self, parts: Parts) -> AbstractValue:
        """``LAG(a) OVER (ORDER BY b)``: as a; ``SUM(RANK() OVER (ORDER BY a)) OVER ()``: refused."""
        for _, value in parts:
            if isinstance(value, AbstractValue):
                self.no_window(value)
        found = self.matcher.call(parts[:-1])
        return found._replace(marks=found.marks & ~COLLATED | parts[-1][1] | WINDOW)

    def _over(self, parts: Parts) -> int:
        """``OVER (PARTITION BY a ORDER BY b DESC)``: what is held by any part."""
        found = 0
        for _, value in parts:
            marks: Any = value
            found |= marks if isinstance(marks, int) else 0
        return found

    _sorted_over = _window_keys = _window_order = _window_terms = _over

    def _window_key(self, parts: Parts) -> int:
        """``a``, ``a DESC``; ``1`` is refused, which some engines would take for the first column."""
        term: AbstractValue = parts[0][1]
        self.no_window(term)
        self.ordered(term)
        self.check("constant terms", not term.marks & LITERAL, "a window is of no constant")
        return term.marks & _HELD

    _window_term = _window_key

    def _frame(self, parts: Parts) -> None:
        """``ROWS BETWEEN 'x' PRECEDING AND CURRENT ROW``: refused, as LIMIT refuses it."""
        self.rows_count([value for name, value in parts if name == "WHOLE"])
