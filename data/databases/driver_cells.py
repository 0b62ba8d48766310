"""Cells that Python cannot hold, as text: PostgreSQL's infinite dates, years beyond 9999 or before Christ, 24:00."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, event

__all__ = ["hold_any_cell"]


def hold_any_cell(engine: Engine) -> None:
    """Have psycopg return the text of a cell that its own loader refuses; other drivers keep their ways.

    Arrays and ranges load their elements so, too.
    """
    if engine.dialect.driver != "psycopg":
        return
    from psycopg.types import datetime, json

    fallible: dict[str, Any] = {  # JSON may hold numbers of any length
        **{"date": datetime.DateLoader, "time": datetime.TimeLoader, "timetz": datetime.TimetzLoader},
        **{"timestamp": datetime.TimestampLoader, "timestamptz": datetime.TimestamptzLoader},
        **{"interval": datetime.IntervalLoader, "json": json.JsonLoader, "jsonb": json.JsonbLoader},
    }
    loaders = {name: _or_text(loader) for name, loader in fallible.items()}

    def register(connection: Any, _: Any) -> None:
        for name, loader in loaders.items():
            connection.adapters.register_loader(name, loader)

    event.listen(engine, "connect", register)


def _or_text(loader: Any) -> Any:
    """Return a loader of psycopg's that gives the server's text where it fails."""

    class OrText(loader):
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except Exception:
                return bytes(data).decode()

    return OrText
