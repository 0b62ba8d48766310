"""What a question with formulas wants shown."""

from __future__ import annotations

import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.parser.decoding.each import things_of
from querent.parser.decoding.said import asks_for
from querent.parser.reader.items import Item, SchemaItems

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


def things(text: str, *, conditions: str = "", formula: str = "") -> list[str]:
    """Return the names of the things of which a question asks for something of each."""

    def span(said: str) -> list[tuple[int, int]]:
        return [(text.index(said), text.index(said) + len(said))] if said else []

    def called(said: str) -> Item | None:
        return ITEMS.items[1] if said == "crew" else None

    return [item.name for item in things_of(text, ITEMS, span(conditions), span(formula), called)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the margin of each plant", ["plants"]),
        ("the margin for every region", ["region"]),
        ("the margin per shift", ["shifts"]),
        ("the mean margin per shift", []),  # one number
        ("the margin of each crew", ["shifts"]),  # as good as called so
        ("the margin of each customer", []),
        ("the margin of all plants", []),
        ("the margin by region", ["region"]),
        ("the first three plants by area", []),
        ("the margin of plants sorted by region", []),
        ("list the plants with their margin", ["plants"]),
        ("list the plants in the north", ["plants"]),
        ("list the top 3 plants by area", ["plants"]),
        ("which plant has the highest margin", ["plants"]),
        ("which area is the largest", []),
        ("show the area of the plants", []),
        ("the margin of each plant in every region", ["plants", "region"]),
    ],
)
def test_of_each_of_what(text: str, names: list[str]) -> None:
    assert things(text) == names


def test_a_condition_may_stand_between() -> None:
    assert things("the margin of each remote plant", conditions="remote") == ["plants"]


def test_a_per_within_a_formula_means_nothing() -> None:
    assert things("costs per plant in 2020", formula="costs per plant") == []


@pytest.mark.parametrize(
    ("text", "said", "asked"),
    [
        ("what is the margin of each plant", "margin", True),
        ("What's the average margin in the north?", "margin", True),
        ("how high is the margin", "margin", True),
        ("which plant has the highest margin", "margin", False),
        ("what are the names of plants and their margin", "margin", False),
        ("list the plants with their margin", "margin", True),
        ("list the plants by margin", "margin", False),
        ("taken together, what is the margin of the remote plants", "margin", True),
        ("sum up the margin of all plants", "margin", True),
        ("求各工厂的利润率的平均值", "利润率", True),
        ("统计利润率高于9的工厂", "利润率", False),
        ("所有工厂中利润率的最大值是多少？", "利润率", True),
        ("列出工厂及其利润率", "利润率", True),
        ("各工厂的利润率是多少？", "利润率", True),
        ("每个工厂的利润率分别为多少", "利润率", True),
        ("哪个工厂的利润率最高？", "利润率", False),
        ("利润率最高的工厂面积是多少", "利润率", False),
    ],
)
def test_asked_for(text: str, said: str, asked: bool) -> None:
    start = text.index(said)
    assert asks_for(text, start, start + len(said)) is asked
