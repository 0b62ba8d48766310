"""What ships with Querent: three databases, two domains with their prototypes and pairs, and the cache."""

from __future__ import annotations

import hashlib
import itertools
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from cases import rows

from querent.data.databases.database import Database
from querent.data.databases.rows import says_something
from querent.data.domains.loading import load_domain
from querent.data.domains.manifest import schema_in
from querent.data.domains.prototypes import read_prototypes, slots
from querent.data.errors import DatabaseError, DomainError
from querent.data.shipped import DATABASES, SHIPPED, cache_folder, is_shipped, shipped_database, shipped_folder
from querent.data.values.slots import fill_sql

CASES = Path(__file__).with_suffix(".toml")

LANGUAGES = ("zh", "en")
LIBRARY = schema_in(shipped_folder("library"), "sqlite")
PATHS, PROBLEMS = read_prototypes(shipped_folder("library") / "prototypes", LANGUAGES)
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
    asked = domain.examples[:: len(domain.examples) // 60]
    with Database.open(domain.database, timeout=20, functions=domain.schema.functions) as database:
        answered = [says_something(database.query(e.sql).rows) for e in asked]
    assert sum(answered) >= 0.95 * len(asked)


def test_default_language_is_the_domain_files():
    assert load_domain("plant").language == "zh"
    with pytest.raises(DomainError, match=r"no questions in 'fr'.*'zh' or 'en'"):
        load_domain("plant", language="fr")


# The library's functions and paths


@pytest.fixture(scope="module")
def library():
    with Database.open(shipped_database("library"), timeout=20, functions=LIBRARY.functions) as opened:
        yield opened


@rows(CASES, "what_a_function_gives")
def test_what_a_function_gives(library, call, result):
    assert library.query(f"SELECT {call}").rows == [(result,)]


def test_lines_of_teachers_are_walked_to_their_ends(library):
    rows = library.query("SELECT name, teacher, FIRST_TEACHER(name), GENERATIONS(name) FROM authors").rows
    teachers = {name: teacher for name, teacher, *_ in rows}
    lines = {}
    for name, _, first, generations in rows:
        line, last = [], name
        while (last := teachers[last]) is not None and last not in line:
            line.append(last)
        assert (first, generations) == (line[-1] if line else None, len(line))
        lines[name] = line
    deepest = max(lines, key=lambda name: len(lines[name]))
    masters = library.query(f"SELECT name FROM authors WHERE TAUGHT(name, '{deepest}') = 1").rows
    assert {name for (name,) in masters} == set(lines[deepest])


def test_there_are_119_paths_named_after_their_hops():
    assert PROBLEMS == []
    assert Counter(p.id.partition(".")[0] for p in PATHS) == {"single": 26, "multi": 17, "both": 76}
    for path in PATHS:
        kind, _, name = path.id.partition(".")
        assert path.file.stem.startswith(kind)
        assert len(path.hops) >= 2 if kind == "multi" else name == "_".join(path.hops).replace(".", "_")
    singles = {p.hops for p in PATHS if p.id.startswith("single.")}
    assert all({(one,), (other,)} <= singles for one, other in (p.hops for p in PATHS if p.id.startswith("both.")))


def test_each_path_has_ten_wordings_a_language_none_of_which_is_another_ones_but_for_marks_and_case():
    owners = {}
    for path, language in itertools.product(PATHS, LANGUAGES):
        assert (len(path.wordings[language]), len(path.said(language))) == (5, 10 if path.tests else 5)
        for wording in path.said(language):
            assert set(slots(wording)) == set(slots(path.sql))
            assert owners.setdefault(wording.casefold(), path.id) == path.id
        bare = [
            {re.sub(r"[\W_]+", "", w).casefold() for w in told[language]}
            for told in (path.wordings, path.tests)
            if told
        ]
        assert len(bare) == 1 or not bare[0] & bare[1], path.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_path_has_ten_pairs_of_which_those_in_test_wordings_are_asked_in_the_test_part_alone(language):
    domain = load_domain("library", language=language)
    hops, tested = {p.id: " ".join(p.hops) for p in PATHS}, {p.id for p in PATHS if p.tests}
    assert Counter(e.prototype for e in domain.examples) == dict.fromkeys(hops, 10)
    assert len({e.question.casefold() for e in domain.examples}) == 1190
    assert all(e.tags == {"hops": hops[e.prototype]} for e in domain.examples)
    assert domain.schema.functions == LIBRARY.functions
    parts = Counter(e.question_split for e in domain.examples if e.prototype in tested)
    assert parts == Counter({part: n * len(tested) for part, n in {"train": 4, "dev": 1, "test": 5}.items()})
