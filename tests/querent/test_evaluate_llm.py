"""`querent evaluate` with a language model: alone, and where a parser is not sure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_domain import write

import querent as face
from querent.data.answer import Answer
from querent.data.domains.domain import Domain
from querent.data.errors import LlmError
from querent.llm.messages import Completions, Message
from querent.parser.answering.answerer import Answerer

pytestmark = pytest.mark.usefixtures("cache")


class Oracle:
    """Knows the gold query of each question of a domain but those of some beginning."""

    name, context = "oracle", None

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.unknown, self.silent = "never", "never"
        self.asked: list[str] = []
        self.shown: set[str] = set()

    def complete(self, messages: Sequence[Message], *, n: int = 1, **_: object) -> Completions:
        asked = _question(messages[-1])
        example = next(e for e in self.domain.examples if e.question == asked)
        self.asked.append(example.question)
        self.shown |= {_question(m) for m in messages[1:-1] if m.role == "user"}
        if example.question.startswith(self.silent):
            raise LlmError("the server is gone")
        known = not example.question.startswith(self.unknown)
        return Completions((f"```sql\n{example.sql}\n```" if known else "I cannot say.",) * n, 90, 10)

    def count(self, messages: Sequence[Message]) -> int:
        return 90


def _question(message: Message) -> str:
    return message.content.rpartition("Question: ")[2].splitlines()[0]


@pytest.fixture
def folder(tmp_path) -> Path:
    return write(tmp_path / "tiny")


@pytest.fixture
def oracle(monkeypatch, folder) -> Oracle:
    made = Oracle(face.load_domain(folder))
    monkeypatch.setattr(face, "load_backend", lambda spec: {"oracle": made}[spec], raising=False)
    return made


LLM = ("--llm", "oracle", "--correct", 0)


def test_a_model_alone(querent, folder, oracle):
    oracle.unknown = "how many"
    told = querent("evaluate", folder, *LLM, "--json").json
    assert (told["run"], told["llm"], told["domain"], told["beam"]) == (None, "oracle", "tiny", None)
    assert (told["n"], told["em"], told["execution"], told["refused"]) == (5, 0.8, 0.8, 0.2)
    assert (told["tokens"], told["unheard"], told["table_f1"]) == (100, 0, None)
    assert told["seconds_each"] > 0
    assert oracle.shown == set()


def test_people_see_a_table(querent, folder, oracle):
    shown = querent("evaluate", folder, *LLM, "--part", "dev", "--limit", 2)
    assert (shown.code, shown.err) == (0, "")
    lines = [" ".join(line.split()) for line in shown.out.replace("│", " ").splitlines()]
    assert "tiny, dev of the question split, own values, 2 questions" in " ".join(shown.out.split())
    assert {"exact match 1.000", "tokens a question 100.0", "the language model failed 0.000"} <= set(lines)
    assert not [line for line in lines if "classifier" in line]


@pytest.mark.parametrize(("part", "split"), [("train", "query"), ("dev", "question"), ("test", "query")])
def test_no_question_of_the_part_is_shown(querent, folder, oracle, part, split):
    asked = {e.question for e in oracle.domain.part(part, split=split)}
    told = querent(
        "evaluate", folder, *LLM, "--examples", folder, "--shots", 4, "--part", part, "--split", split, "--json"
    )
    assert told.json["n"] == len(asked) == len(oracle.asked)
    assert oracle.shown
    assert oracle.shown & asked == set()


def test_where_the_parser_is_not_sure_the_model_is_asked(querent, tiny, folder, oracle, monkeypatch):
    ask = Answerer.ask

    def doubting(self: Answerer, question: str, *given: object, **more: object) -> Answer:
        if question.startswith("the largest"):
            return Answer(question, "SELECT name FROM city", status="unsure")
        if question.startswith("how many"):
            return Answer(question, None, status="no_answer")
        gold = next(e.sql for e in oracle.domain.examples if e.question == question)
        return Answer(question, gold, status="ok")

    monkeypatch.setattr(Answerer, "ask", doubting)
    told = querent("evaluate", tiny / "run", folder, *LLM, "--beam", 1, "--json").json
    assert sorted(oracle.asked) == ["how many cities are in idaho", "the largest city of idaho"]
    assert (told["em"], told["tokens"], told["beam"], told["run"]) == (1, 40, 1, str(tiny / "run"))
    monkeypatch.setattr(Answerer, "ask", ask)
    alone = querent("evaluate", tiny / "run", folder, *LLM, "--part", "train", "--limit", 4, "--json").json
    assert (alone["em"], alone["execution"]) == (1, 1)  # the parser knows them by heart


def test_a_server_that_is_gone_is_one_line(querent, folder, oracle):
    oracle.silent = ""
    line = querent("evaluate", folder, *LLM, "--part", "train").error()
    assert "10 questions in a row got no answer; the last: the server is gone" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{folder}",), ["a parser and a domain are needed", "--llm"]),
        (("{run}", "{folder}", "x"), ["one word too many: 'x'"]),
        (("{folder}", *LLM, "--beam", 2), ["'--beam'", "leave it out"]),
        (("{folder}", *LLM, "--global", "hard"), ["'--global'"]),
        (("{folder}", *LLM, "--values", "gold"), ["'--values'"]),
        (("{run}", "{folder}", *LLM, "--values", "gold"), ["'--values'", "leave it out"]),
        (("{run}", "{folder}", "--shots", 2), ["'--shots'", "use it with --llm"]),
        (("{folder}", *LLM, "--examples", "gone.jsonl"), ["gone.jsonl: cannot be read"]),
        (("plnt", *LLM), ["did you mean 'plant'"]),
    ],
)
def test_what_is_wrong_is_one_line(querent, tiny, folder, oracle, arguments, said):
    line = querent("evaluate", *(str(word).format(folder=folder, run=tiny / "run") for word in arguments)).error()
    assert [part for part in said if part not in line] == []


def test_a_domain_without_a_database_is_one_line(querent, tmp_path, oracle):
    folder = write(tmp_path / "bare", database=False)
    assert "has no database, and a language model needs one" in querent("evaluate", folder, *LLM).error()


def test_a_parser_follows_no_solved_question_of_the_part(querent, folder):
    """A parser without any training has the dev part right by the questions of the train part, and not by its own."""
    call = ("evaluate", "shipped", folder, "--part", "dev", "--json")
    alone, beside = querent(*call).json, querent(*call, "--examples", folder).json
    assert beside["em"] == 1 >= alone["em"]
    (folder / "solved.jsonl").write_text(
        "\n".join(
            json.dumps({"question": e.question.upper(), "sql": "SELECT COUNT(*) FROM state"})
            for e in face.load_domain(folder).part("dev")
        )
        + json.dumps({"question": "why?", "sql": "SELECT 1"}).join("\n\n"),
        encoding="utf-8",
    )
    hidden = querent(*call, "--examples", folder / "solved.jsonl").json
    assert (hidden["n"], hidden["em"]) == (alone["n"], alone["em"])
