"""How columns are stored, in words."""

from __future__ import annotations

import pytest

from querent.meaning.profile import ColumnProfile, FlagCells, KeyProfile, NumberText, TimeStorage
from querent.meaning.profiling import key_words, stored_as


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (TimeStorage("iso", "day", True), "ISO date"),
        (TimeStorage("iso", "second", True), "ISO date and time"),
        (TimeStorage("native", "second", False), "date and time"),
        (TimeStorage("day first", "day", True, "/"), "D/M/Y text"),
        (TimeStorage("month first", "second", True, "-"), "M-D-Y and time text"),
        (TimeStorage("year first", "month", True, "/"), "Y/M text"),
        (TimeStorage("year first", "day", True, "年"), "Y年M月D日 text"),
        (TimeStorage("year first", "year", True, "年"), "Y年 text"),
        (TimeStorage("month name", "day", True, ", "), "Month D, Y text"),
        (TimeStorage("month name", "day", True, " ", day_before_month=True), "D Month Y text"),
        (TimeStorage("month name", "month", True, " "), "Month Y text"),
        (TimeStorage("unix", "second", False), "unix seconds"),
        (TimeStorage("unix ms", "second", True), "unix milliseconds text"),
        (TimeStorage("digits", "day", False), "YYYYMMDD"),
        (TimeStorage("digits", "month", True), "YYYYMM text"),
        (TimeStorage("year", "year", False), "year"),
    ],
)
def test_times(time, words):
    assert stored_as(ColumnProfile("time", time=time)) == words


def test_flags_and_numbers():
    assert stored_as(ColumnProfile("flag", flag=FlagCells("1", "0", "number"))) == "1 says yes, 0 no"
    assert stored_as(ColumnProfile("flag", flag=FlagCells("Y", None, "text"))) == "Y says yes"
    assert stored_as(ColumnProfile("amount", number=NumberText(("$", ",")))) == "number in text ($ , removed)"
    assert stored_as(ColumnProfile("amount", scale=10**6)) == "counts in millions"
    assert stored_as(ColumnProfile("amount", number=NumberText(("%",)), scale=10**8)).endswith("counts in 100000000")
    told = stored_as(ColumnProfile("amount", number=NumberText(("€", " ", "."), decimal_comma=True, nothing=("-",))))
    assert told == "number in text (€ blanks . removed, decimal comma, none is '-')"
    assert stored_as(ColumnProfile("amount")) == ""


def test_keys():
    key = KeyProfile("a", ("b_id",), "b", ("id",), declared=False, optional=True)
    assert key_words(key) == "b.id, many to one, found, not declared, some have none"
    assert (
        key_words(KeyProfile("a", ("x",), "b", ("y",), many=False, left_over=False))
        == "b.y, one to one, all are referred to"
    )
