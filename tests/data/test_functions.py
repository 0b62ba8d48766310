"""Functions of a domain: how they are read, and how SQLite runs them."""

from pathlib import Path

import pytest
from cases import rows
from databases import create

from querent.data.databases.database import Database
from querent.data.domains.manifest import read_functions, schema_in
from querent.data.errors import DatabaseError, DomainError, TimeLimitError
from querent.data.schema.schema import Column, Function, Schema

CASES = Path(__file__).with_suffix(".toml")

FIRST = Function(
    "FIRST_TEACHER",
    (Column("person", "TEXT"),),
    "TEXT",
    "(WITH RECURSIVE line(name, step) AS (SELECT teacher, 1 FROM people WHERE name = :person UNION ALL "
    "SELECT teacher, step + 1 FROM people JOIN line USING (name) WHERE teacher IS NOT NULL) "
    "SELECT name FROM line ORDER BY step DESC LIMIT 1)",
)
PLUS = Function("PLUS", (Column("a", "INTEGER"), Column("b", "INTEGER")), "INTEGER", ":a + :b")

TOML = """
[[function]]
name = "age_in"
arguments = [{ name = "person", type = "TEXT" }, { name = "year", type = "INTEGER" }]
returns = "INTEGER"
description = "how old"
sql = ":year - (SELECT birth FROM people WHERE name = :person AND name <> ':none')"
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    script = """
    CREATE TABLE people (name TEXT PRIMARY KEY, teacher TEXT);
    INSERT INTO people VALUES ('Ada', NULL), ('Ben', 'Ada'), ('Cleo', 'Ben'), ('Dan', 'Cleo'), ('Ouro', 'Boros'),
        ('Boros', 'Ouro');
    """
    return create(tmp_path_factory.mktemp("people") / "people.sqlite", script)


def value(file, sql, *functions, **options):
    with Database.open(file, functions=functions, **options) as database:
        return database.query(sql).rows[0][0]


def test_a_function_recurses(people):
    with Database.open(people, functions=[FIRST]) as database:
        rows = database.query("SELECT name, FIRST_TEACHER(name) FROM people WHERE name NOT LIKE '%o%'").rows
    assert dict(rows) == {"Ada": None, "Ben": "Ada", "Dan": "Ada"}


@pytest.mark.parametrize(
    ("sql", "result"),
    [("SELECT FIRST_TEACHER(NULL)", None), ("SELECT PLUS(1, NULL)", None), ("SELECT plus(PLUS(1, 2), 3)", 6)],
)
def test_null_is_a_value_as_any_other(people, sql, result):
    assert value(people, sql, FIRST, PLUS) == result


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT FIRST_TEACHER('Ouro')",  # it walks in a circle
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT SUM(PLUS(i, 1)) FROM n",
    ],
)
def test_long_and_many_calls_run_out_of_time(people, sql):
    with pytest.raises(TimeLimitError, match=r"longer than 0\.2 s"):
        value(people, sql, FIRST, PLUS, timeout=0.2)


def test_a_value_is_not_kept_when_the_database_changes(tmp_path):
    file = create(tmp_path / "one.sqlite", "CREATE TABLE t (i); INSERT INTO t VALUES (1)")
    last = Function("LAST", (Column("x", "INTEGER"),), "INTEGER", "(SELECT MAX(i) FROM t WHERE i > :x)")
    with Database.open(file, functions=[last]) as database:
        assert database.query("SELECT LAST(0)").rows[0][0] == 1
        create(file, "INSERT INTO t VALUES (2)")
        assert database.query("SELECT LAST(0)").rows[0][0] == 2


@rows(CASES, "sql_that_does_not_run_is_told_at_once")
def test_sql_that_does_not_run_is_told_at_once(people, sql, message):
    with pytest.raises(DatabaseError, match=message):
        value(people, "SELECT 1", Function("F", (), "TEXT", sql))


def test_a_failure_of_a_call_names_the_function(people):
    broken = Function("BROKEN", (Column("x", "TEXT"),), "TEXT", "json_extract(:x, '$.a')")
    with Database.open(people, functions=[broken]) as database:
        with pytest.raises(DatabaseError, match="function BROKEN: malformed JSON"):
            database.query("SELECT BROKEN('{')")
        assert database.query("SELECT BROKEN('{\"a\": 1}')").rows[0][0] == 1


def test_no_function_takes_the_place_of_sqlites_own(people):
    with pytest.raises(DatabaseError, match="SQLite has a function UPPER of its own"):
        value(people, "SELECT 1", Function("UPPER", (Column("x", "TEXT"),), "TEXT", ":x"))


def test_functions_may_be_defined_twice(people):
    with Database.open(people, functions=[PLUS]) as database:
        database.define([PLUS, FIRST])
        assert database.query("SELECT PLUS(1, 1), FIRST_TEACHER('Ben')").rows[0] == (2, "Ada")


def test_a_file_of_functions_is_read_into_the_schema(tmp_path):
    (tmp_path / "schema.sql").write_text("CREATE TABLE people (name TEXT PRIMARY KEY, birth INTEGER);")
    assert schema_in(tmp_path, "sqlite").functions == ()
    (tmp_path / "functions.toml").write_text(TOML)
    schema = schema_in(tmp_path, "sqlite")
    (age,) = schema.functions
    assert (age.name, age.returns, age.description) == ("AGE_IN", "INTEGER", "how old")
    assert age.arguments == (Column("person", "TEXT"), Column("year", "INTEGER"))
    assert Schema.from_json(schema.to_json()) == schema


@rows(CASES, "what_is_wrong_with_a_file_is_told_by_field")
def test_what_is_wrong_with_a_file_is_told_by_field(tmp_path, was, becomes, message):
    file = tmp_path / "functions.toml"
    file.write_text(TOML.replace(was, becomes))
    with pytest.raises(DomainError, match=message):
        read_functions(file)


def test_no_name_comes_twice(tmp_path):
    file = tmp_path / "functions.toml"
    file.write_text(TOML + TOML.replace("age_in", "AGE_IN"))
    with pytest.raises(DomainError, match=r"toml:10, field 'name': AGE_IN is there twice"):
        read_functions(file)
