"""Functions of templates: what they become for columns of each storage has the rows that it should have."""

from datetime import date, datetime

import pytest
from sampled import Source, filled

from querent.data.parsing import read_tree
from querent.sampler.frame import NothingToDraw
from querent.sampler.functions import with_functions
from querent.sampler.spans import Span

SCRIPT = """
CREATE TABLE t0 (
    id INTEGER PRIMARY KEY, iso_day DATE, iso_moment TEXT, unix_time INTEGER, slashed_date TEXT, compact_date TEXT,
    end_date DATE, birth_date DATE, is_paid INTEGER, is_open TEXT, is_sold TEXT, cost TEXT
);
INSERT INTO t0 SELECT n, day, day || ' 21:30:00', CAST(strftime('%s', day, '21 hours') AS INTEGER),
    strftime('%d/%m/%Y', day), strftime('%Y%m%d', day), date(day, (n % 9) || ' days'), date(day, '-30 years'),
    n % 2, iif(n % 2, 'Y', 'N'), iif(n % 2, 'yes', 'no'), printf('$%d,%03d', 1 + n % 5, n)
FROM number WHERE n < 200;
"""
STORAGES = ("iso_day", "iso_moment", "unix_time", "slashed_date", "compact_date")
NOW = datetime(2024, 3, 15, 12)
MAY = Span("month", {}, datetime(2022, 5, 1), datetime(2022, 6, 1))
WEEKEND = Span("weekend", {}, datetime.min, datetime.min, "weekday", (6, 7))
FIRST, END = MAY.start.date(), MAY.end.date()
COMPARED = {
    "WITHIN": lambda day: FIRST <= day < END,
    "SINCE": lambda day: day >= FIRST,
    "AFTER": lambda day: day >= END,
    "BEFORE": lambda day: day < FIRST,
    "UNTIL": lambda day: day < END,
    "RECURS": lambda day: day.isoweekday() in (6, 7),
}
PARTS = {
    "year": lambda day: str(day.year),
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "month": lambda day: f"{day:%Y-%m}",
    "weekday": lambda day: str(day.isoweekday()),
    "day": str,
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return Source(filled(tmp_path_factory.mktemp("functions") / "functions.sqlite", SCRIPT))


@pytest.fixture(scope="module")
def days(home):
    return {one: date.fromisoformat(day) for one, day in home.rows("SELECT id, iso_day FROM t0")}


def answered(home, sql, value=None, now=NOW):
    """Return the rows of a query with functions."""
    columns = {column.column.name: column for column in home.frame().tables[0].columns}
    return home.rows(with_functions(read_tree(sql, "sqlite"), columns, {"v0": value}, now).sql("sqlite"))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("name", COMPARED)
def test_a_time_is_compared_with_a_span(home, days, name, storage):
    value = WEEKEND if name == "RECURS" else MAY
    found = answered(home, f"SELECT t0.id FROM t0 WHERE {name}(t0.{storage}, :v0) AND t0.id > 0", value)
    assert sorted(one for (one,) in found) == [one for one, day in days.items() if one and COMPARED[name](day)]
    assert 0 < len(found) < len(days) - 1


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_time_is_told(home, days, part, storage):
    found = answered(home, f"SELECT t0.id, PART(t0.{storage}, '{part}') FROM t0")
    assert {one: str(said) for one, said in found} == {one: PARTS[part](day) for one, day in days.items()}


@pytest.mark.parametrize("storage", STORAGES)
def test_days_between_two_times_are_counted(home, storage):
    found = answered(home, f"SELECT t0.id, DAYS(t0.{storage}, t0.end_date) FROM t0")
    assert all(count == one % 9 for one, count in found)


@pytest.mark.parametrize("storage", STORAGES)
def test_times_are_sorted_by_their_days(home, days, storage):
    found = answered(home, f"SELECT t0.id FROM t0 ORDER BY SORTED(t0.{storage}), t0.id")
    assert [one for (one,) in found] == sorted(days, key=lambda one: (days[one], one))


def test_an_age_is_that_of_the_clock(home, days):
    def age(day):
        born = day.replace(year=day.year - 30)
        return NOW.year - born.year - ((NOW.month, NOW.day) < (born.month, born.day))

    assert dict(answered(home, "SELECT t0.id, AGE(t0.birth_date) FROM t0")) == {k: age(day) for k, day in days.items()}
    with pytest.raises(NothingToDraw):
        answered(home, "SELECT AGE(t0.birth_date) FROM t0", now=None)


@pytest.mark.parametrize("flag", ["is_paid", "is_open", "is_sold"])
def test_a_flag_is_set_or_is_not(home, days, flag):
    for name, rest in (("IS_SET", 1), ("NOT_SET", 0)):
        found = answered(home, f"SELECT t0.id FROM t0 WHERE {name}(t0.{flag})")
        assert sorted(one for (one,) in found) == [one for one in days if one % 2 == rest]


def test_a_number_in_a_text_is_shown_as_it_is_and_computed_with_as_a_number(home, days):
    costs = {one: 1000 * (1 + one % 5) + one for one in days}
    assert answered(home, "SELECT t0.cost FROM t0 WHERE t0.id = 7") == [("$3,007",)]
    assert answered(home, "SELECT SUM(t0.cost), AVG(t0.cost) FROM t0") == [
        (sum(costs.values()), sum(costs.values()) / len(costs))
    ]
    (first,) = answered(home, "SELECT t0.id FROM t0 WHERE t0.cost > 900 ORDER BY t0.cost DESC LIMIT 1")
    assert first == (max(costs, key=costs.__getitem__),)
    (above,) = answered(home, "SELECT COUNT(*) FROM t0 WHERE t0.cost > (SELECT t0.cost FROM t0 WHERE t0.id = 7)")
    assert above == (sum(cost > costs[7] for cost in costs.values()),)


@pytest.mark.parametrize("call", ["IS_SET(t0.iso_day)", "SORTED(t0.cost)", "DAYS(t0.iso_day, t0.cost)"])
def test_a_column_without_what_a_function_needs_is_not_drawn(home, call):
    with pytest.raises(NothingToDraw):
        answered(home, f"SELECT {call} FROM t0")
