"""Which tables of a large database come first for a question."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.meaning.profile import ColumnProfile, DatabaseProfile
from querent.ner.language.question import QuestionText
from querent.parser.reader.catalogue import TableCatalogue, TableRetriever
from querent.retrieval.schema_retriever.table_scorer import shipped_scorer

COLUMNS = ("name", "country", "birth_year")
TABLES = ("singers_2019", "singers_2020", "invoice")
SCHEMA = Schema(tuple(Table(table, tuple(Column(name, "TEXT") for name in COLUMNS)) for table in TABLES))


def best_first(question: str, *, empty: Collection[str] = (), beside: Collection[str] = ()) -> list[str]:
    columns = {
        (table, name): ColumnProfile("empty" if table in empty else "name") for table in TABLES for name in COLUMNS
    }
    catalogue = TableCatalogue(SCHEMA, None, "sqlite", "en", profile=DatabaseProfile(columns))
    return TableRetriever(catalogue, shipped_scorer()).ranked(QuestionText(question), beside=[*beside])


@pytest.mark.parametrize("empty", TABLES[:2])
def test_a_table_that_nobody_fills_stands_behind_its_like(empty: str) -> None:
    first, second, third = best_first("how many singers are there?", empty=[empty])
    assert (second, third) == (empty, "invoice")
    assert first != empty


def test_that_a_table_is_empty_counts_little_beside_its_name() -> None:
    assert best_first("how many invoices are there?", empty=["invoice"])[0] == "invoice"


def test_what_is_told_beside_a_question_counts() -> None:
    assert best_first("how much is it?", beside=["invoice"])[0] == "invoice"
