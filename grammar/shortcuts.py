"""Which ways to finish a phrase are worth following: of several that lead to the same, one must do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .calls import is_zero
from .phrases import Phrases
from .values import DERIVED, NONZERO, ONE_VALUE, SIZE, Columns, Value

__all__ = ["EXPRESSIONS", "Shortcuts", "demand_of"]

EXPRESSIONS = {
    *("expr", "conjunction", "negation", "predicate", "sum", "product", "sign", "joint", "primary", "atom", "item"),
}
_DEMANDED = {"query", "items", "starred", "operand", "subquery"}
"""Symbols whose columns may be asked for by what stands before them."""


class Shortcuts:
    """What is known of the rules of one grammar beforehand."""

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases
        self._tables = phrases.tables
        self._bodies, self._heads = self._tables.bodies, self._tables.heads
        self._matches = [
            head in {"keys", "items", "when"} or not _DEMANDED.isdisjoint(body)
            for head, body in zip(self._heads, self._bodies, strict=True)
        ]
        self._casts = [body[-1] == "type" or "AS" in body for body in self._bodies]
        self._optional = [self._goes_on(rule) for rule in range(len(self._tables.rules))]

    def passes_on(self, rule: int) -> bool:
        """Say whether a rule makes of one symbol another with the same value."""
        body = self._bodies[rule]
        return (
            len(body) == 1 and self._heads[rule] in EXPRESSIONS and body[0] not in {"NULL", "TRUE", "FALSE", "subquery"}
        )

    def detours(self, rule: int, dot: int, beside: Iterable[int]) -> bool:
        """Say whether an item never finishes sooner, or as something else, than those of the rules ``beside`` it."""
        rest, head = self._bodies[rule][dot:], self._heads[rule]
        around = {self._heads[r] for r in beside}
        if head == "operand":  # it need not be one of several, but where one row would be too few
            return "query" in around
        needless = {
            "row": dot < 3,  # ( expr ) is an expression, too
            "subquery": dot == 1 and "atom" in around,
            "case": "ELSE" in rest[1:],
            "select": "from" in rest[:-1],  # FROM alone is enough
        }
        longer = rest[:1] == ["DISTINCT"] or not {"ESCAPE", "order_by"}.isdisjoint(rest)
        return bool(rest) and (longer or needless.get(head, False))

    def settled(self, rule: int, dot: int, value: Any) -> bool:
        """Say whether ELSE could not change the type of a CASE with the branches ``value``."""
        body = self._bodies[rule]
        return body[0] == "CASE" and body[dot : dot + 1] == ["ELSE"] and any(v.type != "null" for _, v in value)

    def lists(self, rule: int) -> bool:
        """Say whether a rule lists columns, of which as many are written as are asked for."""
        return self._heads[rule] == "items"

    def matches(self, rule: int) -> bool:
        """Say whether what ends a rule may depend on what stands before it (`matching`)."""
        return self._matches[rule]

    def casts(self, rule: int) -> bool:
        """Say whether a rule ends with a type that its value is cast to."""
        return self._casts[rule]

    def sizes(self, rule: int) -> bool:
        """Say whether a rule holds the sizes of a type."""
        return self._heads[rule] in {"size", "precision"}

    def follows(self, begun: Sequence[Any]) -> bool:
        """Say whether what begins with these values, a call or a bracket, is of its parts' type where types count."""
        if tuple(begun[:1]) == (ONE_VALUE,):
            return self._phrases.typed
        name = next((u for u in begun if isinstance(u, str)), "")
        types = self._phrases.types
        return self._phrases.typed and any(s.result == "same" for s in types.functions.get(name, ()))

    def shifts(self, begun: Sequence[Any]) -> bool:
        """Say whether a date, a time or an interval stands first, with which several types may be added up."""
        return bool(begun) and isinstance(begun[0], Value) and begun[0].type in {"date", "stamp", "time", "span"}

    def untyped(self, value: Any) -> bool:
        """Say whether a value is NULL, in such a dialect."""
        return self._phrases.types.strict and isinstance(value, Value) and value.type == "null"

    def sorts(self, rule: int, values: Sequence[Any]) -> int:
        """Return how many sorts of values a rule's phrases that begin with ``values`` may have."""
        typed = self._phrases.typed
        if self.casts(rule) or self._heads[rule] in {"expr_list", "when"}:
            return 99
        if self._varies(rule, values):
            return 99
        if self.sizes(rule):
            return 4
        return 1 if not typed or self._heads[rule] in {"predicate", "where", "having", "row"} else 2

    def _varies(self, rule: int, values: Sequence[Any]) -> bool:
        """Say whether a phrase that begins with ``values`` is of one type or another as it ends."""
        match self._heads[rule]:
            case "sum":
                return self._phrases.types.strict and self.shifts(values)
            case "call":
                return self.follows(values)
            case "select" | "subquery" | "atom":
                return self._phrases.typed and tuple(values[:1]) == (ONE_VALUE,)
            case _:
                return False

    def sort(self, rule: int, value: Any, values: Sequence[Any]) -> object:
        """Return what of a phrase's value could not be mended outside of it: a type, or whether it is a condition.

        ``values`` are those that the phrase begins with.
        """
        # a term of ORDER BY may be a column's name, which is all that some queries are ordered by
        if self.casts(rule) or self._heads[rule].startswith("order_"):
            return value
        if self._varies(rule, values):
            one = value.values[0] if isinstance(value, Columns) and value.values else value
            return (one.type, one.marks & NONZERO) if isinstance(one, Value) else None
        if self._heads[rule] == "expr_list":
            return value[-1].type
        if self.sizes(rule):
            return value[0].marks & SIZE, is_zero(value[-1])
        if type(value) is tuple and len(value) == 2 and isinstance(value[1], Value):
            return value[1].type  # the branches of CASE have one type
        types = self._phrases.types
        return value.type in types.sets["condition"] if isinstance(value, Value) and self._phrases.typed else None

    def limits(self, rule: int) -> bool:
        """Say whether a rule ends a query by LIMIT, for which outside of it is too late."""
        return self._heads[rule] == "query"

    def mends(self, rule: int) -> bool:
        """Say whether a rule goes on after a symbol that may stand alone."""
        return self._optional[rule]

    def lengthens(self, rule: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether going on by ``rule`` after its first symbol never mends anything.

        A cast or IS NULL gives another type, LIMIT 1 a single row, one more item a column that is asked for.
        """
        body, head = self._bodies[rule], self._heads[rule]
        match head:
            case "primary":
                return False
            case "predicate" | "query":
                mends = body[1:] == ["IS", "NULL"] or (body[1:] == ["limit"] and not value.single)
                return not mends
            case "sum":
                return not (body[1] == "-" and isinstance(value, Value) and value.type in {"date", "stamp", "time"})
            case "items":
                return value.values is None or len(value.values) >= len(demand_of(under))
            case "expr_list":
                return len(value) >= self._wanted(under)
            case _:
                return True

    def unwanted(self, rule: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether a column of a select list is not what is asked for in its place.

        Of a list that goes on it is the last, of one that ends in a star any before it.
        """
        if self._heads[rule] == "starred" and DERIVED in under:
            before = [v for u in under if isinstance(u, Columns) for v in u.values or ()]
            return not all(map(self._phrases.showable, before))
        demand = demand_of(under)
        if self._heads[rule] != "items" or value.values is None:
            return False
        if not demand:
            return DERIVED in under and not self._phrases.showable(value.values[-1])
        wanted = Value(demand[min(len(value.values), len(demand)) - 1])
        return not self._phrases.compares(wanted, value.values[-1])

    def _wanted(self, under: Sequence[Any]) -> int:
        """Return how many arguments a list must have at most, given the function's name and what stands behind it."""
        name = next((u for u in under if isinstance(u, str)), "")
        signatures = self._phrases.types.functions.get(name, ())
        given = sum(isinstance(u, Value) for u in under)
        return max((sum(not a.optional for a in s.arguments) for s in signatures), default=0) - given

    def _goes_on(self, rule: int) -> bool:
        body, head = self._bodies[rule], self._heads[rule]
        whole = len(body) > 1 and self._tables.rules[rule].body[0] < 0
        required = head in {"source", "select", "start"} or body[0] in {"row", "operand"}
        return whole and not required


def demand_of(under: Sequence[Any]) -> tuple[str, ...]:
    """Return the types that a SELECT must have, given what stands below its items."""
    return next((u for u in reversed(under) if type(u) is tuple), ())
