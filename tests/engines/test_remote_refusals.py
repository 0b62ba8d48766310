"""Nothing that `Database.open` sends changes a MariaDB or a PostgreSQL, though its user may do anything."""

import json
import tomllib
import warnings
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy
from servers import reader
from sqlalchemy.engine import make_url
from typer.testing import CliRunner

from querent.commands.cli import app
from querent.data.databases.database import Database
from querent.data.databases.remote import ServerSession
from querent.data.errors import DatabaseError
from querent.data.schema.schema import Column, Schema, Table

DATABASE = "targets"
REFUSED: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("refused.toml").read_text("utf-8"))


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
    for sql in REFUSED["both"] + REFUSED[dialect]:
        with pytest.raises(DatabaseError):
            database.query(sql)
        assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)], sql  # and the connection lives on
    assert state(url) == before


def test_refusals_say_why(database: Database, dialect: str) -> None:
    function = "LOAD_FILE" if dialect == "mysql" else "pg_read_file"
    for sql, problem in {
        "DELETE FROM t": r"refused, this is not one query \(write one SELECT\)",
        "SELECT * FROM t FOR UPDATE": "FOR UPDATE is not known to only read",
        f"SELECT {function}('/etc/hostname')": rf"{function}\(\) is not known to only read",
    }.items():
        with pytest.raises(DatabaseError, match=problem):
            database.query(sql)
    got = database.query("SELECT a AS pg_read_file, b AS load_file FROM t WHERE b <> 'DELETE FROM t; --' ORDER BY a")
    assert got.rows == [(1, "x"), (2, "y")]  # names that only look dangerous are read


def test_queries_are_confined_to_the_schema(url: str) -> None:
    """Other tables of the same database are not there, nor those of another schema that it does not name."""
    with Database.open(url) as database:
        assert database.query("SELECT COUNT(*) FROM people").rows == [(1,)]
        database.confine(Schema((Table("T", (Column("a", "integer"),)),)))
        assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)]
        with pytest.raises(DatabaseError, match="there is no table people to read here"):
            database.query("SELECT COUNT(*) FROM people")
        assert database.distinct(Table("people", ()), "name") == ["Ada"]  # the package's own queries are not confined


def test_what_somebody_has_added_is_not_called(database: Database, dialect: str) -> None:
    """A function for arguments that fit better than the server's own, one that looks like a column, an operator."""
    if dialect != "postgres":
        pytest.skip("MariaDB's own functions come before all others")
    assert database.fetch("SELECT lower(name), p.secret, age <-> 'x' FROM people p").rows == [("stolen",) * 3]
    assert database.query("SELECT lower(name), LOWER(p.name) FROM people p").rows == [("ada", "ada")]
    for value in ("p.secret", "(p).secret", "age <-> 'x'"):
        with pytest.raises(DatabaseError, match="refused"):
            database.query(f"SELECT {value} FROM people p")


MODES = {
    "mysql": ("sql_mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES", "sql_mode=ORACLE", "sql_mode=PIPES_AS_CONCAT"),
    "postgres": ("options=-c%20standard_conforming_strings%3Doff", "options=-c%20search_path%3Dpublic,pg_catalog"),
}
SETTINGS = {
    "mysql": "SELECT @@sql_mode, @@tx_read_only, @@max_statement_time, @@lock_wait_timeout",
    "postgres": "SELECT current_setting(s) FROM unnest(ARRAY['standard_conforming_strings', 'statement_timeout', "
    "'lock_timeout', 'transaction_read_only']) AS s",
}


def test_a_session_is_set_so_that_texts_are_read_in_one_way(url: str, dialect: str) -> None:
    with Database.open(url, timeout=3) as database:
        usual = database.fetch(
            SETTINGS[dialect]
        ).rows  # a lock is given up sooner, so that it differs from a slow query
    if dialect == "postgres":
        assert usual == [("on",), ("3s",), ("2700ms",), ("on",)]
    else:
        assert "ONLY_FULL_GROUP_BY" in usual[0][0]
        assert usual[0][1:] == (1, 3.0, 2)
    for mode in MODES[dialect]:
        with Database.open(f"{url}{'&' if '?' in url else '?'}{mode}", timeout=3) as database:
            kept = database.fetch(SETTINGS[dialect]).rows
            assert kept == usual or not {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ORACLE"} & set(kept[0][0].split(","))
            assert database.query("SELECT 'a\\\\b', 'c''d' FROM t LIMIT 1").rows[0][1] == "c'd"


def test_a_superuser_is_warned_once_with_the_grant_that_would_do(url: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fresh = make_url(url).set(host="localhost").render_as_string(hide_password=False)
        for _ in range(2):
            with Database.open(fresh) as database:
                assert database.rights is not None
    [warning] = [str(w.message) for w in caught if "GRANT SELECT" in str(w.message)]
    assert "do anything" in warning
    assert str(make_url(url).password) not in warning


def test_the_command_tells_what_a_user_may_do(url: str) -> None:
    found = CliRunner().invoke(app, ["connect-check", url, "--json"])
    rights = json.loads(found.stdout)
    assert found.exit_code == 1
    assert any(what.startswith("do anything") for what in rights["beside"])
    assert "GRANT SELECT" in rights["grant"]
    assert str(make_url(url).password) not in found.output
    with reader(url, "SELECT ON t") as allowed:
        found = CliRunner().invoke(app, ["connect-check", allowed])
        assert found.exit_code == 0, found.output
        assert "may read and nothing else" in found.stdout
        with Database.open(allowed) as database:
            assert database.query("SELECT COUNT(*) FROM t").rows == [(2,)]


def test_sessions_cannot_write(url: str) -> None:
    """What would slip past the parser is stopped by the session, with or without an open transaction."""
    with closing(ServerSession(url, timeout=5.0, max_rows=10)) as session:
        for sql in ("INSERT INTO t VALUES (3, 'z')", "CREATE TABLE other (a INTEGER)", "DROP TABLE t"):
            with pytest.raises(DatabaseError, match=r"(?i)read.only transaction"), session.connected() as connection:
                connection.exec_driver_sql(sql)
    assert state(url)[1] == [(1, "x"), (2, "y")]
