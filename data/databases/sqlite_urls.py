"""Which file a URL of SQLite names: such files are opened as files, under the same limits, however they are written."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from ..errors import DatabaseError

__all__ = ["reading_url", "sqlite_file"]

_DRIVERS = {"", "pysqlite", "aiosqlite"}
"""Those that read plain files; others decrypt them, or ask a server."""


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
    """Return what `sqlite3.connect` opens a file by, with ``uri=True``, for reading only."""
    return f"{file.absolute().as_uri()}?mode=ro"
