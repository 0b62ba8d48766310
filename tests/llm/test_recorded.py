"""Answers from a file, and the recorder that writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorder import Recorder

from querent.data.errors import InputError, LlmError
from querent.llm.backends.recorded import RecordedBackend
from querent.llm.messages import Completions, ConstrainedBackend, Message, digest_of, likely_tokens

ASKED = [Message("system", "Write SQL."), Message("user", "多少本书?")]


class Counting:
    """Says how often it was asked."""

    name, context = "counting", 100

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, messages, *, n=1, temperature=0.0, max_tokens=256) -> Completions:
        self.asked += 1
        return Completions(tuple(f"SELECT {self.asked}, {i}" for i in range(n)), 7, None)

    def count(self, messages) -> int:
        return 7


class CountingSql(Counting):
    def complete_sql(self, messages, task, *, n=1, temperature=0.0, max_tokens=256) -> Completions:
        return self.complete(messages, n=n)


class Broken(Counting):
    def complete(self, messages, *, n=1, temperature=0.0, max_tokens=256) -> Completions:
        raise LlmError("does not answer")


def written(folder: Path, *lines: object) -> Path:
    file = folder / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def test_what_was_recorded_comes_again(tmp_path):
    file = tmp_path / "answers.jsonl"
    asking = Recorder(Counting(), file)
    said = [asking.complete(ASKED, n=2, temperature=0.5), asking.complete(ASKED), asking.complete(ASKED[1:])]
    again = RecordedBackend(file)
    assert [again.complete(ASKED[1:]), again.complete(ASKED)] == [said[2], said[1]]
    assert again.complete(ASKED, n=2, temperature=0.5) == said[0] == Completions(("SELECT 1, 0", "SELECT 1, 1"), 7)


@pytest.mark.parametrize("other", [{"temperature": 0.5}, {"max_tokens": 9}, {"n": 2}])
def test_other_settings_are_another_question(tmp_path, other):
    Recorder(Counting(), tmp_path / "a").complete(ASKED)
    again = RecordedBackend(tmp_path / "a")
    with pytest.raises(LlmError, match=digest_of(ASKED, **other)):
        again.complete(ASKED, **other)
    assert again.complete(ASKED, temperature=0).texts == ("SELECT 1, 0",)


def test_answers_to_one_question_come_in_their_order_and_the_last_one_stays(tmp_path):
    asking = Recorder(Counting(), tmp_path / "a")
    for _ in range(3):
        asking.complete(ASKED, temperature=1.0)
    again = RecordedBackend(tmp_path / "a")
    texts = [again.complete(ASKED, temperature=1.0).texts[0] for _ in range(4)]
    assert texts == ["SELECT 1, 0", "SELECT 2, 0", "SELECT 3, 0", "SELECT 3, 0"]


def test_a_recorder_goes_on_with_its_file(tmp_path):
    Recorder(Counting(), tmp_path / "a").complete(ASKED)
    Recorder(Counting(), tmp_path / "a").complete(ASKED[:1])
    again = RecordedBackend(tmp_path / "a")
    assert again.complete(ASKED) == again.complete(ASKED[:1])


def test_a_question_without_an_answer_is_not_recorded(tmp_path):
    with pytest.raises(LlmError, match="does not answer"):
        Recorder(Broken(), tmp_path / "a").complete(ASKED)
    assert not (tmp_path / "a").exists()


def test_lines_without_a_digest_answer_in_their_order_each_once(tmp_path):
    digest = digest_of(ASKED)
    file = written(tmp_path, {"texts": ["one"]}, {"digest": digest, "texts": ["known"]}, {"texts": ["two"]})
    again = RecordedBackend(file)
    assert [again.complete(m).texts[0] for m in (ASKED[:1], ASKED, ASKED[:1])] == ["one", "known", "two"]
    with pytest.raises(LlmError, match=r"no answer is recorded for [0-9a-f]{64}"):
        again.complete(ASKED[:1])


def test_a_file_never_passes_for_a_masked_model(tmp_path):
    Recorder(CountingSql(), tmp_path / "a").complete(ASKED)
    for backend in (Recorder(CountingSql(), tmp_path / "a"), RecordedBackend(tmp_path / "a")):
        assert not isinstance(backend, ConstrainedBackend)


def test_a_recorder_is_as_wide_as_its_back_end(tmp_path):
    kept = Recorder(Counting(), tmp_path / "a")
    assert (kept.name, kept.context, kept.count(ASKED)) == ("counting", 100, 7)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", ":2: not JSON"),
        ("[]", ":2, field 'texts': no list of texts"),
        ('{"texts": "SELECT 1"}', ":2, field 'texts': no list of texts"),
        ('{"texts": []}', ":2, field 'texts': no list of texts"),
        ('{"texts": ["a"], "prompt_tokens": "9"}', ":2: not a number of tokens"),
        ('{"texts": ["a"], "digest": 9}', ":2, field 'digest': not a digest"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path, line, problem):
    file = tmp_path / "answers.jsonl"
    file.write_text(f'{{"texts": ["a"]}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError) as raised:
        RecordedBackend(file)
    assert f"{file}{problem}" in str(raised.value)


def test_a_missing_file_and_a_wrong_number_of_texts_are_errors(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        RecordedBackend(tmp_path / "nowhere.jsonl")
    with pytest.raises(LlmError, match="2 texts are recorded where 1"):
        RecordedBackend(written(tmp_path, {"texts": ["a", "b"]})).complete(ASKED)


def test_tokens_are_rather_over_than_underestimated():
    """SmolLM2's own counts: 66, 32 and 36 tokens."""
    sql = (
        "SELECT T1.name, COUNT(*) FROM customer AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id "
        "WHERE T2.total > 12345.67 GROUP BY T1.name ORDER BY 2 DESC LIMIT 10"
    )
    ddl = "CREATE TABLE PROD_LINE_STAT (LINE_ID INTEGER PRIMARY KEY, ts DATETIME, qty_pcs REAL)"
    for text, tokens in ((sql, 66), (ddl, 32), ("查询所有在过去一周内产量超过一百的设备名称", 36)):
        assert tokens <= likely_tokens([Message("user", text)]) <= 2 * tokens
