"""The constraint on short forms: what it lets come, and that whatever walks write runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import numpy as np
import pytest
from draws import draws, some
from test_normal_form_short import CASES, SCHEMA

from querent.data.errors import ConstraintError
from querent.data.values.slots import SLOT
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.normal_form import ShortConstraint, ShortState, vocabulary

NESTED = {"FROM": 6.0, "JOIN": 7.0, "LEFT": 5.0, "(": 2.0, ",": 2.0, "EXISTS": 5.0, "SELECT": 3.0}
"""What walks like that come to joins deep inside brackets."""

LIKED = {"FROM": 6.0, "JOIN": 6.0, "LEFT": 5.0, "(": 1.0}
"""What half of the walks like, so that they come to joins."""


@pytest.fixture(scope="module")
def steps() -> ShortConstraint:
    grammar = Grammar.for_schema(SCHEMA, dialect="sqlite")
    return ShortConstraint(Constraint(vocabulary(grammar, texts=3, numbers=3)))


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for table in SCHEMA.tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        connection.execute(f'INSERT INTO "{table.name}" VALUES ({", ".join("1" for _ in table.columns)})')
    return connection


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


def test_behind_a_join_that_a_key_implies(steps: ShortConstraint):
    state = behind(steps, "SELECT Player.Name FROM Player JOIN Game")
    assert state.complete
    assert {"ON", "WHERE", "JOIN", "AND", "<eos>"} <= texts(state)
    assert not {"Player.Id", ")", "Game_2", "AS"} & texts(state)


def test_behind_a_join_that_none_implies(steps: ShortConstraint):
    state = behind(steps, "SELECT Player.Name FROM Player JOIN Lone")
    assert not state.complete
    assert texts(state) == {"ON"}
    with pytest.raises(ConstraintError, match="no key implies an ON here"):
        state.advance(steps.numbers["WHERE", "WHERE"])


def test_a_table_joined_twice_takes_its_second_name(steps: ShortConstraint):
    state = behind(steps, "SELECT COUNT ( * ) FROM Player JOIN")
    assert {"Player_2", "Game"} <= texts(state)
    assert not {"Player", "Game_2"} & texts(state)
    state = state.advance(steps.numbers["Player_2", "ALIAS"])
    joined = "SELECT COUNT(*) FROM Player JOIN Player AS Player_2"
    assert steps.vocabulary.decode(state.sql_words) == joined
    ended = state.advance(EOS)
    assert steps.vocabulary.decode(ended.sql_words) == f"{joined} ON Player.Coach = Player_2.Id"
    assert "Lone" not in texts(behind(steps, "SELECT COUNT ( * ) FROM Lone JOIN"))


def test_outputs_have_no_names(steps: ShortConstraint):
    assert not {"AS", "Player_2", "Game_2"} & texts(behind(steps, "SELECT COUNT ( * )"))


def test_outputs_of_derived_tables_have_names_each_its_own(steps: ShortConstraint):
    named = behind(steps, "SELECT t1.c1 , t1.c2 FROM ( SELECT Game.Hall AS c2 , Game.Court AS")
    assert "c1" in texts(named)
    assert not {"c2", "t1", "Game_2"} & texts(named)
    whole = behind(steps, "SELECT t1.c1 FROM ( SELECT Game.Hall AS c1 FROM Game ) AS")
    assert texts(whole) == {"t1", "t2"}
    assert "AS" not in texts(behind(steps, "SELECT t1.c1 FROM ( SELECT Game.Hall AS c1 FROM Game ) AS t1 WHERE t1.c1"))


def test_a_derived_table_that_is_joined_has_a_name_and_on(steps: ShortConstraint):
    joined = behind(steps, "SELECT COUNT ( * ) FROM Player JOIN ( SELECT Game.Winner FROM Game )")
    assert texts(joined) == {"AS"}
    assert texts(joined.advance(steps.as_).advance(steps.numbers["t1", "ALIAS"])) == {"ON"}
    tight = steps.start(budget=12)
    for word in ("SELECT", "COUNT", "(", "*", ")", "FROM", "Player", "JOIN"):
        tight = tight.advance(next(i for (text, _), i in steps.numbers.items() if text == word and tight.admits(i)))
    assert "(" not in texts(tight)  # no words would be left for both


def test_a_second_use_stands_behind_a_first(steps: ShortConstraint):
    assert not {"Player_2", "Game_2"} & texts(behind(steps, "SELECT COUNT ( * ) FROM"))
    inside = behind(steps, "SELECT Player.Name FROM Player WHERE EXISTS ( SELECT 1 FROM")
    assert {"Player", "Player_2", "Game"} <= texts(inside)


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
def test_walks_end_and_run(steps: ShortConstraint, database: sqlite3.Connection, seed: int):
    rng = np.random.default_rng(seed)
    words = steps.vocabulary.words
    for walk in range(draws(100)):
        budget = int(rng.choice([8, 14, 30, 60]))
        likes = np.zeros(len(words))
        if walk % 2:
            likes = rng.normal(size=len(words)) * 2
            likes += [LIKED.get(word.text, 3.0 if word.terminal in {"TABLE", "ALIAS"} else 0.0) for word in words]
        state, written = steps.start(budget=budget), list[int]()
        while not state.ended:
            chosen = np.where(state.allowed(), likes + rng.gumbel(size=len(words)), -np.inf)
            state = state.advance(int(chosen.argmax()))
            written.append(int(chosen.argmax()))
        sql = steps.vocabulary.decode(state.sql_words)
        assert len(state.sql_words) <= budget
        again = steps.form.sql((words[i].text, words[i].terminal) for i in written[:-1])
        assert again.replace(" AS ", " ") == sql.replace(" AS ", " ")  # which the last words of a budget do without
        assert sql.count("JOIN") - sql.count("CROSS") == sql.count(" ON "), sql
        database.execute(SLOT.sub("7", sql)).fetchmany(10)


def test_one_word_is_told_of_as_all_are(steps: ShortConstraint):
    """A state that has not worked out all words says of each by itself what the mask says."""
    rng, words = np.random.default_rng(3), steps.vocabulary.words
    likes = np.array([LIKED.get(word.text, 3.0 if word.terminal in {"TABLE", "ALIAS"} else 0.0) for word in words])
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
    liked = np.array([NESTED.get(word.text, 4.0 if word.terminal in {"TABLE", "ALIAS"} else 0.0) for word in words])
    for budget in (14, 30, 60, 80, 110) * draws(10):
        kept = np.array([word.kind != "column" or rng.random() < 0.3 for word in words])
        likes = liked + rng.normal(size=len(words)) * 2
        state = steps.start(available=kept if budget < 80 else None, budget=budget)
        while not state.ended:
            mask = state.allowed()
            assert mask.any(), steps.vocabulary.decode(state.sql_words)
            state = state.advance(int(np.where(mask, likes + rng.gumbel(size=len(words)), -np.inf).argmax()))
