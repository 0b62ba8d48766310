"""Whatever is wrong with a domain or the options of a training: one clear line, exit code 2, and no run begun."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def odd(tmp_path):
    """Return a domain whose names are keywords or have spaces, with a database."""
    folder = tmp_path / "odd"
    folder.mkdir()
    schema = """
    CREATE TABLE "order" ("group" TEXT, "unit price" REAL, "select" INTEGER);
    CREATE TABLE "line items" ("order" INTEGER, "from" TEXT);
    """
    (folder / "schema.sql").write_text(schema, encoding="utf-8")
    (folder / "domain.toml").write_text(
        'name = "odd"\nlanguage = "en"\ndialect = "sqlite"\ndatabase = "odd.sqlite"\n', encoding="utf-8"
    )
    pairs = [
        ("the price of group a", """SELECT "unit price" FROM "order" WHERE "group" = 'a'"""),
        ("orders by group", 'SELECT "group", COUNT(*) FROM "order" GROUP BY "group" ORDER BY COUNT(*) DESC'),
        ("items", 'SELECT x."from" FROM "line items" AS x JOIN "order" ON "order"."select" = x."order"'),
    ]
    lines = [json.dumps({"id": str(n), "question": q, "sql": s}) for n, (q, s) in enumerate(pairs)]
    (folder / "examples.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with closing(sqlite3.connect(folder / "odd.sqlite")) as connection:
        connection.executescript(schema)
    return folder


def test_a_schema_with_keywords_and_spaces_for_names_works(querent, odd):
    found = querent("check", odd, "--json").json
    assert (found["covered"], found["ran"], found["uncovered"], found["failing"]) == (3, 3, [], [])


def test_a_query_that_forgot_the_quotes_is_named(querent, odd):
    with (odd / "examples.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "x", "question": "all groups", "sql": "SELECT group FROM order"}\n')
    shown = querent("check", odd)
    assert shown.code == 0
    assert "odd:4: " in shown.out


@pytest.mark.parametrize("arguments", [["--beam", 0], ["--limit", 0], ["--part", "exam"], ["--values", "all"]])
def test_arguments_that_are_none_are_refused(querent, tiny, arguments):
    ended = querent("evaluate", tiny / "run", tiny / "domain", *arguments)
    assert (ended.code, ended.out, "Traceback" in ended.err) == (2, "", False)
    assert arguments[0] in ended.err
