"""Batch prediction: order, statuses, what a bad question costs, and going on where it stopped."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiny_saved import save, write_database

from querent.data.database import Database
from querent.data.errors import ConstraintError, DatabaseError, InputError
from querent.data.schema import Column, Schema, Table
from querent.parser.pipeline import Parser
from querent.parser.predict import predict
from querent.parser.questions import Question

HERE = Path(__file__).parent


class Fake:
    """Answers a question with itself as the query, and remembers what it was asked together."""

    grammar = SimpleNamespace(schema=Schema((Table("CITY", (Column("NAME"),)),)))

    def __init__(self):
        self.batches = []

    def problem(self, question):
        return None if question.strip() else "the question is empty"

    def __call__(self, texts, *, beam, batch_size, explain):
        self.batches.append(list(texts))
        assert batch_size == len(texts)
        if "unreadable" in texts:
            raise InputError("cannot be read", hint="write another")
        if "unsayable" in texts:
            raise ConstraintError("no query fits")
        problem = {"unfinished": "no end within 30 words"}
        return [SimpleNamespace(sql=t, score=-1 / 3, problem=problem.get(t), account=None, steps=()) for t in texts]


def questions(*texts):
    return [Question(str(n), text, n) for n, text in enumerate(texts, start=1)]


def records(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def without_seconds(file):
    return [{k: v for k, v in record.items() if k != "seconds"} for record in records(file)]


ASKED = questions("SELECT 1", "", "SELECT 2", "unreadable", "SELECT '三'", "unsayable", "unfinished", "SELECT 4")


def test_one_record_a_question_in_order(tmp_path):
    out = tmp_path / "new" / "out.jsonl"
    tally = predict(Fake(), ASKED, out, batch_size=3)
    assert [r["id"] for r in records(out)] == [q.id for q in ASKED]
    assert [r["question"] for r in records(out)] == [q.text for q in ASKED]
    assert [r["status"] for r in records(out)] == ["ok", "error", "ok", "error", "ok", "no_query", "no_query", "ok"]
    assert [r["reason"] for r in records(out)][1:7:2] == [
        "the question is empty",
        "cannot be read (write another)",
        "no query fits",
    ]
    assert [*records(out)[0]] == ["id", "question", "sql", "score", "status", "reason", "seconds"]
    assert all((r["sql"] is None) == (r["status"] != "ok") for r in records(out))
    assert "三" in out.read_text(encoding="utf-8")
    assert tally.to_json() == {"questions": 8, "ok": 4, "no_query": 2, "error": 2, "already": 0}


@pytest.mark.parametrize("kept", range(9))
def test_it_goes_on_after_any_record_with_the_same_batches(tmp_path, kept):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    first = Fake()
    predict(first, ASKED, whole, batch_size=3)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:kept]))
    second = Fake()
    tally = predict(second, ASKED, cut, batch_size=3)
    assert without_seconds(cut) == without_seconds(whole)
    assert cut.read_bytes().startswith(b"".join(lines[:kept]))
    assert tally.already == kept
    assert second.batches == first.batches[len(first.batches) - len(second.batches) :]


@pytest.mark.parametrize("torn", [1, 5, 8, 20, -2])
def test_a_torn_last_line_is_cut_off(tmp_path, torn):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    predict(Fake(), ASKED, whole, batch_size=3)
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:4]) + lines[4][:torn])
    assert predict(Fake(), ASKED, cut, batch_size=3).already == 4
    assert without_seconds(cut) == without_seconds(whole)


def test_a_finished_file_is_left_alone_and_asks_nothing(tmp_path):
    out, fake = tmp_path / "out.jsonl", Fake()
    predict(fake, ASKED, out)
    before = out.read_bytes()
    fake.batches.clear()
    assert predict(fake, ASKED, out).already == 8
    assert (out.read_bytes(), fake.batches) == (before, [])
    assert predict(fake, ASKED[:2], out, fresh=True).already == 0
    assert len(records(out)) == 2


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (lambda r: [r[0], {**r[1], "question": "other"}], 2, "holds 'other' where the questions have 'SELECT 2'"),
        (lambda r: [{**r[0], "id": "x"}, r[1]], 1, "holds 'x' where the questions have '1'"),
        (lambda r: [r[0], {"a": 1}], 2, "not a prediction record"),
        (lambda r: [{**r[0], "rows": []}, r[1]], 1, "written with --execute"),
        (lambda r: [r[0], r[1], r[1]], 3, "a record behind the last question's"),
    ],
)
def test_a_file_of_other_records_is_refused_and_left_alone(tmp_path, change, line, says):
    out, asked = tmp_path / "out.jsonl", questions("SELECT 1", "SELECT 2")
    predict(Fake(), asked, out)
    out.write_text("".join(json.dumps(r) + "\n" for r in change(records(out))), encoding="utf-8")
    before = out.read_bytes()
    with pytest.raises(InputError, match=says) as caught:
        predict(Fake(), asked, out)
    assert (caught.value.file, caught.value.line) == (out, line)
    assert out.read_bytes() == before


def test_somebody_elses_file_without_a_last_newline_is_left_alone(tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("buy milk", encoding="utf-8")
    with pytest.raises(InputError, match="not a prediction record"):
        predict(Fake(), ASKED, out)
    assert out.read_text(encoding="utf-8") == "buy milk"


def test_memory_does_not_grow_with_the_file(tmp_path):
    class Forgetful(Fake):
        def __call__(self, texts, **options):
            answers = super().__call__(texts, **options)
            self.batches.clear()
            return answers

    def peak(count):
        tracemalloc.start()
        many = (Question(str(n), f"SELECT {n}", n) for n in range(count))
        predict(Forgetful(), many, tmp_path / f"{count}.jsonl")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(64)
    assert peak(6400) < 1.5 * peak(640)


def test_a_malformed_question_stops_it_and_keeps_what_was_written(tmp_path):
    def broken():
        yield from ASKED[:4]
        raise InputError("not JSON", line=5)

    out = tmp_path / "out.jsonl"
    with pytest.raises(InputError):
        predict(Fake(), broken(), out, batch_size=2)
    assert len(records(out)) == 4
    assert predict(Fake(), ASKED, out, batch_size=2).already == 4


@pytest.fixture
def city(tmp_path):
    return write_database(tmp_path / "tiny.sqlite")


def test_execution_adds_rows_and_a_failing_query_costs_its_record(tmp_path, city):
    asked = questions("SELECT NAME , x'00ff' , 9e999 FROM CITY WHERE NAME = 'o''fallon'", "SELECT NO FROM CITY", "")
    with Database.open(city) as database:
        predict(Fake(), asked, tmp_path / "out.jsonl", database=database)
    first, second, third = records(tmp_path / "out.jsonl")
    assert (first["rows"], first["truncated"]) == ([["o'fallon", "00ff", "inf"]], False)
    assert first["columns"][0] == "NAME"
    assert (second["status"], second["rows"], second["sql"]) == ("error", None, "SELECT NO FROM CITY")
    assert "no such column" in second["reason"]
    assert (third["status"], third["rows"]) == ("error", None)


def test_another_database_is_refused_before_anything_is_written(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE MOON (NAME TEXT)")
    with Database.open(tmp_path / "other.sqlite") as database, pytest.raises(DatabaseError, match="CITY"):
        predict(Fake(), ASKED, tmp_path / "out.jsonl", database=database)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_database_locked_on_the_way_stops_it_and_keeps_what_was_written(tmp_path, city):
    out, locker = tmp_path / "out.jsonl", sqlite3.connect(city, isolation_level=None)

    def asked():
        yield from questions("SELECT 1 FROM CITY", "SELECT 2 FROM CITY")
        locker.execute("BEGIN EXCLUSIVE")
        yield Question("3", "SELECT 3 FROM CITY", 3)

    with closing(locker), Database.open(city, timeout=0.1) as database:
        with pytest.raises(DatabaseError, match="locked"):
            predict(Fake(), asked(), out, batch_size=2, database=database)
        assert [r["status"] for r in records(out)] == ["ok", "ok"]
        locker.execute("ROLLBACK")
        again = questions("SELECT 1 FROM CITY", "SELECT 2 FROM CITY", "SELECT 3 FROM CITY")
        tally = predict(Fake(), again, out, batch_size=2, database=database)
    assert (tally.already, tally.ok) == (2, 3)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save(tmp_path_factory.mktemp("parser") / "saved")


REAL = [
    "how many people live in austin",
    "",
    "which cities are in texas",
    "why " * 2500,
    "哪些城市在德州或俄亥俄",
    "сколько городов",
    "rivers longer than 500",
    "the biggest city of ohio",
    "how many rivers are there",
    "rivers longer than 1,200",
    "which cities are in ohio's",
]


def test_a_real_parser_answers_and_explains_each_step(saved, tmp_path):
    predict(Parser.from_pretrained(saved), questions(*REAL), tmp_path / "out.jsonl", batch_size=4, explain=True)
    found = records(tmp_path / "out.jsonl")
    assert [r["status"] for r in found] == ["ok", "error", "ok", "error", "ok", "error", *["ok"] * 5]
    assert "10000 characters" in found[3]["reason"]
    assert "script" in found[5]["reason"]
    assert found[1]["explain"] is None
    steps = found[0]["explain"]["steps"]
    words = {s["allowed"] + s["forbidden"] for s in steps}
    assert len(words) == 1
    assert all(s["allowed"] >= 1 for s in steps)
    refused = [r for f in found if f["explain"] for s in f["explain"]["steps"] for r in s["refused"]]
    assert refused
    # each reason names the word and says what speaks against it
    assert all(r["reason"].startswith(f"{r['word']!r} ") and len(r["reason"]) > len(r["word"]) + 10 for r in refused)
    assert "{" not in "".join(r["sql"] or "" for r in found)


def test_explaining_says_which_table_is_missing(saved, tmp_path):
    parser = Parser.from_pretrained(saved)
    words = parser.vocabulary
    lake = {words.index(*w) for w in (("SELECT", "SELECT"), ("PEOPLE", "COLUMN"), ("FROM", "FROM"), ("RIVER", "TABLE"))}
    score = parser.model.score

    def pushed(*arguments):
        logits = score(*arguments)
        logits[..., list(lake)] += 60.0
        return logits

    parser.model.score = pushed
    predict(parser, questions("how many people live in austin"), tmp_path / "out.jsonl", explain=True)
    (found,) = records(tmp_path / "out.jsonl")
    reasons = [r["reason"] for s in found["explain"]["steps"] for r in s["refused"]]
    assert any("PEOPLE" in reason and "FROM" in reason for reason in reasons), reasons


POINTS = ("before_the_first", "within_a_batch", "within_a_line", "after_the_last")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs to kill are forks")
def test_killed_at_any_point_it_ends_with_the_same_file(saved, tmp_path):
    asked = tmp_path / "questions.txt"
    asked.write_text("\n".join(REAL) + "\n", encoding="utf-8")
    database = write_database(tmp_path / "tiny.sqlite")
    command = [sys.executable, str(HERE / "killed_predictions.py"), str(saved), str(asked), str(database), *POINTS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout.splitlines()[-1])
    assert ended["whole"] == [0], done.stderr
    whole = [_masked(line) for line in (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)]
    assert len(whole) == len(REAL)
    for point in POINTS:
        assert ended[point] == [-signal.SIGKILL, 0], done.stderr
        left = (tmp_path / f"{point}.killed").read_bytes()
        assert left.endswith(b"\n") == (point != "within_a_line") or not left
        assert [_masked(line) for line in (tmp_path / f"{point}.jsonl").read_bytes().splitlines(keepends=True)] == whole


def _masked(line: bytes) -> bytes:
    """Return a record's bytes up to its last field, which is the only one that may differ."""
    head, mark, seconds = line.rpartition(b'"seconds": ')
    assert mark
    assert seconds.endswith(b"}\n")
    return head


def test_lazy_reading_stops_with_the_batch(tmp_path):
    taken = []

    def asked():
        for question in ASKED:
            taken.append(question.id)
            yield question

    class Stops(Fake):
        def __call__(self, texts, **options):
            assert len(taken) <= 2
            return super().__call__(texts, **options)

    predict(Stops(), islice(asked(), 2), tmp_path / "out.jsonl", batch_size=2)
