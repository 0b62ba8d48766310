"""What a query has of another one."""

from __future__ import annotations

import pytest

from querent.data.answer import Carried
from querent.data.sql.carried import carried

BEFORE = "SELECT name FROM artist WHERE country = 'France' AND born > 1900 ORDER BY name LIMIT 5"


def test_each_part_is_kept_new_or_dropped() -> None:
    now = "SELECT COUNT(*), city FROM artist WHERE country = 'France' GROUP BY city HAVING COUNT(*) > 2"
    assert carried(BEFORE, now, "sqlite") == Carried(
        kept=("WHERE country = 'France'", "FROM artist"),
        new=("SELECT COUNT(*)", "SELECT city", "HAVING COUNT(*) > 2", "GROUP BY city"),
        dropped=("SELECT name", "WHERE born > 1900", "ORDER BY name", "LIMIT 5"),
    )


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_the_same_query_is_kept_whole(dialect: str) -> None:
    found = carried(BEFORE, BEFORE, dialect)
    assert (found.new, found.dropped) == ((), ())
    assert str(found).startswith("still SELECT name")


@pytest.mark.parametrize("operation", ["UNION", "EXCEPT", "INTERSECT"])
def test_the_second_of_two_queries_is_one_part(operation: str) -> None:
    now = f"SELECT name FROM artist {operation} SELECT name FROM band"
    found = carried("SELECT name FROM artist", now, "sqlite")
    assert found.kept == ("SELECT name", "FROM artist")
    assert found.new == (f"{operation} (SELECT name FROM band)",)


def test_an_order_turned_round_and_distinct_are_other_parts() -> None:
    found = carried("SELECT a FROM t ORDER BY a", "SELECT DISTINCT a FROM t ORDER BY a DESC", "sqlite")
    assert (found.new, found.dropped) == (("SELECT DISTINCT a", "ORDER BY a DESC"), ("SELECT a", "ORDER BY a"))


@pytest.mark.parametrize("before", ["", "no SQL at all (", "DELETE FROM artist"])
def test_of_what_is_no_query_nothing_is_kept(before: str) -> None:
    found = carried(before, BEFORE, "sqlite")
    assert found.kept == found.dropped == ()
    assert str(found) == "a new topic: nothing of the query before is kept"
