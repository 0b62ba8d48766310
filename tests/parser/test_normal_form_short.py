"""Short forms: an ON that keys imply is left out, and comes back; the words that they are written with."""

from collections.abc import Iterable

import numpy as np
import pytest
from cases import table
from draws import draws
from games import SCHEMA, filled, liked, walked
from sql_pairs import pairs

from querent.data.databases.schema_readers import from_ddl
from querent.data.errors import ConstraintError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.query import Query
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.decoding.candidates import to_plain_sql
from querent.parser.normal_form import NormalForm, ShortConstraint, ShortForm, ShortState, uses_in, vocabulary

CASES = pairs("short_form")


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.for_schema(SCHEMA, dialect="sqlite")


@pytest.mark.parametrize("full", CASES)
def test_short_form(grammar: Grammar, full: str):
    form = ShortForm(grammar)
    assert NormalForm(grammar).of(full) == full
    words = form.words(full)
    assert grammar.spell(words) == CASES[full]
    assert form.sql(words) == full


def test_the_second_city_is_that_of_the_second_airport():
    ddl = """
    CREATE TABLE Airport (Code TEXT PRIMARY KEY, City TEXT REFERENCES City (Code));
    CREATE TABLE City (Code TEXT PRIMARY KEY, Name TEXT);
    CREATE TABLE Flight (Id INT, Source TEXT REFERENCES Airport (Code), Goal TEXT REFERENCES Airport (Code));
    """
    grammar = Grammar.for_schema(from_ddl(ddl, "sqlite"), dialect="sqlite")
    full = (
        "SELECT Flight.Id FROM Flight JOIN Airport ON Flight.Source = Airport.Code"
        " JOIN Airport AS Airport_2 ON Flight.Goal = Airport_2.Code JOIN City ON Airport.City = City.Code"
        " JOIN City AS City_2 ON Airport_2.City = City_2.Code"
    )
    form = ShortForm(grammar)
    assert NormalForm(grammar).of(full) == full
    short = "SELECT Flight.Id FROM Flight JOIN Airport JOIN Airport_2 JOIN City JOIN City_2"
    assert grammar.spell(form.words(full)) == short
    assert form.sql(form.words(full)) == full


def test_vocabulary(grammar: Grammar):
    words = vocabulary(grammar, texts=2, numbers=1)
    texts = [word.text for word in words.words]
    assert len(set(zip(texts, (word.terminal for word in words.words), strict=True))) == len(texts)
    assert {"Player.Name", '"Order".*', "Player_2", "Game_2.Hall", "'%{text1}%'", "{number0}", "100"} <= set(texts)
    assert not {"Name", "Lone_2", "'{text2}'", "USING", "!=", "ASC"} & set(texts)
    assert [word.table for word in words.words if word.text == "Player_2.Coach"] == ["Player"]
    for sql in CASES:
        if "'" not in sql:
            assert words.decode(words.encode(sql)) == sql


def test_uses_that_queries_have_beyond_those_that_keys_tell_of(grammar: Grammar):
    form = ShortForm(grammar)
    forms = [form.words("SELECT Lone.Id FROM Lone JOIN Lone AS Lone_2 ON Lone.Id < Lone_2.Id"), *map(form.words, CASES)]
    forms.append(form.words("SELECT 1 FROM Player, Player AS Player_4, (SELECT 1 FROM Game) AS t1"))
    assert uses_in(grammar, forms, most=3) == {"Player": 3, "Game": 2, "Lone": 2}
    words = vocabulary(grammar, texts=1, numbers=1, uses=uses_in(grammar, forms, most=3))
    aliases = [word.text for word in words.words if word.kind == "alias"]
    assert aliases == ["Player_2", "Player_3", "Game_2", "Lone_2"]
    assert words.index("Player_3.Name", "QCOLUMN") > words.index("Player_2.Name", "QCOLUMN")


def test_a_second_name_that_is_taken():
    schema = Schema((*SCHEMA.tables, Table("Player_2", (Column("Id", "int"),))))
    grammar = Grammar.for_schema(schema, dialect="sqlite")
    texts = {word.text for word in vocabulary(grammar, texts=0, numbers=0).words if word.kind == "alias"}
    assert texts == {"Player_3", "Game_2"}
    assert "Player AS Player_3" in NormalForm(grammar).of("SELECT a.Id FROM Player a JOIN Player b ON a.Id = b.Coach")


# --- the constraint on short forms: what it lets come, and that whatever walks write runs


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
    assert ended.inner.ended
    if not state.place.open:
        assert steps.vocabulary.decode(state.sql_words) == full
    assert steps.vocabulary.decode(ended.sql_words) == full


@pytest.mark.parametrize(("words", "may", "must_not"), table(__file__, "what_may_come"))
def test_what_may_come(steps: ShortConstraint, words: str, may: list[str], must_not: list[str]):
    found = texts(behind(steps, words))
    assert found.issuperset(may)
    assert found.isdisjoint(must_not)


@pytest.mark.parametrize(("words", "alone"), table(__file__, "what_alone_may_come"))
def test_what_alone_may_come(steps: ShortConstraint, words: str, alone: list[str]):
    state = behind(steps, words)
    assert texts(state) == set(alone)
    if "Lone" in words:
        assert not state.admits(EOS)
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
        while not state.inner.ended:
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
        while not state.inner.ended:
            mask = state.allowed()
            assert mask.any(), steps.vocabulary.decode(state.sql_words)
            state = state.advance(int(np.where(mask, likes + rng.gumbel(size=len(words)), -np.inf).argmax()))


# --- what derived tables show, by the names that people know


OWN_NAMES = pairs("own_names")


@pytest.mark.parametrize("sql", OWN_NAMES)
def test_own_names(sql: str) -> None:
    found = to_plain_sql(Query(sql, "sqlite"), SCHEMA).sql
    assert found == OWN_NAMES[sql]
    database = filled(SCHEMA)
    assert database.execute(found).fetchall() == database.execute(sql).fetchall()


def test_the_normal_form_takes_them_away_again() -> None:
    grammar = Grammar.for_schema(SCHEMA, dialect="sqlite")
    (sql, found), *_ = OWN_NAMES.items()
    assert NormalForm(grammar).of(found) == NormalForm(grammar).of(sql) == sql
