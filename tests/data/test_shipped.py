"""What ships with Querent: three databases, two domains with their prototypes and pairs, and the cache."""

import hashlib
import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cases import rows

from querent.data.databases.database import Database
from querent.data.databases.rows import says_something
from querent.data.domains.loading import load_domain
from querent.data.domains.manifest import schema_in
from querent.data.domains.prototypes import read_prototypes
from querent.data.errors import DatabaseError, DomainError
from querent.data.shipped import DATABASES, SHIPPED, cache_folder, is_shipped, shipped_database, shipped_folder
from querent.data.values.slots import fill_sql

CASES = Path(__file__).with_suffix(".toml")

LANGUAGES = ("zh", "en")
LIBRARY = schema_in(shipped_folder("library"), "sqlite")
# of all tables and their rows, which the results in docs and bench/results are about
DIGESTS = {"plant": "39779c929ab8f55b", "shop": "4ed406e4d9fff330", "library": "7b807d08d7211bdd"}
# one answer each that is known from elsewhere
KNOWN = {
    "plant": ("SELECT MAX(read_time) FROM t_rt_data", [("2024-03-31 08:00:00",)]),
    "shop": ("SELECT COUNT(*) FROM customers", [(20,)]),
    "library": ("SELECT author, year FROM books WHERE title = '围城'", [("钱锺书", 1947)]),
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", DATABASES)
def test_each_database_is_unpacked_once_with_the_rows_that_results_are_about(cache, name):
    first = shipped_database(name)
    with closing(sqlite3.connect(first)) as database:
        tables = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        held = [(sql, *database.execute(f"SELECT * FROM {table} ORDER BY rowid")) for table, sql in tables]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        query, rows = KNOWN[name]
        assert database.execute(query).fetchall() == rows
    assert hashlib.sha256(repr(held).encode()).hexdigest()[:16] == DIGESTS[name]
    made = first.stat().st_mtime_ns
    assert shipped_database(name) == first
    assert first.stat().st_mtime_ns == made
    assert [one.name for one in cache.iterdir()] == [first.name]  # nothing half written stays


def test_a_database_of_other_rows_is_another_file(cache, tmp_path, monkeypatch):
    first = shipped_database("shop")
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a); nonsense")
    monkeypatch.setattr("querent.data.shipped.shipped_folder", lambda name: tmp_path)
    with pytest.raises(sqlite3.OperationalError, match="nonsense"):
        shipped_database("shop")
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (a);")
    assert shipped_database("shop") != first
    assert sorted(one.suffix for one in cache.iterdir()) == [".sqlite", ".sqlite"]


def test_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "file"))
    with pytest.raises(DatabaseError, match="set QUERENT_CACHE"):
        load_domain("plant")


def test_where_the_cache_is(tmp_path, monkeypatch):
    monkeypatch.delenv("QUERENT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "querent"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "querent"


def test_a_folder_of_ones_own_comes_before_a_shipped_domain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_shipped("library")
    (tmp_path / "library").mkdir()
    assert is_shipped("library")  # nothing in it
    (tmp_path / "library" / "domain.toml").write_text('name = "mine"\nlanguage = "en"\ndialect = "sqlite"\n')
    (tmp_path / "library" / "schema.sql").write_text("CREATE TABLE book (title TEXT);")
    (tmp_path / "library" / "examples.jsonl").write_text("")
    assert not is_shipped("library")
    assert load_domain("library").name == "mine"
    monkeypatch.chdir(shipped_folder("library").parent)
    assert is_shipped("library")


@pytest.mark.parametrize(("name", "language"), itertools.product(SHIPPED, LANGUAGES))
def test_domains(name, language):
    domain = load_domain(name, language=language)
    assert (domain.name, domain.language, domain.dialect, domain.source) == (name, language, "sqlite", name)
    assert all(domain.part(part, split) for part in ("train", "dev", "test") for split in ("question", "query"))
    assert all(column.description for _, column in domain.schema.columns())
    assert all(fill_sql(example.slotted, example.values) == example.sql for example in domain.examples)
    _, problems = read_prototypes(shipped_folder(name) / "prototypes", LANGUAGES)
    assert problems == []
    asked = domain.examples[:: len(domain.examples) // 60]
    with Database.open(domain.database, timeout=20, functions=domain.schema.functions) as database:
        answered = [says_something(database.query(e.sql).rows) for e in asked]
    assert sum(answered) >= 0.95 * len(asked)


def test_default_language_is_the_domain_files():
    assert load_domain("plant").language == "zh"
    with pytest.raises(DomainError, match=r"no questions in 'fr'.*'zh' or 'en'"):
        load_domain("plant", language="fr")


# The library's functions


@pytest.fixture(scope="module")
def library():
    with Database.open(shipped_database("library"), timeout=20, functions=LIBRARY.functions) as opened:
        yield opened


@rows(CASES, "what_a_function_gives")
def test_what_a_function_gives(library, call, result):
    assert library.query(f"SELECT {call}").rows == [(result,)]
