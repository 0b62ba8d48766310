"""What a language model can do with databases: ask, choose, validate, describe; plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from ..data.closing import Closing
from ..data.databases.rows import plain_cell
from ..data.errors import DatabaseError, InputError, did_you_mean
from ..data.files.source import identifiers
from ..data.schema.ddl_writer import to_ddl
from ..data.urls import scrubbed
from ..parser.answering.asking import ConnectOptions
from ..parser.network.saved import network_of
from ..parser.reader.inputs import MAX_COLUMNS
from . import work
from .messages import Asking, Choosing, Talk, Turned
from .open_databases import GoneError, OpenDatabase, OpenDatabases
from .roles import Roles, TokenRole
from .settings import ServingSettings, named_place
from .shown import table_shown

__all__ = ["DatabaseTools"]

_LONGEST_SQL = 20_000
"""Characters of a query that somebody gives: no person writes longer ones, and reading takes its time."""

_Done = TypeVar("_Done")


class DatabaseTools(Closing):
    """Databases that can be asked by their names; a context manager. All of it belongs to the thread that made it.

    Args:
        places: databases, as `connect` takes them, or ``NAME=PLACE``; those called alike get numbers.
        rows: of an answer, at most.
        progress: called with what is being done where it takes a while.
        options: fields of `ConnectOptions`; ``access`` is to one database. A parser is read once for all.

    Raises:
        QuerentError: a database cannot be opened.
    """

    def __init__(
        self,
        places: Sequence[str],
        *,
        rows: int = 100,
        progress: Callable[[str], None] = lambda _: None,
        **options: Any,
    ) -> None:
        told = ConnectOptions(**options)
        if told.role is not None and len(places) > 1:
            raise InputError("of several databases", field="access", hint="give one database to a role")
        called = [named_place(one) for one in places]
        names = identifiers([name for name, _ in called], "database")
        named = {name: place for name, (_, place) in zip(names, called, strict=True)}
        self.names = tuple(named)
        self._role = TokenRole("everybody", access=told.role and dict.fromkeys(named, told.role))
        told = replace(told, parser=network_of(told.parser))
        settings = ServingSettings(named, Roles([self._role]), told, rows=rows, query_seconds=told.timeout)
        self._rows, self._databases = rows, OpenDatabases(settings)
        try:
            self._databases.try_all(lambda what: progress(scrubbed(what)), keep=True)
        except BaseException:
            self.close()
            raise

    def ask(
        self,
        question: str,
        database: str = "",
        turns: Sequence[Turned] = (),
        rows: int = 20,
        tables: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the answer to a question, and the turns to give with the next one.

        Args:
            turns: of the answer before, where the question may lean on it.
            rows: that are wanted.
            tables: that are read for it; if none, all of a small database, the likeliest of a large one.

        Raises:
            InputError: there is no such database or table, or the question or the turns cannot be read.
            DatabaseError: the database is gone.
        """
        told = Asking.model_validate({"question": question, "conversation": _talk(turns), "tables": [*tables]})
        return _told(self._done(database, lambda opened: work.ask(opened, told, self._most(rows))))

    def choose(
        self,
        place: int,
        turns: Sequence[Turned],
        of: Literal["alternatives", "options"] = "alternatives",
        database: str = "",
        rows: int = 20,
    ) -> dict[str, Any]:
        """Return what another reading of the last question gives: an alternative, or an option of the question back.

        Raises:
            InputError: there is no such reading.
            DatabaseError: its query fails.
        """
        told = Choosing(conversation=_talk(turns), place=place, of=of)
        return _told(self._done(database, lambda opened: work.choose(opened, told, self._most(rows))))

    def validate(self, sql: str, database: str = "") -> dict[str, Any]:
        """Return whether a query would run, and which word is wrong; nothing is run.

        Raises:
            InputError: it is too long.
        """
        if len(sql) > _LONGEST_SQL:
            problem = f"the query has {len(sql)} characters; {_LONGEST_SQL} are the most"
            raise InputError(problem, field="sql", hint="give one query")
        found = self._done(database, lambda opened: opened.validator.validate(sql))
        return {**found.to_json(), "allowed": {kind: [*words] for kind, words in found.allowed.items()}}

    def describe(self, table: str = "", database: str = "") -> dict[str, Any]:
        """Return the tables with their columns, of a large database their names alone; of one table what it holds.

        Raises:
            InputError: there is no such table.
            DatabaseError: the database cannot be read.
        """
        return self._done(database, lambda opened: _table(opened, table) if table else _tables(opened))

    def ddl(self, name: str) -> str:
        """Return the schema of a database that may be read, as CREATE TABLE statements."""
        grammar = self._done(name, lambda opened: opened.validator.grammar)
        return to_ddl(grammar.readable, grammar.quoting.write)

    def close(self) -> None:
        """Close all databases."""
        self._databases.close()

    def _most(self, rows: int) -> int:
        return max(1, min(rows, self._rows))

    def _done(self, database: str, job: Callable[[OpenDatabase], _Done]) -> _Done:
        """Do something with a database.

        Raises:
            InputError: there is no such one.
            DatabaseError: it cannot be read.
        """
        name = self.names[0] if not database and len(self.names) == 1 else database
        if name not in self.names:
            hint = did_you_mean(name, self.names) or f"it is one of {', '.join(self.names)}"
            raise InputError(f"no database {name!r} here", field="database", hint=hint)
        try:
            return self._databases.asked(self._databases.get(self._role, name), job)
        except GoneError as error:
            raise DatabaseError(f"{name} cannot be read at present", hint="ask again later") from error


def _talk(turns: Sequence[Turned]) -> Talk:
    return Talk.model_validate({"version": 1, "turns": turns})


def _tables(opened: OpenDatabase) -> dict[str, Any]:
    grammar = opened.validator.grammar
    columns_of = {one.name: [column.name for column in one.columns] for one in grammar.readable.tables}
    large = sum(map(len, columns_of.values())) > MAX_COLUMNS
    told = {"database": opened.name, "dialect": opened.connection.dialect}
    return {**told, "tables": [*columns_of] if large else columns_of}


def _table(opened: OpenDatabase, name: str) -> dict[str, Any]:
    shown = table_shown(opened.validator.grammar.readable.table(name), opened.connection.profile)
    keys = [f"{column['name']} -> {key}" for column in shown["columns"] for key in column["keys"]]
    columns = [{**column, "examples": [plain_cell(cell) for cell in column["examples"]]} for column in shown["columns"]]
    return {"table": shown["name"], "rows": shown["rows"], "columns": columns, "keys": keys}


def _told(shown: dict[str, Any]) -> dict[str, Any]:
    """Return an answer as data: what to rely on first, what there is to choose with its number, rows at last."""
    answer, back = shown["answer"], shown["answer"]["clarification"]
    kept = ("status", "confidence", "reason", "sql", "columns", "rows", "notes")
    return {
        **{name: answer[name] for name in kept},
        "confidence": round(answer["confidence"], 3),
        "more_rows": answer["truncated"],
        "clarification": back and {"question": back["question"], "options": back["options"]},
        "alternatives": [
            {"sql": one["sql"], "confidence": round(one["confidence"], 3)} for one in answer["alternatives"]
        ],
        "turns": shown["conversation"]["turns"],
    }
