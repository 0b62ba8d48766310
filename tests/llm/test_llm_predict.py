"""Batch prediction by a language model: what it does not answer, and how that is asked again."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, fenced, write_books

from querent.data.errors import InputError, LlmError
from querent.dialogue.llm_connection import connect_llm
from querent.dialogue.predict import MAX_UNHEARD, Tally, predict
from querent.dialogue.questions import Question
from querent.llm.messages import Backend, Completions, Message
from querent.llm.options import LlmOptions

GONE = LlmError("it does not answer")


class Books(Scripted):
    """Answers «book over n pages» with a query of its own, but for numbers that it has no answer to."""

    def __init__(self, silent: set[int] = frozenset()) -> None:
        super().__init__([])
        self.silent = silent
        self.numbers: list[int] = []

    def complete(self, messages: list[Message], *, n: int = 1, **_: Any) -> Completions:
        number = int(messages[-1].content.split()[-1])
        self.numbers.append(number)
        if number in self.silent:
            raise GONE
        return Completions((fenced(f"SELECT title FROM book WHERE pages > {number}"),) * n, 10, 5)


def questions(*numbers: int) -> list[Question]:
    return [Question(f"q{n}", f"books over {n}", n) for n in numbers]


def ask(folder: Path, backend: Backend, asked: list[Question], **given: Any) -> Tally:
    options = LlmOptions(corrections=0)
    file = folder / "books.sqlite"
    if not file.exists():
        write_books(folder)
    with connect_llm(file, backend, options=options, language="en") as connection:
        return predict(connection, asked, folder / "out.jsonl", **given)


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def statuses(folder: Path) -> list[str]:
    return [record["status"] for record in records(folder)]


def test_a_record_has_attempts_tokens_and_seconds(tmp_path):
    tally = ask(tmp_path, Books(), [*questions(250), Question("empty", " ", 2)])
    good, empty = records(tmp_path)
    assert list(good) == list(empty)
    assert (good["id"], good["status"], good["rows"]) == ("q250", "ok", [["Dune"], ["Rain"]])
    assert (good["prompt_tokens"], good["completion_tokens"]) == (10, 5)
    assert [attempt["sql"] for attempt in good["attempts"]] == ["SELECT title FROM book WHERE pages > 250"]
    assert good["seconds"] > 0
    assert (empty["status"], empty["reason"], empty["attempts"]) == ("error", "the question is empty", [])
    assert (tally.ok, tally.error, tally.unheard) == (1, 1, 0)


def test_a_call_without_an_answer_costs_its_own_record(tmp_path):
    tally = ask(tmp_path, Books({2}), questions(1, 2, 3))
    assert statuses(tmp_path) == ["ok", "error", "ok"]
    assert records(tmp_path)[1]["reason"] == "it does not answer"
    assert (tally.error, tally.unheard) == (1, 1)


def test_these_are_asked_again_and_no_others(tmp_path):
    asked = [*questions(1, 2, 3, 4), Question("empty", "", 5)]
    ask(tmp_path, Books({2, 4}), asked)
    before, backend = records(tmp_path), Books({4})
    assert ask(tmp_path, backend, asked).unheard == 2  # by itself it asks nothing again
    assert backend.numbers == []
    tally = ask(tmp_path, backend, asked, again=True)
    assert backend.numbers == [2, 4]
    after = records(tmp_path)
    assert [record["status"] for record in after] == ["ok", "ok", "ok", "error", "error"]
    assert [after[n] for n in (0, 2, 4)] == [before[n] for n in (0, 2, 4)]
    assert (tally.already, tally.ok, tally.unheard) == (3, 3, 1)
    assert sorted(p.name for p in tmp_path.glob("out*")) == ["out.jsonl"]


def test_asked_again_and_killed_it_goes_on(tmp_path):
    asked = questions(*range(1, 6))
    ask(tmp_path, Books({1, 3, 5}), asked)
    whole = (tmp_path / "out.jsonl").read_bytes()

    class Dying(Books):
        def complete(self, messages: list[Message], **given: Any) -> Completions:
            if len(self.numbers) == 2:
                raise KeyboardInterrupt
            return super().complete(messages, **given)

    with pytest.raises(KeyboardInterrupt):
        ask(tmp_path, Dying(), asked, again=True)
    assert (tmp_path / "out.jsonl").read_bytes() == whole
    backend = Books()
    assert ask(tmp_path, backend, asked, again=True).ok == 5
    assert backend.numbers == [5]
    assert [record["id"] for record in records(tmp_path)] == [q.id for q in asked]


def test_a_model_that_is_gone_stops_it_and_leaves_nothing_behind(tmp_path):
    asked, backend = questions(*range(50)), Books(set(range(5, 50)))
    with pytest.raises(LlmError, match="10 questions in a row got no answer; the last: it does not answer") as caught:
        ask(tmp_path, backend, asked)
    assert "goes on where it stopped" in str(caught.value)
    assert backend.numbers == list(range(5 + MAX_UNHEARD))
    assert statuses(tmp_path) == ["ok"] * 5
    assert ask(tmp_path, Books(), asked).ok == 50


@pytest.mark.parametrize("jobs", [2, 5])
def test_several_at_a_time_make_the_same_file(tmp_path, jobs):
    asked = questions(*range(30))
    tally = ask(tmp_path, Books({4, 7}), asked, jobs=jobs)
    assert (tally.ok, tally.unheard) == (28, 2)
    found = records(tmp_path)
    assert [record["id"] for record in found] == [q.id for q in asked]
    assert all(f"> {n}" in record["sql"] for n, record in enumerate(found) if n not in (4, 7))


@pytest.mark.parametrize(
    ("given", "field"),
    [({"beam": 2}, "beam"), ({"explain": True}, "explain"), ({"again": True, "fresh": True}, "fresh")],
)
def test_options_that_mean_nothing_are_refused(tmp_path, given, field):
    with pytest.raises(InputError) as caught:
        ask(tmp_path, Books(), questions(1), **given)
    assert caught.value.field == field
    assert not (tmp_path / "out.jsonl").exists()
