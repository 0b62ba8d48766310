"""The shipped plant: its prototypes, and the pairs made of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from querent.authoring.checking.review import review
from querent.authoring.filling.instantiate import fill
from querent.authoring.filling.near import same
from querent.authoring.filling.writing import DomainSource
from querent.data.databases.schema_readers import read_schema
from querent.data.domains.loading import load_domain
from querent.data.shipped import shipped_folder
from querent.data.values.slots import SLOT, bind, fill_sql

pytestmark = pytest.mark.slow

HERE, LANGUAGES = shipped_folder("plant"), ("zh", "en")
SOURCE = DomainSource.of("plant")
PROTOTYPES = SOURCE.prototypes
NOW = SOURCE.manifest.now


def pairs(language):
    lines = (HERE / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def filled(pair):
    question, mentions = fill(pair["question"], pair["values"])
    return question, fill_sql(pair["sql"], bind(mentions))


# Prototypes


def test_prototypes_are_many_and_differ():
    assert SOURCE.problems == ()
    assert len(PROTOTYPES) >= 500
    schema = read_schema(HERE / "schema.sql", "sqlite")
    assert [[p.id for p in group] for group in same(PROTOTYPES, dialect="mysql", schema=schema)] == []
    for language in LANGUAGES:
        assert all(2 <= len(p.wordings[language]) <= 4 for p in PROTOTYPES)
        wordings = [w for p in PROTOTYPES for w in p.wordings[language]]
        assert len(wordings) == len(set(wordings))


def test_wordings_say_no_entity_outside_their_slots():
    """A word that is an entity's too would be taken for one more value."""
    for language in LANGUAGES:
        says = [say for tongue in LANGUAGES for entity in SOURCE.entities(tongue) for say in entity.says]
        any_say = re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(map(re.escape, says))})(?![A-Za-z-])", re.IGNORECASE)
        said = {(p.id, w): any_say.findall(SLOT.sub("|", w)) for p in PROTOTYPES for w in p.wordings[language]}
        assert {place: words for place, words in said.items() if words} == {}


def test_queries_say_what_is_in_all_three_dialects():
    """What MySQL, PostgreSQL and SQLite read differently has no place in a gold query."""
    told = re.compile(r"!=|`|\bWITH\b|\bOVER\s*\(|\b(?:GREATEST|LEAST|IF|CONCAT|STDDEV|GROUP_CONCAT|DATE_FORMAT)\s*\(")
    assert [p.id for p in PROTOTYPES if told.search(p.sql)] == []


# Pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_committed_pairs_are_what_the_prototypes_give(language):
    """Every eightieth of them; `querent check plant` looks at all."""
    few = tuple(PROTOTYPES[::80])
    names = {p.id for p in few}
    domain = load_domain("plant", language=language)
    domain = replace(domain, examples=tuple(e for e in domain.examples if e.prototype in names))
    found = review(replace(SOURCE, prototypes=few), domain, answered=names)
    assert (found.wrong, found.repeated) == ((), ())
    assert found.stale == (), "run querent fill plant"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_and_asked_once(language):
    found = pairs(language)
    assert len(found) >= 2300
    assert len({pair["id"] for pair in found}) == len(found)
    assert len({filled(pair)[0].casefold() for pair in found}) == len(found)
    assert {pair["prototype"] for pair in found} == {p.id for p in PROTOTYPES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_demo_questions_are_new(language):
    demo = (HERE / f"demo.{language}.txt").read_text(encoding="utf-8").splitlines()
    assert 8 <= len(demo) == len(set(demo)) <= 10
    assert not set(demo) & {filled(pair)[0] for pair in pairs(language)}
