"""Prototypes of any domain: how they are read, filled, said, and written."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import pytest

from querent.data.domain import load_domain
from querent.data.errors import DomainError
from querent.data.literals import find
from querent.data.prototypes.candidates import Fills
from querent.data.prototypes.near import near, normal, same
from querent.data.prototypes.reader import numbered, read, slots
from querent.data.prototypes.rules import Queries, Values, generic, parse_rule
from querent.data.prototypes.sayings import say_number, say_time
from querent.data.prototypes.source import Source
from querent.data.prototypes.writing import fill_domain, split_keys
from querent.data.schema_readers import from_ddl

NOW = datetime(2024, 3, 31, 8)
SCHEMA = "CREATE TABLE lake (name TEXT, state TEXT, depth INTEGER, seen TIMESTAMP);"
MANIFEST = """
name = "lakes"
language = "en"
languages = ["en", "zh"]
dialect = "sqlite"
database = "lakes.sqlite"
prototype_dialect = "mysql"
instances = 4
now = "2024-03-31 08:00:00"
[fill]
deep = "SELECT depth FROM lake WHERE state = '{state0}' AND depth > 0"
"""
PROTOTYPES = """
[[prototype]]
id = "lakes.deeper"
en = ["lakes of {state0} deeper than {number0}", "which {state0} lakes go below {number0}"]
zh = ["{state0}比{number0}深的湖", "{state0}深度大于{number0}的湖"]
sql = "SELECT a.name FROM lake AS a WHERE a.state = '{state0}' AND a.depth >= {number0}"
fill = { number0 = "deep" }

[[prototype]]
id = "lakes.since"
en = ["how many lakes were seen in {time0}", "count of lakes seen over {time0}"]
zh = ["{time0}看过几个湖", "{time0}观察的湖数"]
sql = "SELECT COUNT(*) FROM lake WHERE seen >= '{time0}'"
fill = { time0 = "since" }

[[prototype]]
id = "lakes.after"
en = ["lakes seen the day after {time0}", "what was seen on the day that follows {time0}"]
zh = ["{time0}次日看的湖", "{time0}的后面那天看了哪些湖"]
sql = "SELECT name FROM lake WHERE DATE(seen) = DATE_ADD('{time0}', INTERVAL 1 DAY)"
fill = { time0 = "day" }

[[prototype]]
id = "lakes.between"
en = ["lakes seen on {time0} or on {time1}", "seen on {time1}, or before that on {time0}"]
zh = ["{time0}或{time1}看过的湖"]
sql = "SELECT name FROM lake WHERE DATE(seen) IN ('{time0}', '{time1}')"
fill = { time0 = "day", time1 = "SELECT DISTINCT DATE(seen) FROM lake" }

[[prototype]]
id = "lakes.share"
en = ["states with over {number0} of the lakes", "which states hold more than {number0} of all lakes"]
zh = ["湖泊占比超过{number0}的州"]
sql = "SELECT state FROM lake GROUP BY state HAVING 100.0 * COUNT(*) / (SELECT COUNT(*) FROM lake) > {number0}"
fill = { number0 = "share" }

