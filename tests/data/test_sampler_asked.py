"""What strangers asked is sampled: counts with those that have none, two counts at once, times told by a verb."""

from __future__ import annotations

import random
import re

import pytest
from sampler_drafts import Drafts, ways, wordings
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.events import event_of
from querent.meaning.profiling import profile_of
from querent.sampler import STRUCTURE_KINDS, sample
from querent.sampler.parts.draws import SamplingFrame
from querent.sampler.structures import ALL

SCHEMA = """
CREATE TABLE gallery (gallery_id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE artwork (
    artwork_id INTEGER PRIMARY KEY, title TEXT, gallery_id INTEGER REFERENCES gallery (gallery_id), acquired_on DATE,
    made_year INTEGER
);
CREATE TABLE tour (
    tour_id INTEGER PRIMARY KEY, gallery_id INTEGER REFERENCES gallery (gallery_id), guide TEXT, price INTEGER
);
"""
WORDS = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")
ASKED = (*STRUCTURE_KINDS["with-none"], *STRUCTURE_KINDS["told"])
VERBS = {
    "en": {"acquired_on": "acqui", "made_year": r"\bmade"},
    "zh": {"acquired_on": "购入|acquired", "made_year": "制作|made"},
}


def _rows():
    return {
        "gallery": [(n, f"{WORDS[n]} hall", ("Rome", "Oslo")[n % 2]) for n in range(10)],
        "artwork": [
            (n, f"{WORDS[n % 10]} {'abcdef'[n // 10]}", n * n % 7, f"20{18 + n * n % 11 % 6}-0{1 + n % 9}-1{n % 10}",
             1900 + n * n % 97)
            for n in range(60)
        ],
        "tour": [(n, 3 + n * n % 5, f"{WORDS[n % 3]} Guide", 5 + n) for n in range(25)],
    }  # fmt: skip


@pytest.fixture(scope="module")
def museum(tmp_path_factory):
    return write_sqlite(tmp_path_factory.mktemp("museum") / "museum.sqlite", SCHEMA, _rows())


@pytest.fixture(scope="module")
def samples(museum):
    with Database.open(museum) as database:
        told = {"count": 400, "seed": 4, "structures": ASKED}
        return {x: sample(from_sqlite(museum), database, language=x, **told) for x in ("en", "zh")}


