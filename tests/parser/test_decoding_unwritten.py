"""A question that names a formula which no query here can hold: never `ok`, and the reason names the formula."""

from pathlib import Path
from typing import Any

import pytest
from cases import table

import querent
from querent.data.databases.schema_readers import read_schema
from querent.grammar import Access, Constraint
from querent.ner.language.question import QuestionText
from querent.parser.answering.answerer import Answerer
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import formula_linker

BANK = "ferries"


def held(answer: querent.Answer, formula: str) -> None:
    """Hold an answer to what is promised of one that does without a formula."""
    assert formula not in {one.name for one in answer.knowledge}, answer.sql
    assert answer.status in {"unsure", "no_answer", "error"}, (answer.status, answer.confidence, answer.sql)
    assert answer.status == "error" or formula in str(answer.reason), answer.reason


@pytest.mark.parametrize(("question", "formula"), table(__file__, "what_is_missing_is_told"))
def test_what_is_missing_is_told(connection: querent.Connection, question: str, formula: str) -> None:
    held(connection.ask(question), formula)


@pytest.mark.parametrize(("question", "formula", "bounds"), table(__file__, "what_the_bounds_leave_no_room_for"))
def test_what_the_bounds_leave_no_room_for_is_told(
    connection: querent.Connection, question: str, formula: str, bounds: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answerer = connection.parser.whole
    assert formula in {one.name for one in connection.ask(question).knowledge}  # it is written without the bounds
    narrow = ShortConstraint(Constraint(answerer.context.vocabulary, **bounds))
    monkeypatch.setattr(answerer, "constraint", narrow)
    held(connection.ask(question), formula)


def test_what_the_dialects_types_refuse_is_told(connection: querent.Connection, bank_file: Path) -> None:
    """PostgreSQL has no days between texts, which SQLite reads as dates."""
    question, formula = "What is the average days out?", "days out"
    assert connection.ask(question).knowledge[0].name == formula
    answerer = connection.parser.whole
    assert answerer.knowledge is not None
    context = DatabaseContext.of(read_schema(str(bank_file)), answerer.context.index, dialect="postgres", language="en")
    knowledge = formula_linker(answerer.knowledge.bank, context, answerer.parser.vectors)
    other = Answerer(answerer.parser, context, None, calibration=answerer.calibration, knowledge=knowledge)
    held(other.answer(QuestionText(question)), formula)


def test_what_a_role_may_not_read_is_told(connection: querent.Connection, bank_file: Path) -> None:
    assert connection.ask("What is the total surplus?").knowledge[0].name == "surplus"
    access = Access(("boats",), {"trips": ("id", "boat_id", "fare")})
    with querent.connect(bank_file, language="en", knowledge=bank_file.parent, access=access) as role:
        held(role.ask("What is the total surplus?"), "surplus")
