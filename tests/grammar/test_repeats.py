"""What says one thing twice, word by word."""

import tomllib
from pathlib import Path

import pytest
from rule_cases import schema_of

from querent.grammar import RULES, Constraint, Grammar, Vocabulary
from querent.grammar.semantics.repeats import repeats
from querent.grammar.semantics.rules import active

WORDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("repeats.toml").read_text("utf-8"))


@pytest.mark.parametrize(("query", "expected"), [(q, how == "twice") for how in WORDS for q in WORDS[how]])
def test_repeats(query: str, expected: bool) -> None:
    before, word = query.split("|")
    assert (word.strip() in repeats(before.split())) == expected


@pytest.mark.parametrize(("sql", "broken"), [(RULES["repeats"].example, True), (RULES["repeats"].instead, False)])
def test_the_rule_of_searches_has_its_example_and_refuses_no_query(sql: str, broken: bool) -> None:
    """A mask lets it come: it runs. With access it may be left out, since it guards no name."""
    vocabulary = Vocabulary.build(Grammar.for_schema(schema_of(sql), dialect="sqlite"), [sql])
    words = [token.text for token in vocabulary.grammar.tokenize(sql)]
    qualified = [f"city.{word}" if word in ("people", "id") else word for word in words]
    assert any(word in repeats(qualified[:i]) for i, word in enumerate([*qualified, "<eos>"])) == broken
    assert Constraint(vocabulary).admits(sql)
    assert "repeats" in active("scope", "sqlite")
    assert "repeats" not in active("runs", "sqlite", ("repeats",), guarded=True)
