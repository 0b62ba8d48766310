"""Batch prediction: questions of any file, order, statuses, and going on where it stopped."""

import io
import json
import shutil
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from querent.answers.answer import Answer
from querent.data.domains.dialogues import Turn
from querent.data.errors import DatabaseError, InputError
from querent.dialogue.connection import connect
from querent.dialogue.predict import Tally, predict, side_by_side
from querent.dialogue.questions import Question, count_questions, read_questions
from querent.parser.answering.asking import USUAL, AskOptions

CELLS = ("o'fallon", b"\x00\xff", 9e999, None, 1.5, Decimal("2.50"), date(2024, 3, 1))


class Fake:
    """Stands in for a connection: answers a question with itself as the query, and remembers what it was asked."""

    def __init__(self, *, database: bool = False) -> None:
        self.database = object() if database else None
        self.asked: list[str] = []
        self.parser: object | None = self

    def probe(self) -> None:
        pass

    def refusal(self, question: str, reason: str) -> Answer:
        return Answer(question, None, status="error", reason=reason)

    def twin(self) -> Any:
        raise InputError("a parser answers one question at a time", field="jobs")

    def ask(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL) -> Answer:
        told = " < ".join([*([options.evidence] if options.evidence else []), *(turn.sql for turn in before)])
        self.asked.append(f"{question} [{told}]" if told else question)
        if question == "unreadable":
            raise InputError("cannot be read", hint="write another")
        statuses = {"unsayable": "no_answer", "failing": "error", "doubtful": "unsure"}
        status: Any = statuses.get(question, "ok")
        sql = None if status == "no_answer" else question
        rows = (CELLS,) if self.database and status == "ok" else ()
        return Answer(
            question, sql, ("a",), rows, False, 1 / 3, status, None if status == "ok" else "why", (), 0.12345678
        )

    def explain(self, question: str, before: Sequence[Turn] = (), options: AskOptions = USUAL) -> Any:
        return SimpleNamespace(to_json=lambda: {"beam": options.beam, "question": question})


def ask(connection: Any, asked: Any, out: Path, **given: Any) -> Tally:
    return predict(connection, asked, out, **given)


def questions(*texts: str) -> list[Question]:
    return [Question(str(n), text, n) for n, text in enumerate(texts, start=1)]


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


ASKED = questions("SELECT 1", "", "  SELECT 2\t", "unreadable", "SELECT '三'", "unsayable", "doubtful", "failing")


