"""Each fact about one engine is shown by a query, which the constraint judges otherwise without the fact."""

import tomllib
from dataclasses import fields, replace
from importlib import resources

import pytest
from rule_cases import MARK, judge, schema_of, stop

from querent.grammar.types.quirks import QUIRKS, Quirks

PLAIN = Quirks()
WIDE = {"columns_before_outputs"}
"""Facts that only the wide form of the grammar asks for."""

FILE = resources.files("querent.grammar.types") / "quirks.toml"
CASES = [
    (dialect, fact, told["shown"])
    for dialect, facts in tomllib.loads(FILE.read_text("utf-8")).items()
    for fact, told in facts.items()
]


def test_each_fact_is_one_of_some_engine() -> None:
    assert {fact for _, fact, _ in CASES} == {f.name for f in fields(Quirks)}


@pytest.mark.parametrize(("dialect", "fact", "sql"), CASES)
def test_the_query_shows_the_fact(monkeypatch: pytest.MonkeyPatch, dialect: str, fact: str, sql: str) -> None:
    text = sql.replace(MARK, "")
    at = sql.index(MARK) if MARK in sql else None
    found = stop(judge.__wrapped__((sql,), dialect, schema=schema_of(sql), wide=fact in WIDE), text)
    assert (found and found[0]) == at, found
    plain = replace(QUIRKS[dialect], **{fact: getattr(PLAIN, fact)})
    monkeypatch.setitem(QUIRKS, dialect, plain)
    otherwise = stop(judge.__wrapped__((sql,), dialect, schema=schema_of(sql), wide=fact in WIDE), text)
    assert (otherwise and otherwise[0]) != at, otherwise
