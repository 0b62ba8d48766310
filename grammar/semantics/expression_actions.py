"""What expressions are worth: the reductions that make an `AbstractValue`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..types.abstract_values import COLLATED, LITERAL, NAME, NONZERO, NULL, ONE, UNIQUE, AbstractValue
from .checks import Checks, Parts
from .condition_actions import TRUE

__all__ = ["ExpressionActions"]

_OF_JSON = {
    "->": ("json", frozenset[str]()),
    "->>": ("json", frozenset[str]()),
    "#>": ("json", frozenset({"path"})),
    "#>>": ("json", frozenset({"path"})),
}
"""The operators on JSON: the kind that they take, and that of the literal behind them, none where a value may stand."""

INTEGER = 10
"""Digits that an integer which takes something out of JSON has not."""


class ExpressionActions(Checks):
    """A method for each head of a production, called with its body."""

    def _sum(self, parts: Parts) -> AbstractValue:
        """``a + 'x'``: refused where + takes no text; ``- a``, ``a :: DATE`` likewise."""
        if len(parts) == 1:
            return parts[0][1]
        if len(parts) == 2:
            return self._signed(parts[0][0], parts[1][1])
        if parts[1][0] == "::":
            return self.matcher.cast(parts[2][1], parts[0][1])
        if parts[1][0] == "COLLATE":
            # a position is one to SQLite all the same: ORDER BY 2 COLLATE NOCASE
            collated = self.matcher.operator("COLLATE", [parts[0][1]])
            return collated._replace(marks=collated.marks | COLLATED | parts[0][1].marks & (LITERAL | NONZERO))
        if parts[1][0] in _OF_JSON:
            return self._taken_out(parts[1][0], parts[0][1], parts[2][1])
        shifted = parts[2][0] == "interval"  # by a number, and yet a time, with which less is reckoned
        shift = [("DATE_SHIFT", "DATE_ADD"), parts[0], parts[2]]
        return self.matcher.call(shift) if shifted else self.matcher.operator(parts[1][0], [parts[0][1], parts[2][1]])

    _added = _product = _flipped = _sign = _joint = _primary = _sum

    def _signed(self, sign: str, value: AbstractValue) -> AbstractValue:
        """``- a``, ``+ a``: refused where the sign takes no text; ``+`` changes no type."""
        found = self.matcher.operator({"-": "neg", "+": "pos"}.get(sign, sign), [value])
        if sign != "+":
            return found._replace(marks=found.marks | value.marks & LITERAL)
        # + 1 stands for an item of the select list now and then; which items there are, the scope asks bare numbers
        return value._replace(marks=value.marks & ~(NAME | UNIQUE | ONE), position=0)

    def _taken_out(self, sign: str, document: AbstractValue, key: AbstractValue) -> AbstractValue:
        """``j -> 'a'`` of JSON, by a name or a number: JSON; ``j ->> 'a'``: a text."""
        kind, keys = _OF_JSON[sign]
        able = kind in document.kinds or document.type in self.types.sets.get(kind, ())
        self.check("operators", able, f"{sign} takes {kind.upper()}, not {document.type}")
        if keys:
            fits = bool(key.kinds & keys)
        else:  # SQLite takes a text that begins with $ for a path
            fits = key.type == "text" and (self.types.strict or bool(key.kinds & {"path", "label"}))
            fits |= key.type == "int" and key.magnitude < INTEGER
        self.check("operators", fits, f"{sign} does not take this {key.type}")
        if sign.endswith(">>"):
            found = AbstractValue("text") if self.types.strict else self.types.unknown
        else:
            inner = document.type in self.types.sets["closed"]
            found = document._replace(marks=0, type="closed" if inner else document.type)
        return self.matcher.of(found, [document, key])

    def _filter(self, parts: Parts) -> None:
        """``COUNT(*) FILTER (WHERE MAX(a) > 1)``: refused."""
        self.condition(parts[3][1])
        self.no_aggregate(parts[3][1])

    def _collation(self, parts: Parts) -> str:
        return parts[0][0]

    def _atom(self, parts: Parts) -> AbstractValue:
        """``(SELECT a FROM t)``: refused where several rows are an error; ``DATE 'x'``: no date."""
        name, value = parts[0]
        match name:
            case "COLUMN" | "QCOLUMN" | "(" if len(parts) > 3:
                return self.matcher.operator("[]", [v for _, v in parts if isinstance(v, AbstractValue)])
            case "NULL" | "TRUE" | "FALSE":
                return NULL if name == "NULL" else TRUE
            case "(":
                return _enclosed(parts[1][1]._replace(marks=parts[1][1].marks & ~NAME))
            case "subquery":
                self.check("single row", value.single, "the subquery may return several rows")
                return self.queried(self.one_column(value))
            case "ARRAY":
                return self._array(next((v for name, v in parts if name == "expr_list"), ()))
            case _:
                return self.matcher.typed_literal(name, parts[1][1]) if len(parts) == 2 else value

    def _array(self, values: Sequence[AbstractValue]) -> AbstractValue:
        """``ARRAY[1, 'x']``: refused where its elements have no type in common, or there are none."""
        self.check("comparisons", bool(values), "an array of nothing has no type")
        element = self.matcher.branches(values or (NULL,), values)
        self.check("promises", element.type not in {"array", "texts", "integers"}, "arrays may differ in length")
        literal = element.type == "text" and all(v.marks & LITERAL for v in values)  # of a column it may have a size
        whole = element.type == "int" and element.magnitude <= INTEGER - 1
        return element._replace(type="integers" if whole else "texts" if literal else "array", magnitude=0)

    def _case(self, parts: Parts) -> AbstractValue:
        """``CASE WHEN a > 1 THEN 'x' ELSE 2 END``: refused where its results have no type in common."""
        subject = parts[1][1] if parts[1][0] == "expr" else None
        whens: tuple[tuple[AbstractValue, AbstractValue], ...] = next(v for name, v in parts if name == "whens")
        results = [result for _, result in whens] + [parts[-2][1]] * (parts[-3][0] == "ELSE")
        if subject is not None:
            for condition, _ in whens:
                self.compare([self.shown(subject._replace(kinds=frozenset())), condition])
        values = [*(c for c, _ in whens), *results, *([subject] if subject else [])]
        return _enclosed(self.matcher.branches(results, values))

    def _whens(self, parts: Parts) -> tuple[Any, ...]:
        return tuple(dict.fromkeys((*(parts[0][1] if len(parts) > 1 else ()), parts[-1][1])))

    def _when(self, parts: Parts) -> tuple[AbstractValue, AbstractValue]:
        """``CASE a WHEN 'x' THEN``: refused where a compares with no text; ``CASE WHEN a THEN``: no condition."""
        subject, condition = parts[0][1], parts[1][1]
        if subject is None:
            self.condition(condition)
        else:
            self.compare([self.shown(subject._replace(kinds=frozenset())), condition])
        return (condition, parts[3][1])

    def _call(self, parts: Parts) -> AbstractValue:
        """``ABS('x')``: refused where ABS takes no text; so is ``POSITION(a COLLATE "C" IN b)``."""
        if parts[0][0] == "POSITION":
            self.uncollated([v for _, v in parts if isinstance(v, AbstractValue)])
        return _enclosed(self.matcher.call(parts))

    def _unit(self, parts: Parts) -> str:
        """``YEAR``, of ``INTERVAL 1 YEAR`` or EXTRACT."""
        return parts[0][0]

    def _interval(self, parts: Parts) -> AbstractValue:
        """``INTERVAL 1 YEAR``: the number; ``INTERVAL '1:30' HOUR_MINUTE``: as one of so few digits."""
        found: AbstractValue = next(v for _, v in parts if isinstance(v, AbstractValue))
        return AbstractValue("int", 6) if found.type == "text" and found.marks & LITERAL else found

    def _type(self, parts: Parts) -> tuple[str, Any]:
        """``NUMERIC(10, 2)``, of a cast."""
        if parts[-1][0] == "]":
            return parts[0][0] + "[]", None
        return (parts[0][0], parts[1][1] if len(parts) > 1 else None)

    def _size(self, parts: Parts) -> tuple[AbstractValue, ...]:
        """``(10, 2)``."""
        return tuple(v for name, v in parts if name == "WHOLE")

    _precision = _size


def _enclosed(value: AbstractValue) -> AbstractValue:
    """Return a value whose COLLATE stands between words that hold it together, as brackets do."""
    return value._replace(marks=value.marks & ~COLLATED)
