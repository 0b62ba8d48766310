"""Prototypes before they are filled: how they are read, their rules, how values are said."""

import random
from datetime import datetime

import pytest
from cases import table

from querent.authoring.values import say_number, say_time
from querent.data.domains.prototypes import read_prototypes
from querent.data.domains.slot_rules import Queries, Values, generic, parse_rule
from querent.data.values.literals import find

NOW = datetime(2024, 3, 31, 8)


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
    _, (told, *_) = read_prototypes(tmp_path, ["zh", "en"])
    assert problem in str(told)
    assert (told.file, told.line) == (tmp_path / "theme.toml", line)


@pytest.mark.parametrize(("given", "values"), table(__file__, "lists_and_ranges"))
def test_lists_and_ranges(given, values):
    assert parse_rule(given) == Values(tuple(values))


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


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["few", "top", "count", "hours", "days", "small", "percent", "share"])
def test_numbers_are_read_back_from_what_is_said(language, name):
    rng = random.Random(name)
    rule = generic("number", name, None)
    said = {}
    for value in rule.values * 4:
        text = say_number(value, rule.how, language=language, rng=rng).say
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
        said.add(saying.say)
        assert [m.sql for m in find(f"it was {saying.say} there", language=language, now=NOW)] == [value], saying
    assert len(said) > (1 if name == "week" else 20)


def test_times_are_said_from_now_too():
    rng = random.Random(0)
    said = {say_time("2024-03-30", "", language="en", now=NOW, rng=rng).say for _ in range(60)}
    assert {"yesterday", "2024-03-30", "March 30, 2024"} <= said
    assert "yesterday" not in {say_time("2024-03-30", "", language="en", now=None, rng=rng).say for _ in range(60)}
    with pytest.raises(ValueError, match="not the beginning"):
        say_time("2024-01-01 00:30:00", "since", language="en", now=NOW, rng=rng)
