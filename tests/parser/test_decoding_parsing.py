"""Questions into queries: values filled in, large schemas, and the global constraint."""

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from reader_cases import GERMAN, constraint, large, network, schema_parser, writes
from threadpoolctl import threadpool_info, threadpool_limits

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.data.errors import ConstraintError
from querent.encoders import functions as ways
from querent.encoders.functions import one_thread, sigmoid
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.decoding import parsing
from querent.parser.decoding.history import History, history_of
from querent.parser.decoding.parsing import Parse, SchemaParser
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import Role, fixed_words
from querent.parser.reader.question import MAX_TURNS

FIXED, ASKED = len(fixed_words()), QuestionText(GERMAN)


# --- candidates


def test_candidates_are_different_queries_the_best_first(music: DatabaseContext) -> None:
    found = schema_parser().parse(music, ASKED, width=4, constraint=constraint(music))
    assert 1 < len(found.candidates) <= 4
    assert len({one.words for one in found.candidates}) == len(found.candidates)
    scores = [one.score for one in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) < 0
    assert 0 < found.answerable < 1
    assert found.question.text == GERMAN
    assert schema_parser().parse(music, ASKED, width=4, constraint=constraint(music)).candidates == found.candidates


@pytest.mark.parametrize(("least", "leans"), [(0.0, True), (1.1, False)])
def test_a_question_that_needs_nothing_before_it_is_read_alone(
    music: DatabaseContext, monkeypatch: pytest.MonkeyPatch, least: float, leans: bool
) -> None:
    parser, history, without = leaning(music)
    monkeypatch.setattr(parsing, "CARRIES", least)
    found = parser.parse(music, ASKED, constraint=constraint(music), history=history)
    assert (bool(found.history), bool(found.question.turns)) == (leans, leans)
    assert {one.leans for one in found.candidates} == {leans}
    assert ([one.score for one in found.candidates] != [one.score for one in without.candidates]) == leans


