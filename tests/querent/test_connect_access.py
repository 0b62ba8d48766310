"""`access` of `connect`, `ask` and `predict`: what a role may not read is read by nothing, and named by nothing."""

import json
import sqlite3
from pathlib import Path

import pytest
from draws import some

import querent as face
from querent.data.databases.sqlite_session import SqliteSession
from querent.data.errors import DatabaseError, InputError
from querent.data.schema.schema import Column, Function
from querent.dialogue import connection as connections
from querent.grammar import Access
from querent.ner.cells.building import write_index
from querent.ner.cells.cells import ColumnCells
from querent.ner.index import FoundValue, ValueIndex
from querent.parser.reader.profile import Profile

pytestmark = pytest.mark.usefixtures("cache")


ROLE = Access(("review",), {"album": ("title", "year"), "Artist": ("NAME",)})
"""Of the music: nothing of countries, and none of the keys that join albums with artists."""

HIDDEN = {("artist", c) for c in ("artist_id", "country")} | {("album", c) for c in ("album_id", "artist_id", "cut")}

QUESTIONS = (
    "which albums of artists from Germany came out before 1990?",
    "which country is Björk from?",
    "artists from Iceland",
    "the cut of every album by its artist id",
    "how many albums are there of each country?",
)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, str]]:
    """Return what any statement reads: of queries, of the index as it is built, of all else."""
    found: set[tuple[str, str]] = set()
    authorize = SqliteSession._authorize

    def noted(self: SqliteSession, action: int, first: str | None, second: str | None, *rest: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            found.add(((first or "").lower(), (second or "").lower()))
        return authorize(self, action, first, second, *rest)

    monkeypatch.setattr(SqliteSession, "_authorize", noted)
    return found


def test_nothing_reads_what_is_forbidden(music: Path, saved_network, reads: set[tuple[str, str]]) -> None:
    answered = 0
    for seed in some(range(2), 2):
        with face.connect(music, parser=saved_network(seed=seed), access=ROLE) as connection:
            connection.probe()
            for question in QUESTIONS:
                answer, explanation = connection.ask(question), connection.explain(question)
                answered += answer.rows != ()
                told = json.dumps([answer.to_json(), explanation.to_json()], ensure_ascii=False, default=str)
                told = told.replace(json.dumps(question, ensure_ascii=False), "")
                assert not [
                    name for name in ("artist_id", "album.album_id", "artist.country", "album.cut") if name in told
                ]
    assert answered
    assert ("artist", "name") in reads
    assert not reads & HIDDEN


def test_without_access_all_is_read(music: Path, saved_network, reads: set[tuple[str, str]]) -> None:
    with face.connect(music, parser=saved_network()) as connection:
        connection.ask(QUESTIONS[0])
    assert reads >= HIDDEN


def test_no_file_keeps_forbidden_cells(music: Path, saved_network, cache: Path) -> None:
    with face.connect(music, parser=saved_network(), access=ROLE) as connection:
        connection.ask(QUESTIONS[0])
    kept = b"".join(file.read_bytes() for file in cache.rglob("*") if file.is_file() and not file.is_symlink())
    assert b"Tago Mago" in kept
    assert b"Germany" not in kept
    assert b"country" not in kept


def test_a_value_of_a_forbidden_column_is_no_cell(music: Path, saved_network) -> None:
    found = {}
    for access in (None, ROLE):
        with face.connect(music, parser=saved_network(), access=access) as connection:
            values = connection.explain("albums of Can from Germany").values
            found[access] = {(value.value, value.columns) for value in values if value.kind == "cell"}
    assert found[None] == {("Can", ("artist.name",)), ("Germany", ("artist.country",))}
    assert found[ROLE] == {("Can", ("artist.name",))}


def test_no_constraint_holds_names_to_nothing_and_is_refused(music: Path, saved_network) -> None:
    with pytest.raises(InputError, match="access without a constraint"):
        face.connect(music, parser=saved_network(), access=ROLE, level=None)


def test_values_that_a_parser_was_trained_with_are_left_out(tmp_path: Path) -> None:
    schema = face.Schema.from_json(
        {"tables": [{"name": "t", "columns": [{"name": "open"}, {"name": "shut"}], "primary_key": []}]}
    )
    cells = [
        ColumnCells("t", "open", [("amber", 1), ("pearl", 1)]),
        ColumnCells("t", "shut", [("jade", 1), ("pearl", 1)]),
    ]
    write_index(tmp_path / "values.sqlite", "known", cells)
    constants = tuple(
        FoundValue(0, 0, "", value, "cell", "constant", columns, 0.0)
        for value, columns in (("amber", (("t", "open"),)), ("jade", (("t", "shut"),)), ("7", ()))
    )
    made = Profile.of(schema, dialect="sqlite", language="en", database=None)
    profile = Profile(**{**vars(made), "values": tmp_path / "values.sqlite", "constants": constants})
    context = profile.catalogue(None, access=Access((), {"t": ("open",)})).whole
    assert isinstance(context.index, ValueIndex)
    with context.index as index:
        found = {value.value: value.columns for value in index.find("amber, jade or pearl") if value.kind == "cell"}
    assert found == {"amber": (("t", "open"),), "pearl": (("t", "open"),)}
    assert [value.value for value in context.constants] == ["amber"]


def test_the_commands_take_a_file(querent, music: Path, saved_network, tmp_path: Path) -> None:
    role = tmp_path / "role.toml"
    role.write_text('[columns]\nartist = ["name"]\n', "utf-8")
    parser = saved_network()
    answer = querent("ask", music, QUESTIONS[0], "--parser", parser, "--access", role, "--json").json
    assert "album" not in (answer["sql"] or "")
    (tmp_path / "questions.txt").write_text("\n".join(QUESTIONS), "utf-8")
    given = ("--database", music, "--parser", parser, "--out", "out.jsonl")
    assert querent("predict", "questions.txt", *given, "--access", role).code == 0
    records = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert len(records) == len(QUESTIONS)
    assert not [r for r in records if "album" in (r["sql"] or "") or "country" in (r["sql"] or "")]


def test_a_role_runs_no_queries_of_its_own_but_takes_alternatives(music: Path, saved_network) -> None:
    with face.connect(music, parser=saved_network(), access=ROLE) as connection:
        talk = connection.conversation()
        answer = talk.ask(QUESTIONS[0])
        assert answer.alternatives
        for sql in ("SELECT * FROM album", 'SELECT "cut" FROM album', "SELECT title FROM album"):
            with pytest.raises(InputError, match="no queries of its own"):
                talk.correct(sql)
        assert talk.choose(0).sql == answer.alternatives[0].sql


OLDEST = Function("OLDEST", (Column("than", "INTEGER"),), "INTEGER", "(SELECT MIN(year) FROM album WHERE year > :than)")


@pytest.fixture
def network(saved_network, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(connections, "functions_of", lambda database: (OLDEST,))
    return saved_network()


def test_a_role_has_none(music: Path, network: Path) -> None:
    """They could read for it what it may not."""
    access = Access(("review",), {"album": ("title",)})
    with face.connect(music, parser=network, access=access) as connection:
        with pytest.raises(DatabaseError, match="no such function: OLDEST"):
            connection.database.query("SELECT OLDEST(0)")
        assert connection.schema.functions == ()
