"""The shipped plant: its prototypes, and the pairs made of them."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlglot

from querent.data.errors import DomainError
from querent.data.examples import SLOT, bind, fill_sql
from querent.data.literals import find
from querent.data.plant import generate, instantiate
from querent.data.plant.catalogue import HERE, LANGUAGES, entities
from querent.data.plant.fillers import Filling, draw
from querent.data.plant.prototype import numbered, read, slots
from querent.data.schema_readers import from_ddl
from querent.grammar import Grammar

PROTOTYPES = read()
SCHEMA = (HERE / "schema.sql").read_text(encoding="utf-8")


def pairs(language):
    lines = (HERE / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def filled(pair):
    question, mentions = instantiate.fill(pair["question"], pair["values"])
    return question, fill_sql(pair["sql"], bind(mentions))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("plant") / "plant.sqlite"
    generate.build(file)
    return file


@pytest.fixture(scope="module")
def database(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        yield connection


# Prototypes


def test_prototypes_are_many_and_differ():
    assert len(PROTOTYPES) >= 60
    assert len({re.sub(r"\s+", " ", p.sql) for p in PROTOTYPES}) == len(PROTOTYPES)
    for prototype in PROTOTYPES:
        for language in LANGUAGES:
            wordings = prototype.wordings[language]
            assert 2 <= len(set(wordings)) == len(wordings), prototype.id
    for language in LANGUAGES:
        wordings = [w for p in PROTOTYPES for w in p.wordings[language]]
        assert len(wordings) == len(set(wordings))


def test_wordings_say_no_entity_outside_their_slots():
    """A word that is an entity's too would be taken for one more value."""
    for language in LANGUAGES:
        says = [say for entity in entities() for say in entity.all_says()]
        any_say = re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(map(re.escape, says))})(?![A-Za-z-])", re.IGNORECASE)
        for prototype in PROTOTYPES:
            for wording in prototype.wordings[language]:
                assert any_say.findall(SLOT.sub("|", wording)) == [], wording


def test_queries_are_canonical_and_covered():
    grammar = Grammar.for_schema(from_ddl(SCHEMA, dialect="sqlite"), dialect="sqlite")
    for prototype in PROTOTYPES:
        words = " ".join(token.text for token in grammar.tokenize(prototype.sql))
        assert re.sub(r"\s", "", words) == re.sub(r"\s", "", prototype.sql), prototype.id


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_queries_are_read_in_other_dialects(dialect):
    for prototype in PROTOTYPES:
        sqlglot.parse_one(SLOT.sub("1", prototype.sql), dialect=dialect)


def test_slots_are_counted_from_the_left():
    assert numbered("{time1} {tag1} {tag0} {tag1}") == {"time1": "time0", "tag1": "tag0", "tag0": "tag1"}
    assert slots("{tag1} > {number0} {tag1}") == ["tag1", "number0"]


GOOD = '[[prototype]]\nid = "a"\nzh = ["{tag0}"]\nen = ["{tag0}"]\nsql = "SELECT \'{tag0}\'"\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[prototype]", "not TOML"),
        ("x = 1", "no prototypes"),
        (GOOD + GOOD, "'a' is there twice"),
        (GOOD.replace('en = ["{tag0}"]\n', ""), "field 'en'"),
        (GOOD.replace('zh = ["{tag0}"]', 'zh = ["{tag1}"]'), "use tag0"),
        (GOOD + "fill = { time0 = 'day' }", "no slot 'time0'"),
    ],
)
def test_a_wrong_prototype_is_told_with_its_file(tmp_path, text, problem):
    (tmp_path / "theme.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=re.escape(problem)) as told:
        read(tmp_path)
    assert "theme.toml" in str(told.value)


def test_an_unknown_way_to_fill_is_told():
    with pytest.raises(DomainError, match="no way 'sometime'"):
        draw("time", "sometime", language="en", drawn={}, rng=random.Random(0))
    with pytest.raises(DomainError, match="nothing of type 'pump'"):
        draw("pump", None, language="en", drawn={}, rng=random.Random(0))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("how", ["day", "moment"])
def test_a_second_time_is_a_later_one(language, how):
    for seed in range(200):
        rng = random.Random(seed)
        drawn: dict[str, Filling] = {}
        for slot in ("time0", "time1"):
            drawn[slot] = draw("time", how, language=language, drawn=drawn, rng=rng)
        assert "2024-03-24" <= drawn["time0"].sql < drawn["time1"].sql <= "2024-03-31 08:00:00"


# Pairs


def test_committed_pairs_and_entities_are_what_the_prototypes_give(database):
    assert (HERE / "entities.jsonl").read_text(encoding="utf-8").splitlines() == list(instantiate.entity_lines())
    for language in LANGUAGES:
        fresh = instantiate.instantiate(PROTOTYPES, language=language, database=database)
        assert fresh == pairs(language), "run python -m querent.data.plant.instantiate"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_and_asked_once(language):
    found = pairs(language)
    assert len(found) >= 250
    assert len({pair["id"] for pair in found}) == len(found)
    assert len({filled(pair)[0].casefold() for pair in found}) == len(found)
    assert {pair["prototype"] for pair in found} == {p.id for p in PROTOTYPES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_slots_match_and_are_those_that_binding_gives(language):
    for pair in pairs(language):
        assert set(slots(pair["question"])) == set(slots(pair["sql"])) == set(pair["values"])
        _, mentions = instantiate.fill(pair["question"], pair["values"])
        assert {value.slot for value in bind(mentions)} == set(pair["values"])
        assert slots(pair["question"]) == [value.slot for value in bind(mentions)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_times_are_read_back_as_meant(language):
    for pair in pairs(language):
        question, mentions = instantiate.fill(pair["question"], pair["values"])
        assert all(question[m.start : m.end] == m.text for m in mentions)
        meant = [(m.text, m.type, m.sql) for m in mentions if m.type in {"number", "time"}]
        assert [(m.text, m.type, m.sql) for m in find(question, language=language)] == meant, question


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_query_runs_and_nearly_every_one_answers(language, database):
    answered = []
    for pair in pairs(language):
        rows = database.execute(filled(pair)[1]).fetchall()
        answered.append(any(cell is not None for row in rows for cell in row))
    assert sum(answered) >= 0.95 * len(answered)


@pytest.mark.parametrize("language", LANGUAGES)
def test_demo_questions_are_new(language):
    demo = (HERE / f"demo.{language}.txt").read_text(encoding="utf-8").splitlines()
    assert 8 <= len(demo) == len(set(demo)) <= 10
    assert not set(demo) & {filled(pair)[0] for pair in pairs(language)}


def test_the_language_of_a_pair_is_the_language_of_its_words():
    assert not any(re.search("[\u4e00-\u9fff]", filled(pair)[0]) for pair in pairs("en"))
    assert all(re.search("[\u4e00-\u9fff]", filled(pair)[0]) for pair in pairs("zh"))


def test_the_command_writes_the_same_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(instantiate, "HERE", tmp_path)
    instantiate.main()
    for name in ("entities.jsonl", "examples.zh.jsonl", "examples.en.jsonl"):
        assert (tmp_path / name).read_bytes() == (Path(HERE) / name).read_bytes()
    assert f"of {len(PROTOTYPES)} prototypes" in capsys.readouterr().out
