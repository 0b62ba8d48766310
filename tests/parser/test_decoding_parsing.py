"""Questions into queries and answers: values filled in, large schemas, the global constraint, unaccounted words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from reader_cases import GERMAN, context, encoder, network, question, schema, value, vectors, write_database
from test_reader_narrowing import many

from querent.data.database import Database, Rows
from querent.data.errors import ConstraintError, TimeLimitError
from querent.grammar import Grammar
from querent.ner.index import ValueIndex
from querent.parser.decoding.answering import ANSWERABLE, SURE, Answerer
from querent.parser.decoding.confidence import Calibration
from querent.parser.decoding.doubts import find_gap
from querent.parser.decoding.parsing import BUDGET, SchemaParser
from querent.parser.decoding.wanted import GlobalConstraint
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.network import Classes
from querent.parser.reader.words import ROLES, Role, fixed_words

FIXED = len(fixed_words())


def parser(seed: int = 0, **given: GlobalConstraint) -> SchemaParser:
    return SchemaParser(network(seed=seed), encoder(), 1, **given)


def constraint(of: DatabaseContext) -> ShortConstraint:
    return ShortConstraint(of.grammar.constraint(of.vocabulary, budget=BUDGET, level="runs", sources=6))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = write_database(tmp_path_factory.mktemp("parsing"))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("INSERT INTO artist VALUES (4, 'Sinéad O''Connor', 'Ireland')")
    return file


@pytest.fixture(scope="module")
def music(file: Path) -> Iterator[DatabaseContext]:
    with ValueIndex.open(file, schema("music"), cache=file.parent) as index:
        yield DatabaseContext.of(schema("music"), index, dialect="sqlite", language="en")


# --- candidates


def test_candidates_are_different_queries_the_best_first(music: DatabaseContext) -> None:
    found = parser().parse(music, GERMAN, width=4, constraint=constraint(music))
    assert 1 < len(found.candidates) <= 4
    assert len({one.words for one in found.candidates}) == len(found.candidates)
    scores = [one.score for one in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) < 0
    assert 0 < found.answerable < 1
    assert found.question.text == GERMAN


def test_a_question_is_parsed_the_same_every_time(music: DatabaseContext) -> None:
    one, other = (parser().parse(music, GERMAN, constraint=constraint(music)) for _ in range(2))
    assert one.candidates == other.candidates


@pytest.mark.parametrize("seed", range(3))
def test_values_are_filled_in_as_sql(music: DatabaseContext, file: Path, seed: int) -> None:
    text, made = "albums of Sinéad O'Connor since 1990", parser(seed)
    torch.nn.init.constant_(made.network.role_key.bias, -9.0)
    with torch.no_grad():  # a taste for values
        made.network.role_key.bias[[Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS, Role.NUMBER]] = 6.0
        made.network.role_key.bias[[Role.COLUMN, Role.TABLE]] = 0.0
    found = made.parse(music, text, width=6, constraint=constraint(music))
    slots = [word for one in found.candidates for word in one.words if "{" in word]
    assert slots
    with closing(sqlite3.connect(file)) as connection:
        for one in found.candidates:
            assert "{" not in one.sql
            for said, slot in (("O''Connor", "{text0}"), ("1990", "{number1}")):
                assert (said in one.sql) >= any(slot in word for word in one.words)
            connection.execute(one.sql)


def test_a_constraint_keeps_to_what_the_question_has(music: DatabaseContext) -> None:
    made = parser()
    read = made.read(music, "all albums")
    words = [music.vocabulary.words[i] for i in np.flatnonzero(read.places >= 0)]
    assert not any(word.slots for word in words)  # no value, no slot
    read = made.read(music, GERMAN)
    slots = {slot for i in np.flatnonzero(read.places >= 0) for slot in music.vocabulary.words[i].slots}
    kinds = [node.found.kind for node in read.question.values]
    assert "number" in kinds
    number = {f"number{i}" for i, kind in enumerate(kinds) if kind == "number"}
    assert slots == {f"text{i}" for i in range(len(kinds))} | number


def test_without_a_constraint_a_query_may_be_anything_but_is_written(music: DatabaseContext) -> None:
    for seed in range(3):
        found = parser(seed).parse(music, GERMAN, width=3).candidates
        assert len(found) == 3
        assert all(isinstance(one.sql, str) and len(one.words) <= BUDGET for one in found)


def test_without_a_constraint_brackets_need_not_be_in_pairs(music: DatabaseContext) -> None:
    made = parser()
    with torch.no_grad():  # brackets and tables, and nothing else
        made.network.fixed_key.bias[[i for i, (text, _) in enumerate(fixed_words()) if text == ")"]] = 25.0
        made.network.role_key.bias[Role.TABLE] = 25.0
    assert made.parse(music, GERMAN, width=4).candidates


def test_words_that_no_training_query_has_are_never_written(music: DatabaseContext) -> None:
    made = parser()
    wanted = {"SELECT", "FROM", "WHERE", "=", ".", "(", ")", "*", ",", "JOIN", "ON", "<eos>"}
    made.network.writes([i for i, (text, _) in enumerate(fixed_words()) if text in wanted])
    for one in made.parse(music, GERMAN, width=6, constraint=constraint(music)).candidates:
        plain = {w for w in one.words if w in {text for text, _ in fixed_words()}}
        assert plain <= wanted


@pytest.mark.parametrize("fixed", [[2], [2, 5]])
def test_a_network_that_can_finish_no_query_is_a_clear_error(
    music: DatabaseContext, file: Path, fixed: list[int]
) -> None:
    made = parser()
    made.network.writes(fixed)
    with Database.open(file) as database:
        answer = Answerer(made, music, database).ask(GERMAN)
    assert (answer.status, answer.sql, answer.rows) == ("error", None, ())
    assert answer.reason
    with pytest.raises(ConstraintError):
        made.parse(music, GERMAN, constraint=constraint(music))


def test_threads_are_as_before(music: DatabaseContext) -> None:
    torch.set_num_threads(2)
    try:
        parser().parse(music, "albums", width=1, constraint=constraint(music))
        assert torch.get_num_threads() == 2
        with pytest.raises(AttributeError):
            parser().parse(None, "albums")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_a_large_schema_is_read_in_part_and_its_queries_name_that_part() -> None:
    of = DatabaseContext.of(many().schema, None, dialect="sqlite", language="en")
    made, text = parser(), "what is the wingspan of each aircraft?"
    read = made.read(of, text)
    writable = {of.vocabulary.words[i] for i in np.flatnonzero(read.places >= 0)}
    columns = {(word.table, word.column) for word in writable if word.kind == "column" and word.column != "*"}
    assert ("aircraft", "wingspan") in columns
    assert 200 < len(columns) < len(many()) - many().tables
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in many().schema.tables:
            connection.execute(f'CREATE TABLE "{table.name}" ({", ".join(f"""{c.name!r}""" for c in table.columns)})')
        for one in made.parse(of, text, width=2, constraint=constraint(of)).candidates:
            connection.execute(one.sql)


# --- the global constraint


def classes(values: int = 2, *, likely: float = 0.9) -> Classes:
    torch.manual_seed(1)
    items = len(context("music").items) + values
    used, fixed = torch.full((1, items), -8.0), torch.full((1, FIXED), -8.0)
    used[0, :3] = torch.logit(torch.tensor(likely))
    return Classes(used, fixed, torch.zeros(1))


def test_the_global_constraint_says_nothing_when_off() -> None:
    assert GlobalConstraint("off").bias(classes()) is None


def functions() -> list[int]:
    names = {n for d in ("sqlite", "mysql", "postgres") for n in Grammar.for_schema(schema(), dialect=d).functions}
    return [i for i, (text, _) in enumerate(fixed_words()) if text in names]


def test_softly_it_adds_the_logarithm_of_the_probability() -> None:
    bias = GlobalConstraint("soft", weight=0.5).bias(classes())
    assert bias.shape == (FIXED + (len(context("music").items) + 2) * ROLES,)
    assert torch.allclose(bias[FIXED : FIXED + 3 * ROLES], torch.tensor(0.9).log() * 0.5)
    unlikely = 0.5 * torch.nn.functional.logsigmoid(torch.tensor(-8.0))
    assert torch.allclose(bias[FIXED + 3 * ROLES :], unlikely)
    assert torch.allclose(bias[functions()], unlikely)
    others = np.setdiff1d(np.arange(FIXED), functions())
    assert (bias[others] == 0).all()  # keywords, operators and constants are always open


@pytest.mark.parametrize(("likely", "closed"), [(0.004, True), (0.006, False), (0.9, False)])
def test_hard_it_closes_what_is_less_likely(likely: float, closed: bool) -> None:
    bias = GlobalConstraint("hard").bias(classes(likely=likely))
    assert set(bias.unique().tolist()) == {0.0, -np.inf}
    assert bias[FIXED : FIXED + 3 * ROLES].isneginf().all() == closed
    assert bias[FIXED + 3 * ROLES :].isneginf().all()
    assert bias[functions()].isneginf().all()
    assert (bias[np.setdiff1d(np.arange(FIXED), functions())] == 0).all()


def test_what_it_closes_is_in_no_query(music: DatabaseContext) -> None:
    used = torch.sigmoid(parser().read(music, GERMAN).classes.used[0]).tolist()[: len(music.items)]
    made = parser(wanted=GlobalConstraint("hard", threshold=0.99 * max(used[: music.items.tables])))
    open_ = {i for i, share in enumerate(used) if share >= made.wanted.threshold}
    assert 0 < len(open_) < len(used)
    words = {word.text: word for word in music.vocabulary.words}
    with torch.no_grad():  # a taste for names, none for values and constants
        made.network.role_key.bias[:] = -50.0
        made.network.role_key.bias[[Role.TABLE, Role.STAR, Role.COLUMN]] = 5.0
    made.network.writes([i for i, (_, terminal) in enumerate(fixed_words()) if terminal != "WHOLE"])
    found = made.parse(music, GERMAN, width=8, constraint=constraint(music)).candidates
    named = [words[text] for one in found for text in one.words if text in words and words[text].table]
    assert {music.items.find(w.table, None if w.column == "*" else w.column) for w in named} <= open_
    assert named


# --- answers


def answerer(music: DatabaseContext, database: Database, *, answerable: float, weight: float) -> Answerer:
    made = parser()
    torch.nn.init.constant_(made.network.fits[-1].weight, 0.0)
    torch.nn.init.constant_(made.network.fits[-1].bias, float(torch.logit(torch.tensor(answerable))))
    return Answerer(made, music, database, calibration=Calibration((0.0,) * 4, float(np.log(weight / (1 - weight)))))


@pytest.mark.parametrize(
    ("answerable", "weight", "status"),
    [(ANSWERABLE + 0.05, SURE + 0.05, "ok"), (0.9, SURE - 0.05, "unsure"), (ANSWERABLE - 0.05, 0.99, "no_answer")],
)
def test_statuses(music: DatabaseContext, file: Path, answerable: float, weight: float, status: str) -> None:
    with Database.open(file) as database:
        answer = answerer(music, database, answerable=answerable, weight=weight).ask("titles of zeppelins")
        assert (answer.status, answer.question) == (status, "titles of zeppelins")
        assert answer.seconds > 0
        if status == "no_answer":
            assert (answer.sql, answer.rows, answer.columns, answer.confidence) == (None, (), (), 0.0)
            assert "‹zeppelins›" in answer.reason
            return
        assert answer.confidence == pytest.approx(weight, abs=1e-3)
        assert answer.rows == tuple(database.query(answer.sql).rows)
        assert answer.columns == database.query(answer.sql).columns
        assert (answer.reason is None) == (status == "ok")
        assert len({answer.sql, *(other.sql for other in answer.alternatives)}) == 1 + len(answer.alternatives)


def test_a_beam_of_one_knows_no_alternatives(music: DatabaseContext, file: Path) -> None:
    with Database.open(file) as database:
        assert Answerer(parser(), music, database).ask(GERMAN, beam=1).alternatives == ()


def test_a_query_that_fails_is_an_error_that_says_why(music: DatabaseContext, file: Path, monkeypatch) -> None:
    def fail(_: str) -> Rows:
        raise TimeLimitError("the query took longer than 5 s")

    with Database.open(file) as database:
        monkeypatch.setattr(database, "query", fail)
        answer = answerer(music, database, answerable=0.9, weight=0.9).ask(GERMAN)
    assert (answer.status, answer.rows, answer.confidence) == ("error", (), 0.0)
    assert answer.sql
    assert answer.reason == "the query took longer than 5 s"


# --- words that nothing accounts for


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("how many albums are there?", None),
        ("how many zeppelins are there?", "zeppelins"),
        ("albums of the plant manager by year", "plant manager"),
        ("zeppelins and plant managers of albums", "plant managers"),  # the longest run
        ("albums of Can", None),  # a cell
        ("albums of Can from Mars", "Mars"),  # a text that no cell is
        ("", None),
        ("?!", None),
        ("albums cut in 1995", None),
    ],
)
def test_the_words_that_nothing_accounts_for(text: str, gap: str | None) -> None:
    known = [("Can", "cell"), ("Mars", "text"), ("1995", "number")]
    asked = question(text, *(value(text, said, kind=kind) for said, kind in known if said in text))
    found = find_gap(asked, context("music").items, vectors())
    assert (found and found.text) == gap
    if found:
        names = {item.name for item in context("music").items.items}
        assert len(found.nearest) == 3
        assert set(found.nearest) <= names
        assert str(found) == f"nothing here is called ‹{gap}›; nearest: {', '.join(found.nearest)}"


def test_the_nearest_name_is_the_nearest() -> None:
    found = find_gap(question("stars of country music"), context("music").items, vectors(), most=1)
    assert found is not None
    near = {
        n: float(vectors()[n] @ vectors()[found.text]) for n in {item.name for item in context("music").items.items}
    }
    assert found.nearest == (max(near, key=lambda name: near[name]),)
