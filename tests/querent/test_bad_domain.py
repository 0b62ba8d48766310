"""Whatever is wrong with a domain or the options of a training: one clear line, exit code 2, and no run begun."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from tiny_domain import write

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


@pytest.mark.parametrize(
    ("file", "content", "parts"),
    [
        ("domain.toml", None, ["domain.toml", "no such file"]),
        ("domain.toml", "name = \n", ["domain.toml:1"]),
        ("domain.toml", 'name = "x"\nlanguage = "en"\ndialect = "sqlit"\n', ["domain.toml", "'dialect'", "'sqlite'"]),
        ("schema.sql", "CREATE TABEL city (name TEXT);", ["schema.sql"]),
        ("examples.jsonl", '{"id": "1", "question": "a", "sql": "SELECT 1"}\n{"id":\n', ["examples.jsonl:2", "JSON"]),
        ("examples.jsonl", '{"id": "1", "qestion": "a", "sql": "b"}\n', ["examples.jsonl:1", "'qestion'", "question"]),
        ("examples.jsonl", '{"id": "1", "question": "", "sql": "b"}\n', ["examples.jsonl:1, field 'question'"]),
        ("examples.jsonl", b'{"id": "1", "question": "\xff"}\n', ["examples.jsonl:1", "UTF-8"]),
        ("entities.jsonl", '{"sql": "x"}\n', ["entities.jsonl:1, field 'type'"]),
    ],
)
@pytest.mark.parametrize("command", [["check", "domain"], ["train", "domain", "--out", "run"]])
def test_a_bad_domain(querent, tmp_path, file, content, parts, command):
    folder = write(tmp_path / "domain")
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    line = querent(*command).error()
    for part in parts:
        assert part in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("domain", "parts"),
    [
        ("plnt", ["plnt", "did you mean 'plant'?"]),
        ("txt2sql:somewhere", ["'txt2sql'", "did you mean 'text2sql'?"]),
        ("css:nowhere", ["nowhere"]),
    ],
)
def test_a_domain_that_is_not_there(querent, domain, parts):
    line = querent("check", domain).error()
    for part in parts:
        assert part in line


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["optim.lrr=1"], ["'optim.lrr'", "Key 'lrr' not in", "did you mean 'lr'?"]),
        (["optim.lr=fast"], ["'optim.lr'", "could not be converted to Float"]),
        (["optim.lr=-1"], ["'optim.lr'", "out of range", "must be above 0"]),
        (["optim.lr"], ["not an option", "section.option=value"]),
        (["--config", "missing.yaml"], ["missing.yaml"]),
        (["--config", "bad.yaml"], ["bad.yaml:2, field 'optim.epoch'", "did you mean 'epochs'?"]),
        (["--base", "nowhere"], ["nowhere: no such folder"]),
        (["--base", "domain"], ["domain: neither a run nor a saved parser"]),
        (["--base", "none", "model.encoder=nowhere/bert"], ["nowhere/bert"]),
        (["--language", "fr"], ["fr"]),
        (["--level", "scop"], ["'constraint.level'", "did you mean 'scope'?"]),
    ],
)
def test_bad_options_of_training(querent, tmp_path, options, parts):
    write(tmp_path / "domain")
    (tmp_path / "bad.yaml").write_text("optim:\n  epoch: 3\n", encoding="utf-8")
    line = querent("train", "domain", "--out", "run", *options).error()
    for part in parts:
        assert part in line
    assert not (tmp_path / "run").exists()  # or the next try would be another configuration


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["nowhere", "domain"], ["nowhere: no such folder"]),
        (["domain", "domain"], ["domain: neither a run nor a saved parser"]),
        (["{run}", "plnt"], ["did you mean 'plant'?"]),
        (["{run}", "domain", "--level", "scop"], ["scop"]),
        (["{run}", "domain", "--language", "fr"], ["fr"]),
    ],
)
def test_bad_input_of_evaluation(querent, tiny, tmp_path, arguments, parts):
    write(tmp_path / "domain")
    line = querent("evaluate", *(word.format(run=tiny / "run") for word in arguments)).error()
    for part in parts:
        assert part in line


@pytest.mark.parametrize("arguments", [["--beam", 0], ["--limit", 0], ["--part", "exam"], ["--values", "all"]])
def test_arguments_that_are_none_are_refused(querent, tiny, arguments):
    ended = querent("evaluate", tiny / "run", tiny / "domain", *arguments)
    assert (ended.code, ended.out, "Traceback" in ended.err) == (2, "", False)
    assert arguments[0] in ended.err


def test_a_folder_of_somebody_else_is_left_alone(querent, tmp_path):
    write(tmp_path / "domain")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("…", encoding="utf-8")
    assert "holds no run" in querent("train", "domain", "--out", "run").error()
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_the_database_of_a_domain_is_gone(querent, tmp_path):
    folder = write(tmp_path / "domain")
    (folder / "tiny.sqlite").unlink()
    assert "tiny.sqlite" in querent("check", "domain").error()
