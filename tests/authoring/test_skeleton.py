"""The skeleton of a domain: its entities, its starter prototypes, and the DDL it is written with."""

import json
import sqlite3
import tomllib
from contextlib import closing

import pytest

import querent
from querent.authoring import starters
from querent.authoring.skeleton import write_skeleton
from querent.data.domains.prototypes import slots
from querent.data.errors import DatabaseError, DomainError, SchemaError
from querent.data.values.slots import SLOT

SHOP = """
CREATE TABLE town (name TEXT PRIMARY KEY, people INTEGER);
CREATE TABLE "order" (
    "order id" INTEGER PRIMARY KEY,
    town TEXT REFERENCES town (name),
    amount DECIMAL(10, 2), -- in euros
    note TEXT
);
INSERT INTO town VALUES ('Ulm', 128000), ('Bern', 134000), ('Genf', 203000);
INSERT INTO "order" VALUES (1, 'Ulm', 10.5, 'it''s urgent'), (2, 'Bern', 20, '17'), (3, 'Basel', 7, NULL);
"""

MUSIC = """
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE album (
    album_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist (artist_id), released DATE
);
CREATE TABLE track (
    track_id INTEGER PRIMARY KEY, name TEXT, album_id INTEGER REFERENCES album (album_id), seconds INTEGER, price REAL
);
CREATE TABLE "group" (group_id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist (artist_id), "in town" TEXT);
"""
SYLLABLES = ["ba", "do", "ki", "lu", "mo", "ne", "pa", "ri", "su", "ta", "ve", "zo"]


def word(number):
    """Return a name of its own for each number."""
    text = ""
    for _ in range(4):
        number, place = divmod(number, len(SYLLABLES))
        text += SYLLABLES[place]
    return text.capitalize()


def written(file, script, rows=None):
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(script)
        for table, values in (rows or {}).items():
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values[0]))})", values)
    return file


@pytest.fixture
def shop(tmp_path):
    return written(tmp_path / "shop.sqlite", SHOP)


@pytest.fixture(scope="session")
def music(tmp_path_factory):
    """Four tables; one artist's name is too long to say, and tracks have more names than are listed."""
    countries, towns = ["France", "Peru", "Japan"], ["Lima", "Kyoto", "Lyon"]
    artists = [(i, f"The {word(i)}", countries[i % 7 % 3]) for i in range(1, 40)]
    albums = [(i, word(500 + i), 1 + i * i % 39, f"20{i % 20:02}-0{1 + i % 9}-1{i % 7}") for i in range(1, 90)]
    tracks = [(i, word(2000 + i), 1 + i * i % 89, 60 + i * 7 % 400, 0.5 + i % 5 / 4) for i in range(1, 2600)]
    groups = [(i, 1 + i * 3 % 39, towns[i * i % 3]) for i in range(1, 25)]
    artists.append((40, "An orchestra of which nobody can " + "ever " * 9 + "say the name", "Peru"))
    rows = {"artist": artists, "album": albums, "track": tracks, '"group"': groups}
    return written(tmp_path_factory.mktemp("music") / "music.sqlite", MUSIC, rows)


@pytest.fixture(scope="session", params=["en", "zh"])
def domain(request, music, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param) / "music"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starters, "_COMPOSED", 120)
        write_skeleton(folder, str(music), language=request.param)
    return folder


def prototypes_of(folder):
    return tomllib.loads((folder / "prototypes" / "start.toml").read_text(encoding="utf-8"))["prototype"]


