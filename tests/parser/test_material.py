"""What a domain gives to a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tiny_domain import write

from querent.data.domain import load_domain
from querent.data.errors import DomainError
from querent.grammar import EOS
from querent.parser.material import Material
from querent.parser.options import ConstraintOptions, DataOptions, TrainConfig
from querent.parser.runs import RunFolder
from querent.parser.stages import _walk, find_refused
from querent.parser.training import _with_bounds


def test_long_queries_are_left_out_of_all_parts(tmp_path):
    domain = load_domain(write(tmp_path / "tiny"))
    whole = Material.of(domain, DataOptions())
    assert (whole.left_out, whole.counts["questions"]) == (0, {"train": 20, "dev": 5, "test": 5})
    # «SELECT name FROM city WHERE state = '…'» has eight words
    short = Material.of(domain, DataOptions(longest=8))
    assert short.left_out == 18
    assert short.counts["questions"] == {"train": 8, "dev": 2, "test": 2}
    assert {e.prototype for e in short.domain.examples} == {"cities", "area"}
    assert "COUNT" not in {word.function for word in short.vocabulary.words}


def test_nothing_short_enough_is_told(tmp_path):
    domain = load_domain(write(tmp_path / "tiny"))
    with pytest.raises(DomainError, match="no train examples"):
        Material.of(domain, DataOptions(longest=3))


WRONG = "SELECT people FROM state WHERE name = '{s}'"
"""A query that the grammar reads, of a column that its table has not."""


@pytest.fixture
def material(tmp_path, monkeypatch):
    import tiny_domain

    monkeypatch.setitem(tiny_domain.PROTOTYPES, "wrong", ("how many live in {s}", WRONG))
    return Material.of(load_domain(write(tmp_path / "tiny")), DataOptions())


def test_refused_gold_queries_are_told_by_part_with_reason(material):
    refused = material.refused(material.grammar.constraint(material.vocabulary))
    assert [(r.part, r.pairs) for r in refused] == [("train", 4), ("dev", 1), ("test", 1)]
    assert len({r.query for r in refused}) == 1
    assert all("people is not in FROM" in r.problem for r in refused)
    assert [r.place.rpartition(":")[2] for r in refused] == ["31", "35", "36"]
    assert material.refused(material.grammar.constraint(material.vocabulary, level="grammar")) == []


def test_a_budget_that_is_too_small_refuses(material):
    constraint = material.grammar.constraint(material.vocabulary, budget=8)
    assert any("words" in r.problem for r in material.refused(constraint))


def test_what_bounds_a_query_is_read_from_the_training_queries(tmp_path, monkeypatch):
    import tiny_domain

    wide = "SELECT c.name FROM city AS c JOIN state AS s ON c.state = s.name, (SELECT 1 AS n) AS t WHERE s.name = '{s}'"
    domain = load_domain(write(tmp_path / "narrow"))
    assert Material.of(domain, DataOptions()).widest == 1
    monkeypatch.setitem(tiny_domain.PROTOTYPES, "wide", ("which are told of in {s}", wide))
    material = Material.of(load_domain(write(tmp_path / "tiny")), DataOptions())
    assert material.widest == 3
    assert material.longest == 27
    bounds = _with_bounds(TrainConfig(), material).constraint
    assert (bounds.budget, bounds.sources, bounds.joins) == (120, 4, "any")
    own = replace(TrainConfig(), constraint=ConstraintOptions(budget=7, sources=2, joins="keys"))
    assert _with_bounds(own, material) == own


def test_joins_follow_keys_where_all_training_queries_do(tmp_path, monkeypatch):
    import tiny_domain

    assert not Material.of(load_domain(write(tmp_path / "without")), DataOptions()).along_keys
    keyed = tiny_domain.SCHEMA.replace("state TEXT,", "state TEXT REFERENCES state (name),")
    monkeypatch.setattr(tiny_domain, "SCHEMA", keyed)
    joined = "SELECT s.area FROM city AS c JOIN state AS s ON c.state = s.name WHERE c.name = '{s}'"
    monkeypatch.setitem(tiny_domain.PROTOTYPES, "joined", ("the area around {s}", joined))
    material = Material.of(load_domain(write(tmp_path / "keyed")), DataOptions())
    assert material.along_keys
    assert _with_bounds(TrainConfig(), material).constraint.joins == "keys"
    pairs = "SELECT COUNT(*) FROM state AS s, state AS t WHERE s.area = t.area AND s.name = '{s}'"
    monkeypatch.setitem(tiny_domain.PROTOTYPES, "pairs", ("how many are as large as {s}", pairs))
    assert not Material.of(load_domain(write(tmp_path / "other")), DataOptions()).along_keys


def test_refused_gold_queries_are_looked_for_once(material, tmp_path, monkeypatch):
    constraint = material.grammar.constraint(material.vocabulary)
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    found = find_refused(material, constraint, run)
    assert len(found) == 3
    monkeypatch.setattr(Material, "refused", None)
    assert find_refused(material, constraint, run) == found


def test_the_loss_never_pushes_against_a_refused_gold_query(material):
    constraint = material.grammar.constraint(material.vocabulary)
    for example in material.train:
        ids = material.vocabulary.encode(example.slotted)
        mask = _walk(constraint, ids)
        assert mask.shape == (len(ids) + 1, len(material.vocabulary))
        assert mask[range(len(ids) + 1), [*ids, EOS]].all()
        assert mask.all() == (example.prototype == "wrong")
