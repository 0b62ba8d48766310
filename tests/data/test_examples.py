"""Slots and their values: binding, and filling that no value can break out of."""

from __future__ import annotations

import sqlite3

import pytest

from querent.data.values.slots import Value, ValueMention, bind, fill_sql, fits


def value(slot: str, sql: str) -> Value:
    return Value(slot, ValueMention(0, len(sql), sql, slot[:-1], sql))


def test_mentions_of_a_type_are_numbered_by_position_and_equal_ones_share_a_slot() -> None:
    texts = [(9, "texas", "state"), (0, "iowa", "state"), (20, "texas", "state"), (30, "7", "number")]
    values = bind(ValueMention(start, start + len(text), text, kind, text) for start, text, kind in texts)
    assert [(v.slot, v.mention.sql) for v in values] == [("state0", "iowa"), ("state1", "texas"), ("number0", "7")]


@pytest.mark.parametrize("text", ["O'Neil", "''", "'; DROP TABLE t; --", "a\\' OR 1=1 --", "50%", "{x0}"])
def test_no_value_ends_the_quotes_it_stands_in(text: str) -> None:
    sql = fill_sql("SELECT '{name0}' , '%{name0}%'", [value("name0", text)])
    assert sqlite3.connect(":memory:").execute(sql).fetchone() == (text, f"%{text}%")


def test_mysql_reads_backslashes_so_they_are_doubled() -> None:
    assert fill_sql("'{name0}'", [value("name0", "a\\'b")], dialect="mysql") == "'a\\\\''b'"


@pytest.mark.parametrize(
    ("text", "number"), [("7", True), ("-3.5", True), ("1e6", True), ("0 OR 1=1", False), ("", False)]
)
def test_only_numbers_stand_outside_of_quotes(text: str, number: bool) -> None:
    values = [value("number0", text)]
    assert fits("{number0}", values) is number
    assert fits("'{number0}'", values)
    if number:
        assert fill_sql("x > {number0}", values) == f"x > {text}"
    else:
        with pytest.raises(ValueError, match="no number"):
            fill_sql("x > {number0}", values)


@pytest.mark.parametrize(
    ("number", "sql"), [("3", "3 :: TEXT"), ("-3", "(-3) :: TEXT"), ("-2.5e-1", "(-2.5e-1) :: TEXT")]
)
def test_a_negative_number_stands_in_brackets_before_a_cast(number: str, sql: str) -> None:
    values = [value("number0", number)]
    assert fill_sql("{number0} :: TEXT", values, dialect="postgres") == sql
    assert fill_sql("'{number0}' :: TEXT", values, dialect="postgres") == f"'{number}' :: TEXT"
    assert fill_sql("x > {number0} AND y :: TEXT", values, dialect="postgres") == f"x > {number} AND y :: TEXT"


def test_a_slot_without_a_value_is_an_error() -> None:
    assert not fits("'{name0} {name1}'", [value("name0", "a")])
    with pytest.raises(KeyError):
        fill_sql("'{name1}'", [value("name0", "a")])
