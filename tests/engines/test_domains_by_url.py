"""A domain whose database is behind a URL: checked, predicted for and evaluated as one in a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from servers import execute

from querent.data.check import check
from querent.data.database import Database
from querent.data.domain import Domain, load_domain
from querent.data.errors import DatabaseError
from querent.grammar import Grammar
from querent.parser.evaluate import evaluate
from querent.parser.pipeline import Answer
from querent.parser.predict import predict
from querent.parser.questions import Question

SCHEMA = (
    "CREATE TABLE city (name VARCHAR(20) PRIMARY KEY, people INTEGER, founded DATE, area DECIMAL(8, 2));",
    "INSERT INTO city VALUES ('austin', 900, '1839-12-27', 790.11), ('akron', 200, '1825-12-06', NULL)",
)
PAIRS = {
    "how many people live in austin": "SELECT people FROM city WHERE name = 'austin'",
    "who is larger than 300": "SELECT name, area, founded FROM city WHERE people > 300",
    "which cities were founded first": "SELECT name FROM city ORDER BY founded",
    "mean area": "SELECT AVG(area) FROM city",
}


@pytest.fixture(scope="module")
def domain(scratch: str, dialect: str, tmp_path_factory: pytest.TempPathFactory) -> Domain:
    execute(scratch, *SCHEMA)
    folder = tmp_path_factory.mktemp("domain")
    (folder / "domain.toml").write_text(
        f'name = "cities"\nlanguage = "en"\ndialect = "{dialect}"\ndatabase = "{scratch}"\n', encoding="utf-8"
    )
    (folder / "schema.sql").write_text(SCHEMA[0], encoding="utf-8")
    lines = [json.dumps({"id": str(n), "question": q, "sql": s}) for n, (q, s) in enumerate(PAIRS.items())]
    (folder / "examples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return load_domain(folder)


def test_gold_queries_are_run(domain: Domain) -> None:
    report = check(domain)
    assert (report.ran, report.failing) == (4, ())
    wrong = replace(domain.examples[0], sql="SELECT people FROM town")
    report = check(replace(domain, examples=(wrong, *domain.examples[1:])), tokenize=str)
    assert report.ran == 3
    assert [("town" in f.problem) for f in report.failing] == [True]


def test_predictions_hold_rows_that_json_can_hold(domain: Domain, scratch: str, tmp_path: Path) -> None:
    asked = [Question(e.id, e.question, n) for n, e in enumerate(domain.examples, start=1)]
    asked.append(Question("wrong", "nonsense", 5))
    with Database.open(scratch) as database:
        predict(Echo(domain), asked, tmp_path / "out.jsonl", database=database)  # pyright: ignore[reportArgumentType]
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert found[0]["rows"] == [[900]]
    assert (found[1]["columns"], found[1]["rows"]) == (
        ["name", "area", "founded"],
        [["austin", "790.11", "1839-12-27"]],
    )
    assert found[2]["rows"] == [["akron"], ["austin"]]
    assert [f["status"] for f in found] == ["ok"] * 4 + ["error"]
    assert "town" in found[4]["reason"]


def test_a_database_that_goes_away_stops_prediction(domain: Domain, scratch: str, tmp_path: Path) -> None:
    asked = [Question(e.id, e.question, n) for n, e in enumerate(domain.examples, start=1)]
    with Database.open(scratch) as database:
        execute(scratch, "ALTER TABLE city RENAME TO gone")
        try:
            with pytest.raises(DatabaseError, match="city"):
                predict(Echo(domain), asked, tmp_path / "out.jsonl", database=database)  # pyright: ignore[reportArgumentType]
        finally:
            execute(scratch, "ALTER TABLE gone RENAME TO city")
    assert not (tmp_path / "out.jsonl").exists()


def test_answers_are_scored_by_their_rows(domain: Domain) -> None:
    everything = replace(domain, examples=tuple(replace(e, question_split="test") for e in domain.examples))
    scores = evaluate(Echo(domain), everything)  # pyright: ignore[reportArgumentType]
    assert (scores.em, scores.runs, scores.execution) == (1, 1, 1)
    says = {
        "mean area": "SELECT SUM(area) / COUNT(area) FROM city",  # the same number
        "which cities were founded first": "SELECT name FROM city ORDER BY founded DESC",  # the same rows, other order
        "who is larger than 300": "SELECT nothing FROM city",  # does not run
    }
    scores = evaluate(Echo(domain, says), everything)  # pyright: ignore[reportArgumentType]
    assert (scores.em, scores.runs, scores.execution) == (0.25, 0.75, 0.5)


class Echo:
    """Stands in for a parser: answers with the gold query, or with what it is told to say."""

    finder = None
    global_constraint = None

    def __init__(self, domain: Domain, says: dict[str, str] | None = None) -> None:
        self.grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
        self.says = {"nonsense": "SELECT name FROM town", **PAIRS, **(says or {})}
        self.vocabulary = SimpleNamespace(encode=list)

    def problem(self, question: str) -> str | None:
        return None

    def __call__(self, texts: list[str], **_: object) -> list[Answer]:
        return [Answer(sql=self.says[t], score=0.0, tokens=(), slotted="", account=None, values=()) for t in texts]
