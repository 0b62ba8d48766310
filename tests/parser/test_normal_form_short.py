"""Short forms: an ON that keys imply is left out, and comes back; the words that they are written with."""

from __future__ import annotations

import pytest
from games import SCHEMA
from sql_pairs import pairs

from querent.data.databases.schema_readers import from_ddl
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm, ShortForm, uses_in, vocabulary
from querent.parser.normal_form.words import twice

CASES = pairs("short_form")


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar.for_schema(SCHEMA, dialect="sqlite")


@pytest.mark.parametrize("full", CASES)
def test_short_form(grammar: Grammar, full: str):
    form = ShortForm(grammar)
    assert NormalForm(grammar).of(full) == full
    words = form.words(full)
    assert grammar.spell(words) == CASES[full]
    assert form.sql(words) == full


def test_a_join_that_no_key_implies_stays_as_it_is(grammar: Grammar):
    words = ShortForm(grammar).words("SELECT Lone.Id FROM Lone JOIN Player")
    assert ShortForm(grammar).sql(words) == "SELECT Lone.Id FROM Lone JOIN Player"


def test_the_second_city_is_that_of_the_second_airport():
    ddl = """
    CREATE TABLE Airport (Code TEXT PRIMARY KEY, City TEXT REFERENCES City (Code));
    CREATE TABLE City (Code TEXT PRIMARY KEY, Name TEXT);
    CREATE TABLE Flight (Id INT, Source TEXT REFERENCES Airport (Code), Goal TEXT REFERENCES Airport (Code));
    """
    grammar = Grammar.for_schema(from_ddl(ddl, "sqlite"), dialect="sqlite")
    full = (
        "SELECT Flight.Id FROM Flight JOIN Airport ON Flight.Source = Airport.Code"
        " JOIN Airport AS Airport_2 ON Flight.Goal = Airport_2.Code JOIN City ON Airport.City = City.Code"
        " JOIN City AS City_2 ON Airport_2.City = City_2.Code"
    )
    form = ShortForm(grammar)
    assert NormalForm(grammar).of(full) == full
    short = "SELECT Flight.Id FROM Flight JOIN Airport JOIN Airport_2 JOIN City JOIN City_2"
    assert grammar.spell(form.words(full)) == short
    assert form.sql(form.words(full)) == full


def test_tables_used_twice():
    assert [table.name for table in twice(SCHEMA)] == ["Player", "Game"]


def test_vocabulary(grammar: Grammar):
    words = vocabulary(grammar, texts=2, numbers=1)
    texts = [word.text for word in words.words]
    assert len(set(zip(texts, (word.terminal for word in words.words), strict=True))) == len(texts)
    assert {"Player.Name", '"Order".*', "Player_2", "Game_2.Hall", "'%{text1}%'", "{number0}", "100"} <= set(texts)
    assert not {"Name", "Lone_2", "'{text2}'", "USING", "!=", "ASC"} & set(texts)
    assert [word.table for word in words.words if word.text == "Player_2.Coach"] == ["Player"]
    for sql in CASES:
        if "'" not in sql:
            assert words.decode(words.encode(sql)) == sql


def test_uses_that_queries_have_beyond_those_that_keys_tell_of(grammar: Grammar):
    form = ShortForm(grammar)
    forms = [form.words("SELECT Lone.Id FROM Lone JOIN Lone AS Lone_2 ON Lone.Id < Lone_2.Id"), *map(form.words, CASES)]
    forms.append(form.words("SELECT 1 FROM Player, Player AS Player_4, (SELECT 1 FROM Game) AS t1"))
    assert uses_in(grammar, forms, most=3) == {"Player": 3, "Game": 2, "Lone": 2}
    words = vocabulary(grammar, texts=1, numbers=1, uses=uses_in(grammar, forms, most=3))
    aliases = [word.text for word in words.words if word.kind == "alias"]
    assert aliases == ["Player_2", "Player_3", "Game_2", "Lone_2"]
    assert words.index("Player_3.Name", "QCOLUMN") > words.index("Player_2.Name", "QCOLUMN")


def test_a_second_name_that_is_taken():
    schema = Schema((*SCHEMA.tables, Table("Player_2", (Column("Id", "int"),))))
    grammar = Grammar.for_schema(schema, dialect="sqlite")
    texts = {word.text for word in vocabulary(grammar, texts=0, numbers=0).words if word.kind == "alias"}
    assert texts == {"Player_3", "Game_2"}
    assert "Player AS Player_3" in NormalForm(grammar).of("SELECT a.Id FROM Player a JOIN Player b ON a.Id = b.Coach")
