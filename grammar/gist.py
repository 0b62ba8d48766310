"""What of a value still matters once the word behind it is known: stacks that differ in the rest become one.

Beside ``+`` an expression is what the signatures of ``+`` tell apart, beside ``AND`` it is a condition, and of the
first argument of a function only that counts which its signatures look at. The fewer the stacks, the more often it is
known already what may come next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .calls import HELD
from .dialect_types import Types
from .signatures import Argument, Signature
from .tables import Rule, Tables
from .values import LITERAL, NONNEGATIVE, NONZERO, PINNED, TYPES, UNIQUE, Value

__all__ = ["Gist"]

_ARITHMETIC = {"sum", "product", "sign", "joint", "primary"}
_VALUED = {*_ARITHMETIC, "expr", "conjunction"}

_Use = tuple[str, str, int]
"""How a value is used: compared, as a condition, by an operator (its name), as an argument (its place)."""


class Gist:
    """The gists of one grammar's values where all rules are on; not ``typed``, all types compare with each other."""

    def __init__(self, tables: Tables, types: Types, *, typed: bool = True) -> None:
        self._types, self._typed = types, typed
        self._bodies, self._heads = tables.bodies, tables.heads
        self._known: dict[object, Value] = {}
        self._uses: list[dict[int, _Use | None]] = [{} for _ in tables.kernels]
        for state, kernel in enumerate(tables.kernels):
            for rule, dot in kernel:
                use = self._use(rule, dot)
                for terminal in _first(tables, tables.rules[rule], dot) if use else ():
                    same = self._uses[state].setdefault(terminal, use) == use
                    self._uses[state][terminal] = use if same else None

    def _use(self, rule: int, dot: int) -> _Use | None:
        """Return what the value before the dot of an item is used for when the symbol behind it comes."""
        head, body = self._heads[rule], self._bodies[rule]
        if dot >= len(body) or body[dot - 1] not in _VALUED:
            return None
        following = body[dot]
        if head in _ARITHMETIC and dot == 1 and following in self._types.operators:
            return ("operator", following, 0)
        if head == "predicate" and following in {"comparison", "BETWEEN", "AND"}:
            return ("compared", "", 0)
        if following in {"AND", "OR"} and dot == 1:
            return ("condition", "", 0)
        listed = all(s == "," for s in body[3:dot:2]) and all(s in {"sum", "expr"} for s in body[2:dot:2])
        if head == "call" and following == "," and body[1] == "(" and dot % 2 and listed:
            return ("argument", "", (dot - 3) // 2)
        return None

    def of(self, state: int, terminal: int, values: Sequence[Any]) -> Any:
        """Return the gist of the last of ``values``, those of the topmost symbols, when ``terminal`` comes next."""
        value = values[-1]
        use = self._uses[state].get(terminal)
        if use is None or not isinstance(value, Value) or value.type == "null":
            return value
        what, name, place = use
        if what == "argument":
            name = values[-3 - 2 * place]
        key = (what, name, place, value)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.gist(what, name, place, value)
        return found

    def gist(self, what: str, name: str, place: int, value: Value) -> Value:
        types = self._types
        match what:
            case "operator":
                return self._argument(types.operators[name], place, value, beside=True)
            case "argument":
                return self._argument(types.functions[name], place, value) if name in types.functions else value
            case "condition":
                type_ = "bool" if value.type in types.sets["condition"] else value.type
                return Value(type_, 0, value.marks & (HELD | LITERAL | PINNED))
            case _ if value.marks & UNIQUE:
                return value
            case _ if self._typed:
                return Value(value.type, 0, value.marks & HELD, value.kinds if types.strict else frozenset())
            case _:
                return Value("any", 0, value.marks & HELD)

    def _argument(self, signatures: Sequence[Signature], place: int, value: Value, *, beside: bool = False) -> Value:
        """Return what signatures look at of their argument in a place; ``beside`` NULL, which takes its type."""
        arguments = [_at(s, place) for s in signatures]
        asked = [a for a in arguments if a is not None]
        marks = HELD
        for argument in asked:
            marks |= argument.marks | (LITERAL if argument.kind else 0)
        joined = any(s.result == "same" for s in signatures)
        if joined:
            marks |= NONNEGATIVE | NONZERO
        digits = value.digits
        if all(s.digits is not None for s in signatures):
            steps = sorted({a.digits for a in asked if a.digits is not None})
            digits = next((step for step in steps if digits <= step), steps[-1] + 1 if steps else 0)
        if joined or any(a.same for a in asked):
            return Value(value.type, digits, value.marks & marks, value.kinds)
        kinds = value.kinds if any(a.kind for a in asked) else frozenset[str]()
        looking = [a for s in signatures for a in s.arguments] if beside else arguments
        return Value(self._like(looking, value.type), digits, value.marks & marks, kinds)

    def _like(self, arguments: Sequence[Argument | None], type_: str) -> str:
        """Return the first type that all arguments take, or do not take, as they do ``type_``."""

        def taken(name: str) -> list[bool]:
            groups = [a.types for a in arguments if a is not None]
            return [name in group for group in [*groups, self._types.sets["condition"], frozenset({"other"})]]

        return next(name for name in TYPES if name != "null" and taken(name) == taken(type_))


def _at(signature: Signature, place: int) -> Argument | None:
    """Return the argument in a place of a signature, None if it has none there."""
    arguments = signature.arguments
    if place < len(arguments):
        return arguments[place]
    return arguments[-1] if arguments and arguments[-1].many else None


def _first(tables: Tables, rule: Rule, dot: int) -> set[int]:
    """Return the terminals that the symbol behind the dot begins with."""
    symbol = rule.body[dot]
    return {symbol} if symbol >= 0 else {r.body[0] for r in tables.rules if r.head == ~symbol and r.body[0] >= 0}
