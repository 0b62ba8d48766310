"""Sampled queries run, answer, and are said in whole sentences of their language."""

from __future__ import annotations

import re

import pytest
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.sampler import STRUCTURES, sample

SCHEMA = """
CREATE TABLE artist (artist_id INTEGER PRIMARY KEY, name TEXT, country TEXT, birth_year INTEGER);
CREATE TABLE genre (genre_id INTEGER PRIMARY KEY, name TEXT, style TEXT, popularity INTEGER);
CREATE TABLE album (
    album_id INTEGER PRIMARY KEY, title TEXT, price REAL, old_price REAL, released DATE, label TEXT,
    artist_id INTEGER REFERENCES artist (artist_id), genre_id INTEGER REFERENCES genre (genre_id)
);
CREATE TABLE track (
    track_id INTEGER PRIMARY KEY, name TEXT, seconds INTEGER, mood TEXT, rating INTEGER,
    album_id INTEGER REFERENCES album (album_id)
);
CREATE TABLE playlist (playlist_id INTEGER PRIMARY KEY, name TEXT, owner_country TEXT, followers INTEGER);
CREATE TABLE playlist_track (
    playlist_id INTEGER REFERENCES playlist (playlist_id), track_id INTEGER REFERENCES track (track_id),
    PRIMARY KEY (playlist_id, track_id)
);
CREATE TABLE customer (
    customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT, age INTEGER, phone TEXT
);
CREATE TABLE "order" (
    order_id INTEGER PRIMARY KEY, placed DATE, amount INTEGER, status TEXT, note TEXT,
    customer_id INTEGER REFERENCES customer (customer_id)
);
CREATE TABLE order_item (
    item_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES "order" (order_id),
    album_id INTEGER REFERENCES album (album_id), quantity INTEGER
);
CREATE TABLE review (
    review_id INTEGER PRIMARY KEY, album_id INTEGER REFERENCES album (album_id), stars INTEGER, review_date DATE
);
"""
ELSEWHERE = re.compile("recent-|age-|elapsed-|flag-|open-|written-|self-|told-")
"""Structures that want other columns, see test_sampler_meaning."""
COUNTRIES = ("France", "Spain", "New Zealand", "Chad", "Peru")
NAMES = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    file = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    return write_sqlite(file, SCHEMA, _rows())


