"""bench/walk_signatures.py: which words write the signature that random walks have used least."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from pathlib import Path

import pytest

from querent.data.ddl import from_ddl
from querent.grammar import Constraint, Grammar, Vocabulary

BENCH = Path(__file__).resolve().parents[2] / "bench"
DDL = "CREATE TABLE pump (name VARCHAR(20), flow DECIMAL(8, 2) UNSIGNED, runs INT UNSIGNED)"
QUERIES = ["SELECT name, flow, runs FROM pump WHERE runs = 3 AND name = 'P1'"]


@pytest.fixture
def constraint() -> Constraint:
    grammar = Grammar.for_schema(from_ddl(DDL, "mysql"), dialect="mysql")
    return grammar.constraint(Vocabulary.build(grammar, QUERIES, functions="all"))


@pytest.mark.parametrize(
    ("signature", "writing", "fitting"),
    [
        ("neg: udec -> dec", {"-"}, {"flow"}),
        ("SIGNED: unsigned<18 -> int+", {"CAST", "SIGNED"}, {"runs"}),
        ("CURDATE: -> date:14+", {"CURDATE"}, set()),
    ],
)
def test_the_signature_used_least_is_sought(
    constraint: Constraint, signature: str, writing: set[str], fitting: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    signatures = importlib.import_module("walk_signatures")
    known = constraint.all_signatures()
    assert signature in known
    used = Counter(dict.fromkeys(known - {signature}, 10**9))
    masks = signatures.Signatures(constraint, used).draw(random.Random(0))
    words = [word.text for word in constraint.vocabulary.words]
    found = [{words[i] for i in mask.nonzero()[0]} for mask in masks]
    assert found == [writing, fitting]