def test_one_record_a_question_in_order(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out.jsonl"
    ticks: list[int] = []
    tally = ask(Fake(), ASKED, out, progress=lambda: ticks.append(1))
    found = records(out)
    assert [r["id"] for r in found] == [q.id for q in ASKED]
    assert [r["question"] for r in found] == [q.text for q in ASKED]  # as they were written
    assert [r["status"] for r in found] == ["ok", "error", "ok", "error", "ok", "no_answer", "unsure", "error"]
    assert [found[1]["reason"], found[3]["reason"]] == ["the question is empty", "cannot be read (write another)"]
    fields = ["id", "question", "sql", "confidence", "status", "reason", "alternatives", "seconds", "like"]
    fields += ["knowledge", "unread", "notes", "carried", "clarification", "tables"]
    assert [list(r) for r in found] == [fields] * 8
    assert (found[2]["sql"], found[2]["seconds"]) == ("SELECT 2", 0.1235)
    assert [n for n, r in enumerate(found) if r["sql"] is None] == [1, 3, 5]
    assert "三" in out.read_text(encoding="utf-8")
    counts = {"questions": 8, "ok": 3, "unsure": 1, "no_answer": 1, "error": 3, "already": 0, "unheard": 0}
    assert tally.to_json() == counts
    assert len(ticks) == 8


def test_with_a_database_there_are_rows_as_json_has_them(tmp_path: Path) -> None:
    ask(Fake(database=True), questions("SELECT 1", "unsayable", ""), tmp_path / "out.jsonl")
    first, second, third = records(tmp_path / "out.jsonl")
    assert (first["columns"], first["truncated"]) == (["a"], False)
    assert first["rows"] == [["o'fallon", "00ff", "inf", None, 1.5, 2.5, "2024-03-01"]]
    assert second["rows"] == third["rows"] == []


def test_explanations_come_with_queries(tmp_path: Path) -> None:
    ask(Fake(), questions("SELECT 1", "unsayable", ""), tmp_path / "out.jsonl", explain=True, beam=3)
    found = [r["explain"] for r in records(tmp_path / "out.jsonl")]
    assert found == [{"beam": 3, "question": "SELECT 1"}, None, None]


def test_evidence_goes_with_its_question(tmp_path: Path) -> None:
    fake = Fake()
    ask(fake, [Question("1", "one", 1, "a = b / c"), Question("2", "two", 2)], tmp_path / "out.jsonl")
    assert fake.asked == ["one [a = b / c]", "two"]


def test_a_language_model_takes_no_evidence(tmp_path: Path) -> None:
    fake = Fake()
    fake.parser = None
    with pytest.raises(InputError, match="evidence"):
        ask(fake, [Question("1", "one", 1, "a = b / c")], tmp_path / "out.jsonl")


@pytest.mark.parametrize("kept", range(9))
def test_it_goes_on_after_any_record(tmp_path: Path, kept: int) -> None:
    whole, cut, first, second = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl", Fake(), Fake()
    ask(first, ASKED, whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:kept]))
    tally = ask(second, ASKED, cut)
    assert cut.read_bytes() == whole.read_bytes()
    assert (tally.already, tally.questions, tally.ok) == (kept, 8, 3)
    assert first.asked[len(first.asked) - len(second.asked) :] == second.asked
    assert len(second.asked) <= 8 - kept
    assert ask(Fake(), ASKED[:2], cut, fresh=True).already == 0
    assert len(records(cut)) == 2


@pytest.mark.parametrize("torn", [1, 5, 8, 20, -2, -1])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, torn: int) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    ask(Fake(), ASKED, whole)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:4]) + lines[4][:torn])
    assert ask(Fake(), ASKED, cut).already == 4
    assert cut.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("change", "line", "field", "says"),
    [
        (lambda r: [r[0], {**r[1], "question": "other"}], 2, "question", "holds 'other' where .* 'SELECT 2'"),
        (lambda r: [{**r[0], "id": "x"}, r[1]], 1, "id", "holds 'x' where the questions have '1'"),
        (lambda r: [r[0], {"a": 1}], 2, None, "not a prediction record"),
        (lambda r: [r[0], {**r[1], "status": "fine"}], 2, None, "not a prediction record"),
        (lambda r: [{**r[0], "rows": []}, r[1]], 1, "rows", "written with a database"),
        (lambda r: [{**r[0], "explain": None}, r[1]], 1, "explain", "written with --explain"),
        (lambda r: [r[0], r[1], r[1]], 3, None, "a record behind the last question's"),
    ],
)
def test_a_file_of_other_records_is_refused_and_left_alone(tmp_path: Path, change, line, field, says) -> None:
    out, asked = tmp_path / "out.jsonl", questions("SELECT 1", "SELECT 2")
    ask(Fake(), asked, out)
    out.write_text("".join(json.dumps(r) + "\n" for r in change(records(out))), encoding="utf-8")
    before = out.read_bytes()
    with pytest.raises(InputError, match=says) as caught:
        ask(Fake(), asked, out)
    assert (caught.value.file, caught.value.line, caught.value.field) == (out, line, field)
    assert "--fresh" in str(caught.value.hint)
    assert out.read_bytes() == before


def test_somebody_elses_file_without_a_last_newline_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("buy milk", encoding="utf-8")
    with pytest.raises(InputError, match="not a prediction record"):
        ask(Fake(), ASKED, out)
    assert out.read_text(encoding="utf-8") == "buy milk"


def test_a_malformed_question_stops_it_and_keeps_what_was_written(tmp_path: Path) -> None:
    taken: list[str] = []

    def broken() -> Iterator[Question]:
        for question in ASKED[:4]:
            taken.append(question.id)
            yield question
        raise InputError("not JSON", line=5)

    out = tmp_path / "out.jsonl"
    ask(Fake(), islice(broken(), 2), out)
    assert taken == ["1", "2"]  # none is read before its turn
    with pytest.raises(InputError):
        ask(Fake(), broken(), out)
    assert len(records(out)) == 4
    assert ask(Fake(), ASKED, out).already == 4


