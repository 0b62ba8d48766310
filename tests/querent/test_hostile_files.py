"""Files that nobody writes by mistake: each is an error in one line, with its place, and none a traceback."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import querent
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError, QuerentError, RunError
from querent.data.formats.files import read_json, read_jsonl
from querent.data.formats.functions import read_functions
from querent.data.formats.manifest import Manifest
from querent.data.hashed_folder import read_json as read_saved
from querent.data.texts import UnreadableError, json_of, toml_of, yaml_of
from querent.knowledge.exchange.formats import read_formulas
from querent.llm.backends.recorded import RecordedBackend
from querent.ner.index import ValueIndex, building
from querent.parser.runs.options import TrainConfig
from querent.parser.runs.questions import read_questions
from querent.retrieval.shot_files import read_shots

DEEP, DIGITS = 100_000, "9" * 5000
NESTED = {
    "JSON": f'{{"question": {"[" * DEEP}{"]" * DEEP}}}',
    "TOML": f"formula = {'[' * DEEP}{']' * DEEP}\n",
    "YAML": f"seed: {'[' * 5000}{']' * 5000}\n",
}
LONG = {"JSON": f'{{"question": {DIGITS}}}', "TOML": f"formula = {DIGITS}\n", "YAML": f"seed: {DIGITS}\n"}
HALF = {"JSON": r'{"question": "\ud800", "sql": "SELECT 1"}', "YAML": 'seed: "\\ud800"\n'}

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "schema.json": ("JSON", read_schema),
    "data.json": ("JSON", read_json),
    "saved.json": ("JSON", read_saved),
    "data.jsonl": ("JSON", lambda file: list(read_jsonl(file))),
    "questions.jsonl": ("JSON", lambda file: list(read_questions(file))),
    "solved.jsonl": ("JSON", read_shots),
    "recorded.jsonl": ("JSON", RecordedBackend),
    "layer.json": ("JSON", read_formulas),
    "statements.jsonl": ("JSON", lambda file: querent.read_statements(file.read_text("utf-8"), field="sql", file=file)),
    "knowledge.toml": ("TOML", lambda file: querent.open_banks([file])),
    "functions.toml": ("TOML", read_functions),
    "domain.toml": ("TOML", lambda file: Manifest.read(file, shipped=False)),
    "role.toml": ("TOML", querent.Access.read),
    "layer.yaml": ("YAML", read_formulas),
    "options.yaml": ("YAML", TrainConfig.load),
}


def refusal(file: Path, read: Callable[[Path], Any]) -> str:
    with pytest.raises(QuerentError) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    assert caught.value.file == file
    return str(caught.value)


@pytest.mark.parametrize("name", READERS)
def test_nesting_and_numbers_without_end_are_told_with_their_file(tmp_path, name):
    kind, read = READERS[name]
    (tmp_path / name).write_text(NESTED[kind], "utf-8")
    assert "nested too deep" in refusal(tmp_path / name, read)
    if name != "options.yaml":  # its numbers are read with its fields
        (tmp_path / name).write_text(LONG[kind], "utf-8")
        assert "digits" in refusal(tmp_path / name, read)


@pytest.mark.parametrize("name", ["layer.yaml", "options.yaml"])
def test_aliases_of_aliases_are_told_before_they_are_written_out(tmp_path, name):
    lines = ["seed: 0", "a0: &a0 {x: 1, y: 2}"]
    lines += [f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}" for i in range(1, 12)]
    (tmp_path / name).write_text("\n".join(lines), "utf-8")
    assert "its aliases stand for more than can be read" in refusal(tmp_path / name, READERS[name][1])
    assert yaml_of("a: &a [1, *a]\nb: &b {c: 1}\nd: *b")["d"] == {"c": 1}


@pytest.mark.parametrize("name", ["data.json", "data.jsonl", "solved.jsonl", "layer.yaml", "statements.jsonl"])
def test_half_a_character_is_told(tmp_path, name):
    kind, read = READERS[name]
    (tmp_path / name).write_text(HALF[kind], "utf-8")
    assert r"\ud800 is half a character" in refusal(tmp_path / name, read)


@pytest.mark.parametrize(("read", "kind"), [(json_of, "JSON"), (toml_of, "TOML"), (yaml_of, "YAML")])
def test_what_is_too_deep_is_no_recursion_error(read, kind):
    with pytest.raises(UnreadableError, match=f"not {kind} that can be read: it is nested too deep"):
        read(NESTED[kind])


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_a_line_ends_where_json_lines_end(tmp_path, sign):
    told = {"question": f"one{sign}two", "sql": "SELECT 1", "texts": [f"a{sign}b"]}
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(told, ensure_ascii=False) + "\n" + json.dumps(told) + "\n", "utf-8")
    assert [shot.question for shot in read_shots(file)] == [f"one{sign}two"] * 2
    assert [one.text for one in read_questions(file)] == [f"one{sign}two"] * 2
    assert RecordedBackend(file).complete([]).texts == (f"a{sign}b",)


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "(" * 50 + "a" + ")" * 50,
        "+".join("a" * 3000),
        "NOT " * 3000 + "a",
        f"a + {DIGITS}",
    ],
)
def test_a_formula_without_end_is_told(tmp_path, expression):
    file = tmp_path / "knowledge.toml"
    file.write_text(f'[[formula]]\nname = "x"\nkind = "calculation"\nis = "{expression}"\n', "utf-8")
    assert "field 'is'" in refusal(file, lambda one: querent.open_banks([one]))


@pytest.mark.parametrize("told", [f"CHECK ({'(' * 3000}1{')' * 3000})", f"DEFAULT {'-(' * 2000}"])
def test_a_script_without_end_is_told(tmp_path, told):
    file = tmp_path / "schema.sql"
    file.write_text(f"CREATE TABLE t (a INT {told})", "utf-8")
    refusal(file, read_schema)


# --- databases


def made(file: Path, *statements: str, values: tuple[Any, ...] = ()) -> Path:
    with closing(sqlite3.connect(file)) as database, database:
        for statement in statements:
            database.execute(statement, values if "?" in statement else ())
    return file


def test_a_cell_of_fifty_megabytes_costs_its_column_alone(tmp_path):
    big = ("x" * 50_000_000,)
    file = made(
        tmp_path / "a.sqlite",
        "CREATE TABLE note (title TEXT, body TEXT)",
        "INSERT INTO note VALUES ('first', ?)",
        values=big,
    )
    with ValueIndex.open(file, read_schema(file), cache=tmp_path) as index:
        assert [found.value for found in index.find("which note is 'first'?")] == ["first"]
    with Database.open(file) as database:
        with pytest.raises(DatabaseError, match="values of over 10 MB are not read"):
            database.query("SELECT body FROM note")
        assert database.query("SELECT title FROM note").rows == [("first",)]


@pytest.mark.parametrize("sql", ["SELECT '\ud800'", "SELECT '\x00'", "SELECT " + "(" * 5000])
def test_a_query_that_sqlite_cannot_take_is_told(tmp_path, sql):
    with (
        Database.open(made(tmp_path / "a.sqlite", "CREATE TABLE t (c TEXT)")) as database,
        pytest.raises(DatabaseError),
    ):
        database.query(sql)


def test_a_full_disk_is_told_and_leaves_no_half_index(tmp_path, monkeypatch):
    file = made(tmp_path / "a.sqlite", "CREATE TABLE t (c TEXT)", "INSERT INTO t VALUES ('one')")
    made(file, *["INSERT INTO t SELECT hex(randomblob(30)) FROM t"] * 11)
    monkeypatch.setattr(building, "_TABLES", f"PRAGMA max_page_count = 20; {building._TABLES}")
    with pytest.raises(
        RunError, match=r"the value index cannot be written: database or disk is full \(make room there"
    ):
        ValueIndex.open(file, read_schema(file), cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def broken(content: bytes, draw: random.Random) -> bytes:
    """Return a file that is cut off, or has some bits turned, or a piece of a page overwritten."""
    changed = bytearray(content)
    kind = draw.randrange(4)
    if kind == 0:
        return content[: draw.randrange(len(content))]
    if kind == 1:
        for _ in range(draw.choice([1, 5, 50])):
            changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    else:
        start = draw.randrange(4096) if kind == 2 else 4096 * draw.randrange(len(content) // 4096)
        changed[start : start + 60] = draw.randbytes(60)
    return bytes(changed)


def test_a_broken_database_is_told_at_whatever_step_it_shows(tmp_path):
    script = "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE, land TEXT, born DATE)"
    fill = "INSERT INTO artist (name, land) VALUES (hex(randomblob(40)), 'Norway')"
    content = made(
        tmp_path / "good.sqlite", script, *[fill] * 300, "CREATE INDEX by_land ON artist (land)"
    ).read_bytes()
    draw, refused = random.Random(7), 0
    for number in range(80):
        file = tmp_path / f"{number}.sqlite"
        file.write_bytes(broken(content, draw))
        with suppress(QuerentError):
            refused += 1
            schema = read_schema(file)
            with ValueIndex.open(file, schema, cache=tmp_path / "cache") as index:
                index.find("artists of 'Norway'")
            with Database.open(file) as database:
                database.probe(schema)
                database.query("SELECT * FROM artist ORDER BY land")
            refused -= 1
    assert refused > 40
