"""Pairs that a training samples: their clock is that of the context, and their queries are in normal form."""

from dataclasses import replace
from datetime import datetime

from sampled import source

from querent.data.sql.query import Query
from querent.parser.learning.dataset import sampled_pairs
from querent.parser.normal_form import NormalForm, ShortForm
from querent.parser.normal_form.join_rewriter import JoinRewriter
from querent.parser.reader.context import DatabaseContext
from querent.sampler import STRUCTURE_KINDS


def context(name: str) -> DatabaseContext:
    home = source(name)
    return DatabaseContext.of(home.schema, None, dialect="sqlite", language="en", profile=home.profile)


def test_times_are_seen_from_the_clock_of_the_context() -> None:
    file, now = source("library").file, datetime(2023, 3, 1)
    for seen, wanted in ((context("library"), False), (replace(context("library"), now=now), True)):
        pairs = sampled_pairs("library", seen, file, count=70, seed=1, structures=STRUCTURE_KINDS["meant"])
        last_year = [pair.sql for pair in pairs if "last year" in pair.question]
        assert bool(last_year) is wanted
        assert all(">= '2022-01-01'" in sql for sql in last_year)


def test_counts_with_those_that_have_none_are_written_in_short_and_meant_as_they_are() -> None:
    known, home = context("museum"), source("museum")
    pairs = sampled_pairs("museum", known, home.file, count=60, seed=1, structures=STRUCTURE_KINDS["with-none"])
    found = {pair.sql for pair in pairs}
    assert {sql.count("LEFT JOIN") for sql in found} == {1, 2}
    normal, short = NormalForm(known.grammar), ShortForm(known.grammar)
    meant = JoinRewriter(known.grammar, home.profile)
    for sql in found:
        assert normal.of(sql) == sql
        assert short.sql(short.words(sql)) == sql
        assert meant.of(query := Query(sql, "sqlite")) is query
