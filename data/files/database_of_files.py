"""The SQLite file in the cache that holds the tables of files, made anew when one of them has changed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from glob import escape
from pathlib import Path

from ..databases.sqlite_session import reading_url
from ..errors import DatabaseError
from ..shipped import cache_folder
from ..whole_files import replacing
from .reading_process import read_files

__all__ = ["database_of_files"]

_VERSION = 2
"""Of the importer: another one reads all files anew."""

_OLD = 24 * 3600
"""Seconds after which what a killed process has left is no longer being written."""

_SILENT = 1.0
"""Seconds that pass before anything is said of the time left."""


def database_of_files(files: Sequence[Path], progress: Callable[[str], None] = lambda _: None) -> Path:
    """Return the SQLite file of some files' tables, one table a file or sheet.

    It is kept in the user's cache, under a name that the files' paths tell; in it stand their sizes and times.

    Args:
        progress: told what is read, how much of it and how long it will take, of what takes a while.

    Raises:
        InputError: a file is broken, empty, or needs a package that is not installed.
        DatabaseError: a file may not be read or has changed meanwhile; the cache cannot be written.

    Warns:
        UserWarning: what was guessed, filled or left out.
    """
    paths = [str(file.absolute()) for file in files]
    path = cache_folder() / "files" / f"{files[0].stem[:40]}-{_digest([_VERSION, paths]).hex()[:20]}.sqlite"
    states = _states(files)
    if _is_of(path, states):
        return path
    named = files[0].name if len(files) == 1 else f"{len(files)} files"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        with replacing(path) as partial:
            read_files(partial, files, states, _ReadingProgress(f"reading {named}", progress).tell)
            if _states(files) != states:
                raise DatabaseError("changed while it was read", file=files[0], hint="try again when it is written")
    except sqlite3.Error as error:
        raise DatabaseError(f"the tables of {named} cannot be kept here: {error}", file=path, hint=_CACHE) from error
    except OSError as error:
        problem = f"the tables of {named} cannot be kept here: {error.strerror}"
        raise DatabaseError(problem, file=error.filename or path, hint=_CACHE) from error
    return path


_CACHE = "set QUERENT_CACHE to a folder with room that can be written"


def _states(files: Sequence[Path]) -> tuple[int, int]:
    """Return what changes when a file does, as two numbers for which a SQLite file has room in its head.

    Raises:
        DatabaseError: a file is gone.
    """
    try:
        told = [(one.st_size, one.st_mtime_ns) for one in (file.stat() for file in files)]
    except OSError as error:
        raise DatabaseError(f"cannot be read: {error.strerror}", file=error.filename) from error
    digest = _digest([_VERSION, told])
    first, second = (int.from_bytes(digest[place : place + 4], signed=True) for place in (0, 4))
    return first, second


def _is_of(path: Path, states: tuple[int, int]) -> bool:
    """Say whether there is a database of these states."""
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(reading_url(path), uri=True)) as database:
            found = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    except sqlite3.Error:  # broken: it is made anew
        return False
    return tuple(found) == states


def _sweep(path: Path) -> None:
    """Take away what killed processes have left of this database."""
    for left in path.parent.glob(f".{escape(path.stem)}.*.partial"):
        if time.time() - left.stat().st_mtime > _OLD:
            left.unlink(missing_ok=True)


def _digest(told: object) -> bytes:
    return hashlib.sha256(json.dumps(told).encode()).digest()


class _ReadingProgress:
    """Says how much is done, and how long the rest will take."""

    def __init__(self, what: str, tell: Callable[[str], None]) -> None:
        self._what, self._tell = what, tell
        self._begun = self._last = time.monotonic()

    def tell(self, share: float) -> None:
        """Say it, a few times a second at most."""
        now = time.monotonic()
        if now - self._last < 0.2:
            return
        self._last, passed = now, now - self._begun
        left = ""
        if passed > _SILENT and share > 0:
            seconds = passed / share - passed
            left = f", {seconds / 60:.0f} min left" if seconds > 90 else f", {seconds:.0f} s left"
        self._tell(f"{self._what}: {share:.0%}{left}")
