"""What people ask in passing is sampled, too: what is missing, the last time, the cheapest, per month, who did."""

from __future__ import annotations

import random
import re

import pytest
from sampler_drafts import Drafts, ways
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.events import event_of, verb_of_table
from querent.sampler import sample
from querent.sampler.parts.draws import SamplingFrame
from querent.sampler.structures import PLAIN

SCHEMA = """
CREATE TABLE genres (genre_id INTEGER PRIMARY KEY, genre_name TEXT);
CREATE TABLE authors (author_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT, death_yr INTEGER);
CREATE TABLE books (
    book_id INTEGER PRIMARY KEY, title TEXT, binding TEXT, pages INTEGER, price REAL, added_on DATE,
    genre_id INTEGER REFERENCES genres (genre_id), author_id INTEGER REFERENCES authors (author_id)
);
CREATE TABLE copies (copy_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (book_id), shelf INTEGER);
CREATE TABLE members (
    memb_id INTEGER PRIMARY KEY, memb_name TEXT, town TEXT, email TEXT, birth_dt DATE, is_active INTEGER
);
CREATE TABLE loans (
    loan_id INTEGER PRIMARY KEY, memb_id INTEGER REFERENCES members (memb_id),
    copy_id INTEGER REFERENCES copies (copy_id), loan_dt DATE, return_dt DATE, fee REAL
);
CREATE TABLE reviews (
    review_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (book_id), stars INTEGER, state TEXT
);
"""
ELSEWHERE = {"recent", "age", "elapsed", "flag", "open", "written", "self", "told"}
"""Structures that want other columns or a clock, see test_sampler_meaning."""
WORDS = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")


def _day(n, years=3):
    return f"20{21 + n * n % 7 % years}-{1 + n * 5 % 12:02}-{1 + n * 7 % 28:02}"


