"""bench/walk_signatures.py and walk_coverage.py: random walks seek what was used least, and write it."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from querent.data.ddl import from_ddl
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.compiled import load_tables

BENCH = Path(__file__).resolve().parents[2] / "bench" / "fuzz"
DDL = "CREATE TABLE pump (name VARCHAR(20), flow DECIMAL(8, 2){unsigned}, runs INT{unsigned}, made DATE)"
QUERIES = ["SELECT name, flow, runs FROM pump WHERE runs = 3 AND name = 'P1'"]


@pytest.mark.parametrize(
    ("dialect", "signature"),
    [
        ("mysql", "neg: udec -> dec"),
        ("mysql", "SIGNED: unsigned<18 -> int+"),
        ("mysql", "CURRENT_TIME: -> time:14+"),
        ("mysql", "ROUND: udec<12+ most? -> udec:13+"),
        # no column here is an unsigned decimal that may be below zero: other signatures have to make one
        ("mysql", "TRUNCATE: udec most -> udec"),
        # and no date was moved twice
        ("postgres", "+: int<4 date<2 -> date:3"),
        ("postgres", "SIMILAR TO: text @similar -> bool"),
        ("postgres", "CURRENT_DATE: -> date"),
    ],
)
def test_the_signature_used_least_is_sought(dialect: str, signature: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    constraint = pump(dialect)
    known = constraint.all_signatures()
    assert signature in known
    assert written(constraint, signature, used=Counter(dict.fromkeys(known - {signature}, 10**9))) >= 3


def pump(dialect: str) -> Constraint:
    """Return a constraint of one small table."""
    ddl = DDL.format(unsigned=" UNSIGNED" * (dialect == "mysql"))
    grammar = Grammar.for_schema(from_ddl(ddl, dialect), dialect=dialect)
    return grammar.constraint(Vocabulary.build(grammar, QUERIES, functions="all"), budget=80)


def written(constraint: Constraint, signature: str, *, used: Counter[str] | None = None) -> int:
    """Return how many of ten walks that seek signatures write this one."""
    found = walked(constraint, "sought", used=used)
    return sum(signature in constraint.signatures(ids) for ids in found)


def walked(constraint: Constraint, way: str, *, used: Counter[str] | None = None) -> list[list[int]]:
    """Return the words of ten walks of one way, of a run that has used some signatures."""
    ways, coverage, signatures = map(importlib.import_module, ("walk_ways", "walk_coverage", "walk_signatures"))
    sought = signatures.Signatures(constraint, used or Counter())
    states = coverage.Coverage(load_tables(constraint.grammar.dialect), Counter())
    walker = ways.Walker(constraint.vocabulary, states, Counter(), sought)
    found: list[list[int]] = []
    for seed in range(10):
        walker.start(random.Random(seed))
        state = constraint.start()
        while not state.ended:
            walker.ids.append(ways.WAYS[way](walker, np.flatnonzero(state.allowed())))
            state = state.advance(walker.ids[-1])
        found.append(walker.ids)
    return found