[[prototype]]
id = "lakes.all"
en = ["name all lakes", "every lake"]
zh = ["所有的湖", "湖的名字"]
sql = "SELECT name FROM lake"
"""


@pytest.fixture
def lakes(tmp_path):
    folder = tmp_path / "lakes"
    (folder / "prototypes").mkdir(parents=True)
    (folder / "domain.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "prototypes" / "lakes.toml").write_text(PROTOTYPES, encoding="utf-8")
    says = {"ohio": {"en": ["ohio", "the buckeye state"], "zh": ["俄亥俄"]}, "utah": {"en": ["utah"], "zh": ["犹他"]}}
    lines = [json.dumps({"sql": sql, "type": "state", "says": says[sql]}) + "\n" for sql in says]
    (folder / "entities.jsonl").write_text("".join(lines), encoding="utf-8")
    with closing(sqlite3.connect(folder / "lakes.sqlite")) as database, database:
        database.executescript(SCHEMA)
        rows = [(f"lake {n}", "ohio", 10 + n, f"2024-03-{n:02d} 09:00:00") for n in range(1, 31)]
        database.executemany("INSERT INTO lake VALUES (?, ?, ?, ?)", [*rows, ("salt", "utah", 7, None)])
    return folder


def lines(folder, language):
    text = (folder / f"examples.{language}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def of(pairs, name):
    return [pair for pair in pairs if pair["prototype"] == name]


# Reading


GOOD = '[[prototype]]\nid = "a"\nzh = ["{tag0}"]\nen = ["{tag0}"]\nsql = "SELECT \'{tag0}\'"\n'


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("[[prototype]", "not TOML", 1),
        ("x = 1", "no prototypes", None),
        (GOOD + GOOD, "it stands at theme.toml:2 too", 7),
        (GOOD.replace('en = ["{tag0}"]\n', ""), "field 'en': prototype 'a': missing", 2),
        (GOOD.replace('zh = ["{tag0}"]', 'zh = ["{tag1}"]'), "use tag0", 2),
        (GOOD.replace('zh = ["{tag0}"]', 'zh = ["{tag0}", "{tag0}"]'), "'{tag0}' is there twice", 2),
        (GOOD + "fill = { time0 = 'day' }", "no slot 'time0'", 2),
        (GOOD + "fill = { tag0 = 7 }", "field 'fill.tag0'", 2),
        (GOOD + "fil = { tag0 = 'x' }", "did you mean 'fill'", 2),
        ("\n\n" + GOOD + 'twin = "b"', "no prototype 'b'", 4),
    ],
)
def test_a_wrong_prototype_is_told_with_its_file_and_line(tmp_path, text, problem, line):
    (tmp_path / "theme.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)) as told:
        read(tmp_path, ["zh", "en"])
    assert (told.value.file, told.value.line) == (tmp_path / "theme.toml", line)


def test_a_domain_of_one_language_says_question(tmp_path):
    (tmp_path / "t.toml").write_text('[[prototype]]\nid = "a"\nquestion = "all"\nsql = "SELECT 1"\n', encoding="utf-8")
    (prototype,) = read(tmp_path, ["en"])
    assert prototype.wordings == {"en": ("all",)}
    with pytest.raises(DomainError, match=r"field 'en'.*missing"):
        read(tmp_path, ["en", "zh"])


def test_slots_are_counted_from_the_left():
    assert numbered("{time1} {tag1} {tag0} {tag1}") == {"time1": "time0", "tag1": "tag0", "tag0": "tag1"}
    assert slots("{tag1} > {number0} {tag1}") == ["tag1", "number0"]


# Rules


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (["10", 2.5], ("10", "2.5")),
        ({"from": 2, "to": 5}, ("2", "3", "4", "5")),
        ({"from": 0.5, "to": 1.5, "step": 0.5}, ("0.5", "1", "1.5")),
        ({"from": "2024-02-28", "to": "2024-03-01"}, ("2024-02-28", "2024-02-29", "2024-03-01")),
        (
            {"from": "2024-03-01 22:00:00", "to": "2024-03-02 03:00:00", "step": 2},
            ("2024-03-01 22:00:00", "2024-03-02 00:00:00", "2024-03-02 02:00:00"),
        ),
    ],
)
def test_lists_and_ranges(given, values):
    assert parse_rule(given) == Values(values)


def test_queries_and_names():
    assert parse_rule("SELECT 1") == parse_rule(["SELECT 1"]) == Queries(("SELECT 1",))
    assert generic("number", "few", None) == Values(("4", "5", "6", "7", "8"))
    assert generic("time", "week", NOW) == Values(("2024-03-25", "2024-03-18"), "week")
    assert generic("time", "day", None) is None
    assert generic("number", "day", NOW) is None


@pytest.mark.parametrize("given", [7, "", [], {"from": 1}, {"from": 5, "to": 2}, {"from": "a", "to": "b"}, [None]])
def test_what_is_no_rule_is_refused(given):
    with pytest.raises(ValueError, match=r"range|way to fill|no text"):
        parse_rule(given)


# Sayings


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["few", "top", "count", "hours", "days", "small", "percent", "share"])
def test_numbers_are_read_back_from_what_is_said(language, name):
    rng = random.Random(name)
    rule = generic("number", name, None)
    said = {}
    for value in rule.values * 4:
        text = say_number(value, rule.how, language=language, rng=rng)
        said.setdefault(value, set()).add(text)
        question = f"top {text} of them" if language == "en" else f"大于{text}个"
        assert [m.sql for m in find(question, language=language)] == [value], question
    assert name == "small" or max(map(len, said.values())) > 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["day", "moment", "past", "since", "week"])
def test_times_are_read_back_from_what_is_said(language, name):
    rng = random.Random(name)
    rule = generic("time", name, NOW)
    said = set()
    for value in random.Random(1).choices(rule.values, k=300):
        saying = say_time(value, rule.how, language=language, now=NOW, rng=rng)
        said.add(saying.text)
        assert [m.sql for m in find(f"it was {saying.text} there", language=language, now=NOW)] == [value], saying
    assert len(said) > (1 if name == "week" else 20)


def test_times_are_said_from_now_too():
    rng = random.Random(0)
    said = {say_time("2024-03-30", "", language="en", now=NOW, rng=rng).text for _ in range(60)}
    assert {"yesterday", "2024-03-30", "March 30, 2024"} <= said
    assert "yesterday" not in {say_time("2024-03-30", "", language="en", now=None, rng=rng).text for _ in range(60)}
    with pytest.raises(ValueError, match="not the beginning"):
        say_time("2024-01-01 00:30:00", "since", language="en", now=NOW, rng=rng)


# Filling


def test_pairs_are_the_same_each_time_and_load(lakes):
    filled = fill_domain(lakes)
    first = {language: (lakes / f"examples.{language}.jsonl").read_bytes() for language in ("en", "zh")}
    assert fill_domain(lakes) == filled
    assert {x: (lakes / f"examples.{x}.jsonl").read_bytes() for x in first} == first
    assert filled.prototypes == 6
    for language in ("en", "zh"):
        domain = load_domain(lakes, language=language)
        assert len(domain.examples) == filled.pairs[language] == len({e.question.lower() for e in domain.examples})
        assert domain.now == NOW
        for example in domain.examples:
            used = {match[1] for match in re.finditer(r"\{(\w+)\}", example.slotted)}
            assert used == {value.slot for value in example.values}
    assert not re.search("[\u4e00-\u9fff]", first["en"].decode())


def test_values_come_from_the_database_and_the_entities(lakes):
    fill_domain(lakes)
    pairs = of(lines(lakes, "en"), "lakes.deeper")
    for pair in pairs:
        low, high = (7, 7) if pair["values"]["state0"]["sql"] == "utah" else (11, 40)
        assert low <= int(pair["values"]["number0"]["sql"]) <= high
        assert pair["values"]["state0"]["say"] in {"ohio", "the buckeye state", "utah"}
    assert {p["values"]["state0"]["say"] for p in of(lines(lakes, "zh"), "lakes.deeper")} <= {"俄亥俄", "犹他"}


def test_queries_are_translated_with_aliases_one_way(lakes):
    fill_domain(lakes)
    pairs = lines(lakes, "en")
    assert {p["sql"] for p in of(pairs, "lakes.deeper")} == {
        "SELECT lake.name FROM lake WHERE lake.state = '{state0}' AND lake.depth >= {number0}"
    }
    assert {p["sql"] for p in of(pairs, "lakes.after")} == {
        "SELECT name FROM lake WHERE DATE(seen) = DATE('{time0}', '+1 days')"
    }


def test_a_share_is_said_in_percent_and_counted_in_percent(lakes):
    fill_domain(lakes)
    for pair in of(lines(lakes, "en"), "lakes.share"):
        assert pair["sql"].endswith("> 100 * {number0}")
        assert 0.05 <= float(pair["values"]["number0"]["sql"]) <= 0.5
        assert pair["values"]["number0"]["say"].endswith(("%", "percent"))


def test_answers_are_preferred(lakes):
    fill_domain(lakes)
    with closing(sqlite3.connect(lakes / "lakes.sqlite")) as database:
        for name in ("lakes.after", "lakes.deeper", "lakes.between"):
            for example in load_domain(lakes).examples:
                if example.prototype == name:
                    assert database.execute(example.sql).fetchall(), example.sql


def test_a_second_time_is_a_later_one(lakes):
    fill_domain(lakes)
    pairs = of(lines(lakes, "en"), "lakes.between")
    asked = {"lakes seen on": ("time0", "time1"), "seen on": ("time1", "time0")}
    for pair in pairs:
        first, second = asked["lakes seen on" if pair["question"].startswith("lakes") else "seen on"]
        assert pair["values"][first]["sql"] < pair["values"][second]["sql"]


def test_no_on_before_yesterday(lakes):
    text = (lakes / "domain.toml").read_text(encoding="utf-8").replace("instances = 4", "instances = 30")
    (lakes / "domain.toml").write_text(text, encoding="utf-8")
    fill_domain(lakes)
    asked = [example.question for example in load_domain(lakes).examples if example.prototype == "lakes.between"]
    assert any("seen yesterday" in question for question in asked)
    assert any(re.search("on (2024|March|[0-9])", question) for question in asked)
    assert not any(re.search("on (yesterday|the day|[0-9a-z]+ days ago)", question) for question in asked)


def test_a_new_prototype_leaves_the_pairs_of_the_others(lakes):
    fill_domain(lakes)
    before = lines(lakes, "en")
    (lakes / "prototypes" / "a.toml").write_text(
        '[[prototype]]\nid = "a.x"\nen = ["states"]\nzh = ["州"]\nsql = "SELECT state FROM lake"\n', encoding="utf-8"
    )
    fill_domain(lakes)
    assert [pair for pair in lines(lakes, "en") if pair["prototype"] != "a.x"] == before


def test_fewer_pairs_where_nothing_is_left_to_ask(lakes):
    text = PROTOTYPES.replace('fill = { number0 = "share" }', 'fill = { number0 = ["3"] }')
    (lakes / "prototypes" / "lakes.toml").write_text(text, encoding="utf-8")
    filled = fill_domain(lakes)
    assert "lakes.share" in filled.short["zh"]
    assert 1 <= len(of(lines(lakes, "zh"), "lakes.share")) < 4


WRONG = [
    ('fill = { number0 = "deep" }', 'fill = { number0 = "deeep" }', "did you mean 'deep'"),
    ('fill = { number0 = "deep" }', "", "nothing tells how to fill it"),
    ("lakes of {state0} deeper", "two lakes of {state0} deeper", "are read as ['two'"),
    ('"SELECT DISTINCT DATE(seen) FROM lake"', '"SELECT DISTINCT DATE(sen) FROM lake"', "no such column: sen"),
    ("SELECT COUNT(*) FROM lake", "SELECT COUNT(*) FROM lakke", "unknown name 'lakke'"),
    ('"SELECT DISTINCT DATE(seen) FROM lake"', "\"SELECT '2020-01-01'\"", "nothing is left to fill time1"),
    ("{state0}", "{pump0}", "its query needs state0, which the prototype has not"),
]


@pytest.mark.parametrize(("old", "new", "problem"), WRONG)
def test_nothing_is_written_while_a_prototype_is_wrong(lakes, old, new, problem):
    text = PROTOTYPES.replace(old, new)
    assert text != PROTOTYPES
    (lakes / "prototypes" / "lakes.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)) as told:
        fill_domain(lakes)
    line = PROTOTYPES[: PROTOTYPES.index(old)].rsplit("id = ", 1)[0].count("\n") + 1
    assert (told.value.file.name, told.value.line) == ("lakes.toml", line)
    assert not list(lakes.glob("examples*"))


def test_without_now_there_is_no_yesterday(lakes):
    text = MANIFEST.replace('now = "2024-03-31 08:00:00"', "")
    (lakes / "domain.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match="say now"):
        fill_domain(lakes)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"2024-03-31 08:00:00"', '"noon"', "field 'now'"),
        ("instances = 4", "instances = 0", "field 'instances'"),
        ('prototype_dialect = "mysql"', 'prototype_dialect = "msql"', "did you mean 'mysql'"),
        ('deep = "SELECT', 'deep = 7 # "SELECT', "field 'fill.deep'"),
    ],
)
def test_a_wrong_front_page_is_told(lakes, old, new, problem):
    (lakes / "domain.toml").write_text(MANIFEST.replace(old, new), encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)):
        fill_domain(lakes)


def test_a_folder_without_prototypes_is_told(tmp_path):
    with pytest.raises(DomainError, match="no prototypes to fill"):
        fill_domain(tmp_path)


def test_fills_that_wait_for_one_another(lakes):
    (prototype, *_) = Source.of(lakes).prototypes
    rules = {"state0": Queries(("SELECT '{number0}'",)), "number0": Queries(("SELECT '{state0}'",))}
    with pytest.raises(DomainError, match="wait for one another"):
        Fills({}, (), "en").draw(replace(prototype, fill=rules), random.Random(0))


# Splits and repeats


def test_twins_fall_into_one_part(lakes):
    base = Source.of(lakes).prototypes[0]
    family = [replace(base, id="c", twin="a"), replace(base, id="a"), replace(base, id="b", twin="c")]
    assert split_keys([*family, replace(base, id="d")]) == {"a": "a", "b": "a", "c": "a", "d": "d"}
    (lakes / "prototypes" / "lakes.toml").write_text(
        PROTOTYPES.replace('id = "lakes.all"', 'id = "lakes.all"\ntwin = "lakes.after"'), encoding="utf-8"
    )
    fill_domain(lakes)
    parts = {e.prototype: e.query_split for e in load_domain(lakes).examples}
    assert parts["lakes.all"] == parts["lakes.after"]
    assert {p["prototype"] for p in lines(lakes, "en") if "split" in p} == {"lakes.all"}


def test_queries_that_differ_in_names_only_are_the_same():
    schema = from_ddl(SCHEMA, dialect="sqlite")
    one = "SELECT a.name FROM lake AS a WHERE a.state = '{state1}' OR a.state = '{state0}'"
    other = "SELECT lake.name FROM lake WHERE lake.state = '{state0}' OR lake.state = '{state1}'"
    assert normal(one, dialect="mysql", schema=schema) == normal(other, dialect="mysql", schema=schema)


def test_prototypes_that_repeat_one_another(lakes):
    schema = from_ddl(SCHEMA, dialect="sqlite")
    all_ = {p.id: p for p in Source.of(lakes).prototypes}
    base = all_["lakes.deeper"]
    twice = replace(base, id="twice", sql=base.sql.replace("a.", "b.").replace("AS a", "AS b"))
    upper = replace(base, id="upper", sql=base.sql.replace(">=", "<="), wordings={"en": ("shallow",), "zh": ("浅",)})
    asked = replace(base, id="asked", sql="SELECT 1", wordings={"en": ("the lakes of {state0} deeper than {number0}",)})
    asked = replace(asked, wordings={"zh": ("湖",), **asked.wordings})
    prototypes = [*all_.values(), twice, upper, asked]
    assert [[p.id for p in group] for group in same(prototypes, dialect="mysql", schema=schema)] == [
        ["lakes.deeper", "twice"]
    ]
    prototypes.remove(twice)
    apart = {"lakes.deeper": "8", "upper": "q16", "asked": "q8"}  # train, test, dev by their hash
    keys = {p.id: apart.get(p.id, "8") for p in prototypes}
    found = {(p.one.id, p.other.id) for p in near(prototypes, keys=keys, dialect="mysql", schema=schema)}
    assert ("lakes.deeper", "upper") in found
    assert {"asked", "lakes.deeper"} in [set(ids) for ids in found]
    together = dict.fromkeys(keys, "8")
    assert near(prototypes, keys=together, dialect="mysql", schema=schema) == []
