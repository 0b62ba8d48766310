"""Which tables are read for a question, and which answer stays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cases import table as rows_of

from querent.answers.answer import Answer
from querent.answers.feedback import Feedback, Judged
from querent.data.domains.dialogues import Turn
from querent.data.errors import InputError
from querent.data.schema.schema import Column, Schema, Table
from querent.ner.language.question import QuestionText
from querent.parser import session as module
from querent.parser.answering.asking import AskOptions, ConnectOptions
from querent.parser.reader.catalogue import TableCatalogue, TableChoice
from querent.parser.session import ParserSession

TABLES = ("a", "b", "c", "d")
SCHEMA = Schema(tuple(Table(name, (Column("x"),)) for name in TABLES))


@dataclass
class Retriever:
    """Finds the sets that it is told."""

    found: list[tuple[str, ...]]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def ranked(self, question: str, *, earlier: Sequence[str] = (), beside: Sequence[str] = ()) -> object:
        self.asked.append({"question": question, "earlier": list(earlier), "beside": list(beside)})
        return None

    def sets(self, ranked: object, *, needed: Sequence[str] = (), wanted: Sequence[int] = ()) -> list[tuple[str, ...]]:
        self.asked[-1]["needed"] = list(needed)
        return self.found


def opened(answers: dict[tuple[str, ...], Answer], retriever: Any) -> tuple[ParserSession, list[Any]]:
    """Return what answers by the tables that are read, and the list of what was made."""
    made: list[Any] = []

    class Given(ParserSession):
        def _made(self, tables: tuple[str, ...]) -> Any:
            made.append(tables)
            return SimpleNamespace(answer=lambda *_: answers[tables])

    nobody: Any = SimpleNamespace(network=SimpleNamespace(encoder=None))
    return Given(TableCatalogue(SCHEMA, None, "sqlite", "en"), nobody, nobody, None, retriever=retriever), made


def asked(session: ParserSession, turns: Sequence[Turn] = (), tables: Sequence[str] = ()) -> Answer:
    return session.answer(QuestionText("q"), turns, AskOptions(tables=tables))


def answer(status: Any, confidence: float) -> Answer:
    return Answer("q", f"SELECT {confidence}", status=status, confidence=confidence)


def test_a_sure_answer_needs_no_other_tables() -> None:
    retriever = Retriever([("a", "b"), ("a", "b", "c")])
    answerer, made = opened({("a", "b"): answer("ok", 0.9)}, retriever)
    found = asked(answerer)
    assert found.tables == ("a", "b") and made == [("a", "b")]
    assert found.notes == ("read 2 of 4 tables: a, b",)


@pytest.mark.parametrize(("first", "second", "stays"), rows_of(__file__, "more_tables_are_read_where_it_is_not_sure"))
def test_more_tables_are_read_where_it_is_not_sure(first: Any, second: Any, stays: float) -> None:
    answers = {("a",): answer(*first), ("a", "b"): answer(*second)}
    answerer, made = opened(answers, Retriever([("a",), ("a", "b")]))
    assert asked(answerer).confidence == stays
    assert made == [("a",), ("a", "b")]


def test_a_query_at_which_the_database_fails_is_told_and_no_other_tables_are_read() -> None:
    answerer, made = opened({("a",): answer("error", 0.2)}, Retriever([("a",), ("a", "b")]))
    assert (asked(answerer).status, made) == ("error", [("a",)])


def test_the_tables_of_the_query_before_are_needed() -> None:
    retriever = Retriever([("a", "c")])
    answerer, _ = opened({("a", "c"): answer("ok", 0.9)}, retriever)
    turns = [Turn("0", "SELECT x FROM d"), Turn("1", "SELECT x FROM d"), Turn("2", "SELECT x FROM C")]
    asked(answerer, turns)
    assert retriever.asked == [{"question": QuestionText("q"), "earlier": ["2", "1"], "beside": [], "needed": ["c"]}]


def test_all_tables_of_a_small_database_are_read() -> None:
    answerer, _ = opened({TABLES: answer("unsure", 0.3)}, None)
    found = asked(answerer)
    assert found.tables == TABLES and found.notes == ()


def test_named_tables_are_read_whatever_the_question_says() -> None:
    answerer, _ = opened({("b", "d"): answer("unsure", 0.3)}, Retriever([]))
    assert asked(answerer, tables=["D", "b", "b"]).tables == ("b", "d")
    with pytest.raises(InputError, match=r"no table 'nothing'.*4 tables"):
        asked(answerer, tables=["nothing"])


def test_the_last_sets_are_kept_until_somebody_says_something_of_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    answerer, made = opened({(name,): answer("ok", 0.9) for name in TABLES}, None)
    for name in ("a", "b", "a", "c", "a", "b"):
        asked(answerer, tables=[name])
    assert made == [("a",), ("b",), ("c",), ("b",)]
    feedback = Feedback(tmp_path / "said.jsonl")
    answerer._options = ConnectOptions(feedback=feedback.path)
    feedback.add(Judged("q", "SELECT 1", "wrong"))
    asked(answerer, tables=["a"])
    assert made[-1] == ("a",)


# --- tables that somebody names


def table(name: str, namespace: str = "") -> Table:
    return Table(name, (Column("x"),), namespace=namespace, qualified=bool(namespace))


NAMED = Schema((table("shop"), table("sales.orders", "sales"), table("archive.orders", "archive")))
CHOICE = TableChoice(TableCatalogue(NAMED, None, "postgres", "en"), None)


def test_a_table_of_a_schema_is_named_with_it() -> None:
    assert CHOICE.named(["Archive.Orders", "shop"]) == ("shop", "archive.orders")


@pytest.mark.parametrize(("tables", "told"), rows_of(__file__, "no_tables"))
def test_what_is_no_table_is_told_with_what_may_be_meant(tables: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        CHOICE.named(tables)
