"""Files of tables as a SQLite file in the cache, made anew when one has changed, and the process that reads them."""

import gc
import glob
import hashlib
import json
import os
import pickle
import sqlite3
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from glob import escape
from multiprocessing.spawn import get_executable
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from ..databases.sqlite_session import reading_url
from ..errors import DatabaseError, InputError
from ..shipped import cache_folder
from ..whole_files import replacing
from .csv_table import csv_table
from .excel_tables import excel_tables, parquet_table
from .source import SourceTable
from .writing import write_tables

_READERS: Mapping[str, Callable[[Path], list[SourceTable]]] = {
    ".csv": lambda file: [csv_table(file)],
    ".tsv": lambda file: [csv_table(file)],
    ".xlsx": excel_tables,
    ".xlsm": excel_tables,
    ".parquet": lambda file: [parquet_table(file)],
}
_KINDS = "CSV, TSV, .xlsx or .parquet"


def table_files(place: str) -> list[Path] | None:
    """Return the files that a place names, in order; None where it names no such, as a database does.

    Args:
        place: a file by its ending, a folder, or a pattern (``exports/*.csv``). What is called ``…schema.csv`` is the
            text2sql sets' description of a schema (`data.schema.text2sql`), and no table.

    Raises:
        DatabaseError: there is no such file, or none in the folder or of the pattern.
    """
    if "://" in place or place.lower().endswith("schema.csv"):
        return None
    path = Path(place)
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if _is_table(file) and file.is_file()]
        if not found:
            raise DatabaseError("no files of tables in this folder", file=path, hint=f"put {_KINDS} files there")
        return found
    if not path.exists() and glob.has_magic(place):
        names = sorted(glob.glob(place, recursive=True))  # noqa: PTH207 - a pattern may be absolute
        found = [file for name in names if _is_table(file := Path(name))]
        if not found:
            raise DatabaseError("no files of tables have such names", file=path, hint=f"give {_KINDS} files")
        return found
    if not _is_table(path):
        return None
    if not path.is_file():
        raise DatabaseError("no such file", file=path, hint="give the path of a file that is there")
    return [path]


def tables_of(file: Path) -> list[SourceTable]:
    """Return the tables of a file.

    Raises:
        DatabaseError: it may not be read.
        InputError: it is broken, or empty.
    """
    if not os.access(file, os.R_OK):
        raise DatabaseError("the file may not be read", file=file, hint="ask its owner for the right to")
    return _READERS[file.suffix.lower()](file)


def _is_table(file: Path) -> bool:
    """Has a file the ending of tables? Office writes ``~$`` files beside those that are open."""
    return file.suffix.lower() in _READERS and not file.name.startswith(("~$", "."))


MOST_MEMORY = 4_000_000_000
"""Bytes of memory that reading may take, where the system can hold a process to them: Windows and macOS cannot."""

_MOST_TABLES = 1_000

_CHILD = "import sys; sys.path[:] = {!r}; from querent.data.files.database_of_files import serve; serve({:d})"


def read_files(path: Path, files: Sequence[Path], states: tuple[int, int], progress: Callable[[float], None]) -> None:
    """Write the tables of files into an empty SQLite file, in a process of its own.

    Args:
        states: two numbers of 32 bits that the SQLite file is to keep.
        progress: receives the finished share of the work, 0 to 1.

    Raises:
        InputError: a file cannot be read, unpacks to too much, or needs too much memory.
        DatabaseError, sqlite3.Error: a file may not be read; the SQLite file cannot be written.

    Warns:
        UserWarning: what was guessed, filled or left out.
    """
    child = [get_executable() or sys.executable, "-c", _CHILD.format(list(map(str, sys.path)), MOST_MEMORY)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}  # each would take memory of its own
    file = files[0]
    with (
        tempfile.TemporaryFile() as errors,
        Popen(child, stdin=PIPE, stdout=PIPE, stderr=errors, env=one_thread) as process,
    ):
        assert process.stdin is not None and process.stdout is not None
        try:
            with process.stdin as pipe:
                pickle.dump((path, list(files), states), pipe)
            while True:
                match pickle.load(process.stdout):
                    case Path() as begun:
                        file = begun
                    case float() as share:
                        progress(share)
                    case str() as warning:
                        warnings.warn(warning, stacklevel=3)
                    case Exception() as error:
                        raise error
                    case _:
                        return
        except (EOFError, BrokenPipeError) as error:
            if process.wait() > 0:  # it ended without a message
                errors.seek(0)
                raise RuntimeError(errors.read().decode(errors="replace")) from error
            raise _too_large(file, MOST_MEMORY) from error
        finally:
            process.kill()


