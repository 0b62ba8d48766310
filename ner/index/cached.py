"""Where index files are kept, and when one is built anew."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path

from ...data.databases.fingerprints import fingerprint_of, kept_name
from ...data.domains.shipped import cache_folder
from ...data.errors import RunError
from ...data.schema.schema import Schema
from .behind import Building, build, opened_for_building
from .building import FORMAT
from .cells import is_long_to_read
from .store import IndexStore

__all__ = ["open_or_build"]


def open_or_build(
    database: str | Path, schema: Schema, cache: Path | None, *, wait: bool = True
) -> tuple[IndexStore, Building | None]:
    """Return the index of a database, built where there is none of the same fingerprint.

    Args:
        wait: build it at once; else one with large tables is built behind, and one of some of their rows returned.

    Returns:
        the index, and what is built behind it.

    Raises:
        DatabaseError: the database is gone or locked, or takes too long.
        RunError: the index cannot be written.
    """
    folder = cache_folder() / "values" if cache is None else cache
    fingerprint = fingerprint_of(database, schema, FORMAT)
    path = folder / f"{kept_name(database, schema)}.sqlite"
    behind, some = Building(path), path.with_suffix(".sample.sqlite")
    if path.is_file():
        try:
            store = IndexStore(path)
            current = store.fingerprint == fingerprint and not _may_pass(store, schema)
            if current or (behind.is_recent and not wait):
                with suppress(OSError):  # that of another connection may be in use
                    some.unlink(missing_ok=True)
                return store, None
            store.close()
        except RunError as error:
            warnings.warn(f"{path}: {error.problem}; it is built anew", stacklevel=3)
    if wait or not _has_large_tables(database, schema):
        build(database, schema, path, fingerprint)
        return IndexStore(path), None
    behind.start(database, schema, fingerprint)
    build(database, schema, some, fingerprint, sampled=True)
    return IndexStore(some), behind


def _may_pass(store: IndexStore, schema: Schema) -> bool:
    """Say whether some columns were not read that may be by now: of tables, whose cells do not fail as a view's do."""
    views = {table.name for table in schema.tables if table.behind}
    return any(table not in views for table, _ in store.unread)


def _has_large_tables(database: str | Path, schema: Schema) -> bool:
    with opened_for_building(database) as opened:
        return any(is_long_to_read(opened, table) for table in schema.tables)
