"""The shipped plant: its prototypes, and the pairs made of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from querent.authoring.check import review, same
from querent.authoring.pairs import fill
from querent.authoring.source import DomainSource
from querent.data.databases.schema_readers import read_schema
from querent.data.domains.loading import load_domain
from querent.data.shipped import shipped_folder

pytestmark = pytest.mark.slow

HERE, LANGUAGES = shipped_folder("plant"), ("zh", "en")
SOURCE = DomainSource.of("plant")
PROTOTYPES = SOURCE.prototypes
NOW = SOURCE.manifest.now


def pairs(language):
    lines = (HERE / f"examples.{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# Prototypes


def test_prototypes_are_many_and_differ():
    assert SOURCE.problems == ()
    assert len(PROTOTYPES) >= 500
    schema = read_schema(HERE / "schema.sql", "sqlite")
    assert [[p.id for p in group] for group in same(PROTOTYPES, "mysql", schema)] == []
    for language in LANGUAGES:
        assert all(2 <= len(p.wordings[language]) <= 4 for p in PROTOTYPES)
        wordings = [w for p in PROTOTYPES for w in p.wordings[language]]
        assert len(wordings) == len(set(wordings))


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
    assert [one for one in found.stale if one.lines] == [], "run querent fill plant"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_many_and_asked_once(language):
    found = pairs(language)
    assert len(found) >= 2300
    assert len({pair["id"] for pair in found}) == len(found)
    asked = {fill(pair["question"], pair["values"])[0].casefold() for pair in found}
    assert len(asked) == len(found)
    assert {pair["prototype"] for pair in found} == {p.id for p in PROTOTYPES}
