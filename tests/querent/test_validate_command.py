"""`querent validate`: queries out of files, and what is printed of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import querent as face
from querent.data.errors import ConstraintError
from querent.validation.statements import read_statements

pytestmark = pytest.mark.usefixtures("cache")

SHOP = Path(__file__).resolve().parents[2] / "data" / "shop" / "shop.sql"
FIELDS = ["sql", "runs", "line", "column", "start", "end", "word", "rule", "problem", "allowed", "nearest"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 1", [("SELECT 1", 1, 1)]),
        ("SELECT 1;\n\n  SELECT 2 ;\n", [("SELECT 1", 1, 1), ("SELECT 2", 3, 3)]),
        ("SELECT ';';SELECT 2", [("SELECT ';'", 1, 1), ("SELECT 2", 1, 12)]),
        ("-- a; b\nSELECT 1 /* ; */;\n-- the end\n", [("-- a; b\nSELECT 1 /* ; */", 1, 1)]),
        ("SELECT 'a;\nSELECT 'b';", [("SELECT 'a", 1, 1), ("SELECT 'b'", 2, 1)]),
        ("Here:\n```sql\nSELECT 1;\n```\nand\n``` \nSELECT 2\n```\n", [("SELECT 1", 3, 1), ("SELECT 2", 7, 1)]),
        ("SELECT 1\n```\n", [("SELECT 1", 1, 1)]),
        ("```\nSELECT 1\n", [("SELECT 1", 2, 1)]),
    ],
)
def test_queries_of_a_script(text, found):
    assert [(s.sql, s.line, s.column) for s in read_statements(text)] == found


def test_queries_of_lines_and_of_records():
    lines = read_statements("SELECT 1\n\nSELECT\t2;\n", lines=True)
    assert [(s.sql, s.line) for s in lines] == [("SELECT 1", 1), ("SELECT\t2", 3)]
    records = read_statements('{"sql": "SELECT 1"}\n{"sql": null}\n', field="sql")
    assert [(s.sql, s.line, s.record) for s in records] == [("SELECT 1", 1, True), (None, 2, True)]


def test_the_command_tells_as_compilers_do(querent, tmp_path):
    (tmp_path / "q.sql").write_text(
        "SELECT cust_name FROM customers;\nSELECT\n\tprice, 城市\nFROM products;\nDELETE FROM orders;\n",
        encoding="utf-8",
    )
    ended = querent("validate", SHOP, "q.sql")
    assert ended.code == 1
    assert ended.err == ""
    lines = ended.out.splitlines()
    assert lines.pop(3).startswith("  allowed: column unit_price, item_price, ")
    assert lines == [
        "q.sql:3:2: refused, names: no column is called 'price'",
        "   price, 城市",
        "   ^^^^^",
        "  nearest: none is a word away",
        "q.sql:5:1: outside of the grammar: DELETE, which is no query",
        "  DELETE FROM orders",
        "  ^^^^^^",
        "  allowed: keyword SELECT",
        "3 queries: 1 run, 1 refused, 1 outside of the grammar",
    ]
    ruled = querent(
        "validate", SHOP, stdin="SELECT 城市 x, stars FROM products WHERE stars > 1".replace("城市", "city")
    )
    assert "  rule: every name's table stands in FROM before FROM closes" in ruled.out.splitlines()


def test_the_command_speaks_json_a_line_each(querent, tmp_path):
    (tmp_path / "a.jsonl").write_text(
        "".join(
            json.dumps({"id": i, "sql": sql}) + "\n" for i, sql in enumerate(["SELECT 1", None, "SELECT nme\nFROM t"])
        ),
        encoding="utf-8",
    )
    ended = querent("validate", SHOP, "a.jsonl", "--json")
    first, none, wrong = map(json.loads, ended.out.splitlines())
    assert ended.code == 1
    assert list(first) == list(none) == list(wrong) == FIELDS
    assert (first["sql"], first["runs"], first["word"]) == ("SELECT 1", True, None)
    assert (none["sql"], none["runs"], none["rule"]) == (None, None, None)
    assert (wrong["line"], wrong["column"], wrong["start"], wrong["end"]) == (1, 8, 7, 10)
    assert wrong == face.validate(SHOP, "SELECT nme\nFROM t").to_json() | {"allowed": wrong["allowed"]}
    script = querent("validate", SHOP, "--json", stdin="SELECT 1;\n SELECT nme FROM customers").out.splitlines()
    assert (json.loads(script[1])["line"], json.loads(script[1])["column"]) == (2, 9)


def test_the_command_ends_with_0_where_all_pass(querent):
    ended = querent(
        "validate", "shop", "-", "--lines", "--dialect", "sqlite", stdin="SELECT 1\nSELECT city FROM customers\n"
    )
    assert (ended.code, ended.out) == (0, "2 queries: 2 run, 0 refused, 0 outside of the grammar\n")


@pytest.mark.parametrize(
    ("arguments", "text", "part"),
    [
        (["nowhere.sqlite"], "SELECT 1", "nowhere.sqlite: no such database file"),
        ([SHOP], " ;\n-- none\n", "no query in it"),
        ([SHOP, "missing.sql"], "", "missing.sql"),
        ([SHOP, "--field", "sql"], "SELECT 1\n", "line 1: not JSON"),
        ([SHOP, "--field", "query"], '{"sql": "SELECT 1"}\n', "line 1, field 'query': no such field"),
        ([SHOP, "--field", "sql"], '{"sql": 5}\n', "line 1, field 'sql': not a text"),
        ([SHOP, "--dialect", "sqlit"], "SELECT 1", "did you mean 'sqlite'?"),
        ([SHOP, "--level", "run"], "SELECT 1", "did you mean 'runs'?"),
        ([SHOP, "--without", "grouping", "--without", "sorces"], "SELECT 1", "no rule 'sorces'"),
    ],
)
def test_a_wrong_use_is_one_line(querent, arguments, text, part):
    assert part in querent("validate", *arguments, stdin=text).error()


def test_what_takes_too_long_is_told_as_undecided(querent, tmp_path):
    (tmp_path / "query.sql").write_text("SELECT cust_name FROM customers WHERE city = 'Bergen'")
    told = querent("validate", SHOP, tmp_path / "query.sql", "--timeout", "0.000001").out
    assert "not decided within 1e-06 s" in told
    assert "1 not decided in time" in told
    schema, _ = face.open_schema(SHOP)
    found = face.Validator(schema, dialect="sqlite", timeout=1e-6).validate("SELECT cust_name FROM customers")
    assert (found.runs, found.rule) == (None, "time")
    with pytest.raises(ConstraintError, match="timeout of 0 seconds"):
        face.Validator(schema, dialect="sqlite", timeout=0)
