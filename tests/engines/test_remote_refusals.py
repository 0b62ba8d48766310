"""Nothing that `Database.open` sends changes a MariaDB or a PostgreSQL, though its user may do anything."""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy
from servers import execute, reader
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from querent.commands.cli import app
from querent.data.databases.database import Database
from querent.data.databases.remote import ServerSession
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Column, Schema, Table

CASES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

EVERYWHERE = CASES["everywhere"]
OWN = CASES["own"]
FUNCTION = "CREATE FUNCTION f() RETURNS integer LANGUAGE sql AS 'DELETE FROM t RETURNING a'"
PROCEDURE = "CREATE PROCEDURE p() DELETE FROM t"


@pytest.fixture(scope="module")
def url(scratch: str, dialect: str) -> str:
    execute(
        scratch,
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(20))",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        "CREATE SEQUENCE s",
        PROCEDURE if dialect == "mysql" else FUNCTION,
    )
    return scratch


@pytest.fixture(scope="module")
def database(url: str) -> Iterator[Database]:
    with Database.open(url, timeout=2) as opened:
        yield opened


def state(url: str) -> list[object]:
    """Return all rows, and the names of all tables with their columns."""
    engine = sqlalchemy.create_engine(url)
    inspector = sqlalchemy.inspect(engine)
    names = [(t, [c["name"] for c in inspector.get_columns(t)]) for t in inspector.get_table_names()]
    with engine.connect() as connection:
        rows = [tuple(row) for row in connection.exec_driver_sql("SELECT * FROM t ORDER BY a")]
    engine.dispose()
    return [names, rows]


def test_nothing_is_changed(database: Database, url: str, dialect: str) -> None:
    before = state(url)
    answered: list[str] = []
    for sql in EVERYWHERE + OWN[dialect]:
        try:
            database.query(sql)
        except DatabaseError:
            assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)], sql  # and the connection lives on
        else:
            answered.append(sql)
    assert answered == []
    assert state(url) == before


def test_refusals_say_why(database: Database, dialect: str) -> None:
    with pytest.raises(DatabaseError, match=r"refused, this is not one query \(write one SELECT\)"):
        database.query("DELETE FROM t")
    with pytest.raises(DatabaseError, match="FOR UPDATE is not known to only read"):
        database.query("SELECT * FROM t FOR UPDATE")
    name, argument = ("LOAD_FILE", "'/etc/hostname'") if dialect == "mysql" else ("pg_read_file", "'/etc/hostname'")
    with pytest.raises(DatabaseError, match=rf"{name}\(\) is not known to only read"):
        database.query(f"SELECT {name}({argument})")


def test_names_that_only_look_dangerous_are_read(database: Database) -> None:
    got = database.query("SELECT a AS pg_read_file, b AS load_file FROM t WHERE b <> 'DELETE FROM t; --' ORDER BY a")
    assert got.rows == [(1, "x"), (2, "y")]


def test_queries_are_confined_to_the_schema(url: str, dialect: str) -> None:
    """Other tables of the same database are not there, in another schema never, beside the schema's own where told."""
    execute(url, "CREATE TABLE told (a INTEGER)")
    try:
        with Database.open(url) as database:
            assert database.query("SELECT COUNT(*) FROM told").rows == [(0,)]
            database.confine(Schema((Table("T", (Column("a", "integer"),)),)))
            assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)]
            with pytest.raises(DatabaseError, match="there is no table told to read here"):
                database.query("SELECT COUNT(*) FROM told")
            assert database.distinct(Table("told", ()), "a") == []  # what the package asks itself
    finally:
        execute(url, "DROP TABLE told")