@pytest.fixture(scope="module")
def drafts(museum):
    schema = from_sqlite(museum)
    with Database.open(museum) as database:
        frames = [SamplingFrame.of(schema, database, x, profile_of(database, schema)) for x in ("en", "zh")]
    return Drafts(ALL, *frames)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_structure_is_drawn_in_eight_wordings(samples, drafts, language):
    assert {one.structure for one in samples[language]} == set(ASKED)
    rng = random.Random(2)
    for name in ASKED:
        said = wordings(drafts.first(language, name), language, rng)
        assert len(said) >= 8, (name, said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_parent_is_counted_those_with_none_as_0(samples, museum, language):
    tables = r"COUNT\((?:DISTINCT )?(artwork|tour)\."
    counted = [one for one in samples[language] if one.structure in {"none-count", "none-two-counts"}]
    assert {tuple(re.findall(tables, one.sql)) for one in counted} == {
        ("artwork",), ("tour",), ("artwork", "tour"), ("tour", "artwork")
    }  # fmt: skip
    with Database.open(museum) as database:
        for one in counted:
            counts = [
                f"(SELECT COUNT(*) FROM {table} WHERE {table}.gallery_id = gallery.gallery_id)"
                for table in re.findall(tables, one.sql)
            ]
            wanted = database.query(f"SELECT name, {', '.join(counts)} FROM gallery").rows
            assert sorted(database.query(one.sql).rows) == sorted(wanted)
            assert any(0 in row for row in wanted)


def test_how_many_each_has_leaves_out_those_with_none(museum):
    with Database.open(museum) as database:
        found = sample(from_sqlite(museum), database, language="en", count=9, seed=1, structures=("join2-group-count",))
    assert found
    for one in found:
        assert "LEFT JOIN" not in one.sql
        assert not [said for said in one.sayings if re.search(r"\bevery\b|\ball\b", said)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_say_which_time_they_mean(samples, language):
    told = [one for one in samples[language] if one.structure.startswith("told-")]
    for one in told:
        columns = [column for column in VERBS[language] if column in one.sql]
        assert len(columns) == 1
        silent = [said for said in one.sayings if not re.search(VERBS[language][columns[0]], said, re.IGNORECASE)]
        assert silent == [], one.sql
    assert {column for one in told for column in VERBS[language] if column in one.sql} == {*VERBS[language]}


SHAPES = [
    ("none-count", r"SELECT gallery.name, COUNT\(tour.gallery_id\) FROM gallery LEFT JOIN tour .*",
     "for every gallery, how many tours are there", "列出所有gallery及其tour数"),
    ("none-count-if", r"SELECT .* FROM gallery LEFT JOIN artwork .* WHERE gallery.city = 'Oslo' GROUP BY .*",
     "for all galleries in oslo, how many artworks", "的gallery各有多少个artwork，包括没有artwork的"),
    ("none-count-order", r"SELECT .* LEFT JOIN tour .* ORDER BY COUNT\(tour.gallery_id\) DESC",
     "all galleries and how many tours each has, most first", "所有gallery及其tour数量，从多到少"),
    ("none-two-counts", r"SELECT gallery.name, COUNT\(DISTINCT tour.tour_id\), COUNT\(DISTINCT artwork.artwork_id\) .*",
     "number of tours and number of artworks of every gallery", "各有多少个tour和多少个artwork"),
    ("told-bound-count", r"SELECT COUNT\(\*\) FROM artwork WHERE acquired_on >= '20\d\d-01-01'",
     "did we acquire after", "以后购入了多少个artwork"),
    ("told-bound-count", r"SELECT COUNT\(\*\) FROM artwork WHERE made_year < 19\d\d", "made before 19", "以前制作"),
    ("told-span-entities", r"SELECT title FROM artwork WHERE made_year >= 1960 AND made_year < 1970",
     "made in the 1960s", "1960年代制作"),
    ("told-span-count", r"SELECT COUNT\(\*\) FROM artwork WHERE acquired_on .*", "artwork acquisitions in", "年购入"),
    ("told-range-count", r"SELECT COUNT\(\*\) FROM artwork WHERE acquired_on .*", "acquired between", "之间购入"),
    ("told-recurring-count", r"SELECT COUNT\(\*\) FROM artwork WHERE .*acquired_on.*", "did we acquire in", "月购入"),
    ("told-part-top", r"SELECT STRFTIME\('%Y', acquired_on\) FROM artwork .* BY COUNT\(\*\) DESC LIMIT 1",
     "in which year did we acquire the most artworks", "哪一年购入的artwork最多"),
    ("told-part-since", r"SELECT STRFTIME\('%Y', acquired_on\), COUNT\(\*\) FROM .* WHERE acquired_on >= '.*",
     "were acquired in each year since 20", "以来每年购入的artwork"),
    ("told-part-count", r"SELECT made_year, COUNT\(\*\) FROM artwork GROUP BY .*", "artworks made per", "每年制作"),
]  # fmt: skip


@pytest.mark.parametrize(("structure", "sql", "english", "chinese"), SHAPES)
def test_shapes_and_their_words(drafts, structure, sql, english, chinese):
    for language, words in (("en", english), ("zh", chinese)):
        found = [draft for draft in drafts[language, structure] if re.fullmatch(sql, draft.sql)]
        assert found, {draft.sql for draft in drafts[language, structure]}
        rng = random.Random(3)
        assert any(words in re.sub("['\"“”‘’「」]", "", one) for one in ways(found[:20], language, rng, 80))


@pytest.mark.parametrize(
    ("name", "said", "table", "told"),
    [
        ("acquired_on", "date acquired", "artwork", ("done", "acquired", "acquire", "acquisitions")),
        ("made_year", "made year", "artwork", ("done", "made", "", "")),
        ("last_checked", "last checked", "animal", ("done", "checked", "check", "checks")),
        ("EMP_HIREDATE", "hire date", "employee", ("done", "hired", "hire", "hires")),
        ("emp_dob", "date of birth", "employee", ("done", "born", "", "")),
        ("admission_date", "admission date", "patient", ("done", "admitted", "admit", "admissions")),
        ("date_moved_in", "date moved in", "resident", ("act", "moved in", "move in", "")),
        ("shipped_at", "shipped at", "shipment", ("done", "shipped", "", "")),  # nobody says shipment shipments
        ("planned_delivery_date", "planned delivery date", "order", None),
        ("入库日期", "入库日期", "藏品", ("done", "入库", "入库", "")),
        ("生日", "生日", "员工", ("act", "出生", "出生", "")),
        ("计划完成日期", "计划完成日期", "项目", None),
    ],
)
def test_verbs_of_times(name, said, table, told):
    event = event_of(name, said, table, "en" if said.isascii() else "zh")
    assert (event and (event.kind, event.past, event.base, event.deeds)) == told


def test_a_verb_of_two_times_is_said_of_neither(tmp_path):
    rows = {"animal": [(n, f"2023-01-{1 + n:02}", f"2024-02-{1 + n:02}") for n in range(20)]}
    ddl = "CREATE TABLE animal (animal_id INTEGER PRIMARY KEY, check_date DATE, last_checked DATE)"
    file = write_sqlite(tmp_path / "zoo.sqlite", ddl, rows)
    with Database.open(file) as database:
        table = SamplingFrame.of(from_sqlite(file), database, "en").tables[0]
    assert [column.event for column in table.having("date")] == [None, None]
