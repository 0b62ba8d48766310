"""The shipped plant: its prototypes, and the pairs made of them."""

from dataclasses import replace

import pytest

from querent.authoring.check import review, same
from querent.authoring.source import DomainSource
from querent.data.databases.schema_readers import read_schema
from querent.data.domains.loading import load_domain
from querent.data.shipped import shipped_folder

pytestmark = pytest.mark.slow

HERE, LANGUAGES = shipped_folder("plant"), ("zh", "en")
SOURCE = DomainSource.of("plant")
PROTOTYPES = SOURCE.prototypes


def test_prototypes_are_many_and_differ():
    assert SOURCE.problems == ()
    assert len(PROTOTYPES) >= 500
    schema = read_schema(HERE / "schema.sql", "sqlite")
    assert [[p.id for p in group] for group in same(PROTOTYPES, "sqlite", schema)] == []
    for language in LANGUAGES:
        assert all(2 <= len(p.wordings[language]) <= 4 for p in PROTOTYPES)
        wordings = [w for p in PROTOTYPES for w in p.wordings[language]]
        assert len(wordings) == len(set(wordings))


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
