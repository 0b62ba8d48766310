"""bench/fuzz/walk_ways.py: how random walks seek what their run has used least."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from querent.data.schema.ddl import from_ddl
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.lr.compiled import load_tables
from querent.grammar.lr.functions import load_functions

FUZZ = Path(__file__).resolve().parents[2] / "bench" / "fuzz"
DDL = "CREATE TABLE pump (name TEXT, flow REAL, runs INTEGER, made DATE)"
QUERIES = ["SELECT name, flow, runs FROM pump WHERE runs = 3 AND name = 'P1'"]


def pairs_written(way: str) -> Counter[tuple[str, str]]:
    """Return the pairs of words that ten walks of one way write."""
    ways, coverage, walks = map(importlib.import_module, ("walk_ways", "walk_coverage", "walker"))
    grammar = Grammar.for_schema(from_ddl(DDL, "sqlite"), dialect="sqlite")
    constraint = Constraint(Vocabulary.build(grammar, QUERIES, functions="all"), budget=40)
    pairs: Counter[tuple[str, str]] = Counter()
    walker = walks.Walker(constraint.vocabulary, coverage.Coverage(load_tables("sqlite"), Counter()), Counter(), pairs)
    for seed in range(10):
        walker.start(random.Random(seed))
        state = constraint.start()
        while not state.ended:
            walker.ids.append(ways.WAYS[way](walker, np.flatnonzero(state.allowed())))
            state = state.advance(walker.ids[-1])
        pairs.update(pairwise(walker.sorts[i] for i in walker.ids))
    return pairs


def test_a_walk_that_seeks_pairs_meets_more_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FUZZ))
    sought, other = ({word for pair in pairs_written(way) for word in pair} for way in ("seldom", "clauses"))
    functions = load_functions("sqlite").keys()
    assert len(sought & functions) > 2 * len(other & functions) > 0


def test_a_column_counts_as_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FUZZ))
    words = {word for pair in pairs_written("seldom") for word in pair}
    assert {"TEXT", "DOUBLE", "INT", "DATE", "TABLE", "STRING", "SELECT"} <= words
    assert not words & {"name", "flow", "runs", "made", "pump"}