def test_what_somebody_has_added_is_not_called(scratch: str, dialect: str) -> None:
    """A function for arguments that fit better than the server's own, one that looks like a column, an operator."""
    if dialect != "postgres":
        pytest.skip("MariaDB's own functions come before all others")
    execute(
        scratch,
        "CREATE TABLE people (name VARCHAR(9), age INTEGER)",
        "INSERT INTO people VALUES ('Ada', 36)",
        "CREATE FUNCTION lower(varchar) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT 'stolen' $$",
        "CREATE FUNCTION secret(people) RETURNS text LANGUAGE sql AS $$ SELECT 'stolen' $$",
        "CREATE FUNCTION adds(integer, text) RETURNS text LANGUAGE sql AS $$ SELECT 'stolen' $$",
        "CREATE OPERATOR <-> (LEFTARG = integer, RIGHTARG = text, FUNCTION = adds)",
    )
    with Database.open(scratch) as database:
        assert database.fetch("SELECT lower(name), p.secret, age <-> 'x' FROM people p").rows == [("stolen",) * 3]
        assert database.query("SELECT lower(name), LOWER(p.name) FROM people p").rows == [("ada", "ada")]
        for sql in (
            "SELECT p.secret FROM people p",
            "SELECT (p).secret FROM people p",
            "SELECT age <-> 'x' FROM people",
        ):
            with pytest.raises(DatabaseError, match="refused"):
                database.query(sql)


MODES = {
    "mysql": ("sql_mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES", "sql_mode=ORACLE", "sql_mode=PIPES_AS_CONCAT"),
    "postgres": ("options=-c%20standard_conforming_strings%3Doff", "options=-c%20search_path%3Dpublic,pg_catalog"),
}


def test_a_session_is_set_as_texts_are_read(url: str, dialect: str) -> None:
    told = {
        "mysql": "SELECT @@sql_mode, @@tx_read_only, @@max_statement_time, @@lock_wait_timeout",
        "postgres": "SELECT current_setting(s) FROM unnest(ARRAY['standard_conforming_strings', 'statement_timeout', "
        "'lock_timeout', 'transaction_read_only']) AS s",
    }[dialect]
    with Database.open(url, timeout=3) as database:
        usual = database.fetch(told).rows  # a lock is given up sooner, so that it is told from a slow query
    if dialect == "postgres":
        assert usual == [("on",), ("3s",), ("2700ms",), ("on",)]
    else:
        assert "ONLY_FULL_GROUP_BY" in usual[0][0]
        assert usual[0][1:] == (1, 3.0, 2)
    for mode in MODES[dialect]:
        with Database.open(f"{url}{'&' if '?' in url else '?'}{mode}", timeout=3) as database:
            kept = database.fetch(told).rows
            assert kept == usual or not {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE"} & set(kept[0][0].split(","))
            assert database.query("SELECT 'a\\\\b', 'c''d' FROM t LIMIT 1").rows[0][1] == "c'd"


def test_a_superuser_is_told_once_with_the_grant_that_would_do(url: str, dialect: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fresh = make_url(url).set(host="localhost").render_as_string(hide_password=False)
        for _ in range(2):
            with Database.open(fresh) as database:
                assert database.rights is not None
    told = [str(w.message) for w in caught if "GRANT SELECT" in str(w.message)]
    assert len(told) == 1
    assert "do anything" in told[0]
    assert str(make_url(url).password) not in told[0]


def test_the_command_tells_what_a_user_may_do(url: str) -> None:
    found = CliRunner().invoke(app, ["connect-check", url, "--json"])
    told = json.loads(found.stdout)
    assert found.exit_code == 1
    assert any(what.startswith("do anything") for what in told["beside"])
    assert "GRANT SELECT" in told["grant"]
    assert str(make_url(url).password) not in found.output
    with reader(url, "SELECT ON t") as allowed:
        found = CliRunner().invoke(app, ["connect-check", allowed])
        assert found.exit_code == 0, found.output
        assert "may read and nothing else" in found.stdout
        with Database.open(allowed) as database:
            assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)]


def test_sessions_cannot_write(url: str, dialect: str) -> None:
    """What would slip past the parser is stopped by the session, with or without an open transaction."""
    with closing(ServerSession(url, timeout=5.0, max_rows=10)) as session:
        for sql in ("INSERT INTO t VALUES (3, 'z')", "CREATE TABLE other (a INTEGER)", "DROP TABLE t"):
            with pytest.raises(DatabaseError, match=r"(?i)read.only transaction"), session.connected() as connection:
                connection.exec_driver_sql(sql)
    assert state(url)[1] == [(1, "x"), (2, "y")]