def _rows():
    many, some = range(1, 41), range(1, 13)
    named = [f"{NAMES[n % 10]} {chr(65 + n // 10)}" for n in range(60)]
    return {
        "artist": [(n, f"The {named[n]}", COUNTRIES[n % 3], 1960 + n) for n in some],
        "genre": [(n, f"{NAMES[n]} rock", ("loud", "soft")[n % 2], 10 * n * n) for n in range(1, 9)],
        "album": [
            (n, f"Songs of {named[n]}", 5 + n / 4, 6 + n / 2, f"20{10 + n % 9}-0{1 + n % 8}-1{n % 10}",
             ("Blue", "Red", "Gold")[n * n % 3], 1 + n * n % 9, 1 + n * n % 7)
            for n in many
        ],
        "track": [(n, f"Ode to {named[n]}", 100 + 7 * n, ("sad", "gay")[n % 2], n % 6, 1 + n * n % 30) for n in many],
        "playlist": [(n, f"{named[n]} mix", COUNTRIES[n % 4], 3 * n * n) for n in some],
        "playlist_track": [(n, m) for n in some for m in many if m % (n + 1) == 0],
        "customer": [
            (n, named[n].split()[0], f"Smith{named[n][-1]}", COUNTRIES[1 + n % 4], 20 + n, f"0{n}-55{n}") for n in many
        ],
        "order": [
            (n, f"202{n % 4}-0{1 + n % 9}-0{1 + n % 7}", n * n % 97, ("open", "paid", "sent", "lost")[n * n % 11 % 4],
             None if n % 2 else "please ring the bell", 1 + n * n % 17)
            for n in many
        ],
        "order_item": [(n, 1 + n * n % 39, 1 + n * n % 31, 1 + n % 4) for n in many],
        "review": [
            (n, 1 + n * n % 23, 1 + n * n % 5, f"202{3 + n * n % 3}-0{1 + n * n % 5}-0{1 + n % 9}") for n in many
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def samples(shop):
    schema = from_sqlite(shop)
    with Database.open(shop, timeout=2.0) as database:
        return {x: sample(schema, database, language=x, count=1200, seed=2) for x in ("en", "zh")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_query_runs_and_answers(samples, shop, language):
    with Database.open(shop) as database:
        silent = [s.sql for s in samples[language] if not _says(database.fetch(s.sql).rows)]
    assert silent == []
    assert len({s.sql for s in samples[language]}) == len(samples[language])


def _says(rows):
    return any(cell is not None for row in rows for cell in row)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_structure_occurs(samples, shop, language):
    wanted = {name for name in STRUCTURES if not ELSEWHERE.match(name)}
    found = {s.structure for s in samples[language]}
    assert found <= wanted
    rare = sorted(wanted - found)  # chance leaves out one or another
    with Database.open(shop) as database:
        more = sample(from_sqlite(shop), database, language=language, count=5 * len(rare), seed=3, structures=rare)
    assert {s.structure for s in more} == {*rare}


def test_structures_come_equally_often(shop):
    schema = from_sqlite(shop)
    with Database.open(shop) as database:
        found = sample(schema, database, language="en", count=180, seed=1)
    counts = [sum(s.structure == name for s in found) for name in {s.structure for s in found}]
    assert max(counts) <= 3


def test_the_same_seed_gives_the_same_samples(shop):
    schema = from_sqlite(shop)
    with Database.open(shop) as database:
        first, again, other = (sample(schema, database, language="en", count=80, seed=s) for s in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sayings_are_whole_and_different(samples, language):
    for found in samples[language]:
        assert found.question == found.sayings[0]
        assert len(set(found.sayings)) == len(found.sayings) >= 4
        for said in found.sayings:
            assert not re.search(r"[{}\[\]<>|]|  |\bNone\b", said), said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_structure_has_eight_wordings(samples, language):
    most = {}
    for found in samples[language]:
        most[found.structure] = max(most.get(found.structure, 0), len({s.casefold() for s in found.sayings}))
    assert {name: count for name, count in most.items() if count < 8} == {}


def test_chinese_has_no_english_template_words(samples):
    # names of the schema and values of the database are English here, and nothing else may be
    known = set(re.findall(r"[a-z]+", SCHEMA.lower()))
    values = {word for rows in _rows().values() for row in rows for word in re.findall(r"[a-z]+", str(row).lower())}
    for found in samples["zh"]:
        for said in found.sayings:
            foreign = [w for w in re.findall(r"[a-z]+", said.lower()) if w not in known | values]
            assert [w for w in foreign if len(w) > 2 and not any(w in v for v in values)] == [], said
            assert re.search(r"[\u4e00-\u9fff]", said)


def test_values_of_the_query_are_in_the_question(samples):
    for found in (s for s in samples["en"] if s.structure in {"filter-eq", "filter-number", "lookup", "count-eq"}):
        value = re.search(r"(?:=|>|<|>=|<=) '?([^']+?)'?$", found.sql)
        assert value is not None, found.sql
        assert all(value[1] in said for said in found.sayings)


def test_ids_and_codes_are_never_added_up(samples):
    sums = [s.sql for s in samples["en"] if re.search(r"(?:AVG|SUM|MAX|MIN)\([\w.]*(?:_id|phone|year)\b", s.sql)]
    assert [sql for sql in sums if not re.search(r"birth_year(?: =|\) IN) \(SELECT", sql)] == []


def test_superlatives_have_one_answer(samples, shop):
    with Database.open(shop) as database:
        for found in (s for s in samples["en"] if s.structure == "top"):
            key = re.search(r"ORDER BY (\w+)", found.sql)
            assert key is not None
            table = re.search(r'FROM (\w+|"\w+")', found.sql)
            assert table is not None
            end = "DESC" if "DESC" in found.sql else ""
            rows = database.query(f"SELECT {key[1]} FROM {table[1]} ORDER BY {key[1]} {end} LIMIT 2").rows
            assert rows[0] != rows[1], found.sql


def test_without_a_database_no_values_are_made_up(shop):
    found = sample(from_sqlite(shop), None, language="en", count=100, seed=1)
    assert len(found) > 50
    assert [s.sql for s in found if re.search(r"'|WHERE \w+ [<>=]+ \d", s.sql)] == []
    with Database.open(shop) as database:
        for one in found:
            database.query(one.sql)


@pytest.fixture(scope="module")
def gym(tmp_path_factory):
    levels = ("gold", "silver", "long-term", "x1")
    ddl = (
        "CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, level TEXT, code TEXT, "
        "is_active INTEGER, has_locker INTEGER, points INTEGER)"
    )
    rows = [(n, f"{NAMES[n % 10]} {n}", levels[n % 3], levels[n % 4], n % 2, n % 3 > 0, 7 * n) for n in range(1, 41)]
    return write_sqlite(tmp_path_factory.mktemp("gym") / "gym.sqlite", ddl, {"member": rows})


@pytest.mark.parametrize(
    ("language", "values", "flags"),
    [("en", {"gold members", "long-term members"}, {"active members"}), ("zh", {"gold的", "long-term的"}, set())],
)
def test_conditions_stand_before_the_noun(gym, language, values, flags):
    with Database.open(gym) as database:
        found = sample(from_sqlite(gym), database, language=language, count=400, seed=2)
    found = [s for s in found if s.structure.startswith("adjective-")]
    assert {s.structure for s in found} >= {"adjective-count", "adjective-names", "adjective-columns"}
    sayings = {said.lower() for s in found for said in s.sayings}
    for words in values | flags:
        assert any(words in said for said in sayings), (words, sayings)
    for one in found:
        _, where = one.sql.split(" WHERE ")
        assert re.fullmatch(r"level = '[a-z-]+'|is_active = 1", where), one.sql  # codes are no adjectives
        if language == "en":
            word = re.search(r"'(.+)'", where)
            assert all((word[1] if word else "active") in said.lower() for said in one.sayings)
    assert any(s.sql.endswith("is_active = 1") for s in found) == bool(flags)
    assert not any("has locker member" in said or "is active" in said for said in sayings)
