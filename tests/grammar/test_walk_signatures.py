"""bench/walk_signatures.py: which words write the signature that random walks have used least."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from querent.data.ddl import from_ddl
from querent.grammar import Grammar, Vocabulary

BENCH = Path(__file__).resolve().parents[2] / "bench"
DDL = "CREATE TABLE pump (name VARCHAR(20), flow DECIMAL(8, 2) UNSIGNED, runs INT UNSIGNED)"
QUERIES = ["SELECT name, flow, runs FROM pump WHERE runs = 3 AND name = 'P1'"]


Drawn = Callable[[str], list[set[str]]]


@pytest.fixture
def signatures(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """Draw where all signatures but one were used: how it is written, the texts of the words for each place."""
    monkeypatch.syspath_prepend(str(BENCH))
    module = importlib.import_module("walk_signatures")
    grammar = Grammar.for_schema(from_ddl(DDL, "mysql"), dialect="mysql")
    constraint = grammar.constraint(Vocabulary.build(grammar, QUERIES, functions="all"))
    known, words = constraint.all_signatures(), [word.text for word in constraint.vocabulary.words]

    def drawn(signature: str) -> list[set[str]]:
        assert signature in known
        used = Counter(dict.fromkeys(known - {signature}, 10**9))
        return [
            {words[i] for i in mask.nonzero()[0]} for mask in module.Signatures(constraint, used).draw(random.Random(0))
        ]

    return drawn


@pytest.mark.parametrize(
    ("signature", "recipe"),
    [
        ("neg: udec -> dec", "-|flow"),
        ("SIGNED: unsigned<18 -> int+", "CAST|(|runs|AS|SIGNED|)"),
        ("CURDATE: -> date:14+", "CURDATE|(|)"),
        ("CURRENT_TIME: -> time:14+", "CURRENT_TIME"),
        ("UPPER: most -> text:309", None),
    ],
)
def test_the_signature_used_least_is_sought(signatures: Drawn, signature: str, recipe: str | None) -> None:
    found = signatures(signature)
    if recipe is not None:
        assert "|".join(" ".join(sorted(words)) for words in found) == recipe
    else:
        assert [found[0], found[1], found[3]] == [{"UPPER"}, {"("}, {")"}]
        assert {"name", "flow", "runs"} <= found[2]


def test_what_no_word_is_another_signature_gives(signatures: Drawn) -> None:
    # all decimals here are below zero in no row, so a decimal that may be is a quotient
    found = signatures("TRUNCATE: udec most -> udec")
    assert found[0] == {"TRUNCATE"}
    assert found[1] == found[2] == {"("}
    assert {"/"} in found[3:-1]
