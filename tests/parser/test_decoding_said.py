"""What a question with formulas wants shown."""

from __future__ import annotations

import pytest
from reader_cases import question, value

from querent.data.schema import Column, Schema, Table
from querent.parser.decoding.said import asks_for, each_of
from querent.parser.reader.items import SchemaItems

SCHEMA = Schema(
    (
        Table(
            "plants",
            (Column("id", "INTEGER"), Column("plant_name", "TEXT"), Column("region", "TEXT"), Column("area", "REAL")),
            primary_key=("id",),
        ),
        Table("shifts", (Column("no", "INTEGER"), Column("leader", "TEXT")), primary_key=("no",)),
    )
)
ITEMS = SchemaItems(SCHEMA)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the margin of each plant", ["plants"]),
        ("the margin for every region", ["region"]),
        ("the margin per shift", ["shifts"]),
        ("the margin of each customer", []),
        ("the margin of all plants", []),
    ],
)
def test_of_each_of_what(text: str, names: list[str]) -> None:
    assert [item.name for item in each_of(question(text), ITEMS)] == names


def test_a_condition_may_stand_between() -> None:
    text = "the margin of each remote plant"
    assert each_of(question(text, value(text, "remote")), ITEMS) == [ITEMS.items[0]]


def test_a_per_within_a_formula_means_nothing() -> None:
    text = "costs per plant in 2020"
    assert each_of(question(text), ITEMS, [(0, 15)]) == []


@pytest.mark.parametrize(
    ("text", "said", "asked"),
    [
        ("what is the margin of each plant", "margin", True),
        ("What's the average margin in the north?", "margin", True),
        ("how high is the margin", "margin", True),
        ("which plant has the highest margin", "margin", False),
        ("what are the names of plants and their margin", "margin", False),
        ("各工厂的利润率是多少？", "利润率", True),
        ("每个工厂的利润率分别为多少", "利润率", True),
        ("哪个工厂的利润率最高？", "利润率", False),
        ("利润率最高的工厂面积是多少", "利润率", False),
    ],
)
def test_asked_for(text: str, said: str, asked: bool) -> None:
    start = text.index(said)
    assert asks_for(text, start, start + len(said)) is asked
