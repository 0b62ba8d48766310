"""Columns that say yes and no."""

from __future__ import annotations

import pytest

from querent.meaning.flag_cells import flag_of
from querent.meaning.profile import FlagCells


@pytest.mark.parametrize(
    ("cells", "name", "kind", "flag"),
    [
        ([1, 0, 1], "is_member", "integer", FlagCells("1", "0", "number")),
        ([1, 0], "verified", "integer", FlagCells("1", "0", "number")),
        ([1], "archived", "boolean", FlagCells("1", None, "number")),
        ([0, -1], "is_paid", "integer", FlagCells("-1", "0", "number")),
        (["1", "0"], "amount_paid_yn", "text", FlagCells("1", "0", "text")),
        (["1", "0"], "has_garden", "text", FlagCells("1", "0", "text")),
        (["Y", "N"], "newsletter", "text", FlagCells("Y", "N", "text")),
        (["F", "T", "F"], "vip", "text", FlagCells("T", "F", "text")),
        (["no", "Yes"], "smoker", "text", FlagCells("Yes", "no", "text")),
        (["true", "false"], "x", "text", FlagCells("true", "false", "text")),
        (["是", "否"], "是否会员", "text", FlagCells("是", "否", "text")),
        (["Inactive", "Active"], "status", "text", FlagCells("Active", "Inactive", "text")),
        (["paid", "unpaid"], "invoice", "text", FlagCells("paid", "unpaid", "text")),
        (["未发货", "已发货"], "发货", "text", FlagCells("已发货", "未发货", "text")),
        (["N"], "is_closed", "text", FlagCells("Y", "N", "text")),
    ],
)
def test_the_cell_that_says_yes(sampled, cells, name, kind, flag):
    assert flag_of(sampled(cells, name, kind)).cells == flag


def test_a_servers_boolean_needs_no_cells(sampled):
    assert flag_of(sampled([], "x", "boolean", "postgres")).cells == FlagCells("true", "false", "boolean")
    assert flag_of(sampled([True, None], "x", "boolean", "postgres")).cells.yes == "true"
    assert flag_of(sampled([b"\x01", b"\x00"], "x", "bit(1)", "mysql")).cells == FlagCells("1", "0", "number")
    assert flag_of(sampled([1, 0], "x", "tinyint(1)", "mysql")).cells == FlagCells("1", "0", "number")


@pytest.mark.parametrize("name", ["goals", "num_children", "stock", "age", "siblings", "lost"])
def test_a_number_that_is_zero_or_one_so_far_is_no_flag(sampled, name):
    assert flag_of(sampled([0, 1] * 40, name, "integer")) is None


@pytest.mark.parametrize("name", ["scored", "runner_up"])
def test_ones_among_many_zeros_are_none_either(sampled, name):
    told = flag_of(sampled([0] * 190 + [1] * 10, name, "integer"))
    assert told is None or not told.sure


def test_zeros_and_ones_without_a_reason_are_a_doubt(sampled):
    few, many = (flag_of(sampled([0, 1] * times, "newsletter", "integer")) for times in (5, 60))
    assert not few.sure
    assert "a number?" in few.doubt
    assert many.cells.yes == "1"
    assert "may be a number" in many.doubt


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["M", "F"], "sex"),
        (["F"], "sex"),
        (["T"], "middle_initial"),
        (["Y", "N", "maybe"], "x"),
        ([1, 2], "is_open"),
        ([], "is_open"),
    ],
)
def test_other_cells_are_none(sampled, cells, name):
    assert flag_of(sampled(cells, name)) is None


def test_what_stands_beside_yes_and_no_is_told(sampled):
    told = flag_of(sampled(["Y", "N", ""], "newsletter"))
    assert told.cells == FlagCells("Y", "N", "text")
    assert "''" in told.doubt
