"""The shipped library: its database, its functions, its paths and their pairs."""

from __future__ import annotations

import hashlib
import itertools
import re
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache

import pytest

from querent.data.databases.database import Database
from querent.data.databases.rows import says_something
from querent.data.domains.loading import load_domain
from querent.data.domains.shipped import shipped_database
from querent.data.formats.functions import schema_in
from querent.data.library import generate
from querent.data.library.catalogue import HERE, LANGUAGES, entities
from querent.data.library.classics import classic_authors, classics
from querent.data.prototypes.reader import read_prototypes, slots

SCHEMA = schema_in(HERE, "sqlite")
PATHS, PROBLEMS = read_prototypes(HERE / "prototypes", LANGUAGES)
KINDS = {"single": 26, "multi": 17, "both": 76}
DIGEST = "2b36f5b6464f8571"


@pytest.fixture(scope="session")
def path():
    """Return the library's file, which all tests of a worker ask."""
    return shipped_database("library")


@pytest.fixture(scope="session")
def rows(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        yield lambda sql: database.execute(sql).fetchall()


@pytest.fixture(scope="session")
def database(path):
    with Database.open(path, timeout=20, max_rows=20_000, functions=SCHEMA.functions) as opened:
        yield opened


@cache
def parents(rows):
    return dict(rows("SELECT name, teacher FROM authors"))


def line_of(name, teachers):
    """Walk from teacher to teacher; the tests' own way to know what the functions should say."""
    found = []
    while (name := teachers[name]) is not None and name not in found:
        found.append(name)
    return found


# The database


def test_the_schema_has_two_tables_and_each_column_is_described():
    assert [t.name for t in SCHEMA.tables] == ["authors", "books"]
    assert all(column.description for _, column in SCHEMA.columns())
    assert SCHEMA.table("books").unique == ("title",)
    assert {(f.columns, f.table) for f in SCHEMA.table("authors").foreign_keys} == {
        (("teacher",), "authors"),
        (("spouse",), "authors"),
    }


def test_the_same_seed_gives_the_same_rows(tmp_path, monkeypatch):
    """Of 20,000 books by 12,000 authors and the classics': keys that hold, lives and teachers that can be."""
    monkeypatch.setattr(generate, "BOOKS", 20_000)
    generate.build(tmp_path / "library.sqlite")
    with closing(sqlite3.connect(tmp_path / "library.sqlite")) as made:
        shown = [*made.execute("SELECT * FROM books ORDER BY id"), *made.execute("SELECT * FROM authors ORDER BY name")]
    assert len(shown) == 20_000 + 12_000 + len(classic_authors())
    assert hashlib.sha256(repr(shown).encode()).hexdigest()[:16] == DIGEST


def test_classics_are_as_everybody_knows_them(rows):
    assert rows("SELECT author, year FROM books WHERE title = '围城'") == [("钱锺书", 1947)]
    assert rows("SELECT spouse, birth, death FROM authors WHERE name = '钱锺书'") == [("杨绛", 1910, 1998)]
    assert len(classics()) > 100
    assert {c.author for c in classics()} == {a.name for a in classic_authors()}
    lives = {a.name: a for a in classic_authors()}
    assert all(c.year > lives[c.author].birth + 18 for c in classics())


def test_terms_are_said_in_both_languages_and_each_in_one_way_only():
    made = list(entities())
    assert len({(e.type, e.sql) for e in made}) == len(made) > 300
    for language in LANGUAGES:
        said = Counter((e.type, say.lower()) for e in made for say in e.says[language])
        assert set(said.values()) == {1}


# The functions


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ("HAS_ENTRY('小说; 散文', '散文')", 1),
        ("HAS_ENTRY('历史小说; 散文', '小说')", 0),
        ("HAS_ENTRY('100%; a_b', 'a-b')", 0),
        ("HAS_ENTRY(NULL, '小说')", 0),
        ("AGE_IN('钱锺书', 1947)", 37),
        ("AGE_IN('nobody', 1947)", None),
        ("FIRST_TEACHER('钱锺书')", None),
        ("GENERATIONS('钱锺书')", 0),
        ("GENERATIONS('nobody')", 0),
        ("GENERATIONS(NULL)", 0),
        ("TAUGHT(NULL, '钱锺书')", 0),
    ],
)
def test_what_a_function_gives(database, call, result):
    assert database.query(f"SELECT {call}").rows == [(result,)]


