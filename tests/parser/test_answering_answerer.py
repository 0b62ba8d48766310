"""Answers to questions: their status, what speaks for them, and why there may be none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import table
from reader_cases import GERMAN, context, question, schema_parser, value, vectors

from querent.classifiers.named_features import Calibration
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.errors import TimeLimitError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.query import Query
from querent.meaning.profile import ColumnProfile, DatabaseProfile
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import ANSWERABLE, SURE, UNLINKED, Answerer, RankedAnswers
from querent.parser.answering.choice import Choice
from querent.parser.answering.unlinked import Unlinked, UnlinkedSpan, find_unlinked
from querent.parser.decoding.candidates import Candidate, Comparison
from querent.parser.decoding.parsing import Parse
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.items import SchemaItems


def answerer(music: DatabaseContext, database: Database, *, answerable: float, weight: float) -> Answerer:
    made = schema_parser()
    made.network.weights["fits.2.weight"][:] = 0.0
    made.network.weights["fits.2.bias"][:] = np.log(answerable / (1 - answerable))
    return Answerer(made, music, database, calibration=Calibration({}, float(np.log(weight / (1 - weight)))))


@pytest.mark.parametrize(
    ("answerable", "weight", "status"),
    [
        (ANSWERABLE + 0.05, SURE + 0.05, "ok"),
        (ANSWERABLE + 0.05, SURE - 0.05, "unsure"),
        (ANSWERABLE - 0.05, 0.99, "no_answer"),
    ],
)
def test_statuses(music: DatabaseContext, music_file: Path, answerable: float, weight: float, status: str) -> None:
    with Database.open(music_file) as database:
        answer = answerer(music, database, answerable=answerable, weight=weight).answer(
            QuestionText("titles of zeppelins")
        )
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


def test_a_query_that_fails_is_an_error_that_says_why(music: DatabaseContext, music_file: Path, monkeypatch) -> None:
    def fail(_: str, **__: bool) -> Rows:
        raise TimeLimitError("the query took longer than 5 s")

    with Database.open(music_file) as database:
        monkeypatch.setattr(database, "query", fail)
        answer = answerer(music, database, answerable=0.9, weight=0.9).answer(QuestionText(GERMAN))
    assert (answer.status, answer.rows, answer.confidence) == ("error", (), 0.0)
    assert answer.sql
    assert answer.reason.startswith("the query took longer than 5 s (--timeout")


def test_an_answer_is_unsure_where_a_likely_query_has_no_rows(music: DatabaseContext, music_file: Path) -> None:
    found = considered(0.5, 0.4)
    failed = replace(found.choices[1], rows=None, problem="it is locked")
    assert replace(found, choices=(found.choices[0], failed)).unavailable() == (
        "another query may be right, but it is locked: SELECT 1"
    )
    assert replace(found, choices=(found.choices[0], replace(failed, share=0.1))).unavailable() is None
    assert found.unavailable() is None
    with Database.open(music_file) as database:
        made = answerer(music, database, answerable=0.9, weight=0.9)
        assert made.best_answer(found).status == "ok"
        answer = made.best_answer(replace(found, choices=(found.choices[0], failed)))
    assert (answer.status, "it is locked" in answer.reason) == ("unsure", True)


def considered(*shares: float, unlinked: UnlinkedSpan | None = None) -> RankedAnswers:
    features = {"no rows": 0.0, "values left out": 0.0, "query before": 0.0}
    rows, candidate = Rows(("x",), []), Candidate(Query("SELECT 1", "sqlite"), 0.0, ())
    choices = [Choice(candidate, rows, None, share, features, share, share) for share in shares]
    known = Unlinked(unlinked, 0.5 if unlinked else 0.0)
    return RankedAnswers(Parse(question("all"), [candidate], 0.8), choices, known)


def test_why_an_answer_may_be_wrong() -> None:
    assert considered(0.5, 0.4, unlinked=UnlinkedSpan("x", ("y",))).doubt() == "nothing here is called ‹x›; nearest: y"
    assert (
        considered(0.5, 0.4, unlinked=UnlinkedSpan("x", ("y",), 0.2)).doubt().startswith("nothing here is called ‹x›")
    )
    assert "another query" in considered(0.5, 0.4, unlinked=UnlinkedSpan("x", ("y",), 0.9)).doubt()
    assert "another query is nearly as likely" in considered(0.4, 0.11).doubt()
    assert "unlike those that the parser knows" in considered(0.4, 0.09).doubt()
    assert "unlike those that the parser knows" in considered(0.4).doubt()
    assert str(UnlinkedSpan("x", ())) == "nothing here is called ‹x›"


def test_what_an_answer_takes_for_granted() -> None:
    text = "ships of Niederlande, Frnace and Oslo"
    names = (("Niederlande", "Netherlands", "meaning"), ("Frnace", "France", "typo"), ("Oslo", "Oslo", "exact"))
    asked = question(text, *(value(text, said, is_=cell, how=how) for said, cell, how in names))
    written = Candidate(Query("SELECT 1", "sqlite"), 0.0, ("SELECT", "'{text0}'", "'{text2}'"))
    choice = Choice(written, None, None, 0.5, {}, 0.5)
    found = RankedAnswers(Parse(asked, [], 0.8), (choice,), Unlinked(None, 0.0))
    assert found.notes(DatabaseProfile({})) == ("‹Niederlande› is taken for 'Netherlands'",)


def test_what_a_column_counts_in_is_said() -> None:
    millions = DatabaseProfile({("ship", "cost"): ColumnProfile("amount", scale=10**6)})
    costly = value("ships over 5 million", "5 million", is_="5000000", kind="number", how="literal")
    written = Candidate(Query("SELECT 1", "sqlite"), 0.0, (), compared=(Comparison("ship", "cost", costly),))
    asked = question("ships over 5 million", costly)
    found = RankedAnswers(Parse(asked, [], 0.8), (Choice(written, None, None, 0.5, {}, 0.5),), Unlinked(None, 0.0))
    assert found.notes(millions) == ("‹5 million› is 5 in ship.cost",)
    assert found.notes(DatabaseProfile({})) == ()


@pytest.mark.parametrize(
    ("answerable", "share", "refused"),
    [
        (ANSWERABLE - 0.05, UNLINKED, True),
        (ANSWERABLE - 0.05, UNLINKED - 0.05, False),  # every word stands for something here
        (ANSWERABLE + 0.05, 1.0, False),
    ],
)
def test_a_question_is_refused_only_where_its_words_are_unknown_too(
    answerable: float, share: float, refused: bool
) -> None:
    found = RankedAnswers(Parse(question("all"), [], answerable), (), Unlinked(None, share))
    assert found.refused is refused


# --- words that nothing accounts for


@pytest.mark.parametrize(("text", "gap"), table(__file__, "unlinked"))
def test_the_words_that_nothing_accounts_for(text: str, gap: str | None) -> None:
    known = [("Can", "cell"), ("Mars", "text"), ("1995", "number")]
    asked = question(text, *(value(text, said, kind=kind) for said, kind in known if said in text))
    found = find_unlinked(asked, context("music").items, vectors()).span
    assert (found and found.text) == gap
    if found:
        names = {item.name for item in context("music").items.items}
        assert len(found.nearest) == 3
        assert set(found.nearest) <= names
        assert str(found) == f"nothing here is called ‹{gap}›; nearest: {', '.join(found.nearest)}"


@pytest.mark.parametrize(("text", "gap"), table(__file__, "unlinked_chinese"))
def test_the_chinese_words_that_nothing_accounts_for(text: str, gap: str | None) -> None:
    stores = SchemaItems(Schema((Table("仓库", (Column("名称"), Column("容量", "int"))),)))
    found = find_unlinked(question(text), stores, vectors()).span
    assert (found and found.text) == gap


def test_a_text_that_no_cell_holds_is_accounted_for_where_the_query_uses_it() -> None:
    asked = question("albums of Mars", value("albums of Mars", "Mars", kind="text"))
    assert find_unlinked(asked, context("music").items, vectors(), written="'{text0}'").span is None
