"""Which ways to finish a phrase are worth following: of several that lead to the same, one must do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..semantics.actions import SemanticActions
from ..types.abstract_values import DERIVED, NONZERO, ONE_VALUE, SIZE, AbstractValue, QueryType
from ..types.apply import is_zero

__all__ = ["EXPRESSIONS", "Shortcuts", "demand_of"]

EXPRESSIONS = {
    *("expr", "conjunction", "negation", "predicate", "sum", "product", "sign", "joint", "primary", "atom", "item"),
}
_DEMANDED = {"query", "items", "starred", "operand", "subquery"}
"""Symbols whose columns may be asked for by what stands before them."""


class Shortcuts:
    """What is known of the rules of one grammar beforehand."""

    def __init__(self, actions: SemanticActions) -> None:
        self._actions = actions
        self._tables = actions.tables
        self._bodies, self._heads = self._tables.bodies, self._tables.heads
        self._matches = [
            head in {"keys", "items", "when"} or not _DEMANDED.isdisjoint(body)
            for head, body in zip(self._heads, self._bodies, strict=True)
        ]
        self._casts = [body[-1] == "type" or "AS" in body for body in self._bodies]
        self._optional = [self._goes_on(production) for production in range(len(self._tables.productions))]

    def passes_on(self, production: int) -> bool:
        """Say whether a rule makes of one symbol another with the same value."""
        body = self._bodies[production]
        return (
            len(body) == 1
            and self._heads[production] in EXPRESSIONS
            and body[0] not in {"NULL", "TRUE", "FALSE", "subquery"}
        )

    def detours(self, production: int, dot: int, beside: Iterable[int]) -> bool:
        """Say whether an item never finishes sooner, or as something else, than those of the rules ``beside`` it."""
        rest, head = self._bodies[production][dot:], self._heads[production]
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

    def settled(self, production: int, dot: int, value: Any) -> bool:
        """Say whether ELSE could not change the type of a CASE with the branches ``value``."""
        body = self._bodies[production]
        return body[0] == "CASE" and body[dot : dot + 1] == ["ELSE"] and any(v.type != "null" for _, v in value)

    def lists(self, production: int) -> bool:
        """Say whether a rule lists columns, of which as many are written as are asked for."""
        return self._heads[production] == "items"

    def matches(self, production: int) -> bool:
        """Say whether what ends a rule may depend on what stands before it (`matching`)."""
        return self._matches[production]

    def casts(self, production: int) -> bool:
        """Say whether a rule ends with a type that its value is cast to."""
        return self._casts[production]

    def sizes(self, production: int) -> bool:
        """Say whether a rule holds the sizes of a type."""
        return self._heads[production] in {"size", "precision"}

    def follows(self, begun: Sequence[Any]) -> bool:
        """Say whether what begins with these values, a call or a bracket, is of its parts' type where types count."""
        if tuple(begun[:1]) == (ONE_VALUE,):
            return self._actions.typed
        name = next((u for u in begun if isinstance(u, str)), "")
        types = self._actions.types
        return self._actions.typed and any(s.result == "same" for s in types.functions.get(name, ()))

    def shifts(self, begun: Sequence[Any]) -> bool:
        """Say whether a date, a time or an interval stands first, with which several types may be added up."""
        return (
            bool(begun) and isinstance(begun[0], AbstractValue) and begun[0].type in {"date", "stamp", "time", "span"}
        )

    def untyped(self, value: Any) -> bool:
        """Say whether a value is NULL, in such a dialect."""
        return self._actions.types.strict and isinstance(value, AbstractValue) and value.type == "null"

    def sorts(self, production: int, values: Sequence[Any]) -> int:
        """Return how many sorts of values a rule's phrases that begin with ``values`` may have."""
        typed = self._actions.typed
        if self.casts(production) or self._heads[production] in {"expr_list", "when"}:
            return 99
        if self._varies(production, values):
            return 99
        if self.sizes(production):
            return 4
        return 1 if not typed or self._heads[production] in {"predicate", "where", "having", "row"} else 2

    def _varies(self, production: int, values: Sequence[Any]) -> bool:
        """Say whether a phrase that begins with ``values`` is of one type or another as it ends."""
        match self._heads[production]:
            case "sum":
                return self._actions.types.strict and self.shifts(values)
            case "call":
                return self.follows(values)
            case "select" | "subquery" | "atom":
                return self._actions.typed and tuple(values[:1]) == (ONE_VALUE,)
            case _:
                return False

    def sort(self, production: int, value: Any, values: Sequence[Any]) -> object:
        """Return what of a phrase's value could not be mended outside of it: a type, or whether it is a condition.

        ``values`` are those that the phrase begins with.
        """
        # a term of ORDER BY may be a column's name, which is all that some queries are ordered by
        if self.casts(production) or self._heads[production].startswith("order_"):
            return value
        if self._varies(production, values):
            one = value.values[0] if isinstance(value, QueryType) and value.values else value
            return (one.type, one.marks & NONZERO) if isinstance(one, AbstractValue) else None
        if self._heads[production] == "expr_list":
            return value[-1].type
        if self.sizes(production):
            return value[0].marks & SIZE, is_zero(value[-1])
        if type(value) is tuple and len(value) == 2 and isinstance(value[1], AbstractValue):
            return value[1].type  # the branches of CASE have one type
        types = self._actions.types
        return (
            value.type in types.sets["condition"] if isinstance(value, AbstractValue) and self._actions.typed else None
        )

    def limits(self, production: int) -> bool:
        """Say whether a rule ends a query by LIMIT, for which outside of it is too late."""
        return self._heads[production] == "query"

    def mends(self, production: int) -> bool:
        """Say whether a rule goes on after a symbol that may stand alone."""
        return self._optional[production]

    def lengthens(self, production: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether going on by ``production`` after its first symbol never mends anything.

        A cast or IS NULL gives another type, LIMIT 1 a single row, one more item a column that is asked for.
        """
        body, head = self._bodies[production], self._heads[production]
        match head:
            case "primary":
                return False
            case "predicate" | "query":
                mends = body[1:] == ["IS", "NULL"] or (body[1:] == ["limit"] and not value.single)
                return not mends
            case "sum":
                return not (
                    body[1] == "-" and isinstance(value, AbstractValue) and value.type in {"date", "stamp", "time"}
                )
            case "items":
                return value.values is None or len(value.values) >= len(demand_of(under))
            case "expr_list":
                return len(value) >= self._wanted(under)
            case _:
                return True

    def unwanted(self, production: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether a column of a select list is not what is asked for in its place.

        Of a list that goes on it is the last, of one that ends in a star any before it.
        """
        if self._heads[production] == "starred" and DERIVED in under:
            before = [v for u in under if isinstance(u, QueryType) for v in u.values or ()]
            return not all(map(self._actions.showable, before))
        demand = demand_of(under)
        if self._heads[production] != "items" or value.values is None:
            return False
        if not demand:
            return DERIVED in under and not self._actions.showable(value.values[-1])
        wanted = AbstractValue(demand[min(len(value.values), len(demand)) - 1])
        return not self._actions.compares(wanted, value.values[-1])

    def _wanted(self, under: Sequence[Any]) -> int:
        """Return how many arguments a list must have at most, given the function's name and what stands behind it."""
        name = next((u for u in under if isinstance(u, str)), "")
        signatures = self._actions.types.functions.get(name, ())
        given = sum(isinstance(u, AbstractValue) for u in under)
        return max((sum(not a.optional for a in s.arguments) for s in signatures), default=0) - given

    def _goes_on(self, production: int) -> bool:
        body, head = self._bodies[production], self._heads[production]
        whole = len(body) > 1 and self._tables.productions[production].body[0] < 0
        required = head in {"source", "select", "start"} or body[0] in {"row", "operand"}
        return whole and not required


def demand_of(under: Sequence[Any]) -> tuple[str, ...]:
    """Return the types that a SELECT must have, given what stands below its items."""
    return next((u for u in reversed(under) if type(u) is tuple), ())
