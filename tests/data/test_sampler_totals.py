"""What asks for totals is sampled: how many things numbers count, groups ranked by a total, how far values spread."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from sampler_drafts import Drafts, ways, wordings
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column, Table
from querent.sampler import STRUCTURE_KINDS, sample
from querent.sampler.facts.counted_things import base_of, counted_things
from querent.sampler.facts.facts import ColumnFacts, TableFacts
from querent.sampler.facts.verbalisation import Noun, column_noun
from querent.sampler.parts.draws import SamplingFrame
from querent.sampler.structures import ALL, KINDS

SCHEMA = """
CREATE TABLE orchard (orchard_id INTEGER PRIMARY KEY, name TEXT, region TEXT, number_of_trees INTEGER);
CREATE TABLE harvest (
    harvest_id INTEGER PRIMARY KEY, orchard_id INTEGER REFERENCES orchard (orchard_id), sort TEXT, picked_on DATE,
    crates INTEGER, wage REAL, sweetness_rating INTEGER
);
CREATE TABLE town (town_id INTEGER PRIMARY KEY, name TEXT, coast TEXT, population INTEGER);
CREATE TABLE market (
    market_id INTEGER PRIMARY KEY, name TEXT, market_date DATE, attendance INTEGER,
    town_id INTEGER REFERENCES town (town_id)
);
"""
WORDS = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")
NAMES = (*KINDS["tallies"], *KINDS["rankings"], *KINDS["of-groups"])


def _rows():
    return {
        "orchard": [(n, f"{WORDS[n]} Hill", ("north", "south", "west")[n * n % 3], 40 + n * n) for n in range(10)],
        "harvest": [
            (n, n * n % 11 % 10, ("Gala", "Elstar", "Boskoop")[n * n % 7 % 3], f"202{n % 4}-0{1 + n % 9}-1{n * n % 10}",
             3 + n * n % 89, 10.5 + n * 7 % 31, 1 + n % 5)
            for n in range(120)
        ],
        "town": [(n, f"{WORDS[n % 10]}ton{'abc'[n // 10]}", ("east", "none")[n * n % 5 % 2], 1200 + 731 * n * n % 9973)
                 for n in range(30)],
        "market": [(n, f"{WORDS[n % 10]} market {'ABCD'[n // 10]}", f"202{n % 3}-0{1 + n % 8}-0{1 + n % 9}",
                    50 + n * n % 461, n * n % 29) for n in range(40)],
    }  # fmt: skip


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    return write_sqlite(tmp_path_factory.mktemp("farm") / "farm.sqlite", SCHEMA, _rows())


@pytest.fixture(scope="module")
def samples(farm):
    with Database.open(farm, timeout=2.0) as database:
        told = {"count": 260, "seed": 3, "structures": NAMES}
        return {x: sample(from_sqlite(farm), database, language=x, **told) for x in ("en", "zh")}


@pytest.fixture(scope="module")
def drafts(farm):
    with Database.open(farm) as database:
        frames = [SamplingFrame.of(from_sqlite(farm), database, x) for x in ("en", "zh")]
    return Drafts(ALL, *frames)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_structure_is_drawn_and_answers(samples, farm, language):
    assert {s.structure for s in samples[language]} == {*NAMES}
    with Database.open(farm) as database:
        assert [s.sql for s in samples[language] if not database.fetch(s.sql).rows] == []


def test_each_structure_has_eight_wordings(drafts):
    rng = random.Random(2)
    for language, name in product(("en", "zh"), NAMES):
        said = wordings(drafts.first(language, name), language, rng)
        assert len(said) >= 8, (language, name, said)


EACH = r"FROM \(SELECT COUNT\(\*\) AS c1 FROM harvest"
CRATES = r"SUM\((?:harvest\.)?crates\)"
SHAPES = [
    ("tally-all", rf"SELECT {CRATES} FROM harvest", "how many crates were picked", "总crates数"),
    ("tally-all", r"SELECT SUM\(population\) FROM town", "how many people live in all towns", "多少人"),
    ("tally-if", rf"SELECT {CRATES} FROM harvest WHERE sort = '\w+'", "number of crates", "多少crates"),
    ("tally-in", rf"SELECT {CRATES} FROM harvest WHERE picked_on >= .*", "crates were picked in 202", "多少crates"),
    ("tally-in", r"SELECT SUM\(attendance\) FROM market WHERE market_date >= .*",
     "people came to the markets", "多少人参加"),
    ("tally-of", rf"SELECT {CRATES} FROM harvest JOIN orchard .* WHERE orchard.name = '.*'", "pick", "多少crates"),
    ("tally-each", rf"SELECT sort, {CRATES} FROM harvest GROUP BY sort", "crates per sort", "按sort"),
    ("tally-each-of", rf"SELECT orchard.name, {CRATES} FROM .* GROUP BY orchard.name", "did each orchard pick",
     "收获了"),
    ("tally-most", rf"SELECT sort FROM harvest GROUP BY sort ORDER BY {CRATES} DESC LIMIT 1", "most crates", "数最多"),
    ("tally-most-of", rf"SELECT orchard.name FROM .* WHERE .* GROUP BY .* ORDER BY {CRATES} DESC LIMIT 1",
     "orchard picked the most crates in 202", "收获的crates数最多"),
    ("tally-row", r"SELECT name FROM orchard ORDER BY number_of_trees DESC LIMIT 1", "orchard has the most trees",
     "最多"),
    ("tally-one", r"SELECT number_of_trees FROM orchard WHERE name = '.*'", "how many trees does",
     "有多少number of trees"),
    ("rank-total", r"SELECT sort, SUM\(wage\) FROM harvest GROUP BY sort ORDER BY SUM\(wage\) DESC",
     "rank the sorts by total wage", "sort按总wage"),
    ("rank-mean-of", r"SELECT orchard.name, AVG\(harvest.wage\) FROM .* ORDER BY AVG\(harvest.wage\)",
     "orchards ranked by average wage, lowest first", "按平均wage从低到高"),
    ("rank-count-of", r"SELECT orchard.name, COUNT\(\*\) FROM .* ORDER BY COUNT\(\*\) DESC", "by number of harvests",
     "排名"),
    ("spread-all", r"SELECT MAX\(wage\) - MIN\(wage\) FROM harvest",
     "difference between the highest and the lowest wage", "最高wage与最低wage之差"),
    ("spread-if", r"SELECT MAX\(wage\) - MIN\(wage\) FROM harvest WHERE .*", "wage range of", "wage的极差"),
    ("spread-each-of", r"SELECT orchard.name, MAX\(harvest.wage\) - MIN\(harvest.wage\) FROM .* GROUP BY orchard.name",
     "for each orchard", "wage极差"),
    ("spread-most", r"SELECT sort FROM harvest GROUP BY sort ORDER BY MAX\(wage\) - MIN\(wage\) DESC LIMIT 1",
     "sort has the largest wage range", "差"),
    ("counts-average", rf"SELECT AVG\(t1.c1\) {EACH} GROUP BY sort\) AS t1",
     "average number of harvests per sort", "平均"),
    ("counts-average-of", r"SELECT AVG\(t1.c1\) FROM \(SELECT COUNT\(\*\) AS c1 FROM .* JOIN .*\) AS t1",
     "does the average orchard have", "平均每个"),
    ("counts-most-of", r"SELECT MAX\(t1.c1\) FROM .*", "most harvests any orchard has", "最多有"),
    ("counts-gap-of", r"SELECT MAX\(t1.c1\) - MIN\(t1.c1\) FROM .* AS t1", "how many more", "相差"),
    ("totals-average", r"SELECT AVG\(t1.c1\) FROM \(SELECT SUM\(wage\) AS c1 FROM harvest GROUP BY sort\) AS t1",
     "average total wage", "总wage"),
]  # fmt: skip


@pytest.mark.parametrize(("structure", "sql", "english", "chinese"), SHAPES)
def test_shapes_and_their_words(drafts, structure, sql, english, chinese):
    for language, words in (("en", english), ("zh", chinese)):
        found = [draft for draft in drafts[language, structure] if re.fullmatch(sql, draft.sql)]
        assert found, {draft.sql for draft in drafts[language, structure]}
        rng = random.Random(3)
        assert any(words in one for one in ways(found[:12], language, rng, 80))


def test_only_what_counts_is_added_up(samples):
    summed = re.compile(r"SUM\((?:CAST\()?(?:\w+\.)?(\w+)")
    tallied = {m[1] for s in samples["en"] if s.structure in KINDS["tallies"] for m in summed.finditer(s.sql)}
    assert tallied == {"crates", "number_of_trees", "population", "attendance"}


def test_rows_themselves_are_counted_as_before(farm):
    with Database.open(farm) as database:
        found = sample(
            from_sqlite(farm), database, language="en", count=60, seed=1, structures=("count", "group-count")
        )
    assert any(re.fullmatch(r"SELECT COUNT\(\*\) FROM harvest", s.sql) for s in found)
    assert {said.lower() for s in found for said in s.sayings} & {"how many harvests do we have?"}


def test_what_two_columns_count_is_not_asked_without_its_table(tmp_path):
    ddl = """
    CREATE TABLE hall (hall_id INTEGER PRIMARY KEY, name TEXT, seats INTEGER);
    CREATE TABLE tent (tent_id INTEGER PRIMARY KEY, name TEXT, seats INTEGER, halls INTEGER);
    """
    rows = {name: [(n, WORDS[n], 9 + n * n, *more) for n in range(10)] for name, more in (("hall", ()), ("tent", (3,)))}
    with Database.open(write_sqlite(tmp_path / "a.sqlite", ddl, rows)) as database:
        found = sample(from_sqlite(tmp_path / "a.sqlite"), database, language="en", count=50, seed=1,
                       structures=STRUCTURE_KINDS["tallies"])  # fmt: skip
    assert found == []  # halls are counted by their rows


def _column(name, cells, language="en"):
    noun = Noun("sale", "sales") if language == "en" else Noun("销售", "销售")
    said = column_noun(name, "", noun, language, named=False)
    column = ColumnFacts(Column(name, "int"), "sale", name, said, "number", "", tuple(cells), False)
    return column, TableFacts(Table("sale", ()), "sale", noun, (column,), (), len(cells), False)


WHOLE = (2, 5, 9)
THINGS = [
    ("bottles", WHOLE, "en", ("bottles", "sold")),
    ("number_of_platforms", WHOLE, "en", ("platforms", "sold")),
    ("num_of_shops", WHOLE, "en", ("shops", "sold")),
    ("dock_count", WHOLE, "en", ("docks", "sold")),
    ("copies_printed", WHOLE, "en", ("copies", "printed")),
    ("quantity", WHOLE, "en", ("units", "sold")),
    ("quantity_returned", WHOLE, "en", ("units", "returned")),
    ("total_passengers", WHOLE, "en", ("passengers", "sold")),
    ("tonnes", (1.5, 2.25), "en", ("tonnes", "sold")),
    ("points", (0, 3, 9), "en", ("points", "sold")),
    ("population", WHOLE, "en", ("people", "sold")),
    ("箱数", WHOLE, "zh", ("箱", "卖出")),
    ("座位数量", WHOLE, "zh", ("座位", "卖出")),
    ("学生人数", WHOLE, "zh", ("学生", "卖出")),
    ("报名人数", WHOLE, "zh", ("报名的人", "卖出")),
    ("销量", WHOLE, "zh", ("件", "卖出")),
    ("人口", WHOLE, "zh", ("人", "卖出")),
]
NOTHING = [
    ("price", WHOLE, "en"), ("prices", WHOLE, "en"), ("sales", WHOLE, "en"), ("crates", (1.5, 2.5), "en"),
    ("average_passengers", WHOLE, "en"), ("pages_per_minute", WHOLE, "en"), ("points", (80, 95), "en"),
    ("age", WHOLE, "en"), ("error_rate", WHOLE, "en"), ("price_in_dollars", WHOLE, "en"), ("milliseconds", WHOLE, "en"),
    ("单价", WHOLE, "zh"), ("分数", WHOLE, "zh"), ("平均座位数", WHOLE, "zh"), ("总数", WHOLE, "zh"),
    ("届数", WHOLE, "zh"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "language", "things"), THINGS)
def test_what_numbers_count(name, cells, language, things):
    found = counted_things(*_column(name, cells, language), language)
    assert found is not None
    assert (found.noun.many, found.past) == things


@pytest.mark.parametrize(("name", "cells", "language"), NOTHING)
def test_what_counts_nothing(name, cells, language):
    assert counted_things(*_column(name, cells, language), language) is None


@pytest.mark.parametrize(
    ("past", "base"), [("sold", "sell"), ("picked", "pick"), ("flung", ""), ("采摘", "采摘"), ("", "")]
)
def test_verbs_of_what_was_done(past, base):
    assert base_of(past) == base


def test_the_day_a_shop_opened_is_not_that_of_its_stock(tmp_path):
    ddl = """
    CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, name TEXT, opened_on DATE, shelves INTEGER);
    CREATE TABLE stock (stock_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (shop_id), quantity INTEGER);
    """
    rows = {
        "shop": [(n, WORDS[n], f"202{n % 4}-0{1 + n % 9}-11", 3 + n) for n in range(10)],
        "stock": [(n, n * n % 9, 5 + n * n % 37) for n in range(40)],
    }
    with Database.open(write_sqlite(tmp_path / "a.sqlite", ddl, rows)) as database:
        schema = from_sqlite(tmp_path / "a.sqlite")
        found = sample(schema, database, language="en", count=80, seed=1, structures=STRUCTURE_KINDS["tallies"])
    assert {"tally-of", "tally-each-of"} <= {s.structure for s in found}
    assert "tally-in" not in {s.structure for s in found}