def serve(most_memory: int) -> None:
    """Read the files that standard input names; report progress and errors on standard output. This is the process."""
    path, files, states = pickle.load(sys.stdin.buffer)
    replies, file = sys.stdout.buffer, files[0]

    def report(what: Any) -> None:
        nonlocal file
        file = what if isinstance(what, Path) else file
        pickle.dump(what, replies)
        replies.flush()

    with suppress(ImportError, ValueError, OSError):  # see MOST_MEMORY
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (most_memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    gc.disable()  # nothing here is a cycle
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *_, **__: report(str(message))
    try:
        _fill(path, files, states, report)
        report(None)
    except MemoryError:
        report(_too_large(file, most_memory))
    except Exception as error:
        error.add_note(traceback.format_exc())
        report(error)
    except BaseException as error:  # calamine's panics are no Exceptions
        report(InputError(f"not read: {error}", file=file, hint="save it once more, or as CSV"))


def _too_large(file: Path, memory: int) -> InputError:
    problem = f"reading it takes more than {memory / 1e9:g} GB of memory"
    far = "; a cell far from the others makes a sheet of all that lies between" if ".xls" in file.suffix else ""
    hint = f"save it in parts, or as CSV{far}"
    return InputError(problem, file=file, hint=hint)


def _fill(path: Path, files: Sequence[Path], states: tuple[int, int], report: Callable[[Any], None]) -> None:
    tables: list[SourceTable] = []
    for file in files:
        report(file)
        tables += tables_of(file)
        if len(tables) > _MOST_TABLES:
            hint = "name fewer files by a pattern, or put tables of one kind into one"
            raise InputError(f"with this file, more than {_MOST_TABLES:,} tables", file=file, hint=hint)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = MEMORY")  # what is half is thrown away
        with database:
            write_tables(database, _distinctly_named(tables), report)
        database.execute(f"PRAGMA application_id = {states[0]}")
        database.execute(f"PRAGMA user_version = {states[1]}")


def _distinctly_named(tables: Sequence[SourceTable]) -> list[SourceTable]:
    """Return the tables, with the file's name before that of a sheet where another table is called so."""
    times = Counter(table.name for table in tables)
    return [
        replace(one, name=f"{one.file.stem} {one.name}") if times[one.name] > 1 and one.name != one.file.stem else one
        for one in tables
    ]


_VERSION = 2  # of the importer: another one reads all files anew
_OLD = 24 * 3600  # seconds after which what a killed process has left is no longer being written
_SILENT = 1.0  # seconds before the time left is reported


def database_of_files(files: Sequence[Path], progress: Callable[[str], None] = lambda _: None) -> Path:
    """Return the SQLite file of some files' tables, one table a file or sheet.

    It is in the user's cache, under a name made from the files' paths; it stores their sizes and times.

    Args:
        progress: receives messages on the progress and the time left.

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
            read_files(partial, files, states, _progress(f"reading {named}", progress))
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
    """Return two numbers that change with the files, and fit into the header of a SQLite file.

    Raises:
        DatabaseError: a file is gone.
    """
    try:
        states = [(one.st_size, one.st_mtime_ns) for one in (file.stat() for file in files)]
    except OSError as error:
        raise DatabaseError(f"cannot be read: {error.strerror}", file=error.filename) from error
    digest = _digest([_VERSION, states])
    first, second = (int.from_bytes(digest[place : place + 4], signed=True) for place in (0, 4))
    return first, second


def _is_of(path: Path, states: tuple[int, int]) -> bool:
    """Return whether there is a database of these states."""
    if not path.is_file():
        return False
    try:
        with closing(sqlite3.connect(reading_url(path), uri=True)) as database:
            found = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    except sqlite3.Error:  # broken: it is made anew
        return False
    return tuple(found) == states


def _sweep(path: Path) -> None:
    """Delete the drafts of this database that killed processes have left."""
    for left in path.parent.glob(f".{escape(path.stem)}.*.partial"):
        if time.time() - left.stat().st_mtime > _OLD:
            left.unlink(missing_ok=True)


def _digest(data: object) -> bytes:
    return hashlib.sha256(json.dumps(data).encode()).digest()


def _progress(what: str, send: Callable[[str], None]) -> Callable[[float], None]:
    """Return a function that reports the finished share and the time left, a few times a second at most."""
    begun = last = time.monotonic()

    def report(share: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < 0.2:
            return
        last, seconds = now, (now - begun) / share - (now - begun) if share > 0 else 0.0
        left = f", {seconds / 60:.0f} min left" if seconds > 90 else f", {seconds:.0f} s left"
        send(f"{what}: {share:.0%}{left if now - begun > _SILENT and share > 0 else ''}")

    return report
