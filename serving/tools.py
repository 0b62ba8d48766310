"""What a language model can do with databases: ask, choose, validate, describe; plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from ..data.answer import Answer
from ..data.asked import MAX_CHARACTERS
from ..data.closing import Closing
from ..data.databases.rows import plain_cell, plain_rows
from ..data.databases.schema_places import database_place, open_schema
from ..data.databases.urls import scrubbed
from ..data.errors import InputError, did_you_mean
from ..data.files.names import identifiers
from ..data.profiles.kept import open_profile, profile_to_json
from ..data.profiles.stored_as import key_words, stored_as
from ..data.schema.ddl_writer import to_ddl
from ..data.schema.schema import Schema
from ..dialogue.connection import Connection, connect
from ..dialogue.conversation import Conversation
from ..grammar import Access, Grammar
from ..parser.network.saved import Loaded, network_of
from ..parser.reader.schema.schema_pruning import MAX_COLUMNS
from ..validation import Validator

__all__ = ["DatabaseTools"]

_LONGEST_SQL = 20_000
"""Characters of a query that somebody gives: no person writes longer ones, and reading takes its time."""

_MOST_TURNS = 50
"""Earlier questions of a conversation that are taken; the network reads the last two."""

_OPTION_ROWS = 3


@dataclass(frozen=True)
class _Opened:
    """One database with what judges queries on it.

    Attributes:
        place: as `connect` takes it.
        read: the connection's schema when this was made: where tables come or go, it reads another.
    """

    place: str
    connection: Connection
    read: Schema
    dialect: str
    validator: Validator
    access: Access | None

    @property
    def schema(self) -> Schema:
        return self.validator.grammar.readable


class DatabaseTools(Closing):
    """Databases that can be asked by their names; a context manager. All of it belongs to the thread that made it.

    Args:
        places: databases, as `connect` takes them.
        access: what may be read, of one database.
        rows: of an answer, at most.
        parser: of all databases, as `connect` takes it; it is read once.
        progress: told what is being done where it takes a while.
        told: further arguments of `connect`.

    Raises:
        QuerentError: a database cannot be opened.
    """

    def __init__(
        self,
        places: Sequence[str],
        *,
        access: Access | None = None,
        rows: int = 100,
        parser: str | Path | Loaded | None = None,
        progress: Callable[[str], None] = lambda _: None,
        **told: Any,
    ) -> None:
        if access is not None and len(places) > 1:
            raise InputError("of several databases", field="access", hint="give one database to a role")
        self._rows = rows
        told["parser"] = network_of(parser)
        self._stack = ExitStack()
        self._opened: dict[str, _Opened] = {}
        with ExitStack() as stack:
            for name, place in zip(identifiers(map(_called, places), "database"), places, strict=True):
                self._opened[name] = _open(place, access, progress, stack, told)
            self._stack = stack.pop_all()

    @property
    def names(self) -> tuple[str, ...]:
        """Return what the databases are called."""
        return tuple(self._opened)

    def ask(
        self,
        question: str,
        database: str = "",
        turns: Sequence[Mapping[str, Any]] = (),
        rows: int = 20,
        tables: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the answer to a question, and the turns to give with the next one.

        Args:
            turns: of the answer before, where the question may lean on it.
            rows: that are wanted.
            tables: that are read for it; if none are told all of a small database, the likeliest of a large one.

        Raises:
            InputError: there is no such database or table, or the question or the turns cannot be read.
            DatabaseError: the database is gone.
        """
        conversation = self._conversation(database, turns)
        answer = conversation.ask(question, tables=tables)
        return self._told(answer, conversation, rows)

    def choose(
        self,
        place: int,
        turns: Sequence[Mapping[str, Any]],
        of: Literal["alternatives", "options"] = "alternatives",
        database: str = "",
        rows: int = 20,
    ) -> dict[str, Any]:
        """Return what another reading of the last question gives: an alternative, or an option of the question back.

        Raises:
            InputError: there is no such reading.
            DatabaseError: its query fails.
        """
        conversation = self._conversation(database, turns)
        return self._told(conversation.choose(place, of=of), conversation, rows)

    def validate(self, sql: str, database: str = "") -> dict[str, Any]:
        """Return whether a query would run, and which word is wrong; nothing is run.

        Raises:
            InputError: it is too long.
        """
        if len(sql) > _LONGEST_SQL:
            problem = f"the query has {len(sql)} characters; {_LONGEST_SQL} are the most"
            raise InputError(problem, field="sql", hint="give one query")
        found = self._one(database).validator.validate(sql)
        return {**found.to_json(), "allowed": {kind: [*words] for kind, words in found.allowed.items()}}

    def describe(self, table: str = "", database: str = "") -> dict[str, Any]:
        """Return the tables with their columns, of a large database their names alone; of one table what it holds.

        Raises:
            InputError: there is no such table.
            DatabaseError: the database cannot be read.
        """
        opened = self._one(database)
        if not table:
            known = opened.schema.tables
            large = sum(len(one.columns) for one in known) > MAX_COLUMNS
            columns_of = {one.name: [column.name for column in one.columns] for one in known}
            told = {"database": self._named(database), "dialect": opened.dialect}
            return {**told, "tables": [*columns_of] if large else columns_of}
        found = opened.schema.table(table)
        profile = open_profile(_path(opened.place, opened.access), opened.schema, narrowed=opened.access is not None)
        told = profile_to_json(profile)["columns"].get(found.name, {})
        columns: list[dict[str, Any]] = []
        for column in found.columns:
            one = profile.column(found.name, column.name)
            known = told.get(column.name, {})
            columns.append({
                "name": column.name,
                "type": column.type,
                "description": column.description,
                "kind": None if one is None else one.kind,
                "stored_as": "" if one is None else stored_as(one),
                "examples": [plain_cell(cell) for cell in known.get("examples", ())],
                "doubt": known.get("doubt", ""),
            })  # fmt: skip
        keys = [f"{', '.join(key.columns)} -> {key_words(key)}" for key in profile.keys_from(found.name)]
        return {"table": found.name, "rows": profile.rows.get(found.name), "columns": columns, "keys": keys}

    def ddl(self, name: str) -> str:
        """Return the schema of a database that may be read, as CREATE TABLE statements."""
        opened = self._one(name)
        return to_ddl(opened.schema, Grammar.for_schema(opened.schema, dialect=opened.dialect).quoting.write)

    def close(self) -> None:
        """Close all databases."""
        self._stack.close()

    def _named(self, database: str) -> str:
        if not database and len(self._opened) == 1:
            return self.names[0]
        if database not in self._opened:
            hint = did_you_mean(database, self._opened) or f"it is one of {', '.join(self._opened)}"
            raise InputError(f"no database {database!r} here", field="database", hint=hint)
        return database

    def _one(self, database: str) -> _Opened:
        name = self._named(database)
        opened = self._opened[name]
        if opened.connection.schema is not opened.read:
            opened = self._opened[name] = _judged(opened.place, opened.connection, opened.access)
        return opened

    def _conversation(self, database: str, turns: Sequence[Mapping[str, Any]]) -> Conversation:
        longest = {"question": MAX_CHARACTERS, "sql": _LONGEST_SQL}
        long = any(len(str(turn.get(name))) > most for turn in turns for name, most in longest.items())
        if long or len(turns) > _MOST_TURNS:
            raise InputError("too long a conversation", field="turns", hint="give the turns of the answer before")
        told = {"version": 1, "turns": [dict(turn) for turn in turns]}
        return Conversation.from_json(told, self._one(database).connection)

    def _told(self, answer: Answer, conversation: Conversation, rows: int) -> dict[str, Any]:
        """Return an answer as data: what to rely on first, what there is to choose with its number, rows at last."""
        most = max(1, min(rows, self._rows))
        asked = answer.clarification
        back = None
        if asked is not None:
            shown = [(asdict(replace(one, rows=())), one.rows[:_OPTION_ROWS]) for one in asked.options]
            options = [{**told, "rows": plain_rows(first)} for told, first in shown]
            back = {"question": asked.question, "options": options}
        return {
            "status": answer.status,
            "confidence": round(answer.confidence, 3),
            "reason": answer.reason,
            "sql": answer.sql,
            "columns": [*answer.columns],
            "rows": plain_rows(answer.rows[:most]),
            "more_rows": answer.truncated or len(answer.rows) > most,
            "notes": [*answer.notes],
            "clarification": back,
            "alternatives": [{"sql": one.sql, "confidence": round(one.confidence, 3)} for one in answer.alternatives],
            "turns": conversation.to_json()["turns"],
        }


def _called(place: str) -> str:
    """Return what a database is called: as its file without the ending, a pattern's folder, or the end of its URL."""
    path = Path(urlsplit(place).path if "://" in place else place)
    return path.parent.name if has_magic(path.name) else path.stem


def _open(
    place: str, access: Access | None, progress: Callable[[str], None], stack: ExitStack, told: Mapping[str, Any]
) -> _Opened:
    progress(f"opening {scrubbed(place)}")
    return _judged(place, stack.enter_context(connect(place, access=access, progress=progress, **told)), access)


def _judged(place: str, connection: Connection, access: Access | None) -> _Opened:
    schema, dialect = open_schema(_path(place, access) if access and access.role else place)
    return _Opened(
        place, connection, connection.schema, dialect, Validator(schema, dialect=dialect, access=access), access
    )


def _path(place: str, access: Access | None) -> str:
    return database_place(place, role=access.role if access else "")
