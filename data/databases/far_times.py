"""Which columns of PostgreSQL hold times with which nobody can reckon: infinite ones, and those of far-off years."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlalchemy import Engine

from ..schema.schema import Table
from .left_out import LeftOut
from .sqlite_schema import quoted

__all__ = ["with_far_times"]

_TIMES = re.compile(r"(?:date|timestamp)\b(?!.*\[)", re.IGNORECASE)

_NEAR = "BETWEEN DATE '4000-01-01 BC' AND DATE '20999-12-31'"
"""Times that stay times of PostgreSQL's when they are shifted by some hundred years, and lie less than ten million days
apart; an infinite one minus another is an error."""

_SECONDS = 2
"""How long the rows of one table may take; where they take longer, its times may be any."""


def with_far_times(table: Table, engine: Engine, left_out: LeftOut) -> Table:
    """Return a table whose times are `Column.computed`, of any size, where some of them are far off or infinite."""
    times = [column.name for column in table.columns if _TIMES.match(column.type)]
    if not times:
        return table
    far = ", ".join(f"bool_or({quoted(name)} NOT {_NEAR})" for name in times)

    def asked() -> list[bool]:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {_SECONDS * 1000}")
            found = connection.exec_driver_sql(
                f"SELECT {far} FROM {'.'.join(map(quoted, table.path))}", execution_options={"no_parameters": True}
            )
            return [*found.one()]

    any_far = left_out.tried(f"arithmetic with the times of {table.name}", [True] * len(times), asked)
    held = {name for name, is_far in zip(times, any_far, strict=True) if is_far}
    return replace(table, columns=tuple(replace(c, computed=True) if c.name in held else c for c in table.columns))
