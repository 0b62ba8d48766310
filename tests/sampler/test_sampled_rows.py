"""What sampled queries answer: what their questions ask for, counted again in Python or in another query."""

import re
from datetime import datetime
from pathlib import Path

import pytest
from cases import cases
from sampled import NAMES, Source, filled, source

from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.meaning.profile import ColumnProfile, DatabaseProfile, TimeStorage
from querent.meaning.sql import recurring, within
from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans
from querent.parser.decoding.candidates import to_plain_sql
from querent.parser.normal_form import NormalForm
from querent.sampler import STRUCTURE_KINDS, STRUCTURES, clock_of, sample
from querent.sampler.structures.top_of_each import numbered

SPANS = re.compile("(?:told-)?(?:(?:span|bound|range|recent|recurring)-|part-in-year|part-since)")
VERBS = {
    "en": {"acquired_on": "acqui", "made_year": r"\bmade"},
    "zh": {"acquired_on": "购入|acquired", "made_year": "制作|made"},
}
ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
both = pytest.mark.parametrize("language", ["en", "zh"])


def beginning(home: Source, language: str, *prefixes: str, count: int = 60):
    """Return what is sampled of the structures whose names begin so."""
    found = home.samples(language, *(name for name in STRUCTURES if name.startswith(prefixes)), count=count)
    assert found
    return found


@both
def test_what_is_read_of_a_question_is_the_interval_of_its_query(language):
    home = source("clinic")
    storages = [(name, column.time) for (_, name), column in home.profile.columns.items() if column.time is not None]

    def written(span, name, storage):
        if span.part is not None:
            return recurring(name, storage, "sqlite", span.part, span.numbers)
        return within(name, storage, "sqlite", *span.interval)

    found = home.samples(language, *filter(SPANS.match, STRUCTURES), count=80)
    read = [
        any(written(span, *held) in one.sql for span in spans for held in storages)
        for one in found
        for spans in (find_spans(QuestionText(said, language), now=one.now or home.clock) for said in one.sayings)
    ]
    assert sum(read) >= 0.95 * len(read) > 500


@both
def test_only_what_hangs_on_the_clock_is_seen_from_one(language):
    home = source("clinic")
    assert (home.clock.year, home.clock.hour) == (2023, 12)
    for one in beginning(home, language, "recent-", "age-", "span-", "elapsed-"):
        assert (one.now == home.clock) == one.structure.startswith(("recent-", "age-"))
    clocked = ["recent-count", "age-of"]
    assert sample(home.schema, home.database, language=language, count=9, seed=1, structures=clocked) == []


def test_the_clock_heeds_no_end_of_all_days():
    def stored(last):
        return ColumnProfile("time", TimeStorage("iso", "day", text=True, first="2020-01-01", last=last))

    columns = {("t", "begun"): stored("2023-05-06"), ("t", "valid_until"): stored("9999-12-31")}
    assert clock_of(DatabaseProfile(columns)) == datetime(2023, 5, 6, 12)
    assert clock_of(DatabaseProfile()) is None


@both
def test_questions_say_which_time_they_mean(language):
    verbs = VERBS[language]
    seen = set()
    for one in beginning(source("museum"), language, "told-"):
        [column] = [column for column in verbs if column in one.sql]
        assert [said for said in one.sayings if not re.search(verbs[column], said, re.IGNORECASE)] == [], one.sql
        seen.add(column)
    assert seen == verbs.keys()


@both
def test_every_parent_is_counted_those_with_none_as_0(language):
    home = source("museum")
    counted = set()
    for one in home.samples(language, "none-count", "none-two-counts"):
        tables = re.findall(r"COUNT\((?:DISTINCT )?(artwork|tour)\.", one.sql)
        counts = [f"(SELECT COUNT(*) FROM {table} AS c WHERE c.gallery_id = gallery.gallery_id)" for table in tables]
        wanted = home.rows(f"SELECT name, {', '.join(counts)} FROM gallery")
        assert sorted(home.rows(one.sql)) == sorted(wanted)
        assert any(0 in row for row in wanted)
        counted.add(tuple(tables))
    assert len(counted) == 4
    for one in home.samples(language, "join2-group-count"):  # how many each has leaves out those with none
        assert not re.search("LEFT JOIN", one.sql) and not re.search(r"\bevery\b|\ball\b|包括", str(one.sayings))