def test_lines_of_teachers_are_walked_to_their_ends(database, rows):
    teachers = parents(rows)
    told = database.query("SELECT name, FIRST_TEACHER(name), GENERATIONS(name) FROM authors").rows
    for name, first, generations in told:
        line = line_of(name, teachers)
        assert (first, generations) == (line[-1] if line else None, len(line))
    deepest = max(teachers, key=lambda name: len(line_of(name, teachers)))
    masters = database.query(f"SELECT name FROM authors WHERE TAUGHT(name, '{deepest}') = 1").rows
    assert {name for (name,) in masters} == set(line_of(deepest, teachers))


# The paths


def test_there_are_119_paths():
    assert PROBLEMS == []
    assert Counter(p.id.partition(".")[0] for p in PATHS) == KINDS
    assert all(p.file.stem.startswith(p.id.partition(".")[0]) for p in PATHS)


def test_composites_are_pairs_of_the_single_hops():
    singles = {p.hops for p in PATHS if p.id.startswith("single.")}
    assert len(singles) == 26
    pairs = [p.hops for p in PATHS if p.id.startswith("both.")]
    assert len({frozenset(pair) for pair in pairs}) == 76
    for one, other in pairs:
        assert {(one,), (other,)} <= singles
        (start, target), (begin, end) = one.split("."), other.split(".")
        assert (start == begin) != (target == end)


def test_an_id_tells_its_hops():
    for path in PATHS:
        kind, _, name = path.id.partition(".")
        if kind != "multi":
            assert name == "_".join(path.hops).replace(".", "_")
        else:
            assert len(path.hops) >= 2


def test_each_path_has_five_wordings_a_language_that_no_other_path_has():
    owners = {}
    for path, language in itertools.product(PATHS, LANGUAGES):
        assert len(path.wordings[language]) == 5
        assert all(set(slots(w)) == set(slots(path.sql)) for w in path.said(language))
        for wording in path.said(language):
            assert owners.setdefault(wording.casefold(), path.id) == path.id


def test_no_wording_of_the_test_part_is_one_of_training_but_for_marks_and_case():
    for path, language in itertools.product(PATHS, LANGUAGES):
        learnt = {bare(wording) for wording in path.wordings[language]}
        assert not learnt & {bare(wording) for wording in path.tests.get(language, ())}, path.id


def bare(wording):
    return re.sub(r"[\W_]+", "", wording).casefold()


def test_some_paths_recurse():
    for name in ("FIRST_TEACHER", "GENERATIONS", "TAUGHT", "HAS_ENTRY", "AGE_IN"):
        assert any(f"{name}(" in p.sql for p in PATHS)


# The pairs


@pytest.fixture(params=LANGUAGES)
def domain(request):
    return load_domain("library", language=request.param)


def test_each_path_has_ten_pairs(domain):
    counts = Counter(e.prototype for e in domain.examples)
    assert set(counts) == {p.id for p in PATHS}
    assert set(counts.values()) == {10}
    assert len({e.question.casefold() for e in domain.examples}) == 1190
    hops = {p.id: " ".join(p.hops) for p in PATHS}
    assert all(e.tags == {"hops": hops[e.prototype]} for e in domain.examples)
    assert domain.schema.functions == SCHEMA.functions


def test_test_wordings_are_asked_in_the_test_part_alone(domain):
    parts = Counter(e.question_split for e in domain.examples if _parted(e.prototype))
    share = sum(map(_parted, {e.prototype for e in domain.examples}))
    assert parts == Counter({part: n * share for part, n in {"train": 4, "dev": 1, "test": 5}.items() if share})


def _parted(prototype):
    return any(p.tests for p in PATHS if p.id == prototype)


def test_nearly_every_query_answers(domain, database):
    asked = domain.examples[::7]
    answered = [says_something(database.query(e.sql).rows) for e in asked]
    assert sum(answered) >= 0.95 * len(asked)
