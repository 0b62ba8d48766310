"""Words that are asked for one by one are answered as the mask of all says, and no others are worked out."""

import random
from itertools import pairwise

import numpy as np
import pytest
from rule_cases import judge
from token_cases import CITIES, SINGERS

from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar, State, Vocabulary
from querent.grammar.decoding.word_costs import WordCosts
from querent.grammar.lr.tables import DIALECTS


def fresh(state: State) -> State:
    """Return a state like another one of whose next words nothing is known."""
    of = state.allowed_words.continuations
    of._plans.clear()
    return State(state.allowed_words, of.next_words(state.next_words.node, state.next_words.scope), state.left)


@pytest.mark.parametrize(("schema", "dialect"), [(SINGERS, "sqlite"), (CITIES, "postgres")])
def test_some_words_are_answered_as_all(schema: Schema, dialect: str) -> None:
    grammar = Grammar.for_schema(schema, dialect=dialect)
    constraint = Constraint(Vocabulary.build(grammar, (), functions="all"), budget=30)
    chance, answers = random.Random(5), set[bool]()
    for _ in range(6):
        state = constraint.start()
        while not state.ended:
            mask = state.allowed()
            one, alike = fresh(state), fresh(state)
            for word in chance.sample(range(len(mask)), 8):
                assert one.admits(word) == mask[word], (word, state.explain(word))
            for size in (1, 3, 20):
                words = chance.sample(range(4, len(mask)), size)
                at_hand = [word for word in words if state.allowed_words.words[word]]
                if at_hand:
                    some = state.allowed_words.continuations.costs.some(at_hand)
                    assert alike.admits_any(some) == mask[at_hand].any()
                    answers.add(bool(mask[at_hand].any()))
            state = state.advance(chance.choice(np.flatnonzero(mask).tolist()))
    assert answers == {True, False}


SEVERAL = [
    "SELECT c.name , COUNT ( * ) FROM city AS c WHERE c.people > 1 GROUP BY 1 ORDER BY 2",
    # of the bare columns of river one is shown by the derived table, too
    "SELECT c.source , length , source , deep FROM river , (SELECT source FROM river) AS c",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", SEVERAL)
def test_each_word_of_a_query_is_judged_as_all_are(dialect: str, sql: str) -> None:
    constraint = judge((sql, "SELECT 1, 2, 5"), dialect, wide=True)
    state = constraint.start()
    order = sorted(range(len(constraint.vocabulary)), key=lambda i: constraint.vocabulary.words[i].kind != "column")
    for word in constraint.vocabulary.encode(sql):
        mask, other = state.allowed(), fresh(state)
        assert [other.admits(i) for i in order] == mask[order].tolist()
        if not mask[word]:
            return
        state = state.advance(word)
    assert state.complete


def test_a_keyword_is_asked_for_without_a_look_at_names(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = Vocabulary.build(Grammar.for_schema(SINGERS, dialect="sqlite"), ())
    state = Constraint(vocabulary).start()
    numbers = {word.text: number for number, word in enumerate(vocabulary.words)}
    for word in ("SELECT", "Name", "FROM", "singer"):
        state = state.advance(numbers[word])
    monkeypatch.delattr(WordCosts, "_grammar_totals")
    assert state.admits(numbers["WHERE"])
    assert not state.admits(numbers["SELECT"])
    assert not State(state.allowed_words, state.next_words, 1).admits(numbers["WHERE"])
    assert state.admits(numbers["WHERE"])  # what few words left refuse, more do not


def test_what_is_remembered_is_bounded_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    constraint = Constraint(Vocabulary.build(Grammar.for_schema(SINGERS, dialect="sqlite"), ()))
    state = constraint.start()
    state.allowed()
    before = constraint.bytes
    state.advance(int(np.flatnonzero(state.allowed())[0])).allowed()
    assert constraint.bytes > before > len(constraint.vocabulary)
    monkeypatch.setattr("querent.grammar.decoding.constraint.MAX_BYTES", before)
    stacks = constraint.stack.count
    assert constraint.start().next_words is not state.next_words
    assert constraint.bytes <= before
    assert constraint.stack.count < stacks


def test_what_many_queries_leave_behind_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("querent.grammar.decoding.constraint.MAX_BYTES", 2**20)
    constraint = Constraint(Vocabulary.build(Grammar.for_schema(SINGERS, dialect="sqlite"), ()), budget=12)
    actions, draw, left = constraint.stack.actions, random.Random(1), list[tuple[int, int]]()
    assert actions is not None
    for _ in range(60):
        state = constraint.start()
        left.append((constraint.stack.count, len(actions.memo)))
        while not state.ended:
            state = state.advance(draw.choice(np.flatnonzero(state.allowed()).tolist()))
    for counts in zip(*left, strict=True):
        assert max(counts[30:]) <= max(counts[:30])
        assert any(after < before for before, after in pairwise(counts))
