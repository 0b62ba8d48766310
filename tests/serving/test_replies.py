"""Cells as JSON and JavaScript can have them."""

import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from querent import Answer, Clarification, Option
from querent.serving.replies import answer_json


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (None, None),
        (True, True),
        (2**53, str(2**53)),  # JavaScript would round it
        (-(2**53) + 1, -(2**53) + 1),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("12.50"), 12.5),
        (Decimal("12.00"), 12),
        (Decimal("NaN"), "nan"),
        (Decimal("Infinity"), "inf"),
        (Decimal(10) ** 30, str(10**30)),
        (b"\x00\xff", "00ff"),
        (b"\x00" * 33, "(33 bytes)"),
        (memoryview(b"abc"), "616263"),
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 12, 5), "2024-02-29 12:05:00"),
        (time(12, 5), "12:05:00"),
        ("<b>", "<b>"),
    ],
)
def test_a_cell_is_told(cell: Any, told: Any) -> None:
    options = (Option("one", "SELECT 1", ("a",), ((cell,),)),)
    answer = Answer("?", "SELECT 1", ("a",), ((cell,),), clarification=Clarification("value", "Which?", options))
    shown = answer_json(answer, None)
    assert shown["rows"] == shown["clarification"]["options"][0]["rows"] == [[told]]
    json.dumps(shown, allow_nan=False)


def test_rows_that_are_not_wanted_are_said_to_be_left_out() -> None:
    answer = Answer("?", "SELECT 1", ("a",), ((1,), (2,)))
    assert [answer_json(answer, most)["truncated"] for most in (1, 2, None)] == [True, False, False]
