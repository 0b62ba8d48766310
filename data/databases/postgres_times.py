"""PostgreSQL's cells that Python cannot hold, and times that nobody can reckon with: infinity, 44 BC, 24:00."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event

from ..schema.schema import Table
from .left_out import LeftOut
from .sqlite_session import quoted

if TYPE_CHECKING:
    from .database import FoundTables
    from .remote import ServerSession

__all__ = ["hold_any_time", "with_far_times"]

_TIMES = re.compile(r"(?:date|timestamp)\b(?!.*\[)", re.IGNORECASE)
_NEAR = "BETWEEN DATE '4000-01-01 BC' AND DATE '20999-12-31'"
"""Times that stay times when they are shifted by some hundred years, and lie less than ten million days apart."""

_TEXTS = (0, "bpchar", "name", "text", "varchar", '"char"')
"""What psycopg calls the types whose cells it reads as texts; 0 are those that it does not know."""

_SECONDS = 2.0
"""How long the rows of one table may take; where they take longer, its times may be any."""


def hold_any_time(engine: Engine) -> None:
    """Have psycopg return the text of a time, or of JSON, that its loader refuses; other drivers keep their ways.

    The texts of a database whose encoding is SQL_ASCII, bytes to psycopg, are read as UTF-8; other bytes are U+FFFD.
    """
    if engine.dialect.driver == "psycopg":
        from psycopg.adapt import Loader
        from psycopg.types import datetime as times
        from psycopg.types import json

        class AnyText(Loader):
            def load(self, data: Any) -> str:
                return bytes(data).decode(errors="replace")

        fallible: list[Any] = [times.DateLoader, times.TimeLoader, times.TimetzLoader, times.TimestampLoader]
        fallible += [times.TimestamptzLoader, times.IntervalLoader, json.JsonLoader, json.JsonbLoader]
        loaders = {loader.__name__.removesuffix("Loader").lower(): _or_text(loader) for loader in fallible}

        def registered(opened: Any, _: Any) -> None:
            any_bytes = opened.info.parameter_status("server_encoding") == "SQL_ASCII"
            for kind, loader in {**loaders, **dict.fromkeys(_TEXTS if any_bytes else (), AnyText)}.items():
                opened.adapters.register_loader(kind, loader)

        event.listen(engine, "connect", registered, insert=True)  # before SQLAlchemy reads the server's version


def _or_text(loader: Any) -> Any:
    """Return a loader of psycopg's that gives the server's text where it fails."""

    class OrText(loader):
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except Exception:
                return bytes(data).decode()

    return OrText


def with_far_times(table: Table, session: ServerSession, left_out: LeftOut, found: FoundTables) -> Table:
    """Return a table whose times are `Column.computed`, of any size, where some of them are far off or infinite."""
    times = [column.name for column in table.columns if _TIMES.match(column.type)]
    far = ", ".join(f"bool_or({quoted(name)} NOT {_NEAR})" for name in times)

    def asked() -> set[str]:
        if (late := found.late.get(table.name)) is not None:
            raise late
        row = session.send(f"SELECT {far} FROM {'.'.join(map(quoted, table.path))}", 1, timeout=_SECONDS).rows[0]
        return {name for name, is_far in zip(times, row, strict=True) if is_far}

    held = left_out.tried(f"arithmetic with the times of {table.name}", {*times}, asked) if times else ()
    return replace(table, columns=tuple(replace(c, computed=c.name in held) for c in table.columns))
