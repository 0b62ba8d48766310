"""The databases and domains that come with Querent; a database is unpacked into the cache on first use."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import DatabaseError, InputError, did_you_mean
from .whole_files import replacing

SHIPPED = ("plant", "library")
"""Domains: a database with prototypes and pairs."""

DATABASES = ("plant", "shop", "library")
"""Databases that can be opened by their name."""

REHEARSED = ("plant", "shop")
"""Small ones of them, over which every training samples queries, so that a base keeps reading other schemas."""


def shipped_folder(name: str) -> Path:
    """Return the folder of one of `DATABASES`."""
    return Path(__file__).parent / name


def is_shipped(spec: str) -> bool:
    """Return whether a spec names one of `SHIPPED`; a domain folder of that name, where people work, comes first."""
    own = Path(spec, "domain.toml")
    return spec in SHIPPED and not (own.is_file() and own.parent.resolve() != shipped_folder(spec).resolve())


def shipped_database(name: str) -> Path:
    """Return the SQLite file of one of `DATABASES`, which is written unless the cache has it.

    The folder has one SQL script, and in ``rows.json.xz`` the rows that the script does not insert: an object of
    tables, each an object of columns, each the list of its cells. A hash of both is in the name of the SQLite file, so
    that a file of another version is never taken for this one.

    Raises:
        DatabaseError: the cache cannot be written.
    """
    folder = shipped_folder(name)
    (script,) = (file.read_bytes() for file in folder.glob("*.sql"))
    packed = folder / "rows.json.xz"
    rows = packed.read_bytes() if packed.is_file() else b""
    path = cache_folder() / f"{name}-{hashlib.sha256(script + rows).hexdigest()[:16]}.sqlite"
    if not path.is_file():
        try:
            with replacing(path) as partial, closing(sqlite3.connect(partial)) as database, database:
                database.executescript(script.decode())
                for table, columns in _columns(rows).items():
                    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
                    database.executemany(insert, zip(*columns.values(), strict=True))
        except OSError as error:
            problem = f"cannot keep the shipped database {name!r} here: {error.strerror}"
            raise DatabaseError(problem, file=path, hint="set QUERENT_CACHE to a folder that can be written") from error
    return path


def _columns(packed: bytes) -> Mapping[str, Mapping[str, list[object]]]:
    if not packed:
        return {}
    import lzma  # the shop has no such file

    return json.loads(lzma.decompress(packed))


def nearest_path(path: Path) -> str | None:
    """Return a hint at the name nearest to a missing path, beside it or among the shipped databases."""
    if os.path.exists(path):  # noqa: PTH110 - which has no trouble with what is too long to be a name
        return None
    beside = [one.name for one in path.parent.glob("*")]
    return did_you_mean(path.name, beside + [name for name in DATABASES if path.name == str(path)])


def cache_folder() -> Path:
    """Return the cache folder: $QUERENT_CACHE, $XDG_CACHE_HOME/querent or ~/.cache/querent."""
    if own := os.environ.get("QUERENT_CACHE"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "querent"
    return Path.home() / ".cache" / "querent"


def kept_folder(name: str, fill: Callable[[Path], None], *, field: str) -> Path:
    """Return a folder of the cache, filled if it is missing; it is written beside its place, so that it is complete.

    Args:
        name: within the cache.
        fill: writes into an empty folder.
        field: the option that needs it.

    Raises:
        InputError: the cache cannot be written.
    """
    folder = cache_folder() / name
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".new-", dir=folder.parent, ignore_cleanup_errors=True) as draft:
            fill(Path(draft))
            if not folder.is_dir():  # another process may have been faster
                Path(draft).rename(folder)
    except OSError as error:
        hint = "set QUERENT_CACHE to a folder that can be written"
        raise InputError(f"cannot be kept here: {error}", file=folder, field=field, hint=hint) from error
    return folder
