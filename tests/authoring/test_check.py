"""The report on a domain."""

from __future__ import annotations

import io
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from querent.authoring.check import check
from querent.authoring.view import render_check
from querent.data.domains.domain import Example
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Column, Schema, Table

SCHEMA = Schema((Table("city", (Column("name"), Column("size", "int"))), Table("river", (Column("name"),))))


@dataclass(frozen=True)
class Pairs:
    """What `check` reads of a domain."""

    examples: tuple[Example, ...]
    database: str | None = None
    name: str = "towns"
    language: str = "en"
    dialect: str = "sqlite"
    schema: Schema = SCHEMA
    entities: tuple[object, ...] = ()
    source: str = "towns/examples.jsonl"
    grouping: str = "strict"


def pair(
    line: int, question: str, slotted: str, part: str = "train", query_part: str = "train", **fill: str
) -> Example:
    sql = slotted
    for slot, value in fill.items():
        sql = sql.replace("{" + slot + "}", value)
    return Example(str(line), question, sql, slotted, (), f"p{line}", part, query_part, line)


BIG = "SELECT name FROM city WHERE size > {number0}"
PAIRS = (
    pair(1, "cities over 5", BIG, number0="5"),
    pair(2, "Cities  over 5", BIG, "test", number0="5"),
    pair(3, "cities over 7", BIG, "dev", "test", number0="7"),
    pair(4, "rivers", "SELECT name FROM river"),
    pair(5, "rivers", "SELECT size FROM river"),
    pair(6, "oops", "SELECT name FROM WHERE city = 'Ur'"),
)


NO_TABLE = "'WHERE' cannot stand at 17 (expected (, a table)"


def test_findings_and_counts() -> None:
    report = check(Pairs(PAIRS))
    assert (report.tables, report.columns, report.pairs, report.prototypes, report.queries) == (2, 3, 6, 6, 4)
    assert report.sizes == {"question": {"train": 4, "dev": 1, "test": 1}, "query": {"train": 5, "dev": 0, "test": 1}}
    assert (report.covered, report.covered_pairs, report.repeated) == (3, 5, 1)
    assert (report.coverage, report.ran) == (5 / 6, None)
    (uncovered,) = report.uncovered
    assert (uncovered.lines, uncovered.position, uncovered.problem) == ((6,), 17, NO_TABLE)
    (conflict,) = report.conflicts
    assert (conflict.lines, conflict.text) == ((4, 5), "rivers")
    assert report.leaks is not None
    assert [(f.lines, f.problem) for f in report.leaks["question"]] == [((1, 2), "in train and test")]
    assert [(f.lines, f.problem, f.pairs) for f in report.leaks["query"]] == [((1, 2, 3), "in train and test", 3)]


def test_gold_queries_are_run(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "towns.sqlite")
    connection.executescript("CREATE TABLE city (name, size); CREATE TABLE river (name);")
    connection.close()
    report = check(Pairs(PAIRS, database=str(tmp_path / "towns.sqlite")))
    assert report.ran == 3
    assert [f.lines for f in report.failing] == [(5,), (6,)]
    assert "no such column: size" in report.failing[0].problem
    with pytest.raises(DatabaseError, match="no such database file"):
        check(Pairs(PAIRS, database=str(tmp_path / "gone.sqlite")))


def test_long_lists_are_cut_and_there_may_be_nothing() -> None:
    stream = io.StringIO()
    render_check(check(Pairs(PAIRS)), Console(file=stream, width=100))
    for said in (f"towns/examples.jsonl:6: {NO_TABLE}", "83.33% of pairs, 3 of 4 queries", PAIRS[-1].sql):
        assert said in stream.getvalue()
    bad = tuple(pair(i, f"q{i}", f"SELECT {i} FROM WHERE") for i in range(1, 31))
    render_check(check(Pairs(bad)), Console(file=stream, width=100), most=5)
    assert "and 25 more" in stream.getvalue()
    report = check(Pairs(()))
    assert (report.pairs, report.coverage) == (0, 1.0)
    render_check(report, Console(file=io.StringIO()))
