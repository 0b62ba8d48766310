"""A domain whose database is behind a URL: checked, predicted for and evaluated as one in a file."""

import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from servers import execute, fresh_database, url_of

import querent
from querent.authoring import starters
from querent.authoring.check import check
from querent.authoring.skeleton import write_skeleton
from querent.data.domains.domain import Domain
from querent.data.domains.loading import load_domain
from querent.data.sql.query import Query
from querent.dialogue.connection import connect
from querent.dialogue.predict import predict
from querent.dialogue.questions import Question
from querent.ner.language.question import QuestionText
from querent.parser.decoding.candidates import Candidate
from querent.parser.decoding.parsing import Parse, SchemaParser
from querent.parser.network.saved import save_network

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parser"))  # its random networks serve here too

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
    report = check(replace(domain, examples=(wrong, *domain.examples[1:])))
    assert report.ran == 3
    assert [("town" in f.problem) for f in report.failing] == [True]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a network with random weights."""
    from reader_cases import network, write_encoder

    folder = tmp_path_factory.mktemp("network")
    made = network(name=write_encoder(folder / "encoder"))
    save_network(made, folder / "saved", languages=["en"], card="# Random\n")
    return folder / "saved"


@pytest.mark.usefixtures("cache")
def test_predictions_hold_rows_that_json_can_hold(
    domain: Domain, scratch: str, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"nonsense": "SELECT name FROM town", **PAIRS}

    def parse(self: SchemaParser, context: Any, question: QuestionText, *, values: Any = None, **_: Any) -> Parse:
        candidate = Candidate(Query(answers[question.text], "sqlite"), 0.0, ())
        return Parse(self.read(context, question, values).question, [candidate], 0.9)

    monkeypatch.setattr(SchemaParser, "parse", parse)
    asked = [Question(e.id, e.question, n) for n, e in enumerate(domain.examples, start=1)]
    asked.append(Question("wrong", "nonsense", 5))
    with connect(scratch, parser=saved) as connection:
        predict(connection, asked, tmp_path / "out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert found[0]["rows"] == [[900]]
    assert (found[1]["columns"], found[1]["rows"]) == (["name", "area", "founded"], [["austin", 790.11, "1839-12-27"]])
    assert found[2]["rows"] == [["akron"], ["austin"]]
    assert [f["status"] == "error" for f in found] == [False] * 4 + [True]
    assert "town" in found[4]["reason"]


def test_a_new_domain_asks_each_table_in_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starters, "_COMPOSED", 60)
    with fresh_database(url_of("postgres")) as url:
        execute(url, *SCHEMAS)
        write_skeleton(tmp_path / "shops", url)
        querent.fill_domain(tmp_path / "shops")
        found = check(load_domain(tmp_path / "shops"))
    text = (tmp_path / "shops" / "prototypes" / "start.toml").read_text(encoding="utf-8")
    queries = [prototype["sql"] for prototype in tomllib.loads(text)["prototype"]]
    assert any('FROM "Sales"."Orders"' in sql for sql in queries)
    assert not any("Sales.Orders" in sql for sql in queries)
    assert (found.failing, found.ran > 0) == ((), True)


SCHEMAS = (
    'CREATE SCHEMA "Sales"',
    "CREATE TABLE shop (id INTEGER PRIMARY KEY, name VARCHAR(20), city VARCHAR(20), size INTEGER)",
    'CREATE TABLE "Sales"."Orders" (id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop(id), '
    '"placedOn" DATE, status VARCHAR(20), amount INTEGER)',
    "INSERT INTO shop SELECT n, 'shop ' || n, CASE n % 3 WHEN 0 THEN 'Oslo' WHEN 1 THEN 'Bergen' ELSE 'Moss' END, n "
    "FROM generate_series(1, 30) AS n",
    'INSERT INTO "Sales"."Orders" SELECT n, 1 + n % 30, DATE \'2024-01-01\' + n, '
    "CASE n % 2 WHEN 0 THEN 'paid' ELSE 'open' END, n * 3 FROM generate_series(1, 90) AS n",
)
