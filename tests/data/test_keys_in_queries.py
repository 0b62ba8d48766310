"""Keys that queries join by."""

from __future__ import annotations

import pytest

from querent.data.domains.keys_in_queries import with_keys_in_queries
from querent.data.domains.loading import load_domain
from querent.data.schema.ddl import from_ddl
from querent.data.schema.schema import ForeignKey, Schema

DDL = """
CREATE TABLE flight (id INT, from_airport TEXT, to_airport TEXT, days TEXT);
CREATE TABLE stand (airport TEXT, city TEXT, zone TEXT);
CREATE TABLE city (city_code TEXT, name TEXT, zone TEXT);
CREATE TABLE days (code TEXT, name TEXT)
"""


def links(schema: Schema) -> list[str]:
    return [
        f"{t.name}.{','.join(k.columns)} -> {k.table}.{','.join(k.references)}"
        for t in schema.tables
        for k in t.foreign_keys
    ]


def learnt(*queries: str, dialect: str = "sqlite") -> list[str]:
    return links(with_keys_in_queries(from_ddl(DDL, "sqlite"), queries, dialect=dialect))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM stand AS a JOIN city AS b ON a.city = b.city_code",
        "SELECT 1 FROM stand JOIN CITY ON CITY_CODE = City",
        "SELECT 1 FROM city a, stand b WHERE a.name = '{city0}' AND a.city_code = b.city",
        "SELECT 1 FROM city a WHERE EXISTS (SELECT 1 FROM stand b WHERE a.city_code = b.city)",
        "SELECT 1 FROM city WHERE city_code IN (SELECT a.city FROM stand a JOIN city b ON a.city = b.city_code)",
    ],
)
def test_what_is_joined_refers_to_what_is_a_key_by_its_name(sql):
    assert learnt(sql) == ["stand.city -> city.city_code"]


def test_what_is_joined_with_more_columns_is_referred_to_and_the_most_frequent_comes_first():
    one, other = (
        "SELECT 1 FROM stand s, flight f WHERE s.airport = f." + column for column in ("to_airport", "from_airport")
    )
    found = ["flight.from_airport -> stand.airport", "flight.to_airport -> stand.airport"]
    assert learnt(one, other, other) == found
    assert learnt(one, one, other) == found[::-1]
    both = "SELECT 1 FROM flight f, stand a, stand b WHERE f.from_airport = a.airport AND f.to_airport = b.airport"
    assert learnt(both) == found


def test_keys_run_outwards_from_the_table_with_more_joins():
    sql = "SELECT 1 FROM stand, flight, days WHERE stand.airport = flight.to_airport AND days.code = flight.days"
    assert learnt(sql) == ["flight.to_airport -> stand.airport", "flight.days -> days.code"]


def test_equalities_of_one_join_are_one_key():
    sql = "SELECT 1 FROM stand a JOIN city b ON a.zone = b.zone AND b.city_code = a.city"
    assert learnt(sql) == ["stand.city,zone -> city.city_code,zone"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM",
        "SELECT 1 FROM stand a, stand b WHERE a.city = b.city",
        "SELECT 1 FROM stand a WHERE a.city = a.zone",
        "SELECT 1 FROM stand a, (SELECT city_code FROM city) b WHERE a.city = b.city_code",
        "SELECT 1 FROM stand a, unknown b WHERE a.city = b.city",
        "SELECT 1 FROM flight f, stand s WHERE f.from_airport = s.airport AND f.to_airport = s.airport",
    ],
)
def test_no_keys(sql):
    assert learnt(sql) == []


def test_declared_keys_stay_and_are_not_said_again():
    ddl = "CREATE TABLE a (B_id INT REFERENCES b); CREATE TABLE b (id INT PRIMARY KEY, a_id INT)"
    schema = from_ddl(ddl, "sqlite")
    queries = ["SELECT 1 FROM a JOIN b ON b.id = a.b_id", "SELECT 1 FROM a JOIN b ON b.a_id = a.b_id"]
    found = with_keys_in_queries(schema, queries, dialect="sqlite")
    assert found.table("a").foreign_keys == schema.table("a").foreign_keys
    assert found.table("b").foreign_keys == (ForeignKey(("a_id",), "a", ("B_id",)),)


def test_academic_is_joined_as_its_names_tell(shared_data):
    domain = load_domain(f"text2sql:{shared_data / 'text2sql' / 'academic'}")
    queries = [example.sql for example in domain.part("train")]
    found = links(with_keys_in_queries(domain.schema, queries, dialect=domain.dialect))
    assert {"writes.aid -> author.aid", "writes.pid -> publication.pid", "cite.cited -> publication.pid"} <= set(found)
    assert all(link.partition(".")[2].split(" ")[0] in {"citing", "cited", link.rpartition(".")[2]} for link in found)
