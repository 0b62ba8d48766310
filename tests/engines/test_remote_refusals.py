"""Nothing that `Database.open` sends changes a MariaDB or a PostgreSQL, though its user may do anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy
from servers import execute
from sqlalchemy.exc import DBAPIError

from querent.data.database import Database, RemoteDatabase
from querent.data.errors import DatabaseError

EVERYWHERE = [
    "INSERT INTO t VALUES (3, 'z')",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "TRUNCATE TABLE t",
    "DROP TABLE t",
    "ALTER TABLE t ADD COLUMN c INTEGER",
    "CREATE TABLE other (a INTEGER)",
    "CREATE TEMPORARY TABLE other (a INTEGER)",
    "CREATE INDEX i ON t (a)",
    "GRANT ALL ON t TO PUBLIC",
    "SELECT * INTO other FROM t",
    "SELECT * FROM t FOR UPDATE",
    "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
    "SELECT 1; DELETE FROM t",
    "SELECT 1; SELECT 2",
    "COMMIT",
    "",
]
OWN = {
    "mysql": [
        "REPLACE INTO t VALUES (1, 'z')",
        "SELECT a FROM t INTO OUTFILE '/tmp/querent_outfile'",
        "SELECT a INTO OUTFILE '/tmp/querent_outfile' FROM t",
        "SELECT a INTO DUMPFILE '/tmp/querent_outfile' FROM t LIMIT 1",
        "SELECT 1 /*! INTO OUTFILE '/tmp/querent_outfile' */",
        "SELECT 1 /*M! INTO OUTFILE '/tmp/querent_outfile' */",
        "SELECT a INTO @x FROM t LIMIT 1",
        "SELECT * FROM t LOCK IN SHARE MODE",
        "SELECT LOAD_FILE('/etc/hostname')",
        "SELECT GET_LOCK('x', 0)",
        "SELECT NEXT VALUE FOR s",
        "SELECT NEXTVAL(s)",
        "SET SESSION TRANSACTION READ WRITE",
        "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t",
        "CALL p()",
    ],
    "postgres": [
        "SELECT nextval('s')",
        "SELECT setval('s', 9)",
        "SELECT set_config('default_transaction_read_only', 'off', false)",
        "SELECT pg_read_file('/etc/hostname')",
        "SELECT pg_catalog.pg_read_file('/etc/hostname')",
        "SELECT \"pg_read_file\"('/etc/hostname')",
        "SELECT * FROM pg_ls_dir('.')",
        "SELECT pg_terminate_backend(pg_backend_pid())",
        "SELECT pg_advisory_lock(1)",
        "SELECT lo_create(0)",
        "SELECT query_to_xml('DELETE FROM t', true, true, '')",
        "COPY t TO PROGRAM 'true'",
        "COPY t FROM '/etc/hostname'",
        "DO $$ BEGIN DELETE FROM t; END $$",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "SELECT f()",
    ],
}
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


def test_sessions_cannot_write(url: str, dialect: str) -> None:
    """What would slip past the parser is stopped by the session, with or without an open transaction."""
    engine = sqlalchemy.create_engine(url)
    with RemoteDatabase(engine):
        for sql in ("INSERT INTO t VALUES (3, 'z')", "CREATE TABLE other (a INTEGER)", "DROP TABLE t"):
            with (
                engine.connect() as connection,
                pytest.raises(DBAPIError, match=r"(?i)read.only transaction"),
            ):
                connection.exec_driver_sql(sql)
    assert state(url)[1] == [(1, "x"), (2, "y")]
