"""Profiles as JSON, kept beside the value index and made anew when the database changes."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..databases.database import Database
from ..databases.fingerprints import fingerprint_of, kept_name, replacing
from ..domains.shipped import cache_folder
from ..errors import RunError
from ..schema.schema import Schema
from .column_profile import ColumnProfile, FlagCells, NumberText, TimeStorage
from .database_profile import DatabaseProfile, KeyProfile
from .profiling import profile_of
from .samples import ROWS

__all__ = ["open_profile", "profile_from_json", "profile_to_json"]

_FORMAT = "profile 10"
_SECONDS = 5.0
"""How long the rows of one table may take, a lock waited for included."""


def open_profile(
    database: str | Path, schema: Schema, *, narrowed: bool = False, cache: Path | None = None, rebuild: bool = False
) -> DatabaseProfile:
    """Return the profile of a database, made now if there is none or the database has changed since.

    Args:
        database: a SQLite file or a URL.
        schema: whose tables and columns are looked at, narrowed to what may be read.
        narrowed: is it less than all that the database has?
        cache: folder of kept files; None is that of the value index.
        rebuild: make it even if nothing seems changed.

    Raises:
        DatabaseError: the database is gone or locked.
        RunError: the profile cannot be written.

    Warns:
        UserWarning: tables cannot be read, or take too long: they have no profile, and what was found of the others is
            not kept.
    """
    folder = cache_folder() / "values" if cache is None else cache
    path = folder / f"{kept_name(database, schema)}.json"
    fingerprint = fingerprint_of(database, schema, _FORMAT)
    if not rebuild and (kept := _read(path, fingerprint)) is not None:
        return kept
    with Database.open(database, timeout=_SECONDS, max_rows=ROWS) as opened:
        profile = profile_of(opened, schema, narrowed=narrowed)
    if {table for table, _ in profile.columns} == {table.name for table in schema.tables}:
        _write(path, fingerprint, profile)
    return profile


def profile_to_json(profile: DatabaseProfile) -> dict[str, Any]:
    """Return plain lists and dicts that `profile_from_json` reads back; what is not there is left out."""
    columns: dict[str, dict[str, Any]] = {}
    for (table, column), one in profile.columns.items():
        told = {name: value for name, value in asdict(one).items() if value not in (None, "", (), 0, False)}
        columns.setdefault(table, {})[column] = told
    keys = [asdict(key) for key in profile.keys]
    return {"columns": columns, "rows": dict(profile.rows), "keys": keys, "primary_keys": dict(profile.primary_keys)}


def profile_from_json(data: dict[str, Any]) -> DatabaseProfile:
    """Return the profile that `profile_to_json` wrote.

    Raises:
        KeyError, TypeError: it is none.
    """
    columns = {
        (table, name): _column(told) for table, several in data["columns"].items() for name, told in several.items()
    }
    keys = tuple(KeyProfile(**_with_tuples(key)) for key in data["keys"])
    return DatabaseProfile(columns, data["rows"], keys, data["primary_keys"])


def _column(told: dict[str, Any]) -> ColumnProfile:
    parts = {"time": TimeStorage, "flag": FlagCells, "number": NumberText}
    read: dict[str, Any] = {name: parts[name](**_with_tuples(told[name])) for name in parts if name in told}
    return ColumnProfile(**(_with_tuples(told) | read))


def _with_tuples(told: dict[str, Any]) -> dict[str, Any]:
    """Return fields with tuples, which JSON has not, in place of lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in told.items()}


def _read(path: Path, fingerprint: str) -> DatabaseProfile | None:
    """Return what is kept of the same fingerprint."""
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return profile_from_json(data) if data["fingerprint"] == fingerprint else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        warnings.warn(f"{path}: not a profile of this version; it is made anew", stacklevel=3)
        return None


def _write(path: Path, fingerprint: str, profile: DatabaseProfile) -> None:
    told = json.dumps({"fingerprint": fingerprint} | profile_to_json(profile), ensure_ascii=False)
    try:
        with replacing(path) as partial:
            partial.write_text(told, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        problem = f"the profile cannot be written: {error.strerror}"
        raise RunError(problem, file=path.parent, hint="give another folder as cache") from error
