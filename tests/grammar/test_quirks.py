"""Each fact about one engine is shown by the query above it, which the constraint judges otherwise without the fact."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, replace

import pytest
from rule_cases import MARK, judge, schema_of, stop

from querent.grammar.types import quirks
from querent.grammar.types.quirks import QUIRKS, Quirks

PLAIN = Quirks()
WIDE = {"columns_before_outputs"}
"""Facts that only the wide form of the grammar asks for."""

_ENGINE = re.compile(r'^    "(\w+)": Quirks\(\n(.*?)^    \),', re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"((?:^ {8}# .*\n)+)^ {8}(\w+)=", re.MULTILINE)


def shown(dialect: str) -> dict[str, str]:
    """Return the query in the comment above each fact of an engine."""
    found = _SHOWN.findall(dict(_ENGINE.findall(inspect.getsource(quirks)))[dialect])
    return {fact: re.sub(r"\s*# ", " ", comment).strip().partition(": ")[0] for comment, fact in found}


CASES = [(dialect, fact, sql) for dialect in QUIRKS for fact, sql in shown(dialect).items()]


@pytest.mark.parametrize("dialect", QUIRKS)
def test_each_fact_of_an_engine_has_a_query(dialect: str) -> None:
    told = {f.name for f in fields(Quirks) if getattr(QUIRKS[dialect], f.name) != getattr(PLAIN, f.name)}
    assert set(shown(dialect)) == told


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
