"""Prototypes of any domain: how they are filled and written."""

import re
from dataclasses import replace
from datetime import datetime

import pytest
from cases import table
from lakes import PROTOTYPES, lines, of, write_lakes

from querent.authoring.source import DomainSource, fill_domain, split_keys
from querent.data.domains.loading import load_domain
from querent.data.errors import DomainError

NOW = datetime(2024, 3, 31, 8)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = write_lakes(tmp_path_factory.mktemp("filled"))
    fill_domain(folder)
    return folder


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


def test_values_come_from_the_database_and_the_entities(filled):
    pairs = of(lines(filled, "en"), "lakes.deeper")
    for pair in pairs:
        low, high = (7, 7) if pair["values"]["state0"]["sql"] == "utah" else (11, 40)
        assert low <= int(pair["values"]["number0"]["sql"]) <= high
        assert pair["values"]["state0"]["say"] in {"ohio", "the buckeye state", "utah"}
    assert {p["values"]["state0"]["say"] for p in of(lines(filled, "zh"), "lakes.deeper")} <= {"俄亥俄", "犹他"}


def test_a_share_is_said_in_percent_and_counted_in_percent(filled):
    for pair in of(lines(filled, "en"), "lakes.share"):
        assert pair["sql"].endswith("> 100 * {number0}")
        assert 0.05 <= float(pair["values"]["number0"]["sql"]) <= 0.5
        assert pair["values"]["number0"]["say"].endswith(("%", "percent"))


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


def test_twins_fall_into_one_part_and_no_others_move(lakes):
    base = DomainSource.of(lakes).prototypes[0]
    family = [replace(base, id="c", twin="a"), replace(base, id="a"), replace(base, id="b", twin="c")]
    assert split_keys([*family, replace(base, id="d")]) == {"a": "a", "b": "a", "c": "a", "d": "d"}
    text = PROTOTYPES.replace('id = "lakes.all"', 'id = "lakes.all"\ntwin = "lakes.after"')
    (lakes / "prototypes" / "lakes.toml").write_text(text, encoding="utf-8")
    fill_domain(lakes)
    parts = {e.prototype: e.query_split for e in load_domain(lakes).examples}
    assert parts["lakes.all"] == parts["lakes.after"]
    assert {p["prototype"] for p in lines(lakes, "en") if "split" in p} == {"lakes.all"}


@pytest.mark.parametrize(("old", "new", "problem"), table(__file__, "nothing_is_written_while_a_prototype_is_wrong"))
def test_nothing_is_written_while_a_prototype_is_wrong(lakes, old, new, problem):
    text = PROTOTYPES.replace(old, new)
    assert text != PROTOTYPES
    (lakes / "prototypes" / "lakes.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)) as told:
        fill_domain(lakes)
    line = PROTOTYPES[: PROTOTYPES.index(old)].rsplit("id = ", 1)[0].count("\n") + 1
    assert (told.value.file.name, told.value.line) == ("lakes.toml", line)
    assert not list(lakes.glob("examples*"))