def test_the_query_before_is_known_when_it_comes_once_more(
    music: DatabaseContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = SchemaParser(network(turns=MAX_TURNS))
    monkeypatch.setattr(parsing, "CARRIES", 0.0)
    german, counted = (
        history_of(["artists of Germany"], f"SELECT {what} FROM artist WHERE country = 'Germany'", music)
        for what in ("name", "COUNT(*)")
    )
    read = parser.read(music, ASKED, history=german)
    ids = [int(np.flatnonzero(music.outputs.places == place)[0]) for place in read.input.before.places]
    monkeypatch.setattr(parser, "_search", lambda *_: [[SimpleNamespace(ids=tuple(ids), score=-0.1)]])
    for history, repeats in ((german, True), (counted, False)):
        (found,) = parser.parse(music, ASKED, history=history).candidates
        assert (found.sql, found.repeats) == (
            "SELECT artist.name FROM artist WHERE artist.country = 'Germany'",
            repeats,
        )


def leaning(music: DatabaseContext) -> tuple[SchemaParser, History, Parse]:
    """Return a parser that reads turns, what was asked before, and what it makes of a question alone."""
    parser = SchemaParser(network(turns=MAX_TURNS))
    history = history_of(["how many artists?"], "SELECT COUNT(*) FROM artist", music)
    return parser, history, parser.parse(music, ASKED, constraint=constraint(music))


def test_what_only_shows_the_given_gives_way_to_the_rest(
    music: DatabaseContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless nothing else was found."""
    found = schema_parser().parse(music, ASKED, constraint=constraint(music)).candidates
    monkeypatch.setattr(parsing, "shows_given", lambda query: query.sql == found[0].sql)
    assert schema_parser().parse(music, ASKED, constraint=constraint(music)).candidates == found[1:]
    monkeypatch.setattr(parsing, "shows_given", lambda _: True)
    assert schema_parser().parse(music, ASKED, constraint=constraint(music)).candidates == found


@pytest.mark.parametrize("seed", range(3))
def test_values_are_filled_in_as_sql(music: DatabaseContext, music_file: Path, seed: int) -> None:
    text, made = "albums of Sinéad O'Connor since 1990", schema_parser(seed)
    made.network.weights["role_key.bias"][:] = -9.0
    # a taste for values
    made.network.weights["role_key.bias"][[Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS, Role.NUMBER]] = 6.0
    made.network.weights["role_key.bias"][[Role.COLUMN, Role.TABLE]] = 0.0
    found = made.parse(music, QuestionText(text), width=6, constraint=constraint(music))
    slots = [word for one in found.candidates for word in one.words if "{" in word]
    assert slots
    with closing(sqlite3.connect(music_file)) as connection:
        for one in found.candidates:
            assert "{" not in one.sql
            for said, slot in (("O''Connor", "{text0}"), ("1990", "{number1}")):
                assert (said in one.sql) >= any(slot in word for word in one.words)
            connection.execute(one.sql)


@pytest.mark.parametrize("fixed", [[2], [2, 5]])
def test_a_network_that_can_finish_no_query_is_a_clear_error(
    music: DatabaseContext, music_file: Path, fixed: list[int]
) -> None:
    made = schema_parser()
    writes(made.network, fixed)
    with Database.open(music_file) as database:
        answer = Answerer(made, music, database).answer(QuestionText(GERMAN))
    assert (answer.status, answer.sql, answer.rows) == ("error", None, ())
    assert answer.reason
    with pytest.raises(ConstraintError):
        made.parse(music, ASKED, constraint=constraint(music))


def test_threads_are_as_before(music: DatabaseContext) -> None:
    def counts() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    ways._threads.cache_clear()  # which knows the libraries that were there when it was made
    with threadpool_limits(limits=2, user_api="blas"):
        before = counts()
        assert before
        with one_thread():
            assert set(counts()) == {1}
        schema_parser().parse(music, QuestionText("albums"), width=1, constraint=constraint(music))
        assert counts() == before
        with pytest.raises(AttributeError):
            schema_parser().parse(None, "albums")
        assert counts() == before


def test_a_large_schema_is_read_in_part_and_its_queries_name_that_part() -> None:
    of = DatabaseContext.of(large().schema, None, dialect="sqlite", language="en")
    made, text = schema_parser(), "what is the wingspan of each aircraft?"
    read = made.read(of, QuestionText(text))
    writable = {of.vocabulary.words[i] for i in np.flatnonzero(read.places >= 0)}
    columns = {(word.table, word.column) for word in writable if word.kind == "column" and word.column != "*"}
    assert ("aircraft", "wingspan") in columns
    assert 200 < len(columns) < len(large()) - large().tables
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in large().schema.tables:
            connection.execute(f'CREATE TABLE "{table.name}" ({", ".join(f"""{c.name!r}""" for c in table.columns)})')
        for one in made.parse(of, QuestionText(text), width=2, constraint=constraint(of)).candidates:
            connection.execute(one.sql)


# --- the global constraint


def test_what_it_closes_is_in_no_query(music: DatabaseContext) -> None:
    used = sigmoid(schema_parser().read(music, ASKED).classes.used).tolist()[: len(music.items)]
    made = schema_parser(global_constraint=GlobalConstraint("hard", threshold=0.99 * max(used[: music.items.tables])))
    open_ = {i for i, share in enumerate(used) if share >= made.global_constraint.threshold}
    assert 0 < len(open_) < len(used)
    words = {word.text: word for word in music.vocabulary.words}
    # a taste for names, none for values and constants
    made = schema_parser(global_constraint=made.global_constraint)
    made.network.weights["role_key.bias"][:] = -50.0
    made.network.weights["role_key.bias"][[Role.TABLE, Role.STAR, Role.COLUMN]] = 5.0
    writes(made.network, [i for i, (_, terminal) in enumerate(fixed_words()) if terminal != "WHOLE"])
    found = made.parse(music, ASKED, width=8, constraint=constraint(music)).candidates
    named = [words[text] for one in found for text in one.words if text in words and words[text].table]
    assert {music.items.find(w.table, None if w.column == "*" else w.column) for w in named} <= open_
    assert named
