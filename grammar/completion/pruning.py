"""Which ways to finish a symbol are worth following: which LR items lead on, and of several that lead alike, one."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, NamedTuple

from ..semantics.actions import SemanticActions
from ..stack.graph_stack import GraphStack
from ..types.abstract_values import DERIVED, ONE_VALUE, AbstractValue, Mark, QueryType
from ..types.apply import is_zero

Item = tuple[int, int]
"""A production and how many symbols of its body are written."""

Place = tuple[int, tuple[Any, ...]]
"""The state below a symbol, and the values of the symbols that its items began with."""


class _Items(NamedTuple):
    """How a symbol may go on.

    Attributes:
        whole: whether it is the whole query.
        going: the items that lead on.
        repairing: those that go on after a symbol which may stand alone, worth following where its value fits nowhere.
    """

    whole: bool
    going: list[Item]
    repairing: list[Item]


class OpenItems:
    """The items of one grammar, with unit productions followed."""

    def __init__(self, stack: GraphStack, pruning: Pruning) -> None:
        self._tables, self._goto, self._pruning = stack.tables, stack.goto, pruning
        self._known: dict[tuple[int, int], _Items] = {}
        self._branches = frozenset(s for s, name in enumerate(stack.symbol) if name in {"THEN", "ELSE"})
        self._sums = frozenset(s for s, name in enumerate(stack.symbol) if name in {"+", "-"})
        bodies = self._tables.bodies
        self._lists = frozenset(
            s
            for s, kernel in enumerate(self._tables.kernels)
            if any(
                bodies[r][dot : dot + 1] == ["expr_list"] or bodies[r][:dot] == ["expr_list", ","] for r, dot in kernel
            )
        )

    def of(self, below: int, state: int) -> _Items:
        """Return the items of a state and of those that it becomes without a word or a new value.

        ``1`` behind ``SELECT`` is a product, a sum, a condition, an item: any of them may go on.
        """
        known = self._known.get((below, state))
        if known is not None:
            return known
        tables, pruning = self._tables, self._pruning
        found = _Items(False, [], [])
        chain = [state]
        for at in chain:
            kernel = () if at == tables.accepting else tables.kernels[at]
            beside = {tables.heads[production] for production, _ in kernel}
            for production, dot in kernel:
                if not pruning.is_unit(production):
                    repairs = dot == 1 and pruning.optional[production]
                    if not pruning.is_detour(production, dot, beside):
                        (found.repairing if repairs else found.going).append((production, dot))
                elif (after := self._goto[below][tables.productions[production].head]) not in chain:
                    chain.append(after)
        # a cast last: there are many types
        found.repairing.sort(key=lambda item: pruning.casts[item[0]])
        known = self._known[below, state] = found._replace(whole=tables.accepting in chain)
        return known

    def type_is_open(self, place: Place, value: Any) -> bool:
        """Say whether the type of a value at a place is decided by what stands around it.

        So it is with the branches of CASE (``CASE WHEN x THEN NULL``), and with NULL in lists (``x IN (NULL``), in
        brackets and calls that are of their parts' type (``MAX(NULL``), and behind a date (``CURRENT_DATE - NULL``).
        """
        state, under = place
        if state in self._branches or not self._pruning.is_untyped_null(value):
            return state in self._branches
        behind_time = state in self._sums and self._pruning.begins_with_time(under[:1])
        return state in self._lists or self._pruning.typed_by_parts(under) or behind_time


EXPRESSIONS = {
    *("expr", "conjunction", "negation", "predicate", "tested", "sum", "added", "product"),
    *("flipped", "sign", "joint", "primary", "atom", "item"),
}
_DEMANDED = {"query", "items", "starred", "operand", "subquery"}
"""Symbols whose columns may have to match what stands before them."""

_ANY_NUMBER = 99

_BRANCHES = {"when", "whens", "case"}
"""Symbols of the branches of CASE."""


class Pruning:
    """Facts of the productions of one grammar, worked out once.

    Attributes:
        actions: the reductions.
        demanding: by production, whether what ends it may depend on what stands before: ``SELECT 1, 'x' UNION``.
        casts: by production, whether it ends with a type that its value is cast to: ``NULL :: DATE``.
        optional: by production, whether it goes on after a symbol that may stand alone: ``1 + 1`` after ``1``.
        heads: by production, the name of its head.
    """

    def __init__(self, actions: SemanticActions) -> None:
        self.actions = actions
        self._tables = actions.tables
        self._bodies, self.heads = self._tables.bodies, self._tables.heads
        self.demanding = [
            head in {"keys", "items", "when"} or not _DEMANDED.isdisjoint(body)
            for head, body in zip(self.heads, self._bodies, strict=True)
        ]
        self.casts = [body[-1] == "type" or "AS" in body for body in self._bodies]
        # in SQLite's wide form any expression may follow IS, NULL among them
        self._null_test = ["IS", "NULL"] if any(body[1:] == ["IS", "NULL"] for body in self._bodies) else ["ISNULL"]
        self.optional = [self._goes_on(production) for production in range(len(self._tables.productions))]

    # ---- of a production alone

    def is_unit(self, production: int) -> bool:
        """Say whether a production makes of one symbol another with the same value: ``sum: product``."""
        body = self._bodies[production]
        return (
            len(body) == 1
            and self.heads[production] in EXPRESSIONS
            and body[0] not in {"NULL", "TRUE", "FALSE", "subquery"}
        )

    def is_detour(self, production: int, dot: int, beside: Set[str]) -> bool:
        """Say whether an item never finishes sooner, or as something else, than those of the symbols ``beside`` it.

        ``SELECT 1 FROM t`` is a query, so WHERE behind it is a detour.
        """
        rest, head = self._bodies[production][dot:], self.heads[production]
        if head == "operand":  # it need not be one of several, but where one row would be too few
            return "query" in beside
        needless = {
            "row": dot < 3,  # ( expr ) is an expression, too
            "subquery": dot == 1 and "atom" in beside,
            "case": "ELSE" in rest[1:],
            # FROM alone is enough, and so is nothing
            "select": "from" in rest[:-1] or (rest[-1:] == ["where"] and "from" not in self._bodies[production]),
        }
        longer = rest[:1] in (["DISTINCT"], ["ALL"]) or not {"ESCAPE", "order_by"}.isdisjoint(rest)
        return bool(rest) and (longer or needless.get(head, False))

    def holds_sizes(self, production: int) -> bool:
        """Say whether it holds the sizes of a type: ``( 10 , 2 )`` behind ``NUMERIC``."""
        return self.heads[production] in {"size", "precision"}

    def _goes_on(self, production: int) -> bool:
        body, head = self._bodies[production], self.heads[production]
        whole = len(body) > 1 and self._tables.productions[production].body[0] < 0
        required = head in {"source", "select", "start", "cte", "frame"} or body[0] in {"row", "operand"}
        return whole and not required

    # ---- of the values that a phrase begins with

    def typed_by_parts(self, begun: Sequence[Any]) -> bool:
        """Say whether what begins so is of its parts' type where types count: ``MAX(``, ``(SELECT``."""
        if tuple(begun[:1]) == (ONE_VALUE,):
            return self.actions.typed
        name = next((u for u in begun if isinstance(u, str)), "")
        types = self.actions.types
        results = {s.result for s in types.functions.get(name, ())}
        return self.actions.typed and ("same" in results or {"texts", "integers"} <= results)

    def begins_with_time(self, begun: Sequence[Any]) -> bool:
        """Say whether a date, a time or an interval stands first: several types may follow ``CURRENT_DATE -``."""
        return (
            bool(begun) and isinstance(begun[0], AbstractValue) and begun[0].type in {"date", "stamp", "time", "span"}
        )

    def is_untyped_null(self, value: Any) -> bool:
        """Say whether a value is ``NULL``, where types are strict."""
        return self.actions.types.strict and isinstance(value, AbstractValue) and value.type == "null"

    # ---- of the values that a phrase may have

    def class_count(self, production: int, values: Sequence[Any]) -> int:
        """Return how many classes of values (`class_of`) phrases may have that begin with ``values``, at most.

        ``1 =`` makes a condition and nothing else: 1.
        """
        typed = self.actions.typed
        if self.casts[production] or self.heads[production] in {"expr_list", *_BRANCHES, "size", "precision"}:
            return _ANY_NUMBER
        if self._varies(production, values):
            return _ANY_NUMBER
        return 1 if not typed or self.heads[production] in {"predicate", "tested", "where", "having", "row"} else 2

    def class_of(self, production: int, value: Any, values: Sequence[Any]) -> object:
        """Return the part of a phrase's value that nothing outside of it repairs: a type, or whether it is a condition.

        ``values`` are those that the phrase begins with. ``NULL :: DATE`` is of the class of dates.
        """
        # a term of ORDER BY may be a column's name, which is all that some queries are ordered by
        if self.casts[production] or self.heads[production].startswith("order_"):
            return value
        if self._varies(production, values):
            one = value.values[0] if isinstance(value, QueryType) and value.values else value
            return (one.type, one.marks & Mark.NONZERO) if isinstance(one, AbstractValue) else None
        if self.heads[production] == "expr_list":
            return value[-1].type
        if self.holds_sizes(production):
            return value[0].marks & Mark.SIZE, is_zero(value[-1]), *(size.position for size in value)
        if self.heads[production] in _BRANCHES:  # all have one type
            while type(value) is tuple:
                value = value[-1]
            return value.type
        types = self.actions.types
        return (
            value.type in types.sets["condition"] if isinstance(value, AbstractValue) and self.actions.typed else None
        )

    def _varies(self, production: int, values: Sequence[Any]) -> bool:
        """Say whether a phrase that begins with ``values`` is of one type or another as it ends."""
        match self.heads[production]:
            case "sum" | "added":
                return self.actions.types.strict and self.begins_with_time(values)
            case "call" | "window":
                return self.typed_by_parts(values)
            case "select" | "subquery" | "atom":
                return self.actions.typed and tuple(values[:1]) == (ONE_VALUE,)
            case _:
                return False

    # ---- of what stands below a phrase

    def never_repairs(self, production: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether going on by ``production`` after its first symbol never makes a value fit.

        A cast or IS NULL gives another type, LIMIT 1 a single row, one more item a column that is needed; but
        ``+ 1`` after ``1`` repairs nothing.
        """
        body, head = self._bodies[production], self.heads[production]
        match head:
            case "primary":
                return "COLLATE" in body
            case "predicate" | "query":
                repairs = body[1:] == self._null_test or (body[1:] == ["limit"] and not value.single)
                return not repairs
            case "sum" | "added":
                return not (
                    body[1] == "-" and isinstance(value, AbstractValue) and value.type in {"date", "stamp", "time"}
                )
            case "items":
                return value.values is None or len(value.values) >= len(demand_of(under))
            case "expr_list":
                return len(value) >= self._wanted(under)
            case _:
                return True

    def is_unwanted(self, production: int, value: Any, under: Sequence[Any]) -> bool:
        """Say whether a column does not fit its place: ``'x'`` behind ``SELECT 1 UNION SELECT``.

        Of a list that goes on it is the last, of one that ends in a star any before it.
        """
        if self.heads[production] == "starred" and DERIVED in under:
            before = [v for u in under if isinstance(u, QueryType) for v in u.values or ()]
            return not all(map(self.actions.showable, before))
        demand = demand_of(under)
        if self.heads[production] != "items" or value.values is None:
            return False
        if not demand:
            return DERIVED in under and not self.actions.showable(value.values[-1])
        wanted = AbstractValue(demand[min(len(value.values), len(demand)) - 1])
        return not self.actions.compares(wanted, value.values[-1])

    def _wanted(self, under: Sequence[Any]) -> int:
        """Return how many arguments a list must have at most, given the function's name and what stands behind it."""
        name = next((u for u in under if isinstance(u, str)), "")
        signatures = self.actions.types.functions.get(name, ())
        given = sum(isinstance(u, AbstractValue) for u in under)
        return max((sum(not a.optional for a in s.arguments) for s in signatures), default=0) - given


def demand_of(under: Sequence[Any]) -> tuple[str, ...]:
    """Return the types that a SELECT must have, given what stands below its items."""
    return next((u for u in reversed(under) if type(u) is tuple), ())