def test_turns_of_a_dialogue_are_asked_with_those_before_them(tmp_path: Path) -> None:
    told = (("a", "x"), ("b", "x"), ("unsayable", "x"), ("c", "x"), ("d", "y"), ("e", ""), ("f", ""))
    asked = [Question(str(n), text, n, dialogue=dialogue) for n, (text, dialogue) in enumerate(told, start=1)]
    connection = Fake()
    ask(connection, asked, tmp_path / "out.jsonl")
    wanted = ["a", "b [a]", "unsayable [a < b]", "c [a < b]", "d", "e", "f"]
    assert connection.asked == wanted
    lines = (tmp_path / "out.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "out.jsonl").write_text(
        "".join(lines[:2])
    )  # killed between two turns, it goes on as if it had not been
    again = Fake()
    ask(again, asked, tmp_path / "out.jsonl")
    assert again.asked == wanted[2:]


# --- a parser that knows its domain by heart


def test_without_a_database_queries_are_written_on_the_domain_it_was_trained_on(tiny, tmp_path) -> None:
    with connect(None, parser=tiny / "run") as connection:
        assert connection.database is None
        asked = questions("what is the area of texas", "area of the pine tree state")
        ask(connection, asked, tmp_path / "out.jsonl")
    first, second = records(tmp_path / "out.jsonl")
    assert first["sql"] == "SELECT state.area FROM state WHERE state.name = 'texas'"
    assert "'maine'" in second["sql"]
    assert {"rows", "columns", "truncated"} & set(first) == set()


def test_a_database_locked_on_the_way_stops_it_and_keeps_what_was_written(tiny, tmp_path) -> None:
    out, asked = tmp_path / "out.jsonl", questions(*(f"how many cities are in {s}" for s in ("ohio", "utah", "iowa")))
    database = Path(shutil.copy(tiny / "domain" / "tiny.sqlite", tmp_path))
    locker = sqlite3.connect(database, isolation_level=None)

    def locking() -> Iterator[Question]:
        yield from asked[:2]
        locker.execute("BEGIN EXCLUSIVE")
        yield asked[2]

    with closing(locker), connect(database, parser=tiny / "run", timeout=0.1) as connection:
        with pytest.raises(DatabaseError, match="locked"):
            predict(connection, locking(), out, beam=1)
        assert [r["rows"] for r in records(out)] == [[[1]], [[1]]]
        locker.execute("ROLLBACK")
        assert predict(connection, asked, out, beam=1).already == 2
        assert len(records(out)) == 3


# --- questions side by side


@contextmanager
def twelve() -> Generator[int]:
    """Open the tool of one thread."""
    yield 12


def divided(twelve: int, number: int) -> int:
    """Divide, which takes longer for some numbers."""
    time.sleep(0.02 * (number % 3 == 0))
    return twelve // number


