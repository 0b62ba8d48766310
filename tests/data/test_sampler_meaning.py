"""What columns mean is sampled: times, durations, flags, numbers in text, keys into the same table."""

from __future__ import annotations

import random
import re
from datetime import date, datetime, timedelta
from itertools import product

import pytest
from sampler_drafts import Drafts, ways, wordings
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.meaning.profiling import profile_of
from querent.meaning.sql import recurring, within
from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.sampler import STRUCTURES, clock_of, sample
from querent.sampler.facts.flag_words import FlagWords, flag_words
from querent.sampler.facts.profiling import profile
from querent.sampler.parts.draws import SamplingFrame
from querent.sampler.structures import PLAIN

SCHEMA = """
CREATE TABLE nurse (
    nurse_id INTEGER PRIMARY KEY, name TEXT, head_nurse_id INTEGER REFERENCES nurse (nurse_id), date_of_birth DATE,
    ward TEXT, salary INTEGER, bonus TEXT, is_certified INTEGER, has_locker TEXT
);
CREATE TABLE visit (
    visit_id INTEGER PRIMARY KEY, nurse_id INTEGER REFERENCES nurse (nurse_id), requested TEXT, completed TEXT,
    room TEXT, cost TEXT, urgent TEXT
);
CREATE TABLE delivery (delivery_id INTEGER PRIMARY KEY, supplier TEXT, received TEXT, weight TEXT, boxes INTEGER);
CREATE TABLE reading (reading_id INTEGER PRIMARY KEY, device TEXT, taken_at INTEGER, pulse INTEGER);
"""
NAMES = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")
MEANT = re.compile("(?:span|bound|range|recent|recurring|part|elapsed|age|flag|open|written|self|told|best|nth)-")
NAMED = [name for name in STRUCTURES if MEANT.match(name)]
SPANS = re.compile("(?:told-)?(?:(?:span|bound|range|recent|recurring)-|part-in-year|part-since)")


def _day(n):
    return date(2021, 1, 1) + timedelta(days=n * 37 % 1000)


