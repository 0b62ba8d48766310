"""`querent describe` and `querent grammar export`: what is printed of a database's columns, and of its grammar."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError

import querent as face

pytestmark = pytest.mark.usefixtures("cache")


SCRIPT = """
CREATE TABLE clinic (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, clinic_id INTEGER, seen_on TEXT, bill TEXT, is_paid INTEGER, due TEXT);
INSERT INTO clinic VALUES (1, 'North'), (2, 'South');
INSERT INTO visit VALUES (1, 1, '13/02/2023', '$1,200', 1, '01/02/24'), (2, 2, '05/03/2023', '$80', 0, '02/02/24');
"""


@pytest.fixture
def clinic(tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.sqlite")) as writer:
        writer.executescript(SCRIPT)
    return tmp_path / "clinic.sqlite"


def test_it_shows_kinds_storages_keys_and_doubts(querent, clinic):
    shown = querent("describe", clinic)
    assert (shown.code, shown.err) == (0, "")
    for words in (
        "visit  2 rows",
        "D/M/Y text",
        "$ , removed",
        "1 says yes, 0 no",
        "North, South",
        "years of two digits",
    ):
        assert words in shown.out
    assert "clinic.id, many to one, found, not declared" in shown.out


def test_one_table(querent, clinic):
    shown = querent("describe", clinic, "--table", "clinic")
    assert "North" in shown.out
    assert "seen_on" not in shown.out


def test_json_is_one_object(querent, clinic):
    told = querent("describe", clinic, "--json").json
    assert told["rows"] == {"clinic": 2, "visit": 2}
    assert told["columns"]["visit"]["seen_on"]["time"]["form"] == "day first"
    assert told["columns"]["visit"]["seen_on"]["stored_as"] == "D/M/Y text"
    assert [key["other"] for key in told["keys"]] == ["clinic"]


def test_access_shows_what_may_be_read(querent, clinic, tmp_path):
    (tmp_path / "role.toml").write_text('[tables]\nwhole = ["clinic"]\n[columns]\nvisit = ["id"]\n')
    shown = querent("describe", clinic, "--access", "role.toml")
    assert "North" in shown.out
    assert "bill" not in shown.out
    assert "$" not in shown.out


def test_it_looks_again_where_told(querent, clinic, cache):
    querent("describe", clinic)
    [kept] = (cache / "values").iterdir()
    before = kept.stat().st_ino
    querent("describe", clinic)
    assert kept.stat().st_ino == before
    querent("describe", clinic, "--rebuild")
    assert kept.stat().st_ino != before


def test_a_description_file_is_written_once(querent, clinic, tmp_path):
    assert "2 tables" in querent("describe", clinic, "--write", "clinic.toml").out
    text = (tmp_path / "clinic.toml").read_text(encoding="utf-8")
    assert 'is_paid = { name = "is paid", kind = "flag", yes = "1", no = "0" }' in text
    assert 'clinic_id = { name = "clinic id", kind = "key", refers = "clinic.id" }' in text
    assert "# doubtful: years of two digits" in text
    assert "there already" in querent("describe", clinic, "--write", "clinic.toml").error()
    assert (tmp_path / "clinic.toml").read_text(encoding="utf-8") == text


SHOP = Path(__file__).resolve().parents[2] / "data" / "shop" / "shop.sql"


def test_the_grammar_is_written_to_standard_output_or_to_a_file(querent, tmp_path):
    ended = querent("grammar", "export", SHOP, "--out", "shop.lark")
    assert (ended.code, ended.out) == (0, "")
    text = (tmp_path / "shop.lark").read_text(encoding="utf-8")
    assert text == querent("grammar", "export", SHOP).out
    parser = Lark(text, parser="earley", lexer="dynamic")
    assert parser.parse("select T1.cust_name from customers T1 where T1.city='Bergen' order by T1.cust_id limit 3")
    with pytest.raises(LarkError):
        parser.parse("SELECT cust_name FROM clients")


@pytest.mark.parametrize(("form", "start"), [("lark", "start: "), ("gbnf", "root ::= "), ("ebnf", "root ::= ")])
def test_each_format_begins_as_its_readers_want(querent, form, start):
    ended = querent("grammar", "export", SHOP, "--format", form, "--dialect", "postgres", "--aliases", "c, o")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert next(line for line in lines if line[0] not in "/#").startswith(start)
    assert "The SQL of postgres on the tables of shop" in lines[0]
    assert "of c, o)" in ended.out


def test_a_shipped_database_is_called_by_its_name(querent):
    assert querent("grammar", "export", "shop").out == querent("grammar", "export", SHOP).out


def test_it_takes_what_validate_takes(querent, tmp_path):
    schema, _ = face.open_schema(SHOP)
    (tmp_path / "shop.json").write_text(json.dumps(schema.to_json()), encoding="utf-8")
    assert querent("grammar", "export", "shop.json").out == querent("grammar", "export", SHOP).out
    assert face.export_grammar(face.Grammar.for_schema(schema, dialect="sqlite", wide=True), "lark") == (
        querent("grammar", "export", SHOP).out
    )
