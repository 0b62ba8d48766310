"""`querent ask --llm`, `evaluate --llm` and `retrieve`, with models whose answers are given."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scripted import Scripted, fenced
from tiny_domain import write

import querent as face
from querent.data.domains.domain import Domain
from querent.data.errors import LlmError
from querent.llm.messages import Completions, Message

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def model(monkeypatch) -> Callable[..., Scripted]:
    """Return what makes ``--llm model`` a model with given answers."""

    def make(*answers: str) -> Scripted:
        made = Scripted(answers)
        monkeypatch.setattr(face, "load_backend", lambda spec: {"model": made}[spec], raising=False)
        return made

    return make


def test_a_model_is_measured_with_formulas(querent, model, tmp_path):
    folder = write(tmp_path / "tiny")
    bank = "[[formula]]\nname = 'cities are'\nkind = 'condition'\nis = 'people > 5'\n"
    (tmp_path / "knowledge.toml").write_text(bank, encoding="utf-8")
    made = model(fenced("SELECT name FROM city"))
    asked = ("--llm", "model", "--limit", 1, "--correct", 0, "--knowledge", tmp_path)
    assert querent("evaluate", folder, *asked).code == 0
    assert made.asked[0][-1].content.endswith("\nFormulas: cities are: city.people > 5")


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


@pytest.mark.parametrize(("part", "split"), [("train", "query"), ("dev", "question"), ("test", "query")])
def test_no_question_of_the_part_is_shown(querent, folder, oracle, part, split):
    asked = {e.question for e in oracle.domain.part(part, split=split)}
    told = querent(
        "evaluate", folder, *LLM, "--examples", folder, "--shots", 4, "--part", part, "--split", split, "--json"
    )
    assert told.json["n"] == len(asked) == len(oracle.asked)
    assert oracle.shown
    assert oracle.shown & asked == set()


def test_a_server_that_is_gone_is_one_line(querent, folder, oracle):
    oracle.silent = ""
    line = querent("evaluate", folder, *LLM, "--part", "train").error()
    assert "10 questions in a row got no answer; the last: the server is gone" in line


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
