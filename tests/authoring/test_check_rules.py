"""Gold queries that the constraint refuses, in the report on a domain."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from querent.authoring.check import check
from querent.authoring.view import render_check
from querent.data.domains.domain import Domain, Example
from querent.data.domains.loading import load_domain
from querent.data.errors import DomainError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.values.slots import ValueMention, bind

SCHEMA = Schema((Table("city", (Column("name"), Column("size", "int"))), Table("river", (Column("name"),))))
LOOSE = "SELECT name, COUNT(*) FROM city"
QUERIES = ("SELECT name FROM city WHERE size > {number0}", "SELECT size FROM river", LOOSE, "SELECT name FROM WHERE")


def towns(dialect: str = "mysql", grouping: str = "strict", queries: tuple[str, ...] = QUERIES) -> Domain:
    pairs = tuple(Example(str(n), f"q{n}", q, q, prototype=str(n), line=n) for n, q in enumerate(queries, start=1))
    return Domain("towns", "en", dialect, SCHEMA, pairs, source="towns", grouping=grouping)


def test_refused_queries_have_line_place_and_reason() -> None:
    report = check(towns())
    assert [f.lines for f in report.refused] == [(2,), (3,)]
    scope, grouping = report.refused
    assert (scope.problem, scope.position) == ("the end is not allowed here: size is not in FROM", -1)
    assert (grouping.problem, grouping.position) == ("the end is not allowed here: name must be in GROUP BY", -1)
    assert (report.covered, report.admitted, report.admitted_share) == (3, 1, 0.25)


def test_queries_may_be_long() -> None:
    """Four times their words are more than the constraint takes."""
    listed = "SELECT name FROM city WHERE size IN (" + ", ".join(["{number0}"] * 150) + ")"
    assert check(towns(queries=(listed,))).admitted == 1


def test_refused_queries_are_warnings_and_no_errors() -> None:
    report = check(towns())
    assert (report.errors, report.warnings) == (0, 0)  # pairs written by hand have no verdict
    stream = io.StringIO()
    render_check(report, Console(file=stream, width=120))
    text = stream.getvalue()
    assert "1 of 4 queries (25.0%)" in text
    assert "2 warnings: gold queries that the constraint refuses" in text
    assert "towns:3: " in text
    assert "grouping loose" not in text


def test_the_database_is_asked_about_refused_queries(tmp_path: Path) -> None:
    file = tmp_path / "towns.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript("CREATE TABLE city (name TEXT, size INT); CREATE TABLE river (name TEXT);")
    joined = "SELECT SUM(name) FROM city WHERE size > {number0}"
    domain = replace(towns("sqlite", queries=(*QUERIES, joined)), database=str(file))
    filled = [replace(e, sql=e.sql.replace("{number0}", "1")) for e in domain.examples]
    report = check(replace(domain, examples=tuple(filled)))
    assert {f.lines[0]: f.engine for f in report.refused} == {2: "fails: no such column: size", 5: "runs"}
    (uncovered,) = report.uncovered
    assert uncovered.engine == 'fails: near "WHERE": syntax error'
    stream = io.StringIO()
    render_check(report, Console(file=stream, width=120))
    assert "on the database it fails: no such column: size" in stream.getvalue()
    assert {f.engine for f in check(towns()).refused} == {None}


def test_a_summary_holds_no_texts() -> None:
    report = check(towns())
    told = report.summary()
    assert [(one["lines"], one["problem"]) for one in told["refused"]] == [(f.lines, f.problem) for f in report.refused]
    assert (told["admitted"], told["conflicts"], told["leaks"]) == (1, 0, {"question": 0, "query": 0})
    said = json.dumps(told)
    assert [query for query in QUERIES if query in said] == []
    assert [query for query in QUERIES if query in json.dumps(report.to_json())] == list(QUERIES[1:])


DATED = Schema((Table("city", (Column("name"), Column("founded", "date"), Column("opens", "time"))),))
DATE, CLOCK, NAME = (f"SELECT name FROM city WHERE {c} = '{{time0}}'" for c in ("founded", "opens", "name"))


def test_a_domains_queries_are_judged_with_their_own_values() -> None:
    texts = ("2020-02-29", "08:30")
    made = [bind([ValueMention(0, len(t), t, "time", t)]) for t in texts]
    pairs = [Example(str(n), t, "", DATE, made[n], line=n + 1) for n, t in enumerate(texts)]
    domain = replace(towns("postgres"), schema=DATED)
    for pair, lines in zip(pairs, ([], [(2,)]), strict=True):
        assert [f.lines for f in check(replace(domain, examples=(pair,))).refused] == lines


TOML = 'name = "towns"\nlanguage = "en"\ndialect = "{}"\ngrouping = "{}"\n'


def write(folder: Path, dialect: str, grouping: str) -> Path:
    (folder / "domain.toml").write_text(TOML.format(dialect, grouping), encoding="utf-8")
    (folder / "schema.sql").write_text("CREATE TABLE city (name TEXT, size INT);", encoding="utf-8")
    (folder / "examples.jsonl").write_text('{"id": "1", "question": "q", "sql": "SELECT name FROM city"}\n')
    return folder


@pytest.mark.parametrize(
    ("dialect", "grouping", "said"),
    [
        ("mysql", "lose", r"field 'grouping': no grouping 'lose' \(did you mean 'loose'\?\)"),
        ("postgres", "loose", "field 'grouping': postgres has no loose grouping"),
        ("sqlite", "loose", "field 'grouping': sqlite has no loose grouping"),
    ],
)
def test_a_wrong_grouping_is_told(tmp_path: Path, dialect: str, grouping: str, said: str) -> None:
    with pytest.raises(DomainError, match=said):
        load_domain(write(tmp_path, dialect, grouping))
