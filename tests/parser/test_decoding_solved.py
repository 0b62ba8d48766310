"""Solved questions beside a network: their queries with the values of the question asked, and how far they count."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from reader_cases import constraint, schema_parser, writes

import querent
from querent.data.databases.database import Database
from querent.data.errors import InputError
from querent.data.sql.query import Query
from querent.grammar import Access
from querent.knowledge.solved import shot_store
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.explaining import explained_answer
from querent.parser.decoding.candidates import Candidate
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.decoding.solved import Neighbour, QueryTemplates, SolvedQuestions, interpolate
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import fixed_words
from querent.retrieval.shots import Shot

COUNTRY = "which artists come from Iceland?"
YEAR = "albums since 1993"
NEW = "which albums are new?"
SOLVED = {
    COUNTRY: "SELECT name FROM artist WHERE country = '{country0}'",
    YEAR: "SELECT title FROM album WHERE year >= {number0}",
    NEW: "SELECT title FROM album WHERE year > 1994",
    "how many reviews are there?": "SELECT COUNT(*) FROM review",
    "what is the mean of the stars?": "SELECT ROUND(AVG(stars), 1) FROM review",
}
FILLED = {COUNTRY: SOLVED[COUNTRY].format(country0="Iceland"), YEAR: SOLVED[YEAR].format(number0=1993)}


def solved(music: DatabaseContext, told: Mapping[str, str] = SOLVED) -> SolvedQuestions:
    shots = {Shot(question, FILLED.get(question, sql)): sql for question, sql in told.items()}
    store = shot_store(list(shots), "en", index=music.index)
    return SolvedQuestions(music, store, shots)


def best(music: DatabaseContext, question: str, *, parser: SchemaParser | None = None, **given: object) -> Candidate:
    parse = (parser or schema_parser()).parse(
        music, QuestionText(question), constraint=constraint(music), solved=solved(music, **given)
    )
    return parse.candidates[0]


@pytest.mark.parametrize(
    ("question", "like", "sql"),
    [
        (
            "which artists come from Germany?",
            COUNTRY,
            "SELECT artist.name FROM artist WHERE artist.country = 'Germany'",
        ),
        ("albums since 1965", YEAR, "SELECT album.title FROM album WHERE album.year >= 1965"),
        ("which albums are new", NEW, SOLVED[NEW].replace("title", "album.title").replace("year", "album.year")),
    ],
)
def test_a_solved_question_is_followed_with_other_values(
    music: DatabaseContext, question: str, like: str, sql: str
) -> None:
    """Values that no question names stay."""
    found = best(music, question)
    assert (found.like, found.sql) == (like, sql)
    assert like != NEW or "1994" in [constant.value for constant in found.constants]


def test_words_that_the_network_never_writes_are_written(music: DatabaseContext) -> None:
    parser = schema_parser()
    known = [i for i, (text, _) in enumerate(fixed_words()) if text not in ("ROUND", "AVG")]
    writes(parser.network, known)
    found = best(music, "what is the mean of the stars?", parser=parser)
    assert found.sql == "SELECT ROUND(AVG(review.stars), 1) FROM review"


def test_a_question_unlike_all_solved_ones_gets_the_networks_own(music: DatabaseContext) -> None:
    parser, question = schema_parser(), "hello there"
    alone = parser.parse(music, QuestionText(question), constraint=constraint(music)).candidates[0]
    beside = best(music, question, parser=parser)
    assert (beside.sql, beside.like) == (alone.sql, None)


def test_a_question_without_the_values_cannot_follow(music: DatabaseContext) -> None:
    few = {COUNTRY: SOLVED[COUNTRY], "b?": "SELECT COUNT(*) FROM review"}
    assert best(music, "which artists come from there?", told=few).like != COUNTRY
    assert best(music, "which artists come from Debut?").like != COUNTRY  # the title of an album


def test_queries_that_cannot_be_said_here_have_no_pattern(music: DatabaseContext) -> None:
    templates = QueryTemplates(music)
    assert templates.of("SELECT wingspan FROM plane") is None
    assert templates.of("SELECT name FROM") is None
    assert templates.of("SELECT c.title FROM (SELECT * FROM album) AS c") is None


def test_queries_that_differ_in_their_questions_values_alone_are_one_pattern(music: DatabaseContext) -> None:
    templates = QueryTemplates(music)
    keys = [
        templates.of(f"SELECT title FROM album WHERE title LIKE '{text}' AND year > {number}")
        for text, number in (("%{title0}%", "{number0}"), ("%{name3}%", "{number2}"), ("{title0}%", "{number0}"))
    ]
    one, same, other = (template and template.key for template in keys)
    assert one == same != other
    assert keys[0] is not None
    assert keys[0].constants == []


def test_a_followed_query_runs_and_is_explained(music: DatabaseContext, music_file: Path) -> None:
    parser, local = schema_parser(), constraint(music)
    with Database.open(music_file) as database:
        answerer = Answerer(parser, music, database, solved=solved(music))
        answer = answerer.answer(QuestionText("which albums are new"))
        assert (answer.rows, answer.like) == ((("Post",),), NEW)
        told = explained_answer(answerer, QuestionText("which albums are new"))
    assert told.sql == answer.sql
    assert [step.word for step in told.steps][:2] == ["SELECT", "album.title"]
    assert local.constraint.level == told.level


# --- how far they count


def candidate(n: int, probability: float, like: str | None = None) -> Candidate:
    return Candidate(Query(f"SELECT {n}", "sqlite"), math.log(probability), ("SELECT", str(n)), ids=(n,), like=like)


def like(music: DatabaseContext, similarity: float) -> Neighbour:
    template = QueryTemplates(music).of(SOLVED[COUNTRY])
    assert template is not None
    return Neighbour(COUNTRY, template, similarity)


def test_probabilities_of_network_and_solved_questions_add_up(music: DatabaseContext) -> None:
    own = [candidate(1, 0.6), candidate(2, 0.4)]
    found = interpolate(
        own, [(like(music, 0.9), candidate(2, 0.4, COUNTRY)), (like(music, 0.4), candidate(3, 1e-9, YEAR))]
    )
    assert (found[0].ids, found[0].like) == ((2,), COUNTRY)
    assert np.isclose(sum(math.exp(one.score) for one in found), 1.0, atol=1e-3)
    far = interpolate(own, [(like(music, 0.1), candidate(3, 1e-9, YEAR))])
    assert far[0].ids == (1,)


def test_solved_questions_need_a_constraint(music_file: Path) -> None:
    with pytest.raises(InputError, match="without a constraint"):
        querent.connect(music_file, level=None, examples="plant")


# --- the shipped parser


@pytest.fixture
def solved_file(tmp_path: Path) -> Path:
    told = tmp_path / "solved.jsonl"
    pairs = [(question, FILLED.get(question, sql)) for question, sql in SOLVED.items()]
    told.write_text("\n".join(json.dumps({"question": q, "sql": s}) for q, s in pairs), encoding="utf-8")
    return told


def test_a_file_of_solved_questions_is_followed(music_file: Path, solved_file: Path, cache: Path) -> None:
    with querent.connect(music_file, examples=solved_file) as connection:
        new, country = (connection.ask(q) for q in ("which albums are new?", "Which artists come from the USA?"))
    assert (new.rows, new.like) == ((("Post",),), NEW)
    assert (country.rows, country.like) == ((("Nina Simone",),), COUNTRY)
    with querent.connect(music_file) as connection:
        assert connection.ask("which albums are new?").like is None


def test_a_role_follows_nothing_that_it_may_not_read(music_file: Path, solved_file: Path, cache: Path) -> None:
    role = Access(tables=("artist", "review"), columns={"album": ("album_id", "artist_id", "title")})
    with querent.connect(music_file, examples=solved_file, access=role) as connection:
        new, country = (connection.ask(q) for q in ("which albums are new?", "Which artists come from the USA?"))
    assert "year" not in json.dumps(new.to_json())
    assert new.like is None
    assert country.like == COUNTRY