def _rows():
    names = [f"{one} {other}" for one in WORDS for other in ("Hill", "Shore", "Creek", "Field")]
    return {
        "genres": [(n, f"{WORDS[n]} tales") for n in range(5)],
        "authors": [
            (n, WORDS[n % 10], f"Writer{'abcd'[n // 10]}", ("Peru", "Chad")[n % 2], None if n % 3 else 1950 + n)
            for n in range(20)
        ],
        "books": [
            (n, f"The {names[n]}", ("hardback", "paperback", "spiral")[n * n % 3], 100 + 10 * (n % 9), 5 + n * 1.5,
             _day(n), n * n % 5, n % 20)
            for n in range(40)
        ],
        "copies": [(n, n * n % 37, n % 7) for n in range(60)],
        "members": [
            (n, f"{WORDS[n % 10]} Of{names[n].split()[1].lower()}", ("Rome", "Oslo", "Lima")[n * n % 3],
             None if n % 4 == 0 else f"m{n}@x.org", f"19{50 + n}-05-{1 + n % 28:02}", n % 2)
            for n in range(40)
        ],
        "loans": [
            (n, n * n % 31, n * 3 % 60, _day(n + 3), None if n % 5 == 0 else _day(n + 4), 0.5 * (1 + n * n % 23))
            for n in range(90)
        ],
        "reviews": [
            (n, n * n % 29, 1 + n * n % 5, ("pending", "checked", "hidden")[n * n % 11 % 3]) for n in range(60)
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    file = tmp_path_factory.mktemp("library") / "library.sqlite"
    return write_sqlite(file, SCHEMA, _rows())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_few_draws_have_all_that_people_ask(library, language):
    with Database.open(library) as database:
        few = sample(from_sqlite(library), database, language=language, count=60, seed=2)
    kinds = {one.structure.partition("-")[0] for one in few if one.structure in PLAIN}
    assert kinds >= {name.partition("-")[0] for name in PLAIN} - ELSEWHERE
    assert 0.4 < sum(one.structure in PLAIN for one in few) / len(few) < 0.6


SHAPES = [
    ("null-entities", r"SELECT memb_name FROM members WHERE email IS NULL", "gave us no email"),
    ("null-entities", r"SELECT first_name, last_name FROM authors WHERE death_yr IS NOT NULL", "have died"),
    ("null-entities", r"SELECT loan_id FROM loans WHERE return_dt IS NULL", "not returned yet"),
    ("null-count", r"SELECT COUNT\(\*\) FROM loans WHERE return_dt IS NULL", "loans have not been returned"),
    ("time-of", r"SELECT MAX\(loans.loan_dt\) FROM loans .* WHERE members.memb_name = '.*'", "last borrow"),
    ("time-date", r"SELECT MAX\(loan_dt\) FROM loans", "date of the latest loan"),
    ("time-row", r"SELECT loan_id FROM loans ORDER BY loan_dt DESC LIMIT 1", "most recent loan"),
    ("superlative-if", r"SELECT title FROM books WHERE binding = 'hardback' ORDER BY price LIMIT 1", "cheapest book"),
    ("superlative-of", r"SELECT books.title FROM books JOIN genres .* BY .*price LIMIT 1", "cheapest book in the"),
    ("superlative-if", r"SELECT memb_name FROM members WHERE town = '.*' ORDER BY birth_dt LIMIT 1", "oldest member"),
    ("superlative-total", r"SELECT members.memb_name .* ORDER BY SUM\(loans.fee\) DESC LIMIT \d", "highest total fee"),
    ("superlative-count", r"SELECT books.title FROM loans JOIN copies .* BY COUNT\(\*\) DESC LIMIT 1", "borrowed most"),
    ("entity-own", r"SELECT loan_id FROM loans WHERE fee BETWEEN [\d.]+ AND [\d.]+", "between"),
    ("entity-having", r"SELECT .* GROUP BY .* HAVING COUNT\(\*\) >= \d", "at least"),
    ("part-count", r"SELECT STRFTIME\('%Y-%m', loan_dt\), COUNT\(\*\) FROM loans GROUP BY .*", "loans per month"),
    ("part-value", r"SELECT STRFTIME\('%Y', loan_dt\), SUM\(fee\) FROM loans GROUP BY .*", "fees per year"),
    ("part-in-year", r"SELECT STRFTIME\('%m', loan_dt\), COUNT.* WHERE loan_dt >= '20\d\d-01-01' .*", "month in 202"),
    ("bound-entities", r"SELECT loan_id FROM loans WHERE loan_dt >= '20\d\d-01-01'", "from 202"),
    ("bound-entities", r"SELECT title FROM books WHERE added_on < '20\d\d-01-01'", "until the end of 202"),
    ("sized-count", r"SELECT COUNT\(\*\) FROM reviews WHERE stars = 5", "5 star reviews"),
    ("sized-entities", r"SELECT title FROM books WHERE pages = \d+", "-page books"),
    ("sized-parents", r"SELECT DISTINCT books.title FROM reviews JOIN books .* reviews.stars = 1", "what got a 1"),
    ("event-what", r"SELECT DISTINCT books.title FROM members JOIN loans .* JOIN copies .* JOIN books .*", "borrowed"),
    ("event-who", r"SELECT DISTINCT members.memb_name FROM members .* WHERE books.title = '.*'", "who borrowed"),
    ("kinds", r"SELECT COUNT\(DISTINCT town\) FROM members", "how many towns"),
    ("kinds-with", r"SELECT COUNT\(DISTINCT memb_id\) FROM loans", "taken out a loan"),
    ("pair-if", r"SELECT title, price FROM books WHERE .*", "title and price of"),
    ("not-entities", r"SELECT review_id FROM reviews WHERE state != 'hidden'", "state other than hidden"),
    ("not-count", r"SELECT COUNT\(\*\) FROM members WHERE is_active = 0", "not active"),
    ("not-never", r"SELECT memb_name FROM members WHERE memb_id NOT IN .*", "who never borrowed anything"),
    ("not-one", r"SELECT title FROM books WHERE title != '.*'", "all books except"),
]  # fmt: skip


@pytest.fixture(scope="module")
def drafts(library):
    with Database.open(library) as database:
        frame = SamplingFrame.of(from_sqlite(library), database, "en")
    return Drafts(PLAIN, frame, seeds=450)


@pytest.mark.parametrize(("structure", "sql", "said"), SHAPES)
def test_shapes_and_their_words(drafts, library, structure, sql, said):
    found = [draft for draft in drafts["en", structure] if re.fullmatch(sql, draft.sql)]
    assert found, {draft.sql for draft in drafts["en", structure]}
    with Database.open(library) as database:
        assert any(database.query(draft.sql).rows for draft in found)
    rng = random.Random(3)
    assert any(said in re.sub("['\"]", "", one) for one in ways(found[:20], "en", rng, 60))


def test_chinese_has_words_of_its_own_for_them(library):
    asked = ["time-of", "part-count", "event-who", "not-one"]
    with Database.open(library) as database:
        found = sample(from_sqlite(library), database, language="zh", count=20, seed=4, structures=asked)
    said = {one.structure: " ".join(one.sayings) for one in found}
    assert re.search("最[近后新]|上|第一|首|最早", said["time-of"])
    assert re.search("[每各按][年月个周季星]", said["part-count"])
    assert re.search("谁|哪些", said["event-who"])
    assert re.search("除|不算|以外", said["not-one"])


def test_superlatives_choose_among_several(library):
    superlatives = [name for name in PLAIN if name.startswith("superlative-")]
    with Database.open(library) as database:
        found = sample(from_sqlite(library), database, language="en", count=60, seed=4, structures=superlatives)
        assert {one.structure for one in found} == {*superlatives}
        for one in found:
            query, limit = one.sql.rsplit(" LIMIT ", 1)
            assert len(database.fetch(query).rows) > int(limit), one.sql


@pytest.mark.parametrize(
    ("name", "said", "table", "event"),
    [
        ("return_dt", "return date", "loan", ("done", "returned", True)),
        ("shipped_at", "shipped at", "order", ("done", "shipped", True)),
        ("death_yr", "death year", "author", ("act", "died", True)),
        ("date_joined", "date joined", "member", ("act", "joined", False)),
        ("birth_date", "birth date", "member", ("done", "born", False)),
        ("归还日期", "归还日期", "借阅", ("done", "归还", True)),
        ("loan_dt", "loan date", "loan", None),
        ("order_date", "date", "order", None),
        ("speed", "speed", "car", None),
    ],
)
def test_deeds_of_dates(name, said, table, event):
    found = event_of(name, said, table, "en" if said.isascii() else "zh")
    assert (found and (found.kind, found.past, found.open)) == event


def test_verbs_of_tables():
    verb = verb_of_table(["order", "items"], "en")
    assert verb is not None
    assert (verb.base, verb.past, verb.passive) == ("order", "ordered", "ordered by")
    chinese = verb_of_table(["loans"], "zh")
    assert chinese is not None
    assert chinese.base == "借"
    assert verb_of_table(["departments"], "en") is None
