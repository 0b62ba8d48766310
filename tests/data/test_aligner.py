"""Values of gold queries found in their questions, their slots, and the filling that no value can break out of."""

import json
import sqlite3
from pathlib import Path

import pytest
from cases import cases

from querent.data.domains.aligner import align, slot_type
from querent.data.sql.sources import sql_literals
from querent.data.values.slots import Value, ValueMention, bind, fill_sql, fits


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("queries.toml"), "align"))
def test_alignment(case: dict[str, str]) -> None:
    got, values = align(case["question"], case["sql"])
    assert got == case["slotted"]
    assert fill_sql(got, values) == case["sql"]


def test_other_numbers_take_their_slots_too() -> None:
    slotted, values = align("top 3 of 2013-08-12 above 5", "SELECT x FROM t WHERE v > 5")
    assert slotted == "SELECT x FROM t WHERE v > {number1}"
    assert [(v.slot, v.mention.sql) for v in values] == [("number0", "3"), ("time0", "2013-08-12"), ("number1", "5")]


def test_known_mentions_and_types() -> None:
    known = [ValueMention(3, 13, "San Andrés", "place", "san andres")]
    question, sql = "in San Andrés of Texas", "SELECT x FROM t WHERE city = 'san andres' AND st = 'texas'"
    slotted, values = align(question, sql, known=known, types={"st": "state"}.get)
    assert slotted == "SELECT x FROM t WHERE city = '{place0}' AND st = '{state0}'"
    assert fill_sql(slotted, values) == sql


def test_two_ways_of_writing_one_value() -> None:
    sql = "SELECT x FROM t WHERE a > 30.0 AND b < 30 AND s = 'Texas' OR r = 'texas'"
    slotted, values = align("over 30 in texas", sql)
    assert fill_sql(slotted, values) == sql
    assert slotted.count("{") == 2


def test_slot_types_are_names_that_slots_can_carry() -> None:
    assert slot_type("PERSON_ID") == "person_id"
    assert slot_type("addr1") == "addr1_"
    assert slot_type("number") == "number_"
    assert slot_type("2nd name") == "_2nd_name"
    assert slot_type("城市") == "value"


@pytest.mark.parametrize(("field", "least"), [("question", 0.99), ("question_rewritten", 0.98)])
def test_yibao(shared_data: Path, field: str, least: float) -> None:
    """Of the strings and dates of real gold queries nearly all are found, and no query is changed."""
    total = left = 0
    lines = (shared_data / "css-yibao" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines[::4]):
        slotted, values = align(row[field], row["sql"], dialect="mysql", language="zh")
        assert fill_sql(slotted, values) == row["sql"]
        total += sum(x.string for x in sql_literals(row["sql"], "mysql"))
        left += sum(x.string and "{" not in x.value for x in sql_literals(slotted, "mysql"))
    assert 1 - left / total >= least


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
