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
    ("text", "columns"),
    [
        ("the margin of each plant", {("plants", "plant_name")}),
        ("the margin for every region", {("plants", "region")}),
        ("the margin per shift", {("shifts", "leader"), ("shifts", "no")}),
        ("the margin of each customer", set()),
        ("the margin of all plants", set()),
    ],
)
def test_of_each_of_what(text: str, columns: set[tuple[str, str]]) -> None:
    assert each_of(question(text), ITEMS) == columns


def test_a_condition_may_stand_between() -> None:
    text = "the margin of each remote plant"
    assert each_of(question(text, value(text, "remote")), ITEMS) == {("plants", "plant_name")}


def test_a_per_within_a_formula_means_nothing() -> None:
    text = "costs per plant in 2020"
    assert each_of(question(text), ITEMS, [(0, 15)]) == set()


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
