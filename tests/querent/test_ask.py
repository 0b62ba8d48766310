"""`querent.connect` and `querent ask`: any SQLite file, a network with random weights, and whatever people type."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch
from reader_cases import network, write_database, write_encoder
from rich.console import Console
from said_commands import commands_in, problem_of

import querent as face
from querent.commands import ask as ask_command
from querent.commands.explained import show_explanation
from querent.data.answer import Alternative, Answer
from querent.data.database import Rows, SqliteDatabase
from querent.data.errors import DatabaseError, InputError, QuerentError, RunError, SchemaError
from querent.ner.index import ValueIndex
from querent.parser.decoding.explaining import Explanation, ReadValue
from querent.parser.decoding.replaying import Step
from querent.parser.reader.saved import save_network
from querent.parser.reader.words import END, Role, fixed_words

QUESTION = "which albums of artists from Germany came out before 1990?"
SURE, UNSURE = 3.0, -3.0  # biases of the calibration

# names that need quotes, a view, tables without keys, without rows, of nothing but a blob
ODD = """
CREATE TABLE "order details" ("select" INTEGER PRIMARY KEY, "unit price" REAL, "it's" TEXT, "Größe" TEXT);
CREATE TABLE "from" (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE empty (x, y DATE);
CREATE TABLE files (content BLOB);
CREATE TABLE 城市 (名称 TEXT, 人口 INTEGER);
CREATE VIEW cheap AS SELECT * FROM "order details" WHERE "unit price" < 5;
INSERT INTO "order details" VALUES (1, 9e999, 'O''Hara', 'groß'), (2, 0.5, '{text0}', NULL);
INSERT INTO "from" VALUES (1, 2), (2, 1);
INSERT INTO files VALUES (x'00ff');
INSERT INTO 城市 VALUES ('北京', 21000000);
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep indexes out of the user's cache."""
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def saved_network(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return what saves a network with random weights; the folder of one that was saved so before."""
    folder = tmp_path_factory.mktemp("networks")
    encoder = write_encoder(folder / "encoder")

    def save(
        *, seed: int = 0, bias: float = SURE, answerable: float = 0.9, short: float = 2.0, names: float = 4.0
    ) -> Path:
        path = folder / f"{seed} {bias} {answerable} {short} {names}"
        if not path.exists():
            made = network(seed=seed, name=encoder)
            with torch.no_grad():
                made.fits[-1].weight.zero_()
                made.fits[-1].bias.fill_(math.log(answerable / (1 - answerable)))
                made.fixed_key.bias[END] += short  # long queries take long
                made.role_key.bias[[Role.TABLE, Role.COLUMN]] += names
                if names > 3:  # neither constants nor values, so that a query reads its database
                    made.role_key.bias[[Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS, Role.NUMBER]] = -9.0
                    made.writes(i for i, (_, terminal) in enumerate(fixed_words()) if terminal != "WHOLE")
            calibration: dict[str, Any] = {"weights": [0.0] * 4, "bias": bias}
            save_network(made, path, frozen=1, language="en", card="# Random\n", calibration=calibration)
        return path

    return save


@pytest.fixture
def music(tmp_path: Path) -> Path:
    return write_database(tmp_path)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "odd.sqlite")) as connection:
        connection.executescript(ODD)
    return tmp_path / "odd.sqlite"


# --- connect


def test_an_answer(music: Path, saved_network) -> None:
    said: list[str] = []
    with face.connect(music, parser=saved_network(), progress=said.append) as connection:
        assert isinstance(connection, face.Connection)
        assert [table.name for table in connection.schema.tables] == ["artist", "album", "review"]
        answer = connection.ask(f"  {QUESTION}\n")
    assert len(said) == 2
    assert isinstance(answer, face.Answer)
    assert (answer.question, answer.status, answer.reason) == (QUESTION, "ok", None)
    assert answer.confidence == pytest.approx(1 / (1 + math.exp(-SURE)), abs=1e-4)
    assert answer.seconds > 0
    with closing(sqlite3.connect(music)) as direct:
        cursor = direct.execute(answer.sql)
        assert answer.columns == tuple(column[0] for column in cursor.description)
        assert answer.rows == tuple(cursor.fetchall())
    assert not answer.truncated
    assert all(isinstance(other, Alternative) for other in answer.alternatives)
    queries = [answer.sql, *(other.sql for other in answer.alternatives)]
    assert len(set(queries)) == len(queries) <= 4
    assert json.loads(json.dumps(answer.to_json()))["alternatives"] == [vars(other) for other in answer.alternatives]


def test_the_same_question_has_the_same_answer(music: Path, saved_network) -> None:
    answers: list[Answer] = []
    for _ in range(2):
        with face.connect(str(music), parser=str(saved_network())) as connection:
            answers += [connection.ask(QUESTION), connection.ask(QUESTION)]
    found = [(a.sql, a.rows, a.confidence, a.alternatives) for a in answers]
    assert found == [found[0]] * 4


def test_the_index_is_built_once(music: Path, cache: Path, saved_network) -> None:
    stamps: list[dict[Path, int]] = []
    for _ in range(2):
        with face.connect(music, parser=saved_network()):
            pass
        stamps.append({file: file.stat().st_mtime_ns for file in cache.rglob("*.sqlite")})
    assert stamps[0] == stamps[1]
    assert len(stamps[0]) == 1


def test_asking_changes_nothing_in_the_database(odd: Path, saved_network) -> None:
    before, stamp = odd.read_bytes(), odd.stat().st_mtime_ns
    with face.connect(odd, parser=saved_network()) as connection:
        for question in ("drop all the tables", "delete everything'; DROP TABLE empty; --", "insert 5 into empty"):
            connection.ask(question, beam=2)
    assert (odd.read_bytes(), odd.stat().st_mtime_ns) == (before, stamp)
    assert {file.name for file in odd.parent.iterdir()} == {"odd.sqlite", "cache"}


@pytest.mark.parametrize("spell", [str, lambda file: f"sqlite:///{file}", lambda file: file])
def test_a_file_may_be_named_by_its_path_or_a_url(music: Path, saved_network, spell) -> None:
    with face.connect(spell(music), parser=saved_network()) as connection:
        assert connection.ask(QUESTION, beam=1).status == "ok"


def test_views_are_not_read_and_do_no_harm(odd: Path, saved_network) -> None:
    with face.connect(odd, parser=saved_network()) as connection:
        assert {t.name for t in connection.schema.tables} == {"order details", "from", "empty", "files", "城市"}
        assert connection.ask("which are cheap?", beam=1).status == "ok"


def test_the_schema_has_the_keys_that_its_names_tell(tmp_path: Path, saved_network) -> None:
    with closing(sqlite3.connect(tmp_path / "bare.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE song (singer_id INT, title TEXT);"
        )
    with face.connect(tmp_path / "bare.sqlite", parser=saved_network()) as connection:
        assert [key.table for key in connection.schema.table("song").foreign_keys] == ["singer"]


QUESTIONS = [
    "which albums are there?",
    "how many order details from 城市?",
    "北京有多少人口",
    "who is O'Hara in 1990 and 5.5 or '{text0}'?",
    "a",
    "?",
    "x" * 1000,
    "which " * 300,
    "select the unit price; drop table files",
    "\u200b",
]


@pytest.mark.parametrize(("seed", "names", "short"), [(0, 2, 3), (2, 2, 4), (2, 4, 2)])
def test_every_query_of_a_random_network_runs(odd: Path, music: Path, saved_network, seed, names, short) -> None:
    queries: set[str] = set()
    for file in (odd, music):
        with face.connect(file, parser=saved_network(seed=seed, names=names, short=short)) as connection:
            for question in QUESTIONS[file == odd :: 2]:
                found = connection._answerer.consider(question, beam=3)
                assert [choice.problem for choice in found.choices] == [None] * len(found.choices)
                queries |= {candidate.sql for candidate in found.parse.candidates}
    assert len(queries) > 10
    assert sum("FROM" in sql for sql in queries) > 8


@pytest.mark.parametrize("question", ["", " ", "\n\t "])
def test_an_empty_question_is_refused(music: Path, saved_network, question: str) -> None:
    with face.connect(music, parser=saved_network()) as connection, pytest.raises(InputError, match="empty"):
        connection.ask(question)


@pytest.fixture
def locked(music: Path) -> Iterator[Path]:
    with closing(sqlite3.connect(music, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield music


def test_a_locked_database_is_told(locked: Path, saved_network) -> None:
    with pytest.raises(DatabaseError, match="locked") as caught:
        face.connect(locked, parser=saved_network(), timeout=0.05)
    assert (caught.value.file, bool(caught.value.hint)) == (locked, True)


def test_a_database_that_is_locked_later_costs_the_answer_alone(music: Path, saved_network) -> None:
    with face.connect(music, parser=saved_network(), timeout=0.05) as connection:
        with closing(sqlite3.connect(music, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            answer = connection.ask(QUESTION, beam=1)
        assert (answer.status, answer.rows, answer.confidence) == ("error", (), 0.0)
        assert "locked" in answer.reason
        assert connection.ask(QUESTION, beam=1).status == "ok"


def test_what_cannot_be_asked_is_told(tmp_path: Path, music: Path, saved_network) -> None:
    (tmp_path / "text.sqlite").write_text("no database " * 100)
    (tmp_path / "empty.sqlite").write_bytes(b"")
    with closing(sqlite3.connect(tmp_path / "views.sqlite")) as connection:
        connection.execute("CREATE VIEW one AS SELECT 1 AS x")
    cases: list[tuple[str | Path, dict[str, Any], type[QuerentError], str]] = [
        (tmp_path / "gone.sqlite", {}, DatabaseError, "no such database file"),
        (tmp_path, {}, DatabaseError, "no such database file"),
        (tmp_path / "text.sqlite", {}, DatabaseError, "not a database"),
        (tmp_path / "empty.sqlite", {}, SchemaError, "no tables"),
        (tmp_path / "views.sqlite", {}, SchemaError, "no tables"),
        (music, {"parser": tmp_path / "gone"}, RunError, "no such folder"),
        (music, {"parser": tmp_path}, RunError, "neither a run nor a saved parser"),
        (music, {"parser": None, "language": "eng"}, InputError, r"language 'eng' \(did you mean 'en'\?\)"),
        (music, {"parser": None, "language": "fr"}, InputError, r"language 'fr' \(use en, or give a parser"),
        ("oracle://me@host/db", {}, DatabaseError, "oracle"),
    ]
    for database, given, kind, said in cases:
        with pytest.raises(kind, match=said):
            face.connect(database, **{"parser": saved_network(), **given})


def closed(kind: type, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the list of those that are closed from now on."""
    found, close = [], kind.close

    def noted(self: Any) -> None:
        found.append(self)
        close(self)

    monkeypatch.setattr(kind, "close", noted)
    return found


def test_a_connection_that_fails_closes_the_database(tmp_path: Path, music: Path, saved_network, monkeypatch) -> None:
    with face.connect(music, parser=saved_network()):
        pass  # the index is there now
    databases = closed(SqliteDatabase, monkeypatch)
    with pytest.raises(RunError):
        face.connect(music, parser=tmp_path / "gone")
    assert len(databases) == 1


def test_a_connection_closes_all_that_it_opened(music: Path, saved_network, monkeypatch) -> None:
    with face.connect(music, parser=saved_network()):
        databases, indexes = closed(SqliteDatabase, monkeypatch), closed(ValueIndex, monkeypatch)
    assert (len(databases), len(indexes)) == (1, 1)


# --- the command


def test_the_help_teaches_by_examples_that_exist(querent) -> None:
    shown = querent("ask", "--help")
    assert (shown.code, "Examples" in shown.out) == (0, True)
    said = commands_in(ask_command.EPILOG)
    assert [command[1] for command in said] == ["ask"] * 4
    assert [problem_of(command) for command in said] == [None] * 4


@pytest.mark.parametrize(
    ("bias", "answerable", "status", "code"),
    [(SURE, 0.9, "ok", 0), (UNSURE, 0.9, "unsure", 0), (SURE, 0.01, "no_answer", 1)],
)
def test_one_question(querent, music, saved_network, bias, answerable, status, code) -> None:
    parser = saved_network(bias=bias, answerable=answerable)
    shown = querent("ask", music, QUESTION, "--parser", parser, "--alternatives", "--beam", 3)
    assert (shown.code, shown.err) == (code, "")
    answer = querent("ask", music, QUESTION, "--parser", parser, "--json", "--beam", 3)
    assert (answer.code, answer.err) == (code, "")
    said = answer.json
    assert set(said) == set(Answer.__dataclass_fields__)
    assert (said["status"], said["question"]) == (status, QUESTION)
    assert f"{status}  confidence {said['confidence']:.2f}" in shown.out
    assert (said["reason"] is None) == (status == "ok")
    assert said["reason"] is None or said["reason"] in shown.out
    if status == "no_answer":
        assert (said["sql"], said["rows"], said["alternatives"]) == (None, [], [])
        assert "SELECT" not in shown.out
        return
    assert shown.out.splitlines()[0] == said["sql"]
    for other in said["alternatives"]:
        assert f"  {other['confidence']:.2f}  {other['sql']}" in shown.out.splitlines()
    assert all(column in shown.out for column in said["columns"])


def test_an_explanation_follows_the_answer(querent, music, saved_network) -> None:
    arguments = ("ask", music, QUESTION, "--parser", saved_network(), "--beam", 2)
    told = querent(*arguments, "--explain", "--json").json
    plain = querent(*arguments, "--json").json
    assert set(told) == {*plain, "explain"}
    explain = told["explain"]
    assert (explain["sql"], explain["question"], explain["level"]) == (plain["sql"], QUESTION, "runs")
    assert explain["steps"][-1]["word"] == "<eos>"
    with face.connect(music, parser=saved_network()) as connection:
        assert json.loads(json.dumps(connection.explain(QUESTION, beam=2).to_json())) == explain
        with pytest.raises(InputError, match="empty"):
            connection.explain(" ")
    shown = querent(*arguments, "--explain")
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == plain["sql"]
    for value in explain["values"]:
        assert f"{value['value']} {value['probability']:.2f}, {value['kind']}" in shown.out
    steps = lines[next(i for i, line in enumerate(lines) if line.startswith("word ")) + 1 :]
    implied = sum(bool(step["implied"]) for step in explain["steps"])
    assert len(steps) == len(explain["steps"]) + implied
    assert steps[-1].startswith("(end) ")


def test_a_question_without_a_query_is_explained_by_what_was_read(capsys) -> None:
    told = Explanation("q", None, None, 0.25, None, (), (), (), (), 5, 9, "runs", ())
    show_explanation(told, Console(width=100))
    text = capsys.readouterr().out
    assert "no query could be written" in text
    assert "5 of 9" in text
    assert "0.25" in text


def test_an_explanation_without_a_local_constraint_has_no_columns_of_it(capsys) -> None:
    value = ReadValue("one", "[b]1[/b]", "number", "literal", (), ("text0", "number0"), 0.5, True)
    steps = (Step("SELECT", 0.75), Step("{number0}", 0.5), Step("{text7}", 0.5), Step("<eos>", 1.0))
    told = Explanation("q", "SELECT 1", -1.0, 0.25, None, (value,), (), (), (), 5, 9, None, steps)
    show_explanation(told, Console(width=100))
    text = capsys.readouterr().out
    assert "any word may follow any other" in text
    assert "‹one› is [b]1[/b] 0.50, number, literal" in text  # values are no markup
    assert "refused" not in text
    assert [line.split()[0] for line in text.splitlines()[-4:]] == ["SELECT", "[b]1[/b]", "{text7}", "(end)"]


def test_a_query_that_the_database_refuses_ends_with_one(querent, music, saved_network, monkeypatch) -> None:
    def fail(self: Any, sql: str) -> None:
        raise DatabaseError("disk I/O error")

    with face.connect(music, parser=saved_network()):
        pass  # the index is there now
    parser = saved_network()
    assert querent("ask", music, QUESTION, "--parser", parser, "--beam", 1).code in (0, 1)  # its values are indexed
    monkeypatch.setattr(SqliteDatabase, "query", fail)
    shown = querent("ask", music, QUESTION, "--parser", parser, "--beam", 1)
    assert shown.code == 1
    assert "error  confidence 0.00" in shown.out
    assert "disk I/O error" in shown.out


def test_a_prompt_asks_on_until_the_end(querent, music, saved_network) -> None:
    shown = querent("ask", music, "--parser", saved_network(), "--beam", 1, stdin=f"{QUESTION}\n\n   \nand stars?\n")
    assert shown.code == 0
    assert shown.out.count("confidence") == 2  # an empty line is no question
    assert "Ctrl-D" in shown.out


@pytest.mark.parametrize("stdin", ["", "\n", f"{QUESTION}"])
def test_a_prompt_ends_well_whatever_came(querent, music, saved_network, stdin) -> None:
    parser = saved_network(answerable=0.01)
    shown = querent("ask", music, "--parser", parser, "--beam", 1, stdin=stdin)
    assert shown.code == 0  # no answer is no failure of a conversation
    assert shown.out.count("no_answer") == (1 if stdin.strip() else 0)


def test_a_prompt_with_json_writes_nothing_but_a_line_for_each_question(querent, music, saved_network) -> None:
    stdin = f"{QUESTION}\nand stars?\n"
    shown = querent("ask", music, "--parser", saved_network(), "--json", "--beam", 1, stdin=stdin)
    assert [json.loads(line)["question"] for line in shown.out.splitlines()] == stdin.splitlines()


def test_an_empty_question_on_the_command_line(querent, music, saved_network) -> None:
    assert "the question is empty" in querent("ask", music, " ", "--parser", saved_network()).error()


def test_what_is_wrong_is_one_line(querent, tmp_path, music, saved_network) -> None:
    with closing(sqlite3.connect(tmp_path / "none.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 1")
    net = saved_network()
    for arguments, parts in (
        (("gone.sqlite", "x", "--parser", net), ["gone.sqlite: no such database file"]),
        ((tmp_path / "none.sqlite", "x", "--parser", net), ["none.sqlite: the database has no tables"]),
        ((music, "x", "--parser", "nowhere"), ["nowhere: no such folder"]),
        ((music, "x", "--language", "eng"), ["'language'", "'eng'", "did you mean 'en'?"]),
    ):
        line = querent("ask", *arguments).error()
        for part in parts:
            assert part in line


@pytest.mark.parametrize("arguments", [("--beam", 0), ("--beam", "many"), ("--nonsense",)])
def test_options_that_are_none_are_refused(querent, music, arguments) -> None:
    shown = querent("ask", music, "x", *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert "Traceback" not in shown.err


# --- what is shown


def shown(answer: Answer, capsys: pytest.CaptureFixture[str], **given: Any) -> str:
    ask_command.show(answer, Console(width=100), **given)
    return capsys.readouterr().out


def test_rows_are_cut_and_counted(capsys) -> None:
    rows = tuple((n, None if n else "x [b]y[/b]") for n in range(25))
    text = shown(Answer("q", "SELECT 1", ("n [red]", "text"), rows, status="ok"), capsys)
    assert "n [red]" in text
    assert "x [b]y[/b]" in text  # cells are no markup
    assert "NULL" in text
    assert "… 5 more rows" in text
    assert " 19 " in text
    assert " 20 " not in text
    assert "… 5+ more rows" in shown(Answer("q", "SELECT 1", ("n", "t"), rows, truncated=True), capsys)
    assert "… 20 more rows" in shown(Answer("q", "SELECT 1", ("n", "t"), rows), capsys, most=5)
    assert "more rows" not in shown(Answer("q", "SELECT 1", ("n", "t"), rows[:20]), capsys)


def test_a_long_query_stays_on_one_line(capsys) -> None:
    sql = "SELECT " + ", ".join(["album.title"] * 40) + " FROM album"
    assert shown(Answer("q", sql), capsys).splitlines()[0] == sql


def test_cells_that_json_does_not_know_are_written_as_text(querent, odd, saved_network, monkeypatch) -> None:
    with face.connect(odd, parser=saved_network()):
        pass  # the index is there now
    cells = (b"\x00\xff", 9e999, None, "北京", 2**70)
    parser = saved_network()
    assert querent("ask", odd, "files", "--parser", parser, "--beam", 1).code in (0, 1)  # its values are indexed
    monkeypatch.setattr(SqliteDatabase, "query", lambda self, sql: Rows(tuple("abcde"), [cells]))
    found = querent("ask", odd, "files", "--parser", parser, "--json", "--beam", 1)
    assert "北京" in found.out
    (row,) = found.json["rows"]
    assert row == [str(cells[0]), "inf", None, "北京", 2**70]
