"""The report on a domain: its counts, what is wrong with its pairs, and gold queries that the constraint refuses."""

import io
import json
from dataclasses import replace
from pathlib import Path

import databases
import pytest
from rich.console import Console

from querent.authoring.check import Report, check
from querent.authoring.view import render_check
from querent.data.domains.domain import Domain, Example
from querent.data.domains.loading import load_domain
from querent.data.errors import DatabaseError, DomainError
from querent.data.schema.schema import Column, Schema, Table
from querent.data.values.slots import ValueMention, bind

SCHEMA = Schema((Table("city", (Column("name"), Column("size", "int"))), Table("river", (Column("name"),))))
LOOSE = "SELECT name, COUNT(*) FROM city"
QUERIES = ("SELECT name FROM city WHERE size > {number0}", "SELECT size FROM river", LOOSE, "SELECT name FROM WHERE")


def domain(pairs: tuple[Example, ...], database: Path | None = None) -> Domain:
    place = None if database is None else str(database)
    return Domain("towns", "en", "sqlite", SCHEMA, pairs, database=place, source="towns/examples.jsonl")


def towns(dialect: str = "mysql", grouping: str = "strict", queries: tuple[str, ...] = QUERIES) -> Domain:
    pairs = tuple(Example(str(n), f"q{n}", q, q, prototype=str(n), line=n) for n, q in enumerate(queries, start=1))
    return Domain("towns", "en", dialect, SCHEMA, pairs, source="towns", grouping=grouping)


def shown(report: Report, **options: int) -> str:
    stream = io.StringIO()
    render_check(report, Console(file=stream, width=120), **options)
    return stream.getvalue()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    script = "CREATE TABLE city (name TEXT, size INT); CREATE TABLE river (name TEXT);"
    return databases.create(tmp_path / "towns.sqlite", script)


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
    report = check(domain(PAIRS))
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


def test_gold_queries_are_run(database: Path) -> None:
    report = check(domain(PAIRS, database))
    assert report.ran == 3
    assert [f.lines for f in report.failing] == [(5,), (6,)]
    assert "no such column: size" in report.failing[0].problem
    with pytest.raises(DatabaseError, match="no such database file"):
        check(domain(PAIRS, database.with_name("gone.sqlite")))


def test_long_lists_are_cut_and_there_may_be_nothing() -> None:
    text = shown(check(domain(PAIRS)))
    for said in (f"towns/examples.jsonl:6: {NO_TABLE}", "83.33% of pairs, 3 of 4 queries", PAIRS[-1].sql):
        assert said in text
    bad = tuple(pair(i, f"q{i}", f"SELECT {i} FROM WHERE") for i in range(1, 31))
    assert "and 25 more" in shown(check(domain(bad)), most=5)
    report = check(domain(()))
    assert (report.pairs, report.coverage) == (0, 1.0)
    assert "0 of 0 queries" in shown(report)


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
    text = shown(report)
    assert "1 of 4 queries (25.0%)" in text
    assert "2 warnings: gold queries that the constraint refuses" in text
    assert "towns:3: " in text
    assert "grouping loose" not in text


def test_the_database_is_asked_about_refused_queries(database: Path) -> None:
    joined = "SELECT SUM(name) FROM city WHERE size > {number0}"
    asked = replace(towns("sqlite", queries=(*QUERIES, joined)), database=str(database))
    filled = [replace(e, sql=e.sql.replace("{number0}", "1")) for e in asked.examples]
    report = check(replace(asked, examples=tuple(filled)))
    assert {f.lines[0]: f.engine for f in report.refused} == {2: "fails: no such column: size", 5: "runs"}
    (uncovered,) = report.uncovered
    assert uncovered.engine == 'fails: near "WHERE": syntax error'
    assert "on the database it fails: no such column: size" in shown(report)
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
    dated = replace(towns("postgres"), schema=DATED)
    for one, lines in zip(pairs, ([], [(2,)]), strict=True):
        assert [f.lines for f in check(replace(dated, examples=(one,))).refused] == lines


TOML = 'name = "towns"\nlanguage = "en"\ndialect = "{}"\ngrouping = "{}"\n'


@pytest.mark.parametrize(
    ("dialect", "grouping", "said"),
    [
        ("mysql", "lose", r"field 'grouping': no grouping 'lose' \(did you mean 'loose'\?\)"),
        ("postgres", "loose", "field 'grouping': postgres has no loose grouping"),
        ("sqlite", "loose", "field 'grouping': sqlite has no loose grouping"),
    ],
)
def test_a_wrong_grouping_is_told(tmp_path: Path, dialect: str, grouping: str, said: str) -> None:
    (tmp_path / "domain.toml").write_text(TOML.format(dialect, grouping), encoding="utf-8")
    with pytest.raises(DomainError, match=said):
        load_domain(tmp_path)
