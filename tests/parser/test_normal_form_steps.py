"""The constraint on short forms: what it lets come, and that whatever walks write runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from draws import draws, some
from games import SCHEMA, filled, liked, walked
from test_normal_form_short import CASES

from querent.data.errors import ConstraintError
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.normal_form import ShortConstraint, ShortState, vocabulary

NESTED = {"FROM": 6.0, "JOIN": 7.0, "LEFT": 5.0, "(": 2.0, ",": 2.0, "EXISTS": 5.0, "SELECT": 3.0}
"""What walks like that come to joins deep inside brackets."""


@pytest.fixture(scope="module")
def steps() -> ShortConstraint:
    grammar = Grammar.for_schema(SCHEMA, dialect="sqlite")
    return ShortConstraint(Constraint(vocabulary(grammar, texts=3, numbers=3)))


def after(steps: ShortConstraint, words: Iterable[tuple[str, str]]) -> ShortState:
    state = steps.start()
    for word in words:
        state = state.advance(steps.numbers[word])
    return state


def behind(steps: ShortConstraint, text: str) -> ShortState:
    """Return the state behind words that stand apart, each of which is of one kind only."""
    kinds = {word.text: (word.text, word.terminal) for word in steps.vocabulary.words}
    return after(steps, (kinds[word] for word in text.split()))


def texts(state: ShortState) -> set[str]:
    return {state.of.vocabulary.words[i].text for i in np.flatnonzero(state.allowed())}


@pytest.mark.parametrize("full", CASES)
def test_short_forms_come_out_in_full(steps: ShortConstraint, full: str):
    state = after(steps, steps.form.words(full))
    if not state.allowed()[EOS]:
        pytest.fail(state.explain(EOS))
    ended = state.advance(EOS)
    assert ended.ended
    if not state.place.open:
        assert steps.vocabulary.decode(state.sql_words) == full
    assert steps.vocabulary.decode(ended.sql_words) == full


@pytest.mark.parametrize(
    ("words", "may", "must_not"),
    [
        ("SELECT Player.Name FROM Player JOIN Game", {"ON", "WHERE", "JOIN", "AND", "<eos>"},
         {"Player.Id", ")", "Game_2", "AS"}),
        ("SELECT COUNT ( * ) FROM Player JOIN", {"Player_2", "Game"}, {"Player", "Game_2"}),
        ("SELECT COUNT ( * ) FROM Lone JOIN", {"Player"}, {"Lone"}),
        ("SELECT COUNT ( * )", {"FROM"}, {"AS", "Player_2", "Game_2"}),  # outputs have no names
        ("SELECT COUNT ( * ) FROM", {"Player", "("}, {"Player_2", "Game_2"}),
        ("SELECT Player.Name FROM Player WHERE EXISTS ( SELECT 1 FROM", {"Player", "Player_2", "Game"}, {"Game_2"}),
        ("SELECT t1.c1 , t1.c2 FROM ( SELECT Game.Hall AS c2 , Game.Court AS", {"c1"}, {"c2", "t1", "Game_2"}),
        ("SELECT t1.c1 FROM ( SELECT Game.Hall AS c1 FROM Game ) AS t1 WHERE t1.c1", {"="}, {"AS"}),
    ],
)  # fmt: skip
def test_what_may_come(steps: ShortConstraint, words: str, may: set[str], must_not: set[str]):
    found = texts(behind(steps, words))
    assert may <= found
    assert not must_not & found


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        ("SELECT t1.c1 FROM ( SELECT Game.Hall AS c1 FROM Game ) AS", {"t1", "t2"}),
        ("SELECT Player.Name FROM Player JOIN Lone", {"ON"}),
        ("SELECT COUNT ( * ) FROM Player JOIN ( SELECT Game.Winner FROM Game )", {"AS"}),
        ("SELECT COUNT ( * ) FROM Player JOIN ( SELECT Game.Winner FROM Game ) AS t1", {"ON"}),
    ],
)
def test_what_alone_may_come(steps: ShortConstraint, words: str, alone: set[str]):
    state = behind(steps, words)
    assert texts(state) == alone
    if "Lone" in words:
        assert not state.complete
        with pytest.raises(ConstraintError, match="no key implies an ON here"):
            state.advance(steps.numbers["WHERE", "WHERE"])


def test_a_table_joined_twice_is_one_word(steps: ShortConstraint):
    state = behind(steps, "SELECT COUNT ( * ) FROM Player JOIN Player_2")
    joined = "SELECT COUNT(*) FROM Player JOIN Player AS Player_2"
    assert steps.vocabulary.decode(state.sql_words) == joined
    assert steps.vocabulary.decode(state.advance(EOS).sql_words) == f"{joined} ON Player.Coach = Player_2.Id"


def test_no_bracket_is_opened_without_words_for_a_name_and_on(steps: ShortConstraint):
    tight = steps.start(budget=12)
    for word in ("SELECT", "COUNT", "(", "*", ")", "FROM", "Player", "JOIN"):
        tight = tight.advance(next(i for (text, _), i in steps.numbers.items() if text == word and tight.admits(i)))
    assert "(" not in texts(tight)


@pytest.mark.parametrize("budget", some(range(4, 16), 3))
def test_no_budget_leads_to_a_join_without_on(steps: ShortConstraint, budget: int):
    """Every query of COUNT(*) and joins that fits: masks are never empty, and each JOIN has its ON."""
    waiting = [steps.start(budget=budget)]
    names = ("SELECT", "COUNT", "(", "*", ")", "FROM", "JOIN", "LEFT", "ON", "Player", "Lone", "Game", "Player_2")
    followed = {i for i, word in enumerate(steps.vocabulary.words) if word.text in (*names, "Player.Id", "<eos>")}
    ended = 0
    while waiting and ended < 200:
        state = waiting.pop()
        assert state.allowed().any()
        for word in sorted(followed & set(np.flatnonzero(state.allowed()).tolist())):
            new = state.advance(word)
            if new.ended:
                ended += 1
                sql = steps.vocabulary.decode(new.sql_words)
                assert sql.count("JOIN") == sql.count(" ON "), sql
            else:
                waiting.append(new)


@pytest.mark.parametrize("seed", range(2))
def test_walks_end_and_run(steps: ShortConstraint, seed: int):
    rng, database = np.random.default_rng(seed), filled(SCHEMA)
    for walk in range(draws(100)):
        likes = liked(steps) + rng.normal(size=len(steps.vocabulary)) * 2 if walk % 2 else 0 * liked(steps)
        walked(steps, rng, likes, int(rng.choice([8, 14, 30, 60])), database)


def test_one_word_is_told_of_as_all_are(steps: ShortConstraint):
    """A state that has not worked out all words says of each by itself what the mask says."""
    rng, words = np.random.default_rng(3), steps.vocabulary.words
    likes = liked(steps)
    for budget in (8, 10, 12, 14, 17, 20, 30):
        state = steps.start(budget=budget)
        while not state.ended:
            mask = state.allowed()
            tried = np.flatnonzero(state.inner.allowed() & steps.tried).tolist()
            for word in {*tried, steps.bracket, *rng.choice(len(mask), 12).tolist()}:
                fresh = ShortState(steps, state.inner, state.place, state.sql_words)
                assert fresh.admits(word) == mask[word], (steps.vocabulary.decode(state.sql_words), words[word].text)
            state = state.advance(int(np.where(mask, likes + rng.gumbel(size=len(mask)), -np.inf).argmax()))


@pytest.mark.parametrize("seed", range(2))
def test_no_join_is_begun_that_nesting_or_missing_columns_leave_without_on(steps: ShortConstraint, seed: int):
    rng = np.random.default_rng(seed)
    words = steps.vocabulary.words
    for budget in (14, 30, 60, 80, 110) * draws(10):
        kept = np.array([word.kind != "column" or rng.random() < 0.3 for word in words])
        likes = liked(steps, NESTED) + rng.normal(size=len(words)) * 2
        state = steps.start(available=kept if budget < 80 else None, budget=budget)
        while not state.ended:
            mask = state.allowed()
            assert mask.any(), steps.vocabulary.decode(state.sql_words)
            state = state.advance(int(np.where(mask, likes + rng.gumbel(size=len(words)), -np.inf).argmax()))
