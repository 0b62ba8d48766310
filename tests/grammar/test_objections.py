"""What speaks against a word: the rule by its name, and the same words as `State.explain`."""

import numpy as np
import pytest
from grammar_cases import make_schema, rich_vocabulary

from querent.grammar import BOS, EOS, RULES, Constraint, Grammar, State, Vocabulary

QUERIES = ["SELECT area, lake.area FROM lake WHERE COUNT(*) > 5 AND area = 'x'", "SELECT name FROM city"]


def reached(constraint: Constraint, sql: str) -> State:
    state = constraint.start()
    for text in sql.split():
        state = state.advance(next(i for i, w in enumerate(constraint.vocabulary.words) if w.text == text))
    return state


@pytest.mark.parametrize(
    ("before", "word", "rule", "problem"),
    [
        ("SELECT lake.area FROM city", "WHERE", "sources", "lake is not in FROM"),
        ("SELECT area FROM lake WHERE", "COUNT", "aggregate place", "no aggregate may stand here"),
        ("SELECT area FROM lake WHERE", "name", "visible", "name is not in FROM"),
        ("SELECT area", "SELECT", "grammar", "cannot come next: the grammar expects "),
    ],
)
def test_it_names_the_rule(before, word, rule, problem):
    grammar = Grammar.for_schema(make_schema(lake="area", city="name"), dialect="sqlite")
    constraint = Constraint(Vocabulary.build(grammar, QUERIES))
    state = reached(constraint, before)
    number = next(i for i, w in enumerate(constraint.vocabulary.words) if w.text == word)
    found = state.objection(number)
    assert found.rule == rule
    assert found.problem.startswith(problem)
    assert state.explain(number) == f"{word!r} {found}"
    assert (f"is not allowed here: {problem}" == str(found)) == (rule in RULES)


def test_a_budget_and_words_that_are_not_at_hand_are_told_apart():
    grammar = Grammar.for_schema(make_schema(lake="area", city="name"), dialect="sqlite")
    constraint = Constraint(Vocabulary.build(grammar, QUERIES))
    words = {w.text: i for i, w in enumerate(constraint.vocabulary.words)}
    assert constraint.start(budget=2).advance(words["SELECT"]).objection(words["COUNT"]).rule == "budget"
    at_hand = np.ones(len(words) + 1, np.bool_)[: len(constraint.vocabulary)]
    at_hand[words["area"]] = False
    assert constraint.start(at_hand).advance(words["SELECT"]).objection(words["area"]).rule == "words"
    ended = reached(constraint, "SELECT area FROM lake").advance(EOS)
    assert ended.objection(words["SELECT"]) == ("grammar", "cannot follow the end of the query")


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_a_word_is_objected_to_if_and_only_if_it_may_not_come(dialect):
    grammar = Grammar.for_schema(make_schema(lake="area name", city="name lake"), dialect=dialect)
    constraint = Constraint(rich_vocabulary(grammar))
    state, draw = constraint.start(budget=24), np.random.default_rng(5)
    while not state.ended:
        mask = state.allowed()
        told = [state.objection(i) for i in range(BOS + 1, len(mask))]
        assert [t is None for t in told] == mask[BOS + 1 :].tolist()
        assert {t.rule for t in told if t} <= {*RULES, "grammar", "words", "budget", "nesting"}
        state = state.advance(int(draw.choice(np.flatnonzero(mask))))
