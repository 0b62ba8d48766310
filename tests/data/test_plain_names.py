"""Identifiers in plain words."""

from __future__ import annotations

from pathlib import Path

from cases import rows

from querent.data.schema.plain_names import plain_name, spoken

CASES = Path(__file__).with_suffix(".toml")


@rows(CASES, "identifiers")
def test_identifiers(identifier, plain):
    assert plain_name(identifier) == plain


@rows(CASES, "descriptions_are_spoken_where_they_are_names")
def test_descriptions_are_spoken_where_they_are_names(description, said):
    assert spoken("apt_id", description) == said
