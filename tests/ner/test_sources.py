from __future__ import annotations

import sqlite3

import pytest

from querent.data.domain import Domain, Entity
from querent.data.examples import Example, Mention, bind
from querent.data.schema import Column, Schema, Table
from querent.ner.sources import compared_columns, entries

SCHEMA = Schema(
    (
        Table("CITY", (Column("CITY_NAME"), Column("STATE_NAME"))),
        Table("STATE", (Column("STATE_NAME"), Column("CAPITAL"))),
        Table("order", (Column("group"),)),
    )
)


@pytest.mark.parametrize(
    ("slotted", "links"),
    [
        ("SELECT * FROM CITY AS C0 WHERE C0.CITY_NAME = '{city0}'", {("city", "CITY", "CITY_NAME")}),
        ("SELECT * FROM CITY AS C0 , STATE AS S0 WHERE S0.CAPITAL = '{x0}'", {("x", "STATE", "CAPITAL")}),
        ("SELECT * FROM city C0 WHERE C0.city_name LIKE '%{city0}%'", {("city", "CITY", "CITY_NAME")}),
        ("SELECT * FROM CITY WHERE STATE_NAME IN ('{s0}', '{t1}')",
         {("s", "CITY", "STATE_NAME"), ("t", "CITY", "STATE_NAME")}),
        ("SELECT * FROM CITY WHERE CITY.CITY_NAME <> '{c0}' AND STATE_NAME = '{s0}'",
         {("c", "CITY", "CITY_NAME"), ("s", "CITY", "STATE_NAME")}),
        ("SELECT * FROM CITY WHERE STATE_NAME NOT LIKE '{s0}%'", {("s", "CITY", "STATE_NAME")}),
        ('SELECT * FROM "order" WHERE "group" = \'{g0}\'', {("g", "order", "group")}),
        ("SELECT * FROM CITY WHERE CITY_NAME = 'austin' AND 1 = {number0}", set()),
    ],
)  # fmt: skip
def test_links_types_to_columns(slotted, links):
    assert set(compared_columns(slotted, SCHEMA)) == links


def test_gathers_training_entities_and_stored_values(tmp_path):
    path = tmp_path / "geo.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE CITY (CITY_NAME TEXT, STATE_NAME TEXT)")
        database.executemany("INSERT INTO CITY VALUES (?, ?)", [("austin", "texas"), ("o'fallon", None)])
    database.close()
    question = "rivers of the lone star state and cities like austin"
    values = bind(
        [
            Mention(14, 29, "lone star state", "state", "texas"),
            Mention(46, 52, "austin", "city", "austin"),
        ]
    )
    example = Example("1", question, "", "SELECT * FROM CITY WHERE CITY_NAME = '{city0}'", values)
    domain = Domain(
        "geo",
        "en",
        "sqlite",
        SCHEMA,
        (example,),
        entities=(Entity("MS", "river", ("Mississippi",)),),
        database=str(path),
    )
    found = {(e.surface, e.type, e.sql, e.stored) for e in entries([example], domain)}
    assert found == {
        ("lone star state", "state", "texas", False),
        ("austin", "city", "austin", False),
        ("austin", "city", "austin", True),
        ("o'fallon", "city", "o'fallon", True),
        ("MS", "river", "MS", True),
        ("Mississippi", "river", "MS", True),
    }
