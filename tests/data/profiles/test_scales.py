"""Columns that count in thousands, millions or more."""

from __future__ import annotations

import pytest

from querent.meaning.cell_sample import scale_of


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("Budget_in_Billions", 10**9),
        ("budgetMillion", 10**6),
        ("thousands of visitors", 1000),
        ("营收（亿）", 10**8),
        ("面积（万平方米）", 10**4),
        ("蓄水量(万亿立方米)", 10**12),
        ("注册资本万元", 10**4),
        ("重量（千克）", 0),
        ("millionaire", 0),
        ("百分比(2007年)", 0),
        ("价格", 0),
    ],
)
def test_names_say_it(sampled, name, scale):
    assert scale_of(sampled([1.5, 80, 316], name)) == scale


def test_cells_that_are_larger_deny_it(sampled):
    assert scale_of(sampled([3_500_000, 12_000_000, 4], "budget_in_millions")) == 0


@pytest.mark.parametrize("cells", [[], ["a", "b"]])
def test_without_numbers_there_is_none(sampled, cells):
    assert scale_of(sampled(cells, "budget_in_millions")) == 0
