"""Explanations of queries: they agree with the search, and say what each step refused."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from draws import in_turn
from reader_cases import GERMAN, constraint, context, schema_parser, writes

from querent.classifiers.heads import GlobalConstraint
from querent.data.databases.database import Database
from querent.encoders.functions import sigmoid
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.asking import AskOptions
from querent.parser.answering.explaining import LEAST, LIKELY, MOST, Explanation, explained, explained_answer, replayed
from querent.parser.decoding.candidates import slot_values
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import UNKNOWN, Role, fixed_words

MODES = [GlobalConstraint("off"), GlobalConstraint("soft"), GlobalConstraint("soft", weight=3.0)]


def all_explained(
    made: SchemaParser, of: DatabaseContext, question: str = GERMAN, *, width: int = 3, free: bool = False
) -> list[Explanation]:
    """Explain every candidate of a question."""
    local = None if free else constraint(of)
    found = made.parse(of, QuestionText(question), width=width, constraint=local).candidates
    return [explained(made, of, QuestionText(question), one, constraint=local) for one in found]


def total(explanation: Explanation) -> float:
    return sum(math.log(step.probability) for step in explanation.steps)


# --- agreement with the search


@pytest.mark.parametrize(("seed", "wanted"), in_turn([(seed, wanted) for wanted in MODES] for seed in range(3)))
def test_probabilities_multiply_to_the_score(music: DatabaseContext, seed: int, wanted: GlobalConstraint) -> None:
    for one in all_explained(schema_parser(seed, global_constraint=wanted), music):
        assert total(one) == pytest.approx(one.score, abs=1e-3)
        assert one.steps[-1].word == "<eos>"
        assert all(0 < step.probability <= 1 for step in one.steps)


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_a_word_is_known_by_more_than_its_text(dialect: str) -> None:
    of = context("music", dialect)
    made = schema_parser()
    twins = {"LEFT", "DATE", "YEAR", "MOD", "TIME"}  # keywords, or functions, of MySQL
    made.network.weights["fixed_key.bias"][[i for i, (text, _) in enumerate(fixed_words()) if text in twins]] = 4.0
    for free in (False, True):
        for one in all_explained(made, of, free=free):
            assert total(one) == pytest.approx(one.score, abs=1e-3)
            assert len({need.name for need in one.functions}) == len(one.functions)


def test_the_step_after_a_join_tells_the_condition_that_keys_imply(music: DatabaseContext) -> None:
    made, local = schema_parser(), constraint(music)
    words = {word.text: i for i, word in enumerate(music.vocabulary.words)}
    ids = [words[text] for text in ("SELECT", "artist.name", "FROM", "artist", "JOIN", "album")]
    read = made.read(music, QuestionText(GERMAN))
    for rest in ([], [words["LIMIT"], words["1"]]):
        start = local.start(read.places >= 0, values=slot_values(read.question))
        steps = replayed(made.network, music.vocabulary, read, [*ids, *rest], start)
        assert [bool(step.implied) for step in steps] == [False] * 6 + [True] + [False] * len(rest)
        assert steps[6].implied == "ON artist.artist_id = album.artist_id"


# --- what is refused


def test_what_a_step_refuses_is_told_with_the_reason_of_the_constraint(music: DatabaseContext) -> None:
    made, local = schema_parser(1), constraint(music)
    # a taste for closing brackets, wherever it is
    made.network.weights["fixed_key.bias"][[i for i, (text, _) in enumerate(fixed_words()) if text == ")"]] = 6.0
    (one,) = made.parse(music, QuestionText(GERMAN), width=1, constraint=local).candidates
    first = explained(made, music, QuestionText(GERMAN), one, constraint=local).steps[0]
    assert first.forbidden > 0.5
    assert 1 <= len(first.refused) <= MOST
    shares = [refused.probability for refused in first.refused]
    assert shares == sorted(shares, reverse=True)
    assert min(shares) >= LEAST
    number = next(i for i, word in enumerate(music.vocabulary.words) if word.text == ")")
    read = made.read(music, QuestionText(GERMAN))
    state = local.start(read.places >= 0, values=slot_values(read.question))
    assert (first.refused[0].word, first.refused[0].reason) == (")", state.explain(number))


def test_words_that_the_vocabulary_has_not_are_refused_too(music: DatabaseContext) -> None:
    made, local = schema_parser(), constraint(music)
    foreign = next(i for i, (text, _) in enumerate(fixed_words()) if text == "DATE_FORMAT")  # no function of SQLite
    made.network.weights["fixed_key.bias"][[UNKNOWN, foreign]] += 12.0
    made.network.weights["role_key.bias"][Role.TABLE_AGAIN] += 12.0
    (one,) = made.parse(music, QuestionText(GERMAN), width=1, constraint=local).candidates
    steps = explained(made, music, QuestionText(GERMAN), one, constraint=local).steps
    reasons = {refused.word: refused.reason for step in steps for refused in step.refused}
    assert reasons["<unknown>"] == "the question does not tell the value"
    assert "this dialect has no such word" in reasons["DATE_FORMAT"]
    assert "a second time" in reasons["<table again>"]


# --- what was read


def test_what_was_read_is_told(music: DatabaseContext) -> None:
    made = schema_parser()
    (one,) = all_explained(made, music, "zeppelins of artists from Germany before 1990", width=1)
    classes = made.read(music, QuestionText(one.question)).classes
    used = sigmoid(classes.used).tolist()
    assert one.answerable == pytest.approx(classes.answerable)
    assert one.unlinked.text == "zeppelins"
    said = {value.text: (i, value) for i, value in enumerate(one.values)}
    i, germany = said["Germany"]
    assert (germany.value, germany.kind, germany.how) == ("Germany", "cell", "exact")
    assert (germany.columns, germany.slots) == (("artist.country",), (f"text{i}",))
    assert germany.probability == pytest.approx(used[len(music.items) + i])
    n, year = said["1990"]
    assert (year.kind, year.slots) == ("number", (f"text{n}", f"number{n}"))
    shares = {need.name: need.probability for need in (*one.tables, *one.columns)}
    for name, share in shares.items():
        assert share == pytest.approx(used[music.items.find(*name.split("."))])
    assert {need.name for need in one.tables} <= {"artist", "album", "review"}
    assert all("." in need.name for need in one.columns)
    for needs in (one.tables, one.columns, one.functions):
        assert [need.probability for need in needs] == sorted((n.probability for n in needs), reverse=True)
        assert all(need.written or need.probability >= LIKELY for need in needs)
    assert {need.name for need in one.functions} <= set(music.grammar.functions)


def test_what_the_query_has_is_marked(music: DatabaseContext) -> None:
    made, local = schema_parser(), constraint(music)
    words = {(word.text, word.terminal): i for i, word in enumerate(music.vocabulary.words)}
    texts = {word.text: i for i, word in enumerate(music.vocabulary.words)}
    sentence = ("SELECT", "COUNT", "(", "album.title", ")", "FROM", "album", "WHERE", "album.title", "=", "'{text0}'")
    (one,) = made.parse(music, QuestionText("albums of Germany"), width=1, constraint=local).candidates
    ids = tuple(texts[text] for text in sentence)
    assert len(words) == len(texts)
    told = explained(made, music, QuestionText("albums of Germany"), replace(one, ids=ids), constraint=local)
    marked = {n.name for n in (*told.tables, *told.columns, *told.functions) if n.written}
    assert marked == {"album", "album.title", "COUNT"}
    assert [value.written for value in told.values] == [True] + [False] * (len(told.values) - 1)


# --- of answers


@pytest.mark.parametrize("level", ["runs", "scope", None])
def test_the_chosen_query_is_explained(music: DatabaseContext, music_file: Path, level: str | None) -> None:
    with Database.open(music_file) as database:
        answerer = Answerer(schema_parser(2), music, database, level=level)
        chosen = answerer.rank(QuestionText(GERMAN), AskOptions(beam=3)).choices[0].candidate
        one = explained_answer(answerer, QuestionText(GERMAN), options=AskOptions(beam=3))
    assert (one.sql, one.score, one.level) == (chosen.sql, chosen.score, level)
    assert len(one.steps) == len(chosen.words) + 1


def test_a_question_without_a_query_is_explained_by_what_was_read(music: DatabaseContext, music_file: Path) -> None:
    made = schema_parser()
    writes(made.network, [2])
    with Database.open(music_file) as database:
        one = explained_answer(Answerer(made, music, database), QuestionText(GERMAN))
    assert (one.sql, one.score, one.steps) == (None, None, ())
    assert one.values
    assert not any(part.written for part in (*one.values, *one.tables, *one.columns, *one.functions))