def _rows():
    visits = []
    for n in range(160):
        day = _day(n)
        left = day + timedelta(days=n * n % 23 + 17 * (n == 41))
        visits.append((
            n, n * n % 29, f"{day} {n % 24:02}:15:00", None if n % 6 == 0 else f"{left} {n % 24:02}:45:00",
            ("Atrium", "Bay", "Court")[n * n % 11 % 3], f"${1 + n * 7 % 9},{n * 13 % 1000:03}", "YN"[n % 3 == 0],
        ))  # fmt: skip
    return {
        "nurse": [
            (n, f"{NAMES[n % 10]} {'HJKL'[n // 10]}", (0, 0, 0, 1, 2, 2, 4)[n % 7] if n else None,
             f"19{60 + n}-0{1 + n % 9}-1{n % 9}", ("North", "South", "West")[n * n % 5 % 3], 2000 + n * n % 37 * 50,
             f"${1 + n % 5},{n * 17 % 1000:03}", int(n % 3 > 0), "YN"[n % 4 == 0])
            for n in range(36)
        ],
        "visit": visits,
        "delivery": [
            (n, f"{NAMES[n * n % 5]} Ltd", f"{_day(n * 3):%d/%m/%Y}", f"{2 + n * n % 41} kg", 1 + n % 7)
            for n in range(120)
        ],
        "reading": [
            (n, f"{NAMES[n % 4]} {n % 3}", int(datetime.combine(_day(n), datetime.min.time()).timestamp()) + 3600 * n,
             60 + n * n % 41)
            for n in range(150)
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    file = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    return write_sqlite(file, SCHEMA, _rows())


@pytest.fixture(scope="module")
def known(clinic):
    with Database.open(clinic) as database:
        return profile_of(database, from_sqlite(clinic))


@pytest.fixture(scope="module")
def samples(clinic, known):
    with Database.open(clinic, timeout=2.0) as database:
        told = {"count": 400, "seed": 9, "now": clock_of(known), "profile": known, "structures": NAMED}
        return {x: sample(from_sqlite(clinic), database, language=x, **told) for x in ("en", "zh")}


def test_the_clock_is_that_of_the_last_day(known):
    clock = clock_of(known)
    assert clock is not None
    assert clock.date() >= max(map(_day, range(160)))
    assert clock.year == 2023


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_structure_is_drawn_and_answers(samples, clinic, language):
    assert {s.structure for s in samples[language]} == {*NAMED}
    with Database.open(clinic) as database:
        assert [s.sql for s in samples[language] if not database.fetch(s.sql).rows] == []


def test_each_structure_has_eight_wordings(drafts):
    rng = random.Random(2)
    for language, name in product(("en", "zh"), NAMED):
        said = wordings(drafts.first(language, name), language, rng)
        assert len(said) >= 8, (language, name, said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_read_of_a_question_is_the_interval_of_its_query(samples, known, language):
    read, asked, clock = 0, 0, clock_of(known)
    assert clock is not None
    storages = [(name, column.time) for (_, name), column in known.columns.items() if column.time is not None]
    for one in (s for s in samples[language] if SPANS.match(s.structure)):
        for said in one.sayings:
            asked += 1
            spans = find_spans(QuestionText(said, language), now=one.now or clock)
            read += any(_written(span, name, storage) in one.sql for span in spans for name, storage in storages)
    assert asked > 500
    assert read >= 0.95 * asked


def _written(span, name, storage):
    if span.part is not None:
        return recurring(name, storage, "sqlite", span.part, span.numbers)
    return within(name, storage, "sqlite", *span.interval)


def test_only_what_hangs_on_the_clock_says_so(samples):
    clocked = {s.structure.partition("-")[0] for s in samples["en"] if s.now is not None}
    assert clocked == {"recent", "age"}
    assert all(s.now is not None for s in samples["zh"] if s.structure.startswith(("recent-", "age-")))


def test_without_a_clock_nothing_hangs_on_one(clinic):
    with Database.open(clinic) as database:
        found = sample(from_sqlite(clinic), database, language="en", count=300, seed=6)
    assert not any(s.structure.startswith(("recent-", "age-")) for s in found)


def test_the_same_seed_draws_the_same(clinic, known):
    told = {"language": "zh", "count": 90, "now": clock_of(known), "profile": known}
    with Database.open(clinic) as database:
        first, again, other = (sample(from_sqlite(clinic), database, seed=n, **told) for n in (3, 3, 4))
    assert first == again
    assert first != other


SHAPES = [
    ("flag-not-count", r"SELECT COUNT\(\*\) FROM nurse WHERE is_certified = 0", "not certified", "否"),
    ("flag-count", r"SELECT COUNT\(\*\) FROM nurse WHERE has_locker = 'Y'", "have locker", "locker为是"),
    ("flag-each", r"SELECT urgent, COUNT\(\*\) FROM visit GROUP BY urgent", "not urgent", "各"),
    ("open-entities", r"SELECT visit_id FROM visit WHERE completed IS NULL", "not completed yet", "尚未完成"),
    ("written-aggregate", r"SELECT SUM\(CAST\(REPLACE\(REPLACE\(cost, .* AS REAL\)\) FROM visit", "total cost", "总和"),
    ("written-aggregate", r"SELECT AVG\(CAST\(REPLACE\(REPLACE\(weight, .*", "average weight", "平均weight"),
    ("written-order", r"SELECT .* ORDER BY CAST\(REPLACE\(REPLACE\(cost, .* AS INTEGER\) DESC", "by cost", "cost"),
    ("self-parent", r"SELECT nurse_2.name FROM nurse JOIN nurse AS nurse_2 ON .* WHERE nurse.name = '.*'",
     "report to", "向谁汇报"),
    ("self-children", r"SELECT nurse.name FROM nurse JOIN nurse AS nurse_2 ON .* WHERE nurse_2.name = '.*'",
     "who reports to", "的下属"),
    ("self-count-each", r"SELECT nurse_2.name, COUNT\(\*\) FROM nurse JOIN nurse .* GROUP BY nurse_2.nurse_id",
     "for each head", "下属"),
    ("self-beyond", r"SELECT nurse.name FROM nurse JOIN .* WHERE nurse.salary > nurse_2.salary", "earns more", "挣得"),
    ("self-without", r"SELECT name FROM nurse WHERE head_nurse_id IS NULL", "without a head", "没有负责人"),
    ("elapsed-average", r"SELECT AVG\(JULIANDAY\(DATE\(completed\)\) - JULIANDAY\(DATE\(requested\)\)\) FROM visit",
     "on average", "平均"),
    ("age-average", r"SELECT AVG\(\(\d{8} - STRFTIME\('%Y%m%d', date_of_birth\)\) / 10000\) FROM nurse",
     "how old are our nurses on average", "平均年龄"),
    ("span-count", r"SELECT COUNT\(\*\) FROM reading WHERE taken_at >= \d{10} AND taken_at < \d{10}", "readings", "年"),
    ("part-count", r"SELECT STRFTIME\('%Y-%m', DATETIME\(taken_at, 'unixepoch'\)\), COUNT.*", "monthly", "每月"),
    ("part-top", r"SELECT .*received.* ORDER BY COUNT\(\*\) DESC LIMIT 1", "most deliveries", "最多"),
]  # fmt: skip


@pytest.fixture(scope="module")
def drafts(clinic, known):
    with Database.open(clinic) as database:
        schema = from_sqlite(clinic)
        frames = [SamplingFrame.of(schema, database, x, known, clock_of(known)) for x in ("en", "zh")]
    return Drafts(PLAIN, *frames)


@pytest.mark.parametrize(("structure", "sql", "english", "chinese"), SHAPES)
def test_shapes_and_their_words(drafts, structure, sql, english, chinese):
    for language, words in (("en", english), ("zh", chinese)):
        found = [draft for draft in drafts[language, structure] if re.fullmatch(sql, draft.sql)]
        assert found, {draft.sql for draft in drafts[language, structure]}
        rng = random.Random(3)
        assert any(words in one for one in ways(found[:10], language, rng, 60))


def test_words_of_flags(clinic, known):
    with Database.open(clinic) as database:
        tables = profile(from_sqlite(clinic), database, "en", known)
    told = {c.sql: flag_words(c, "en") for t in tables for c in t.columns if c.profile.flag is not None}
    assert told == {
        "is_certified": FlagWords("adj", "certified"),
        "has_locker": FlagWords("has", "locker"),
        "urgent": FlagWords("adj", "urgent"),
    }


ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_best_of_each_group_have_its_best_value(samples, clinic, language):
    best = [s for s in samples[language] if s.structure.startswith("best-each") and " AND " not in s.sql]
    assert best
    with Database.open(clinic) as database:
        for one in best:
            told = re.search(r"\((\S+), (\S+)\) IN \(SELECT \S+, (M..)\(", one.sql)
            assert told is not None
            key, value, end = told.groups()
            whole = one.sql.split(" WHERE ")[0]
            later = whole.replace("SELECT ", f"SELECT {key}, {value}, ", 1)
            rows = database.query(later).rows
            choose = max if end == "MAX" else min
            due = {group: choose(v for k, v, *_ in rows if k == group) for group in {row[0] for row in rows}}
            wanted = sorted(str(tuple(row[2:])) for row in rows if row[1] == due[row[0]])
            assert sorted(str(tuple(row)) for row in database.query(one.sql).rows) == wanted


def test_the_third_has_two_before_it(samples, clinic):
    ranked = [s for s in samples["en"] if s.structure.startswith("nth")]
    assert ranked
    with Database.open(clinic) as database:
        for one in ranked:
            place = next(n for word, n in ORDINALS.items() if re.search(rf"\b{word}\b", one.question, re.IGNORECASE))
            rows = database.query(one.sql.split(" LIMIT ")[0]).rows
            assert database.query(one.sql).rows == rows[place - 1 : place]
