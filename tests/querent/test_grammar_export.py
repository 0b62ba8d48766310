"""`querent grammar export`: a schema in, a grammar out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import LarkError

import querent as face

pytestmark = pytest.mark.usefixtures("cache")

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
