"""Gold queries in the words of their questions: what is learnt of them, and that the constraint writes them back."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import cases

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.sql.query import Query
from querent.data.values.slots import Value, ValueMention
from querent.grammar import EOS, Constraint
from querent.meaning.profiling import open_profile
from querent.ner.index import ValueIndex
from querent.ner.language.question import QuestionText
from querent.parser.decoding.delexicalised import as_the_question_says
from querent.parser.decoding.rewritten import as_people_write
from querent.parser.decoding.starting import StartingPoint
from querent.parser.learning.training_examples import slotted_words
from querent.parser.normal_form import NormalForm, ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.question import QuestionWords, ValueNode

ROWS = """
CREATE TABLE dock (dock_id INTEGER PRIMARY KEY, label TEXT, built INTEGER, budget_millions REAL);
CREATE TABLE hire (hire_id INTEGER PRIMARY KEY, dock_id INTEGER REFERENCES dock(dock_id), taken TEXT, back TEXT,
    noted TEXT, insured TEXT, fee TEXT);
INSERT INTO dock VALUES (1, 'North', 1998, 2.5), (2, 'South', 2006, 7.25), (3, 'West', 2015, 30);
"""
HIRES = [
    (n, 1 + n % 3, f"2023-{1 + n % 12:02}-{1 + n % 28:02}", f"2024-{1 + n % 12:02}-{1 + (3 * n) % 28:02}",
     f"{13 + n % 16}/{1 + n % 12:02}/{2022 + n // 12 % 2}", "YN"[n % 2], f"${n},{100 + n}.50")
    for n in range(1, 61)
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return boats that are hired: days as ISO and as D/M/Y, a flag of letters, fees with dollars."""
    file = tmp_path_factory.mktemp("hires") / "hires.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(ROWS)
    connection.executemany("INSERT INTO hire VALUES (?, ?, ?, ?, ?, ?, ?)", HIRES)
    connection.commit()
    connection.close()
    return file


@pytest.fixture(scope="module")
def context(file: Path) -> DatabaseContext:
    schema = read_schema(file)
    held = open_profile(file, schema, cache=file.parent)
    index = ValueIndex.open(file, schema, cache=file.parent)
    given: dict[str, Any] = {"dialect": "sqlite", "language": "en", "now": datetime(2024, 3, 10, 9)}
    return DatabaseContext.of(schema, index, profile=held, **given)


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("gold_queries.toml")))
def test_a_gold_query_is_learnt_in_its_questions_words_and_written_back(
    case: dict[str, str], context: DatabaseContext, file: Path
) -> None:
    question, sql = case["question"], case["sql"]
    values = context.values(question)
    meant = as_the_question_says(sql, QuestionText(question), context, values)
    assert meant.whole
    assert case["learnt"] in meant.sql
    nodes = tuple(ValueNode(value, 0, 1, 9) for value in values)
    read = QuestionWords(QuestionText(question), ("q",), (), (), nodes)
    vocabulary = meant.context.vocabulary
    ids = slotted_words(meant.words(), read, vocabulary)
    assert -1 not in ids
    places = np.zeros(len(vocabulary), np.int64)
    given: Any = SimpleNamespace(question=read, places=places)
    start = StartingPoint(ShortConstraint(Constraint(context.vocabulary)), context, given, meant.items)
    state = start.state()
    for word in (*ids, EOS):
        assert state.allowed()[word], state.explain(word)
        state = state.advance(word)
    slots = tuple(Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in start.slots.items())
    query = Query(context.vocabulary.decode(state.sql_words), "sqlite", slots)
    again = as_people_write(query, context.grammar.schema).sql
    with Database.open(file) as database:
        rows = database.query(sql).rows
        assert rows
        assert sorted(map(str, database.query(again).rows)) == sorted(map(str, rows))


def test_what_no_word_says_is_no_whole_query(context: DatabaseContext) -> None:
    sql = "SELECT strftime('%j', taken), COUNT(*) FROM hire GROUP BY 1"
    assert not as_the_question_says(sql, QuestionText(""), context, ()).whole


def test_a_query_that_takes_no_time_apart_stays_as_it_is(context: DatabaseContext) -> None:
    sql = "SELECT label FROM dock WHERE label LIKE '%o%' ORDER BY built"
    question = "docks with o in their label by year"
    meant = as_the_question_says(sql, QuestionText(question), context, context.values(question))
    assert (meant.sql, meant.changed, meant.whole) == (sql, False, True)


def test_wordings_of_one_query_share_its_normal_form(context: DatabaseContext, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    of = NormalForm.of
    monkeypatch.setattr(NormalForm, "of", lambda self, sql: made.append(sql) or of(self, sql))
    sql = "SELECT label FROM dock WHERE budget_millions > 4.75"
    questions = map(QuestionText, ("Docks above 4.75?", "Which cost more?"))
    said = [as_the_question_says(sql, question, context, ()).words() for question in questions]
    assert said[0] == said[1]
    assert made == [sql]
