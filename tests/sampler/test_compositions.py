"""Composed questions as they are asked of databases: they say all of their queries, with or without rows and clocks."""

import random
import re
from dataclasses import replace
from datetime import datetime
from functools import cache

import pytest
from sampled import NAMES, Source, filled, source, templates_with

from querent.meaning.profile import ColumnProfile, DatabaseProfile, TimeStorage
from querent.parser.learning.dataset import invented, invented_dialogues, invented_pairs
from querent.parser.reader.context import DatabaseContext
from querent.sampler import WHOLES, SamplingFrame, TemplateBank, clock_of, composed

LANGUAGES = ("en", "zh", "de")
SEEN = re.compile(r"\b(?:last|past|this|yesterday|today)\b", re.IGNORECASE)


@cache
def templates(language, count=300):
    draw = random.Random(1)
    return [composed(language, draw, wordings=3) for _ in range(count)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_questions_are_whole_and_say_the_values_of_their_queries(name, language):
    home = source(name)
    found = home.asked(templates(language), 40, language=language)
    assert len(found) == 40
    for (asked,) in found:
        assert asked.sayings[0] == asked.question
        texts = re.findall(r"(?:=|<>|IN \(|,|LIKE) '%?([A-Z][^'%]+)%?'", asked.sql)
        limits = re.findall(r" LIMIT (\d+)$", asked.sql) if " LIMIT 1" not in asked.sql else []
        for said in asked.sayings:
            assert not re.search(r"[{}\[\]<>|]|  |\bNone\b| [,?]", said), said
            assert said[0] == said[0].upper()
            assert all(text in said for text in [*texts, *limits]), (said, asked.sql)
            assert language != "zh" or re.search(r"[\u4e00-\u9fff]", said), said


@pytest.mark.parametrize("name", ["farm", "library"])
def test_a_list_says_each_column_of_its_query(name):
    home = source(name)
    names = {c.column.name: [c.noun.one, c.noun.many] for table in home.frame().tables for c in table.columns}
    for table in home.frame().tables:
        for column in table.names:
            names[column.column.name] += [table.noun.one, table.noun.many, "name"]
    lists = [one for one in templates("en") if one.turns[0].name in ("list", "grouped", "total")]
    found = [asked for (asked,) in home.asked(lists, 30)]
    assert len(found) == 30
    for asked in found:
        for column in re.findall(r"\.([a-z_]\w*)", asked.sql.partition(" FROM ")[0]):
            forms = [*names[column], "year", "month", "day", "quarter", "week", "age", "amount", "total", "value"]
            assert any(form.lower() in asked.question.lower() for form in forms), (asked.question, asked.sql)


@pytest.mark.parametrize("name", NAMES)
def test_ids_and_years_are_never_added_up(name):
    queries = [asked.sql for (asked,) in source(name).asked(templates("en"), 60)]
    assert [sql for sql in queries if re.search(r"(?:AVG|SUM)\((?:\w+\.)?\w+(?:_id|_yr|_year|email)\)", sql)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_without_a_database_have_no_values_and_run(language):
    home = source("library")
    frame = SamplingFrame.of(home.schema, None, language)
    found = list(TemplateBank(templates(language)).questions(frame, None, 40, random.Random(1)))
    assert len(found) == 40
    for _, sql in found:
        home.rows(sql)
        assert not re.search(r"'|(?:WHERE|AND) (?!t7)\S+ (?:[<>=]+|LIKE) \d", sql), sql


def test_a_database_without_tables_or_rows_has_no_questions(tmp_path):
    empty = Source(filled(tmp_path / "empty.sqlite", "CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, name TEXT);"))
    assert empty.asked(templates("en"), 5) == []
    nothing = replace(source("farm").frame(), tables=[], joins=[], self_keys=[])
    assert list(TemplateBank(templates("en")).conversations(nothing, None, 5, random.Random(1))) == []


def test_times_are_seen_from_the_clock_of_the_context():
    home = source("library")
    context = DatabaseContext.of(home.schema, None, dialect="sqlite", language="en", profile=home.profile)
    bank = TemplateBank([*templates_with("where", "in-own-time", count=60), *templates_with("total", "average-age")])
    for now in (None, datetime(2023, 3, 1)):
        asked = invented("library", replace(context, now=now), home.file, bank, count=80, seed=1)
        pairs = invented_pairs("library", asked)
        assert any("average" in pair.question or "mean" in pair.question for pair in pairs) == (now is not None)
        seen = [pair for pair in pairs if SEEN.search(pair.question)]
        assert bool(seen) == (now is not None)
        assert all(">= '2022-01-01'" in pair.sql for pair in seen if "last year" in pair.question)


def test_the_clock_heeds_no_end_of_all_days():
    def stored(last):
        return ColumnProfile("time", TimeStorage("iso", "day", text=True, first="2020-01-01", last=last))

    columns = {("t", "begun"): stored("2023-05-06"), ("t", "valid_until"): stored("9999-12-31")}
    assert clock_of(DatabaseProfile(columns)) == datetime(2023, 5, 6, 12)
    assert clock_of(DatabaseProfile()) is None


def test_dialogues_are_conversations_of_which_some_end_with_another_topic():
    draw = random.Random(2)
    asked = source("museum").asked([composed("en", draw, turns=3) for _ in range(60)], 6)
    dialogues = invented_dialogues("museum", asked)
    assert len(dialogues) == len(asked) > 3
    for number, (dialogue, turns) in enumerate(zip(dialogues, asked, strict=True)):
        assert [turn.sql for turn in dialogue.turns][: len(turns)] == [one.sql for one in turns]
        assert (len(dialogue.turns) > len(turns)) == (number % 3 == 0)


def test_one_of_the_wholes_can_be_asked_for():
    names = [name for name in WHOLES if "boss" in name]
    drawn = {composed("en", random.Random(seed), wholes=names).turns[0].name for seed in range(60)}
    assert drawn == {*names}