def test_results_come_in_order_and_an_error_stands_in_the_place_of_its_result() -> None:
    assert list(side_by_side(range(1, 40), twelve, divided, 4)) == [12 // number for number in range(1, 40)]
    found = side_by_side((3, 2, 1, 0, 5), twelve, divided, 2)
    assert [next(found) for _ in range(3)] == [4, 6, 12]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_questions_are_read_ahead_but_not_far() -> None:
    taken: list[int] = []
    endless = (taken.append(number) or number for number in count(5, 3))
    with closing(side_by_side(endless, twelve, divided, 2)) as found:
        assert [next(found) for _ in range(50)][:2] == [2, 1]
    assert len(taken) <= 58


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return written


def test_text_has_a_question_a_line_empty_ones_too(write):
    file = write("q.txt", "哪些河流?\r\n\nwhich cities\n")
    assert list(read_questions(file)) == [
        Question("1", "哪些河流?", 1),
        Question("2", "", 2),
        Question("3", "which cities", 3),
    ]
    assert count_questions(file) == 3


def test_a_byte_order_mark_is_no_part_of_the_question(write):
    assert next(read_questions(write("q.txt", "\ufeffwhich".encode()))).text == "which"


def test_csv_takes_quotes_ids_and_lines_within_a_field(write):
    file = write("q.csv", 'ID,note,Question\r\na,x,"one, or ""two"""\n\n,y,"over\ntwo lines"\nc,z,three\n')
    assert list(read_questions(file)) == [
        Question("a", 'one, or "two"', 2),
        Question("2", "over\ntwo lines", 4),
        Question("c", "three", 6),
    ]


def test_jsonl_takes_ids_and_skips_empty_lines(write):
    file = write("q.jsonl", '{"question": "one", "id": 7}\n\n{"question": "二", "more": []}\n')
    assert list(read_questions(file)) == [Question("7", "one", 1), Question("2", "二", 3)]


def test_evidence_stands_beside_a_question(write):
    file = write("q.csv", "question,evidence\none,long refers to distance > 9\ntwo,\n")
    assert [q.evidence for q in read_questions(file)] == ["long refers to distance > 9", ""]
    file = write("q.jsonl", '{"question": "one", "evidence": " a = b / c "}\n{"question": "two", "evidence": null}\n')
    assert [q.evidence for q in read_questions(file)] == ["a = b / c", ""]
    with pytest.raises(InputError, match="evidence"):
        list(read_questions(write("w.jsonl", '{"question": "one", "evidence": 3}\n')))


def test_half_a_character_becomes_a_replacement(write):
    file = write("q.jsonl", '{"question": "a \\ud83d b \\ud83d\\ude00"}\n')
    assert next(read_questions(file)).text == "a \ufffd b 😀"


def test_standard_input(write):
    assert [q.text for q in read_questions("-", stdin=io.BytesIO(b"one\ntwo"))] == ["one", "two"]
    assert count_questions("-") is None


def test_it_holds_one_line_at_a_time():
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:4] = b"why\n"
            return 4

    questions = read_questions("-", stdin=io.BufferedReader(Endless(), 64))
    assert [next(questions).text for _ in range(1000)][-1] == "why"


@pytest.mark.parametrize(
    ("name", "content", "line", "field", "says"),
    [
        ("q.txt", b"one\ntw\xff\n", 2, None, "byte 3 of the line is not UTF-8"),
        ("q.jsonl", '{"question": "one"}\n{"question": \n', 2, None, "not JSON"),
        ("q.jsonl", '["one"]\n', 1, None, "list where an object"),
        ("q.jsonl", '{"qestion": "one"}\n', 1, "question", "did you mean 'qestion'"),
        ("q.jsonl", '{"question": 1}\n', 1, "question", "int where a text"),
        ("q.jsonl", '{"question": "one", "id": []}\n', 1, "id", "list where a text"),
        ("q.jsonl", "[" * 100_000 + "\n", 1, None, "not JSON"),
        ("q.csv", "id,questions\n1,one\n", 1, "question", "did you mean 'questions'"),
        ("q.csv", "question,id\none, two,3\n", 2, None, "3 fields where the header has 2"),
        ("q.csv", 'question\none\n"two\n', 3, None, "not CSV"),
        ("q.csv", "", 1, "question", "without a header"),
        ("q.jsonl", '{"question": "a"}\n{"question": "b"\n', 2, None, "one object a line"),
        ("q.csv", "Questoin\nwhich\n", 1, "question", "did you mean 'questoin'"),
    ],
)
def test_a_malformed_line_is_named(write, name, content, line, field, says):
    file = write(name, content)
    with pytest.raises(InputError, match=says) as caught:
        list(read_questions(file))
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)


def test_a_missing_file_and_a_near_one(write, tmp_path):
    write("questions.txt", "one")
    with pytest.raises(InputError, match=r"no such file \(did you mean 'questions.txt'\?\)"):
        list(read_questions(tmp_path / "question.txt"))


def test_another_kind_of_file(write):
    with pytest.raises(InputError, match=r"\.xlsx"):
        list(read_questions(write("q.xlsx", b"PK")))
