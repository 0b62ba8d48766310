"""What conditions are worth: the reductions of AND, comparisons, IN, and the rows and lists beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..types.abstract_values import LITERAL, NAME, PINNED, QUERIED, UNIQUE, AbstractValue, QueryType
from .checks import Checks, Parts

__all__ = ["TRUE", "ConditionActions"]

BOOL = AbstractValue("bool", 1)
PINNED_BOOL = AbstractValue("bool", 1, PINNED)
TRUE = AbstractValue("bool", 1, LITERAL)


class ConditionActions(Checks):
    """A method for each head of a production, called with its body."""

    def _expr(self, parts: Parts) -> AbstractValue:
        """``a AND b > 1``: refused where a is no condition."""
        if len(parts) == 1:
            return parts[0][1]
        values = [v for _, v in parts if isinstance(v, AbstractValue)]
        for value in values:
            self.condition(value)
        # SQLite reads `x AND 0` as 0, MariaDB NOT TRUE
        folded = (
            parts[-2][0] in {"AND", "NOT", "&&"} and any(v.marks & LITERAL for v in values) and not self.types.strict
        )
        found = self.matcher.of(TRUE if folded else BOOL, values)
        pinned = parts[1][0] == "AND" and any(v.marks & PINNED for v in values)
        return found._replace(marks=found.marks | PINNED) if pinned else found

    _conjunction = _negation = _expr

    def _predicate(self, parts: Parts) -> AbstractValue:
        """``a = 'x'``, ``a BETWEEN 1 AND 'x'``: refused where the types do not compare."""
        if len(parts) == 1:
            return parts[0][1]
        words = [name for name, _ in parts if name not in {"sum", "tested", "predicate", "NOT"}]
        values = [v for _, v in parts if isinstance(v, AbstractValue)]
        match words[0]:
            case "IS" if words[-1] in {"NULL", "TRUE", "FALSE", "UNKNOWN"}:
                if words[-1] != "NULL":
                    self.condition(values[0])
            case "NULL" | "ISNULL" | "NOTNULL":
                pass
            case "comparison" | "<=>" if len(words) == 1:
                self.compare(values)
            case "BETWEEN" | "IS":
                self.compare(values)
                self.uncollated(values[1:2] if words[0] == "BETWEEN" else ())
            case "EXISTS":
                return self.queried(BOOL)
            case "row" if "subquery" in words:
                self._compare_row(parts[0][1], parts[-1][1])
                values = [*parts[0][1], self.queried(BOOL)]
            case "row":
                values = self._row_operands(parts[0][1], parts[-2 if words[-1] == ")" else -1][1])
            case _:
                values = self._special(words, parts, values)
        return self.matcher.of(self._pinned(parts), values)

    _tested = _predicate

    def _comparison(self, parts: Parts) -> str | None:
        """``=``, where it may make one row; nothing for ``<``."""
        return "=" if parts[0][0] == "=" and "single row" in self.on else None

    def _pinned(self, parts: Parts) -> AbstractValue:
        """Return a condition, pinned if a unique column equals a constant of its own type: ``id = 7``."""
        if len(parts) != 3 or parts[1][1] != "=" or not isinstance(parts[2][1], AbstractValue):
            return BOOL
        column, constant = parts[0][1], parts[2][1]
        unique = column.marks & UNIQUE and column.marks & NAME
        return PINNED_BOOL if unique and constant.marks & LITERAL and constant.type == column.type else BOOL

    def _special(self, words: list[str], parts: Parts, values: list[AbstractValue]) -> list[AbstractValue]:
        """Check IN, ANY and patterns, and return the values within: ``a IN (1, 'x')``, ``a LIKE 'x' ESCAPE 'ab'``."""
        given = dict(parts)
        if "subquery" in given:
            self.compare([values[0], self.one_column(given["subquery"])])
            limited = given["subquery"].limited
            self.check("limit in subquery", not limited, "no LIMIT in the subquery of IN, ANY and ALL")
            return [*values, self.queried(BOOL)]
        if words[0] == "IN" and "expr_list" not in given:
            return values
        if words[0] == "IN":
            # ``a IN ((SELECT 1))``: MySQL takes the inner brackets for a subquery of IN
            alone = len(given["expr_list"]) == 1 and given["expr_list"][0].marks & QUERIED
            self.check("limit in subquery", not alone, "a subquery stands alone in the list of IN")
            for value in given["expr_list"]:
                self.compare([values[0], value])
            if self.types.strict:
                self.matcher.branches([values[0], *given["expr_list"]], ())
            return [*values, *given["expr_list"]]
        if "ESCAPE" in given:
            escape: AbstractValue = values.pop()
            self.check("literals", "character" in escape.kinds, "ESCAPE takes one character")
            safe = not self.types.strict or ("mark" in escape.kinds and "unmarked" in values[-1].kinds)
            self.check("promises", safe, "the pattern may end with the character of ESCAPE")
        self.matcher.operator(" ".join(w for w in words if w not in {"ESCAPE", "STRING"}), values)
        return values

    def _compare_row(self, row: Sequence[AbstractValue], columns: QueryType) -> None:
        """``(a, b) IN (SELECT c FROM t)``: refused, the rows have 2 columns and 1."""
        self.check(
            "column counts", columns.values is not None and len(columns.values) == len(row), "rows of one length"
        )
        for value, column in zip(row, columns.values or (), strict=False):
            self.compare((value, self.shown(column)))
        self.check("limit in subquery", not columns.limited, "no LIMIT in the subquery of IN, ANY and ALL")
        self.check("row operands", not any(v.marks & QUERIED for v in row), "no subquery in a row before IN")

    def _row_operands(self, row: Sequence[AbstractValue], others: Sequence[Any]) -> list[AbstractValue]:
        """Check ``(a, b) = (1, 2)`` and ``(a, b) IN ((1, 2), (3, 4))``, and return the values within."""
        given: list[Sequence[AbstractValue]] = [others] if isinstance(others[0], AbstractValue) else list(others)
        for other in given:
            self.check("column counts", len(other) == len(row), "rows of one length")
            for pair in zip(row, other, strict=False):
                self.compare(pair)
                if self.types.strict:
                    self.matcher.branches(pair, ())
        queried = any(v.marks & QUERIED for v in row)
        self.check("row operands", not queried, "no subquery in a row before IN")
        return [*row, *(value for other in given for value in other)]

    def _expr_list(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``1, a + 1``."""
        return (parts[0][1],) if len(parts) == 1 else (*parts[0][1], parts[2][1])

    def _row(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``(a, b)``."""
        return (parts[1][1], *parts[3][1])

    def _pair(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``(1, 2)`` behind a row."""
        return tuple(v for _, v in parts if isinstance(v, AbstractValue))

    _triple = _pair

    def _pairs(self, parts: Parts) -> tuple[tuple[AbstractValue, ...], ...]:
        """``(1, 2), (3, 4)``."""
        return (parts[0][1],) if len(parts) == 1 else (*parts[0][1], parts[2][1])

    _triples = _pairs
