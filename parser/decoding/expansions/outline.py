"""What a query with formulas has said so far, as far as grouping goes.

A formula of many rows beside a plain column is one value for each value of the column: GROUP BY it is implied, and
written where the network writes none. SQLite would show any row's value there, the other engines nothing at all. To a
network a formula looks like a column, so that it may forget what it never forgets behind SUM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["Outline", "Sort"]

Sort = Literal["column", "row", "aggregate", "other"]
"""What a word is: a column, a formula of one row, a formula of many rows, or anything else."""

_CLAUSES = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})


@dataclass(frozen=True)
class Outline:
    """The outermost SELECT so far; never changes.

    Attributes:
        depth: brackets that stand open.
        clause: the one that was begun last.
        columns: that stand among the outputs by themselves, as words.
        by_row: a formula of one row is among the outputs.
        aggregate: a formula of many rows is.
        grouped: GROUP BY was written.
    """

    depth: int = 0
    clause: str = ""
    columns: tuple[int, ...] = ()
    by_row: bool = False
    aggregate: bool = False
    grouped: bool = False

    def after(self, word: int, text: str, sort: Sort) -> Outline:
        """Return the outline behind one more word."""
        if text in ("(", ")"):
            return replace(self, depth=self.depth + (1 if text == "(" else -1))
        if self.depth:
            return self
        if text in _CLAUSES:
            grouped = self.grouped or text == "GROUP"
            return Outline(clause=text) if text == "SELECT" else replace(self, clause=text, grouped=grouped)
        return self._output(word, sort) if self.clause == "SELECT" else self

    def _output(self, word: int, sort: Sort) -> Outline:
        match sort:
            case "column":
                return replace(self, columns=(*self.columns, word))
            case "row":
                return replace(self, by_row=True)
            case "aggregate":
                return replace(self, aggregate=True)
            case _:
                return self

    @property
    def outermost(self) -> bool:
        """Say whether what comes next is of the outermost SELECT, behind its outputs."""
        return not self.depth and self.clause not in ("", "SELECT")

    @property
    def due(self) -> bool:
        """Say whether GROUP BY is implied before the next clause, or the end."""
        return self.outermost and bool(self.columns) and self.aggregate and not self.grouped

    def orders_by(self, sort: Sort) -> bool:
        """Say whether rows may be ordered by a formula: by one of many rows only where they are grouped."""
        if self.depth or self.clause != "ORDER" or not (self.columns or self.by_row):
            return True
        return self.grouped == (sort == "aggregate")
