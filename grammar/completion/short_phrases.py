"""The shortest phrases of each symbol of the grammar, made of the constants at hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..semantics.actions import ORDERED, TABLE, TRUE, RuleViolation, SemanticActions
from ..types.abstract_values import NAME, NONZERO, NULL, NUMBERS, ONE, SIZE, AbstractValue, QueryType
from .pruning import EXPRESSIONS

__all__ = ["Phrase", "Phrasebook", "core", "least"]

Phrase = tuple[int, Any]
"""Words and value."""


class Phrasebook:
    """Phrases made of constants, with their terminals' names, and of functions that need no brackets.

    Attributes:
        of: the phrases of each symbol.
    """

    def __init__(
        self, actions: SemanticActions, constants: Sequence[tuple[str, AbstractValue]], functions: Sequence[str]
    ) -> None:
        self._actions = actions
        self._constants = constants
        self._functions = functions
        self._names = actions.tables.names
        self._bodies, self._heads = actions.tables.bodies, actions.tables.heads
        self.of = self._fill()

    def _fill(self) -> dict[str, list[Phrase]]:
        """Return the phrases of each symbol."""
        values = list(self._values())
        stock: dict[str, list[Phrase]] = dict.fromkeys(EXPRESSIONS, values)
        for name in ("WHOLE", "NUMBER", "STRING"):
            stock[name] = [(1, value) for terminal, value in self._constants if terminal == name]
        stock |= {key: [] for key in ("COLUMN", "QCOLUMN")}
        stock["type"] = [(1, (t, None)) for t in self._actions.types.casts]
        one = any(value.marks & ONE for _, value in self._constants)
        stock |= {name: [(0, TABLE)] for name in ("source", "joined", "joins", "from")}  # the scope counts them
        stock["limit"] = [(2, one)] if stock["WHOLE"] else []
        stock["starred"] = [(1, QueryType(None))]
        stock["expr_list"] = [(w, (v,)) for w, v in values]
        stock["items"] = [(w, QueryType((AbstractValue(v.type, v.magnitude),))) for w, v in values]
        for name, words in (("select", 1), ("operand", 1), ("query", 1), ("subquery", 3)):
            stock[name] = [
                (w + words, QueryType((AbstractValue(v.type, v.magnitude),), single=True)) for w, v in values
            ]
        stock["keys"] = [(1, None)]  # a column: the scope counts what it takes where there is none
        stock["order_item"] = [(1, NAME | ONE)] * one + [(3, 0)]
        stock["order_list"] = stock["order_item"]
        stock["order_by"] = [(w + 2, m | ORDERED) for w, m in stock["order_list"]]
        stock["when"] = [(w + 3, (NULL, v)) for w, v in values]
        stock["whens"] = [(w + 3, ((NULL, v),)) for w, v in values]
        stock["unit"] = [(1, "DAY")]
        stock["interval"] = [(3, value) for _, value in stock["WHOLE"]]
        return stock

    def _values(self) -> Iterable[Phrase]:
        """Yield expressions of one word, numbers first and NULL, and of three where there is ``::``."""
        constants = list(dict.fromkeys(value for _, value in self._constants))
        yield from ((1, value) for value in constants if value.type in NUMBERS)
        yield 1, TRUE
        yield 1, NULL
        yield from ((1, value) for value in constants if value.type not in NUMBERS)
        yield from dict.fromkeys((1, self._actions.reduce_call(name)) for name in self._functions)
        if self._actions.types.strict:
            yield from dict.fromkeys(self._literals(constants))
        if "::" in self._names:
            for name in self._actions.types.casts:
                yield 3, self._actions.reduce_cast(name)

    def _literals(self, constants: Iterable[AbstractValue]) -> Iterable[Phrase]:
        """Yield DATE, TIME, TIMESTAMP and INTERVAL with the texts at hand that may stand behind them."""
        texts = [value for value in constants if value.type == "text"]
        for production, body in enumerate(self._bodies):
            for value in texts if self._heads[production] == "atom" and body[1:] == ["STRING"] else ():
                with suppress(RuleViolation):
                    yield 2, self._actions.reduce(production, (None, value))


def core(actions: list[Phrase]) -> list[Phrase]:
    """Return the shortest phrase of each type, of casts those of each size; others as they are."""
    kept: dict[object, Phrase] = {}
    for phrase in actions:
        value = phrase[1]
        sort: object = repr(value)
        if isinstance(value, AbstractValue):
            sort = (value.type, value.magnitude if phrase[0] > 1 else 0)
        elif isinstance(value, tuple):
            sort = str([v.type if isinstance(v, AbstractValue) else v for v in _flat(value)])
        if sort not in kept or (phrase[0], bool(_kinds(value))) < (kept[sort][0], bool(_kinds(kept[sort][1]))):
            kept[sort] = phrase
    return list(kept.values())


def _flat(value: Any) -> Iterable[Any]:
    """Yield the values within tuples."""
    if isinstance(value, tuple) and not isinstance(value, AbstractValue):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _kinds(value: Any) -> frozenset[str]:
    return value.kinds if isinstance(value, AbstractValue) else frozenset()


def least(constants: Iterable[tuple[str, AbstractValue]]) -> Iterable[tuple[str, AbstractValue]]:
    """Yield the smallest constants of each sort: more would not finish a query sooner."""
    seen: set[object] = set()
    for name, value in sorted(set(constants), key=_rank):
        sort = (name, value.kinds, value.marks & (NONZERO | SIZE))
        if sort not in seen:
            seen.add(sort)
            yield name, value


def _rank(constant: tuple[str, AbstractValue]) -> tuple[Any, ...]:
    name, value = constant
    one, zero = value.marks & ONE == 0, value.marks & NONZERO == 0
    # kinds in order, so that each process chooses the same
    return value.type == "text", value.magnitude, one, zero, name, value.type, sorted(value.kinds), value.marks
