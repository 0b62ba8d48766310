"""A small domain through the whole of a test suite: mutants, databases, store, judgement."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import pytest

from querent.cli import main
from querent.data.domains.examples import Value
from querent.data.domains.loading import load_domain
from querent.data.errors import InputError
from querent.evaluation.suite import distill, find_suite, load_suite, save_suite, suite_folder

SCHEMA = """
CREATE TABLE shop (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, town TEXT, opened DATE NOT NULL);
CREATE TABLE sale (shop INTEGER NOT NULL, day DATE NOT NULL, amount DECIMAL(10, 2),
  PRIMARY KEY (shop, day), FOREIGN KEY (shop) REFERENCES shop (id));
"""
QUERIES = [
    ("shops in Rome", "SELECT name FROM shop WHERE town = 'Rome'"),
    ("how many shops opened since 2024-03-01", "SELECT COUNT(*) FROM shop WHERE opened >= '2024-03-01'"),
    ("sales of each shop above 50", "SELECT shop, SUM(amount) FROM sale WHERE amount > 50 GROUP BY shop"),
    ("shops with 3 sales", "SELECT shop FROM sale GROUP BY shop HAVING COUNT(*) >= 3"),
    ("towns without Rome", "SELECT DISTINCT town FROM shop WHERE town <> 'Rome' OR town IS NULL"),
    ("best day of the shop Uno", "SELECT s.day FROM sale AS s JOIN shop AS p ON s.shop = p.id WHERE p.name = 'Uno' "
     "AND s.amount = (SELECT MAX(amount) FROM sale)"),
    ("sales between", "SELECT day FROM sale WHERE day BETWEEN '2024-03-01' AND '2024-03-05' ORDER BY day"),
    ("shops and sales", "SELECT p.name FROM shop AS p LEFT JOIN sale AS s ON s.shop = p.id WHERE s.shop IS NULL"),
]  # fmt: skip


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shops")
    (folder / "domain.toml").write_text('name = "shops"\nlanguage = "en"\ndialect = "sqlite"\n')
    (folder / "schema.sql").write_text(SCHEMA)
    lines = [json.dumps({"id": str(n), "question": q, "sql": sql}) for n, (q, sql) in enumerate(QUERIES)]
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n")
    return load_domain(folder)


@pytest.fixture(scope="module")
def made(domain):
    return distill(domain, databases=40)


@pytest.fixture(scope="module")
def suite(domain, made):
    save_suite(made, domain, suite_folder(domain))
    return load_suite(suite_folder(domain), domain)


def test_nearly_all_mutants_are_told_apart(made):
    figures = made.figures()["all"]
    assert figures["mutants"] > 90
    assert 0.85 <= figures["told"] / figures["mutants"] < 1
    assert made.left_out == []


def test_the_first_database_is_empty_and_keys_hold_in_all(domain, suite):
    folder = suite_folder(domain)
    files = sorted(folder.glob("db-*.sqlite"))
    assert len(files) == len(suite.contents) > 1
    for number, file in enumerate(files):
        with sqlite3.connect(file) as connection:
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            count = sum(connection.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in ("shop", "sale"))
            assert (count == 0) == (number == 0)
        connection.close()


def test_the_same_seed_makes_the_same_databases(domain, made):
    again = distill(domain, databases=40)
    assert again.databases == made.databases
    assert distill(domain, seed=1, databases=40).databases != made.databases


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [
        (0, "SELECT name FROM shop WHERE town LIKE 'Rome'", True),
        (0, "SELECT DISTINCT name FROM shop WHERE town = 'Rome'", False),
        (1, "SELECT COUNT(id) FROM shop WHERE NOT opened < '2024-03-01'", True),
        (1, "SELECT COUNT(*) FROM shop WHERE opened > '2024-03-01'", False),
        (3, "SELECT shop FROM sale GROUP BY shop HAVING COUNT(*) > 2", True),
        (3, "SELECT shop FROM sale GROUP BY shop HAVING COUNT(*) > 3", False),
        (3, "SELECT shop FROM sale GROUP BY shop HAVING COUNT(amount) >= 3", False),
        (6, "SELECT day FROM sale WHERE day >= '2024-03-01' AND day <= '2024-03-05' ORDER BY day", True),
        (6, "SELECT day FROM sale WHERE day BETWEEN '2024-03-01' AND '2024-03-05' ORDER BY day DESC", False),
        (7, "SELECT name FROM shop WHERE id NOT IN (SELECT shop FROM sale)", True),
        (7, "SELECT p.name FROM shop AS p JOIN sale AS s ON s.shop = p.id WHERE s.shop IS NULL", False),
        (0, "SELECT nothing FROM shop", False),
    ],
)
def test_answers_are_judged_by_their_rows(suite, number, answer, right):
    assert suite.equal(QUERIES[number][1], answer) is right


def test_the_values_of_another_question_are_replaced_by_the_suites(domain, suite):
    example = domain.examples[0]
    (value,) = example.values
    other = (Value(value.slot, replace(value.mention, sql="Paris")),)
    assert suite.judge(example.slotted, other, example.slotted, other) is True
    assert suite.judge(example.slotted, other, example.slotted, example.values) is False
    assert suite.judge(example.slotted, other, "SELECT name FROM shop", other) is False
    assert suite.judge("SELECT 1", (), "SELECT 1", ()) is None


def test_a_suite_for_other_queries_is_refused(domain, suite):
    fewer = replace(domain, examples=domain.examples[:-1])
    with pytest.raises(InputError, match=r"other gold queries.*run `querent suite"):
        load_suite(suite_folder(domain), fewer)


def test_a_folder_without_suite_is_refused_and_left_alone(domain, made, tmp_path):
    with pytest.raises(InputError, match="holds no suite"):
        load_suite(tmp_path, domain)
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="holds no suite"):
        save_suite(made, domain, tmp_path)
    assert (tmp_path / "mine.txt").exists()


def test_the_suite_is_found_in_the_domains_folder(domain, suite):
    assert find_suite(domain) == suite_folder(domain)
    assert suite_folder(domain).name == "suite"
    assert find_suite(replace(domain, source="nowhere")) is None


def test_a_query_that_does_not_run_is_listed_with_its_reason(domain):
    broken = replace(domain.examples[0], sql="SELECT gone FROM shop", slotted="SELECT gone FROM shop", id="x")
    made = distill(replace(domain, examples=(broken, domain.examples[1])), databases=5)
    assert made.left_out == [("SELECT gone FROM shop", "no such column: gone")]


def test_the_command_makes_a_suite_and_says_what_it_tells_apart(domain, tmp_path, capsys):
    out = tmp_path / "suite"
    with pytest.raises(SystemExit) as ended:
        main(["suite", domain.source, "--out", str(out), "--databases", "3", "--json"])
    assert ended.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(out)
    assert told["databases"] == 3
    assert told["figures"]["all"]["told"] > 0
    assert load_suite(out, domain).contents[0] == {"shop": [], "sale": []}


def test_a_summary_of_a_suite_holds_no_queries(domain, tmp_path, capsys):
    out = tmp_path / "suite"
    with pytest.raises(SystemExit) as ended:
        main(["suite", domain.source, "--out", str(out), "--databases", "3", "--summary"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    told = json.loads(said)
    assert (told["databases"], told["left_out"]) == (3, [])
    assert told["bytes"] == sum(file.stat().st_size for file in out.iterdir())
    assert {"command", "machine", "versions", "seconds"} <= set(told)
    assert [e.slotted for e in domain.examples if e.slotted in said] == []
