"""Batch prediction by a parser that knows its domain by heart: answers, locks, and kills at any moment."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from killed_predictions import POINTS
from killing import NEEDS_FORK, outcome

from querent.data.errors import DatabaseError
from querent.dialogue.connection import connect
from querent.parser.runs.predict import predict
from querent.parser.runs.questions import Question


def questions(*texts: str) -> list[Question]:
    return [Question(str(n), text, n) for n, text in enumerate(texts, start=1)]


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


REAL = [
    "how many cities are in texas",
    "",
    "what is the area of iowa",
    "why " * 2500,
    "哪些城市在德州或俄亥俄",
    "cities of utah over 3,000 people",
    "which cities are in the pine tree state",
    "which cities are in o'hio",
    "\u200b",
    "the largest city of ohio",
]


@pytest.fixture
def database(tiny: Path, tmp_path: Path) -> Path:
    """Return a copy of the domain's database, to lock and to spoil."""
    (tmp_path / "tiny.sqlite").write_bytes((tiny / "domain" / "tiny.sqlite").read_bytes())
    return tmp_path / "tiny.sqlite"


def test_a_real_parser_answers_in_order_and_a_bad_question_costs_its_own_record(tiny, database, tmp_path) -> None:
    with connect(database, parser=tiny / "run") as connection:
        tally = predict(connection, questions(*REAL), tmp_path / "out.jsonl", beam=1)
    found = records(tmp_path / "out.jsonl")
    assert [n for n, r in enumerate(found) if r["status"] == "error"] == [1, 3]
    assert "9999 characters; 2000 are the most" in found[3]["reason"]
    assert (found[0]["sql"], found[0]["rows"]) == (
        "SELECT COUNT(*) FROM city WHERE city.state = 'texas'",
        [[1]],
    )
    assert found[2]["rows"] == [[400.0]]
    assert (tally.error, tally.questions) == (2, 10)
    assert "{" not in "".join(r["sql"] or "" for r in found)


def test_without_a_database_queries_are_written_on_the_domain_it_was_trained_on(tiny, tmp_path) -> None:
    with connect(None, parser=tiny / "run") as connection:
        assert connection.database is None
        predict(
            connection, questions("what is the area of texas", "area of the pine tree state"), tmp_path / "out.jsonl"
        )
    first, second = records(tmp_path / "out.jsonl")
    assert first["sql"] == "SELECT state.area FROM state WHERE state.name = 'texas'"
    assert "'maine'" in second["sql"]
    assert {"rows", "columns", "truncated"} & set(first) == set()


def test_a_database_locked_on_the_way_stops_it_and_keeps_what_was_written(tiny, database, tmp_path) -> None:
    out, asked = tmp_path / "out.jsonl", questions(*(f"how many cities are in {s}" for s in ("ohio", "utah", "iowa")))
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


@NEEDS_FORK
def test_killed_at_any_point_it_ends_with_the_same_file(tiny: Path, database: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.txt").write_text("\n".join(REAL) + "\n", encoding="utf-8")
    ended, said = outcome("killed_predictions.py", tiny / "run", "questions.txt", database, folder=tmp_path)
    whole = _masked(tmp_path / "whole.jsonl")
    assert len(whole) == len(REAL)
    assert any(r["explain"] for r in whole)
    for point in POINTS:
        assert ended[point] == [-signal.SIGKILL, 0], said
        left = (tmp_path / f"{point}.killed").read_bytes()
        assert left.endswith(b"\n") == (point != "within_a_line") or not left
        assert (tmp_path / f"{point}.jsonl").read_bytes().startswith(left[: left.rfind(b"\n") + 1])
        assert _masked(tmp_path / f"{point}.jsonl") == whole


def _masked(file: Path) -> list[dict[str, Any]]:
    """Return the records without the times that they took, and numbers as far as they do not hang on what came before.

    Texts that are read side by side differ from those read alone in the last digits.
    """
    return [_rounded({**record, "seconds": None}) for record in records(file)]


def _rounded(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _rounded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_rounded(value) for value in data]
    return round(data, 2) if isinstance(data, float) else data
