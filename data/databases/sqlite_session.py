"""A SQLite file that is opened read-only; and the file that a URL names."""

import re
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import unquote

from ..errors import DatabaseError, TimeLimitError, UnavailableError, UnknownNameError
from ..schema.schema import Function, Schema
from ..sql.defined_functions import DefinedFunctions
from .rows import Rows

_DRIVERS = {"", "pysqlite", "aiosqlite"}  # those that read plain files; others decrypt them, or ask a server


def sqlite_file(place: str | Path) -> Path | None:
    """Return the file that a path or a URL of SQLite names, there or not; None of a URL that leads to a server.

    Args:
        place: ``FILE``, ``sqlite:///FILE``, ``sqlite+pysqlite:////absolute/FILE``, or the URL of a server.

    Raises:
        DatabaseError: a URL of SQLite names no file, or a driver that reads something else.
    """
    scheme, mark, rest = str(place).partition("://")
    dialect, _, driver = scheme.lower().partition("+")
    if not mark:
        return Path(place)
    if dialect != "sqlite":
        return None
    if driver not in _DRIVERS:
        raise DatabaseError(f"sqlite+{driver} reads no plain files", hint="write sqlite:///FILE")
    name = unquote(rest.removeprefix("/"))
    if not rest.startswith("/") or name in {"", ":memory:"}:
        raise DatabaseError(f"{place} names no file", hint="write sqlite:///FILE, with three slashes or four")
    return Path(name)


def reading_url(file: Path) -> str:
    """Return the URI by which `sqlite3.connect` opens a file read-only, with ``uri=True``."""
    return f"{file.absolute().as_uri()}?mode=ro"


_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_READS_DATA_VERSION = (sqlite3.SQLITE_PRAGMA, "data_version", None)  # FTS5 does, within any query
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zipfile"}
_LONGEST_VALUE = 10_000_000  # bytes of one value, so that no zeroblob() eats the memory
_OF_THE_QUERY = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_AUTH}
_UNKNOWN_NAME = ("no such table", "no such column")
_WAIT = 0.02  # seconds between two looks at a lock
_STEPS = 10_000  # virtual machine steps between two looks at the clock


