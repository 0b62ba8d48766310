"""A table with two keys into itself: which use of it is which, in normal and short forms and to the network."""

import sqlite3

import numpy as np
import pytest
from games import liked, walked
from sql_pairs import pairs

from querent.data.databases.schema_readers import from_ddl
from querent.grammar import EOS, Constraint, Grammar
from querent.parser.normal_form import NormalForm, ShortConstraint, uses_in, vocabulary
from querent.parser.reader.items import SchemaItems
from querent.parser.reader.output_vocabulary import OutputVocabulary, Role

SCHEMA = from_ddl(
    "CREATE TABLE pilot (pilot_id INT PRIMARY KEY, name TEXT, hours INT, wingman_id INT, instructor_id INT,"
    " FOREIGN KEY (instructor_id) REFERENCES Pilot, FOREIGN KEY (wingman_id) REFERENCES Pilot)",  # not as the columns
    "sqlite",
)
NORMAL = pairs("self_keys")
SHORT = {normal.removeprefix("= "): short for normal, short in pairs("self_keys", "~").items()}


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.for_schema(SCHEMA, dialect="sqlite")


@pytest.fixture(scope="module")
def steps(grammar: Grammar) -> ShortConstraint:
    return ShortConstraint(Constraint(vocabulary(grammar, texts=1, numbers=1, uses={"pilot": 5})))


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE pilot (pilot_id int, name text, hours int, wingman_id int, instructor_id int)")
    rows = [(n, f"P{n}", n * n % 7, n % 4 + 1, n // 2 or None) for n in range(1, 9)]
    connection.executemany("INSERT INTO pilot VALUES (?, ?, ?, ?, ?)", rows)
    return connection


@pytest.mark.parametrize("sql", NORMAL)
def test_normal_form(grammar: Grammar, database: sqlite3.Connection, sql: str) -> None:
    form = NormalForm(grammar)
    assert form.of(sql) == NORMAL[sql]
    assert form.of(NORMAL[sql]) == NORMAL[sql]
    assert sorted(map(repr, database.execute(NORMAL[sql]))) == sorted(map(repr, database.execute(sql)))


@pytest.mark.parametrize("full", NORMAL.values())
def test_short_form(steps: ShortConstraint, full: str) -> None:
    words = steps.form.words(full)
    assert steps.form.grammar.spell(words) == SHORT[full]
    assert steps.form.sql(words) == full
    state = steps.start()
    for word in words:
        state = state.advance(steps.numbers[word])
    assert steps.vocabulary.decode(state.advance(EOS).sql_words) == full


def test_of_each_key_as_many_uses_are_told_apart(steps: ShortConstraint) -> None:
    forms = [steps.form.words(f"SELECT 1 FROM pilot, pilot AS pilot_{number}") for number in (4, 7)]
    assert uses_in(steps.form.grammar, forms[:1], most=3) == {"pilot": 4}
    assert uses_in(steps.form.grammar, forms, most=3) == {"pilot": 5}


def test_a_word_points_at_what_its_key_refers_to(steps: ShortConstraint) -> None:
    items = SchemaItems(SCHEMA)
    made = OutputVocabulary(steps.vocabulary, items)
    place = {word.text: int(p) for word, p in zip(steps.vocabulary.words, made.places, strict=True)}
    wingman, instructor = items.find("pilot_2"), items.find("pilot_3")
    assert [items.items[one].name for one in (wingman, instructor)] == ["wingman", "instructor"]
    assert items.referred("pilot") == (wingman, instructor)
    assert [place["pilot_2"], place["pilot_4"]] == [made.pointer(wingman, r) for r in (Role.TABLE, Role.TABLE_AGAIN)]
    assert [place["pilot_3"], place["pilot_5"]] == [made.pointer(instructor, r) for r in (Role.TABLE, Role.TABLE_AGAIN)]
    assert place["pilot_5.name"] == made.pointer(items.find("pilot_3", "name"), Role.COLUMN_AGAIN)


def test_a_key_that_says_nothing_leaves_its_use_to_the_table() -> None:
    key = "INT REFERENCES node (id)"
    schema = from_ddl(f"CREATE TABLE node (id INT PRIMARY KEY, node_id {key}, origin_id {key})", "sqlite")
    words = vocabulary(Grammar.for_schema(schema, dialect="sqlite"), texts=0, numbers=0, uses={"node": 4})
    items = SchemaItems(schema)
    made = OutputVocabulary(words, items)
    place = {word.text: int(p) for word, p in zip(words.words, made.places, strict=True)}
    own, origin = items.find("node"), items.find("node_3")
    assert items.items[origin].name == "origin"
    assert place["node_2"] == made.pointer(own, Role.TABLE_AGAIN)
    assert place["node_3"] == made.pointer(origin, Role.TABLE)
    assert place["node_4"] == made.pointer(own, Role.TABLE_THIRD)


@pytest.mark.parametrize("seed", range(2))
def test_walks_end_and_run(steps: ShortConstraint, database: sqlite3.Connection, seed: int) -> None:
    rng, later = np.random.default_rng(seed), set[str]()
    for _ in range(30):
        likes = liked(steps) + rng.normal(size=len(steps.vocabulary)) * 2
        later |= walked(steps, rng, likes, int(rng.choice([14, 30, 60])), database)
    assert {"pilot_2", "pilot_3"} <= later
