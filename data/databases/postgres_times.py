"""PostgreSQL's cells that Python cannot hold: infinity, 44 BC, 24:00."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, event

__all__ = ["hold_any_time"]

_TEXTS = (0, "bpchar", "name", "text", "varchar", '"char"')
"""What psycopg calls the types whose cells it reads as texts; 0 are those that it does not know."""


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
