"""What is left of a value once the next word is known decides as the whole value does."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from querent.grammar.calls import Calls, Refused
from querent.grammar.compiled import load_tables
from querent.grammar.dialect_types import load_types
from querent.grammar.gist import Gist
from querent.grammar.rules import active
from querent.grammar.tables import DIALECTS
from querent.grammar.values import AGGREGATE, LITERAL, NONNEGATIVE, NONZERO, NULL, PLAIN, TYPES, Value

DIGITS = (0, 1, 4, 9, 10, 12, 17, 18, 30, 60, 300, 1000)
MARKS = (0, NONNEGATIVE, NONZERO, NONNEGATIVE | NONZERO, PLAIN, AGGREGATE, LITERAL | NONNEGATIVE)


def some_value(rng: random.Random, kinds: Sequence[str]) -> Value:
    if rng.random() < 0.1:
        return NULL
    type_ = rng.choice([t for t in TYPES if t != "null"])
    several = rng.randint(0, min(2, len(kinds))) if type_ == "text" else 0
    found = frozenset(rng.sample(list(kinds), several))
    marks = rng.choice(MARKS) | (LITERAL if found else 0)
    return Value(type_, rng.choice(DIGITS), marks, found)


def outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Refused as refused:
        return refused.rule


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_operator_makes_the_same_of_a_gist(dialect: str) -> None:
    types = load_types(dialect)
    gist, calls = Gist(load_tables(dialect), types), Calls(types, active("runs", dialect))
    rng = random.Random(dialect)
    for name, signatures in types.operators.items():
        for _ in range(300 if len(signatures[0].arguments) == 2 else 0):
            left, right = some_value(rng, list(types.kinds)), some_value(rng, list(types.kinds))
            small = left if left.type == "null" else gist.gist("operator", name, 0, left)
            whole, less = (
                outcome(lambda a=value, b=right, name=name: calls.operator(name, [a, b])) for value in (left, small)
            )
            assert less == whole, (name, left, right)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_function_makes_the_same_of_gists(dialect: str) -> None:
    tables, types = load_tables(dialect), load_types(dialect)
    gist, calls = Gist(tables, types), Calls(types, active("runs", dialect))
    rng = random.Random(dialect)
    for name, signatures in types.functions.items():
        most = max(len(s.arguments) for s in signatures)
        for _ in range(300 if most > 1 else 0):
            values = [some_value(rng, list(types.kinds)) for _ in range(most)]
            small = [
                v if v.type == "null" or place == most - 1 else gist.gist("argument", name, place, v)
                for place, v in enumerate(values)
            ]
            class_ = "CONDITIONAL" if name in {"IF", "IIF"} else "FUNC2"
            whole, less = (
                outcome(lambda vs=vs, name=name, class_=class_: calls.call([(class_, name), *(("sum", v) for v in vs)]))
                for vs in (values, small)
            )
            assert less == whole, (name, values)
