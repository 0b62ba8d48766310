"""bench/walk_signatures.py and walk_coverage.py: random walks seek what was used least, and write it."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from querent.data.ddl import from_ddl
from querent.grammar import EOS, Constraint, Grammar, Vocabulary
from querent.grammar.lr.compiled import load_tables

BENCH = Path(__file__).resolve().parents[2] / "bench"
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


def test_a_signature_missing_from_the_runs_before_is_sought_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    constraint, signature = pump("mysql"), "neg: udec -> dec"
    assert written(constraint, signature, missing=[signature]) > written(constraint, signature)


def test_a_production_missing_from_the_runs_before_is_written_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    constraint = pump("mysql")
    production = "call: JOIN_TEXT ( DISTINCT expr_list order_by SEPARATOR STRING )"

    def times(missing: Sequence[str]) -> int:
        found = walked(constraint, "rarest", missing=missing)
        return sum(production in productions(constraint, ids) for ids in found)

    assert times([production]) > 0 == times([])


def pump(dialect: str) -> Constraint:
    """Return a constraint of one small table."""
    ddl = DDL.format(unsigned=" UNSIGNED" * (dialect == "mysql"))
    grammar = Grammar.for_schema(from_ddl(ddl, dialect), dialect=dialect)
    return Constraint(Vocabulary.build(grammar, QUERIES, functions="all"), budget=80)


def written(
    constraint: Constraint, signature: str, *, used: Counter[str] | None = None, missing: Sequence[str] = ()
) -> int:
    """Return how many of ten walks that seek signatures write this one."""
    found = walked(constraint, "sought", used=used, missing=missing)
    return sum(signature in constraint.signatures(ids) for ids in found)


def productions(constraint: Constraint, ids: Sequence[int]) -> set[str]:
    """Return the productions that words are written with."""
    coverage = importlib.import_module("walk_coverage")
    tables = load_tables(constraint.grammar.dialect)
    words = [constraint.vocabulary.words[i] for i in ids if i != EOS]
    used = coverage.Coverage(tables, Counter()).note(tables.terminals.index(word.terminal) for word in words)
    return {coverage.describe(tables, rule) for rule in used}


def walked(
    constraint: Constraint, way: str, *, used: Counter[str] | None = None, missing: Sequence[str] = ()
) -> list[list[int]]:
    """Return the words of ten walks of one way, of a run that has used some signatures and lacks others."""
    ways, coverage, signatures = map(importlib.import_module, ("walk_ways", "walk_coverage", "walk_signatures"))
    sought = signatures.Signatures(constraint, used or Counter(), missing)
    states = coverage.Coverage(load_tables(constraint.grammar.dialect), Counter(), missing)
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