def types_of(folder):
    lines = (folder / "entities.jsonl").read_text(encoding="utf-8").splitlines()
    return {json.loads(line)["type"] for line in lines}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_skeleton_is_whole(shop, tmp_path, language, monkeypatch):
    monkeypatch.setattr(starters, "_COMPOSED", 25)
    folder = tmp_path / "shop"
    made = write_skeleton(folder, str(shop), language=language)
    assert sorted(made.files) == sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert (made.tables, made.columns, made.types) == (2, 6, {"name": 4, "note": 1})
    manifest = tomllib.loads((folder / "domain.toml").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["language"], manifest["dialect"]) == ("shop", language, "sqlite")
    assert manifest["database"] == str(shop)
    lines = (folder / "entities.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == {"sql": "Basel", "type": "name", "says": []}
    assert len(prototypes_of(folder)) == made.prototypes >= 10
    if language == "en":  # once more, to the byte
        write_skeleton(tmp_path / "again", str(shop), language=language)
        text, again = ((tmp_path / name / "prototypes" / "start.toml").read_bytes() for name in ("shop", "again"))
        assert text == again


@pytest.mark.parametrize("database", ["shop", "exports/*.csv"])
def test_a_skeleton_finds_its_database_again(database, tmp_path, monkeypatch):
    monkeypatch.setattr(starters, "_COMPOSED", 3)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "town.csv").write_text("name,people\nBasel,170000\nBern,134000\n", encoding="utf-8")
    write_skeleton(tmp_path / "mine", database)
    read = querent.load_domain(tmp_path / "mine")
    assert querent.check(read).ran is not None


def test_starters_are_many_and_of_many_kinds(domain):
    prototypes = prototypes_of(domain)
    assert 30 <= len(prototypes) <= 50
    assert len({p["id"] for p in prototypes}) == len(prototypes)
    assert all(len(p["question"]) >= 2 for p in prototypes)
    queries = [p["sql"] for p in prototypes]
    for table in ("artist", "album", "track", '"group"'):
        assert sum(f" {table}" in sql for sql in queries) >= 3, table
    for words in ("COUNT(*)", "SUM(", " JOIN ", "GROUP BY", "NOT IN", "LIMIT 1", "LIMIT {number0}", "ORDER BY"):
        assert any(words in sql for sql in queries), words
    chinese = [any("一" <= sign <= "鿿" for sign in wording) for p in prototypes for wording in p["question"]]
    assert set(chinese) == {domain.parent.name.startswith("zh")}


def test_starters_have_the_slots_of_their_queries(domain):
    types = types_of(domain)
    for prototype in prototypes_of(domain):
        named = set(slots(prototype["sql"]))
        for wording in prototype["question"]:
            assert set(slots(wording)) == named, wording
            assert len(SLOT.findall(wording)) == len(named), wording
            assert not any(f"{mark}{{" in wording for mark in "'\"“「‘"), wording
        kinds = {slot.rstrip("0123456789") for slot in named}
        assert kinds <= {*types, "number", "time"}
        assert {slot for slot in named if slot.startswith(("number", "time"))} <= prototype.get("fill", {}).keys()
    assert any("name0}" in p["sql"] for p in prototypes_of(domain))
    assert any("{number0}" in p["sql"] for p in prototypes_of(domain))


def test_starters_are_checked_and_filled(domain):
    read = querent.load_domain(domain)
    assert querent.check(read).errors == 0
    filled = querent.fill_domain(domain)
    report = querent.check(querent.load_domain(domain))
    assert (report.errors, len(report.failing)) == (0, 0)
    assert report.pairs == sum(filled.pairs.values()) >= 5 * filled.prototypes
    assert report.ran is not None and report.ran > filled.prototypes  # each query ran
    assert report.review is not None and report.review.empty == ()


def test_a_database_without_rows_has_starters_too(tmp_path, monkeypatch):
    monkeypatch.setattr(starters, "_COMPOSED", 40)
    file = written(tmp_path / "empty.sqlite", MUSIC)
    made = write_skeleton(tmp_path / "empty", str(file))
    assert (made.types, made.prototypes >= 30) == ({}, True)
    assert querent.check(querent.load_domain(tmp_path / "empty")).errors == 0


def test_what_cannot_be_made_is_told(shop, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(DomainError, match="something here already"):
        write_skeleton(tmp_path / "full", str(shop))
    with pytest.raises(DomainError, match="no grammar for 'oracle'"):
        write_skeleton(tmp_path / "new", "oracle://host/db")
    with pytest.raises((SchemaError, DatabaseError), match="no such database file"):
        write_skeleton(tmp_path / "new", str(tmp_path / "none.sqlite"))
    assert not (tmp_path / "new").exists()
