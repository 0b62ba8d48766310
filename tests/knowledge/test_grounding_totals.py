"""Columns that only together are a concept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.knowledge.grounding.features import items_of
from querent.knowledge.grounding.problems import total_of
from querent.parser.reader.items import column_kind


def summed(said: Sequence[str], *columns: str) -> list[str]:
    """Return the sums that a concept may be, with the columns of one table."""
    schema = Schema((Table("t", tuple(Column(name, "REAL") for name in columns)),))
    found = total_of(said[0], said, list(items_of(schema, column_kind)))
    return [str(one.formula) for one in found]


@pytest.mark.parametrize(
    ("said", "columns", "sums"),
    [
        (["costs"], ("seed_cost", "fert_cost", "area"), ["t.seed_cost + t.fert_cost"]),
        (["total costs"], ("seed_exp", "travel_expenses"), ["t.seed_exp + t.travel_expenses"]),
        (["costs"], ("seed_cost", "labor_cost", "rent"), ["t.seed_cost + t.labor_cost + t.rent"]),
        (["revenue"], ("room_revenue", "other_revenue", "rent"), ["t.room_revenue + t.other_revenue"]),
        (["总成本"], ("进货成本", "人工费", "租金", "面积"), ['t."进货成本" + t."人工费" + t."租金"']),
        (["outgoings", "total expenses"], ("seed_cost", "fert_cost"), ["t.seed_cost + t.fert_cost"]),
        (["costs"], ("seed_cost", "fert_cost", "total_cost"), []),  # the whole is there
        (["costs"], ("seed_cost", "fert_cost", "costs"), []),
        (["cost of goods sold"], ("seed_cost", "fert_cost"), []),  # says which part it is
        (["unit cost"], ("seed_cost", "fert_cost"), []),
        (["unit cost", "cost"], ("seed_cost", "fert_cost"), []),  # whatever else it is called
        (["costs"], ("seed_cost", "area"), []),  # one alone
        (["costs"], ("unit_cost", "average_cost"), []),  # no amounts of the whole row
        (["prices"], ("list_price", "sale_price"), []),  # do not add up
    ],
)
def test_amounts_of_one_kind_are_added_up(said: Sequence[str], columns: tuple[str, ...], sums: list[str]) -> None:
    assert summed(said, *columns) == sums
