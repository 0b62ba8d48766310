"""The shortest phrases of each symbol of the grammar, made of the constants at hand: ``NULL``, ``SELECT 1``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..semantics.actions import ORDERED, TABLE, TRUE, SemanticActions
from ..types.abstract_values import NAME, NONZERO, NULL, NUMBERS, ONE, SIZE, AbstractValue, QueryType
from ..types.violation import RuleViolation
from .pruning import EXPRESSIONS

__all__ = ["Phrase", "ShortPhrases", "shortest_by_type", "smallest_constants"]

Phrase = tuple[int, Any]
"""Words and value."""

_WINDOWS = {
    **dict.fromkeys(("window_key", "window_keys", "window_term", "window_terms"), 3),
    **{"window_order": 5, "over": 3, "sorted_over": 8, "rows": 1, "frame": 3},
}
"""The fewest words of what stands in a window: a constant is no term, ``1 IS NULL`` is one."""


class ShortPhrases:
    """Phrases made of constants, with their terminals' names, and of functions that need no brackets.

    Attributes:
        of: the phrases of each symbol: of ``when`` among others ``WHEN NULL THEN 1``.
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
        phrases: dict[str, list[Phrase]] = dict.fromkeys(EXPRESSIONS, values)
        for name in ("WHOLE", "NUMBER", "STRING"):
            phrases[name] = [(1, value) for terminal, value in self._constants if terminal == name]
        phrases |= {key: [] for key in ("COLUMN", "QCOLUMN")}
        phrases["type"] = [(1 + 2 * t.endswith("[]"), (t, None)) for t in self._actions.types.casts]
        one = any(value.marks & ONE for _, value in self._constants)
        phrases |= {name: [(0, TABLE)] for name in ("source", "joined", "joins", "from")}  # the scope counts them
        phrases["limit"] = [(2, one)] if phrases["WHOLE"] else []
        phrases["starred"] = [(1, QueryType(None))]
        phrases["expr_list"] = [(w, (v,)) for w, v in values]
        phrases["items"] = [(w, QueryType((AbstractValue(v.type, v.magnitude),))) for w, v in values]
        for name, words in (("select", 1), ("operand", 1), ("query", 1), ("subquery", 3)):
            phrases[name] = [
                (w + words, QueryType((AbstractValue(v.type, v.magnitude),), single=True)) for w, v in values
            ]
        phrases["keys"] = [(1, None)]  # a column: the scope counts what it takes where there is none
        phrases["order_item"] = [(1, NAME | ONE)] * one + [(3, 0)]
        phrases["order_list"] = phrases["order_item"]
        phrases["order_by"] = [(w + 2, m | ORDERED) for w, m in phrases["order_list"]]
        phrases |= {name: [(words, 0)] for name, words in _WINDOWS.items()}
        phrases["when"] = [(w + 3, (NULL, v)) for w, v in values]
        phrases["whens"] = [(w + 3, ((NULL, v),)) for w, v in values]
        phrases["unit"] = [(1, "DAY")]
        phrases["interval"] = [(3, value) for _, value in phrases["WHOLE"]]
        return phrases

    def _values(self) -> Iterable[Phrase]:
        """Yield expressions of one word, numbers first and NULL, and of three where there is ``::``."""
        constants = list(dict.fromkeys(value for _, value in self._constants))
        yield from ((1, value) for value in constants if value.type in NUMBERS)
        yield 1, TRUE
        yield 1, NULL
        yield from ((1, value) for value in constants if value.type not in NUMBERS)
        yield from dict.fromkeys((1, self._actions.matcher.call([("NILADIC", name)])) for name in self._functions)
        if "ARRAY" in self._names:
            yield 4, AbstractValue("array")
        if self._actions.types.strict:
            yield from dict.fromkeys(self._literals(constants))
        if "::" in self._names:
            for name in self._actions.types.casts:
                yield 3 + 2 * name.endswith("[]"), self._actions.matcher.cast((name, None), NULL)

    def _literals(self, constants: Iterable[AbstractValue]) -> Iterable[Phrase]:
        """Yield DATE, TIME, TIMESTAMP and INTERVAL with the texts at hand that may stand behind them."""
        texts = [value for value in constants if value.type == "text"]
        for production, body in enumerate(self._bodies):
            for value in texts if self._heads[production] == "atom" and body[1:] == ["STRING"] else ():
                with suppress(RuleViolation):
                    yield 2, self._actions.reduce(production, (None, value))


def shortest_by_type(phrases: list[Phrase]) -> list[Phrase]:
    """Return the shortest phrase of each type, of casts those of each size; others as they are.

    Of ``1``, ``0`` and ``NULL :: INTEGER`` that is ``1``.
    """
    kept: dict[object, Phrase] = {}
    for phrase in phrases:
        value = phrase[1]
        sort: object = repr(value)
        if isinstance(value, AbstractValue):
            sort = (value.type, value.magnitude if phrase[0] > 1 else 0, "name" in value.kinds)
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


def smallest_constants(constants: Iterable[tuple[str, AbstractValue]]) -> Iterable[tuple[str, AbstractValue]]:
    """Yield the smallest constants of each sort, of ``7`` and ``250`` the 7: more would not finish a query sooner."""
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
