"""What a query has of another one."""

from __future__ import annotations

import pytest

from querent.answers.answer import Carried
from querent.answers.carried import carried
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.query import Query

BEFORE = "SELECT name FROM artist WHERE country = 'France' AND born > 1900 ORDER BY name LIMIT 5"
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(column) for column in columns.split()))
        for name, columns in {"artist": "id name country born city", "album": "artist_id title", "band": "name"}.items()
    )
)


def of(before: str, sql: str, dialect: str = "sqlite") -> Carried:
    return carried(Query(before, dialect), Query(sql, dialect), SCHEMA)


def test_each_part_is_kept_new_or_dropped() -> None:
    now = "SELECT COUNT(*), city FROM artist WHERE country = 'France' GROUP BY city HAVING COUNT(*) > 2"
    assert of(BEFORE, now) == Carried(
        kept=("WHERE country = 'France'", "FROM artist"),
        new=("SELECT COUNT(*)", "SELECT city", "HAVING COUNT(*) > 2", "GROUP BY city"),
        dropped=("SELECT name", "WHERE born > 1900", "ORDER BY name", "LIMIT 5"),
    )


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
def test_the_same_query_is_kept_whole(dialect: str) -> None:
    found = of(BEFORE, BEFORE, dialect)
    assert (found.new, found.dropped) == ((), ())
    assert str(found).startswith("still SELECT name")


def test_what_a_query_calls_its_tables_says_nothing() -> None:
    own = "select ARTIST.name from Artist where born > 1900"
    now = "SELECT a.name FROM artist AS a JOIN album ON a.id = artist_id WHERE a.born > 1900"
    assert of(own, now).kept == ("SELECT a.name", "WHERE a.born > 1900", "FROM artist AS a")


def test_a_condition_that_moves_into_a_query_within_is_kept() -> None:
    before = "SELECT id FROM artist WHERE country = 'France'"
    now = "SELECT title FROM album WHERE artist_id IN (SELECT id FROM artist WHERE country = 'France')"
    found = of(before, now)
    assert found.kept == ("WHERE country = 'France'",)
    assert found.dropped == ("SELECT id", "FROM artist")
    assert of(now, before).kept == found.kept


@pytest.mark.parametrize("operation", ["UNION", "EXCEPT", "INTERSECT"])
def test_the_second_of_two_queries_is_one_part(operation: str) -> None:
    now = f"SELECT name FROM artist {operation} SELECT name FROM band"
    found = of("SELECT name FROM artist", now)
    assert found.kept == ("SELECT name", "FROM artist")
    assert found.new == (f"{operation} (SELECT name FROM band)",)


def test_an_order_turned_round_and_distinct_are_other_parts() -> None:
    found = of("SELECT id FROM artist ORDER BY id", "SELECT DISTINCT id FROM artist ORDER BY id DESC")
    assert (found.new, found.dropped) == (("SELECT DISTINCT id", "ORDER BY id DESC"), ("SELECT id", "ORDER BY id"))


@pytest.mark.parametrize("before", ["", "no SQL at all (", "DELETE FROM artist", " UNION ".join(["SELECT 1"] * 1300)])
def test_of_what_is_no_query_nothing_is_kept(before: str) -> None:
    found = of(before, BEFORE)
    assert found.kept == found.dropped == ()


def test_a_new_topic_says_so_alone() -> None:
    assert str(Carried(new_topic=True)) == "a new topic: nothing of the query before is kept"
