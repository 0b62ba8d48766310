"""Tables that somebody names for a question."""

from __future__ import annotations

from typing import Any

import pytest
from case_tables import rows

from querent.data.errors import InputError
from querent.data.schema.schema import Column, Schema, Table
from querent.parser.answering.table_choice import TableChoice
from querent.parser.reader.catalogue import TableCatalogue


def choice_of(*tables: Table) -> TableChoice:
    return TableChoice(TableCatalogue(Schema(tables), None, "postgres", "en"), None)


def table(name: str, namespace: str = "") -> Table:
    return Table(name, (Column("x"),), namespace=namespace, qualified=bool(namespace))


CHOICE = choice_of(table("shop"), table("sales.orders", "sales"), table("archive.orders", "archive"))


def test_a_table_of_a_schema_is_named_with_it() -> None:
    assert CHOICE.named(["Archive.Orders", "shop"]) == ("shop", "archive.orders")


@pytest.mark.parametrize(("tables", "told"), rows("no_tables"))
def test_what_is_no_table_is_told_with_what_may_be_meant(tables: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        CHOICE.named(tables)