class SqliteSession:
    """A SQLite file, opened with ``mode=ro`` under an authorizer and a deadline.

    Args:
        path: of the file.
        timeout: seconds one query may take, waiting for locks included.

    Raises:
        DatabaseError: there is no such file, or it cannot be read.
    """

    dialect = "sqlite"
    version = f"SQLite {sqlite3.sqlite_version}"
    rights = None  # a file has no users, and is opened read-only

    def __init__(self, path: Path, timeout: float) -> None:
        if not path.is_file():
            raise DatabaseError("no such database file", file=path, hint="give the path of a SQLite file")
        self.name = str(path)
        self._path = path
        self._timeout = timeout
        self._refused = ""
        self._deadline = float("inf")
        self._caller: sqlite3.Connection | None = None  # for the SQL of functions
        self._functions: DefinedFunctions | None = None
        self._begin()
        self._opened = self._file()
        self._connection = self._connected(0)  # `_execute` waits for locks, which knows the deadline
        try:
            self.send("SELECT COUNT(*) FROM sqlite_master", 1, timeout=timeout)  # connect() alone reads nothing
        except DatabaseError:
            self.close()
            raise

    def define(self, functions: Iterable[Function]) -> None:
        """Let queries call functions.

        Raises:
            DatabaseError: the SQL of a function does not run, or SQLite has one of its name.
        """
        if not (wanted := tuple(functions)):
            return
        if self._functions is None:
            self._caller = self._connected(self._timeout)
            self._functions = DefinedFunctions(self._caller, self._late)
        self._begin()
        try:
            self._functions.define(wanted, self._connection)
        except DatabaseError as error:
            raise DatabaseError(error.problem, file=self._path, hint=error.hint) from error

    def confine(self, schema: Schema) -> None:
        """Leave tables as they are: the file is the database."""

    def checked(self, sql: str) -> str:
        """Return a foreign query unchanged: the authorizer allows reads alone."""
        return sql

    def schema_state(self) -> object:
        """Return a value that changes when a table or view is made, altered or dropped.

        If another file has replaced it, that one is read from now on; its functions must be defined again.

        Raises:
            DatabaseError: it cannot be read at present.
        """
        pragma = "PRAGMA schema_version"
        self._begin(time.monotonic())  # a lock is not waited for: the next query does that
        if self._file() not in (self._opened, None):
            self.close()
            self._caller = self._functions = None
            self._opened, self._connection = self._file(), self._connected(0)
        self._connection.set_authorizer(None)  # it lets no PRAGMA through
        try:
            return self._opened, self._execute(self._connection, pragma).fetchone()
        except Exception as error:
            raise self._explained(error, pragma) from error
        finally:
            self._connection.set_authorizer(self._authorize)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._caller is not None:
            self._caller.close()

    def _file(self) -> tuple[int, int] | None:
        """Return the identity of the file at the path, None if it is gone; open connections still read the old one."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _connected(self, wait: float) -> sqlite3.Connection:
        try:
            # autocommit, since the authorizer refuses BEGIN
            made = sqlite3.connect(reading_url(self._path), uri=True, timeout=wait, isolation_level=None)
        except sqlite3.Error as error:
            raise DatabaseError(f"cannot open: {error}", file=self._path) from error
        made.text_factory = lambda data: data.decode("utf-8", "replace")  # old files mix encodings
        made.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        made.set_progress_handler(self._late, _STEPS)
        try:
            self._open_virtual(made)
        except DatabaseError:
            made.close()
            raise
        return made

    def _open_virtual(self, connection: sqlite3.Connection) -> bool:
        """Let virtual tables open themselves, which needs forbidden actions; return whether there are any."""
        named = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
        connection.set_authorizer(None)
        try:
            names: list[str] = [name for name, ddl in self._execute(connection, named) if is_virtual(ddl)]
            for name in names:
                with suppress(sqlite3.Error, ValueError):  # an unreadable one is not in the schema
                    connection.execute(f"SELECT * FROM {quoted(name)} LIMIT 1").fetchall()
        except Exception as error:
            raise self._explained(error, named) from error
        finally:
            connection.set_authorizer(self._authorize)
        return bool(names)

    def _begin(self, until: float = float("inf")) -> None:
        self._refused = ""
        self._deadline = min(time.monotonic() + self._timeout, until)
        if self._functions is not None:
            self._functions.begin()

    def _execute(self, connection: sqlite3.Connection, sql: str) -> sqlite3.Cursor:
        """Run SQL; wait for the lock of another program until the deadline."""
        while True:
            try:
                return connection.execute(sql)
            except sqlite3.OperationalError as error:
                busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY  # Python raises some itself
                if not busy or time.monotonic() > self._deadline:
                    raise
            time.sleep(_WAIT)

    def send(self, sql: str, cap: int, *, timeout: float, until: float = float("inf")) -> Rows:
        """Return what a query finds, ``cap`` rows of it at most.

        Args:
            sql: the query.
            cap: rows.
            timeout: seconds it may take.
            until: when it must have ended at the latest, by the clock of `time.monotonic`.

        Raises:
            DatabaseError: it is no query, would do more than read, or took too long.
        """
        self._timeout = timeout
        self._begin(until)
        try:
            found = self._fetched(sql, cap)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if not (self._refused and self._open_virtual(self._connection)):
                raise self._explained(error, sql) from error
            self._begin(until)
            try:  # where another program has changed the schema, virtual tables open themselves anew
                found = self._fetched(sql, cap)
            except (sqlite3.Error, sqlite3.Warning) as again:
                raise self._explained(again, sql) from again
        except ValueError as error:  # half a character, or a zero byte, which no SQL has
            raise DatabaseError(f"this is no query: {error}", file=self._path, hint="write one SELECT") from error
        except MemoryError as error:
            raise UnavailableError("the query takes too much memory", file=self._path, hint="ask for less") from error
        except Exception as error:
            raise self._explained(error, sql) from error
        if not found.columns:
            raise DatabaseError("this is no query", file=self._path, hint="write one SELECT")
        return found

    def _fetched(self, sql: str, cap: int) -> Rows:
        with closing(self._execute(self._connection, sql)) as cursor:
            return Rows.read((d[0] for d in cursor.description or ()), cursor, cap)

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
            self._refused = f"{second}()"
        elif action not in _READS and (action, first, second) != _READS_DATA_VERSION:
            self._refused = self._refused or "writing"
        return sqlite3.SQLITE_DENY if self._refused else sqlite3.SQLITE_OK

    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    def _explained(self, error: Exception, sql: str) -> DatabaseError:
        text = (self._functions.problem if self._functions else "") or str(error)
        if self._refused:
            verb = sql.split(maxsplit=1)[0].upper()
            what = self._refused if verb in {"SELECT", "WITH", "VALUES"} else verb
            problem = f"{what} is refused: the database is open for reading"
            return DatabaseError(problem, file=self._path, hint="write one SELECT")
        if text == "interrupted":
            return TimeLimitError(f"the query took longer than {self._timeout:g} s", file=self._path)
        hints = {
            "file is not a database": "give a SQLite file, or tables as CSV, .xlsx or .parquet",
            "database is locked": "another program is writing; try again when it is done",
            "string or blob too big": f"values of over {_LONGEST_VALUE // 1_000_000} MB are not read",
            "database disk image is malformed": "the file is broken; restore it, or write a new one with .recover",
            "You can only execute one statement at a time.": "write one SELECT",
        }
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        kind = DatabaseError if code in _OF_THE_QUERY else UnavailableError
        if code == sqlite3.SQLITE_BUSY or text.startswith(_UNKNOWN_NAME):
            kind = TimeLimitError if code == sqlite3.SQLITE_BUSY else UnknownNameError
        return kind(text, file=self._path, hint=hints.get(text))


def is_virtual(ddl: str | None) -> bool:
    """Return whether a statement of ``sqlite_master`` creates a virtual table."""
    return ddl is not None and re.match(r"\s*CREATE\s+VIRTUAL\s+TABLE\b", ddl, re.IGNORECASE) is not None


def quoted(name: str, mark: str = '"') -> str:
    """Return a name in quotes."""
    return mark + name.replace(mark, mark * 2) + mark