@both
def test_the_best_of_each_group_have_its_best_value(language):
    home = source("clinic")
    best = [one for one in beginning(home, language, "best-each") if " AND " not in one.sql]
    assert best
    for one in best:
        key, value, end = re.search(r"\((\S+), (\S+)\) IN \(SELECT \S+, (M..)\(", one.sql).groups()
        rows = home.rows(one.sql.split(" WHERE ")[0].replace("SELECT ", f"SELECT {key}, {value}, ", 1))
        choose = max if end == "MAX" else min
        due = {group: choose(v for k, v, *_ in rows if k == group) for group in {row[0] for row in rows}}
        wanted = sorted(str(tuple(row[2:])) for row in rows if row[1] == due[row[0]])
        assert sorted(str(tuple(row)) for row in home.rows(one.sql)) == wanted


def test_the_third_has_two_before_it():
    home = source("clinic")
    for one in beginning(home, "en", "nth"):
        place = next(n for word, n in ORDINALS.items() if re.search(rf"\b{word}\b", one.question, re.IGNORECASE))
        assert home.rows(one.sql) == home.rows(one.sql.split(" LIMIT ")[0])[place - 1 : place]


@pytest.mark.parametrize("name", NAMES)
def test_superlatives_choose_one_answer_among_several(name):
    home = source(name)
    for one in beginning(home, "en", "top-n", "top-filter", "superlative-", "tally-most", "spread-most", "part-top"):
        rest, key, most = re.fullmatch(r"SELECT .*? (FROM .*) ORDER BY (.*?)(?: DESC)? LIMIT (\d)", one.sql).groups()
        order = one.sql.rpartition(" ORDER BY ")[2].rpartition(" LIMIT ")[0]
        rows = home.rows(f"SELECT {key} {rest} ORDER BY {order} LIMIT {int(most) + 1}")
        assert rows[-1] != rows[-2] and len(rows) == int(most) + 1, one.sql


@both
def test_the_first_of_each_group_are_one_phrase_of_the_normal_form(language):
    home = source("museum")
    grammar = Grammar.for_schema(home.schema, dialect="sqlite")
    normal = NormalForm(grammar)
    for one in beginning(home, language, "top-each-"):
        rows, form = home.rows(one.sql), normal.of(one.sql)
        groups = [row[0] for row in rows]
        assert int(re.search(r"LIMIT ([2-5]) PER ", form)[1]) == max(map(groups.count, groups))
        assert home.rows(to_plain_sql(Query(form, "sqlite"), grammar.schema).sql) == rows
        for said in one.sayings:
            assert re.search(r"\b(each|every|per|by)\b|每|各|按", said), said
            assert re.search("[2-5两三四五]|two|three|four|five", said.lower()), said


def test_a_tie_at_the_end_of_a_group_is_seen():
    home = source("museum")
    for order, tied in (("artwork.price", False), ("artwork.price / 1000", True)):
        sql, ties, some_tied = numbered(["artwork.title"], "FROM artwork", "artwork.style", order, 2)
        assert [len(home.rows(query)) for query in (sql, ties, some_tied)] == [6, 9, tied]


def test_values_of_the_query_are_in_the_question():
    for one in source("library").samples("en", "filter-eq", "filter-number", "lookup", "count-eq"):
        value = re.search(r"(?:=|>|<|>=|<=) '?([^']+?)'?$", one.sql)
        assert value is not None and all(value[1] in said for said in one.sayings), one.sql


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("some_drawn.toml")))
def test_only_some_structures_are_drawn(case, tmp_path):
    wanted = [name for name in STRUCTURES if name.startswith(tuple(case["wanted"]))]
    found = Source(filled(tmp_path / "some.sqlite", case["script"])).samples("en", *wanted, count=80)
    assert {one.structure for one in found} == {*case["drawn"]}


def test_a_verb_of_two_times_is_said_of_neither(tmp_path):
    script = """
    CREATE TABLE animal (animal_id INTEGER PRIMARY KEY, check_date DATE, last_checked DATE);
    INSERT INTO animal SELECT n, date('2023-01-01', n || ' days'), date('2024-02-01', n || ' days')
    FROM number WHERE n < 20;
    """
    found = Source(filled(tmp_path / "zoo.sqlite", script)).samples("en", *STRUCTURE_KINDS["told"])
    said = [said.lower() for one in found for said in one.sayings]
    assert said
    assert [one for one in said if not re.search("check date|last checked", one)] == []
