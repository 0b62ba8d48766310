"""What a domain gives to a run."""

from __future__ import annotations

import pytest
from tiny_domain import write

from querent.data.domain import load_domain
from querent.data.errors import DomainError
from querent.parser.material import Material
from querent.parser.options import DataOptions


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
