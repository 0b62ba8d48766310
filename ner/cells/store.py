"""An index file, opened for look-ups."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.databases.sqlite_session import reading_url
from ...data.errors import RunError
from ...data.schema.schema import Schema
from .building import NEAR_PARTS, READABLE, near_piece

_AT_ONCE = 500  # keys in one statement
_NEAR_MOST = 2000  # candidates for one typo in one part of a key
_BEGIN_MOST = 500  # candidates for one beginning
_NEAR = " UNION ALL ".join(
    f"SELECT * FROM (SELECT key FROM cell WHERE near AND LENGTH(key) = ? AND {near_piece(part)} = ? LIMIT {_NEAR_MOST})"
    for part in [*range(NEAR_PARTS)] * 3
)
"""Keys of three lengths; three queries would take twice as long."""


@dataclass(frozen=True)
class Cell:
    """One text that is stored in the database, with all the columns that hold it and their counts together."""

    value: str
    key: str
    columns: tuple[tuple[str, str], ...]
    count: int


class IndexStore:
    """An index file, opened for reading; broken files raise `RunError` whenever it shows.

    Args:
        path: of the file.
        schema: the schema whose columns are searched; None for all columns of the file.
    """

    def __init__(self, path: Path, schema: Schema | None = None) -> None:
        self._path = path
        # never written in place, only replaced, so no locks are needed
        address = f"{reading_url(path)}&immutable=1"
        try:
            self._connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise self._broken(error) from error
        meta: dict[str, str] = dict(self._rows("SELECT name, value FROM meta"))
        size = self._rows("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")[0][0]
        if meta.get("format") not in READABLE or not meta.get("longest", "").isdigit() or size != path.stat().st_size:
            raise self._broken("it is cut off or of another version")
        self.fingerprint: str = meta.get("fingerprint", "")
        self.longest = int(meta["longest"])
        self._places: dict[int, tuple[str, str]] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._sizes: dict[int, int] = {}
        self.unread: dict[tuple[str, str], str] = {}
        self._partial = False
        self.skipped = 0
        rows = self._rows("SELECT * FROM place ORDER BY id")
        known = None if schema is None else _known([(row[1], row[2]) for row in rows], schema)
        for place, table, column, cells, skipped, problem, *_ in rows:
            if known is not None and (table, column) not in known:
                self._partial = True
                continue
            self._places[place] = (table, column)
            self._ids[table, column] = place
            self._sizes[place] = cells + skipped
            self.skipped += skipped
            if problem:
                self.unread[table, column] = problem
        folded = {(table.lower(), column.lower()): place for (table, column), place in self._ids.items()}
        self._ids = folded | self._ids

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def over(self, schema: Schema) -> IndexStore:
        """Return the same file, opened once, as if it held the cells of a schema's columns alone.

        The frequencies of words are still those of the whole database: a user with fewer rights opens the file anew.
        """
        view = copy(self)
        held = (self._place(table.name, column.name) for table, column in schema.columns())
        view._places = {place: self._places[place] for place in held if place in self._places}
        return view

    def by_key(self, keys: Iterable[str]) -> dict[str, list[Cell]]:
        """Return the cells of each key that has any."""
        wanted = list(dict.fromkeys(keys))
        rows: list[tuple[Any, ...]] = []
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            rows += self._rows(f"SELECT key, value, place, count FROM cell WHERE key IN ({marks}) ORDER BY id", some)
        return self._grouped(rows)

    def near(self, key: str) -> list[str]:
        """Return the keys that may differ from ``key`` in one letter; the caller compares.

        They share all but one part with it (`near_piece`), unless two letters beside each other stand the wrong way
        round on both sides of a cut.
        """
        size, parts = len(key), NEAR_PARTS
        cuts = [size * part // parts for part in range(1, parts)]
        found = dict.fromkeys(f"{key[: cut - 1]}{key[cut]}{key[cut - 1]}{key[cut + 1 :]}" for cut in cuts if cut)
        parameters: list[int | str] = []
        for length in (size, size - 1, size + 1):
            for part in range(parts):
                head, behind = length * part // parts, length - length * (part + 1) // parts
                parameters += [length, f"{key[:head]} {key[size - behind :]}"]
        return list(found | dict.fromkeys(row[0] for row in self._rows(_NEAR, parameters)))

    def known(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many different cells each term stands, of those that stand in any; see `terms_of`.

        The file does not distinguish columns there, so that it returns nothing where some are left out.
        """
        if self._partial:
            return {}
        wanted = list(dict.fromkeys(terms))
        marks = ", ".join("?" * len(wanted))
        return dict(self._rows(f"SELECT term, cells FROM term WHERE term IN ({marks})", wanted))

    def holding(self, terms: Sequence[str], most: int) -> list[Cell]:
        """Return cells that hold ``terms`` side by side, for up to ``most`` different keys."""
        phrase = '"' + " ".join(terms).replace('"', "") + '"'
        rows = self._rows("SELECT rowid FROM word WHERE word MATCH ? LIMIT ?", [phrase, most])
        if not rows:
            return []
        marks = ", ".join("?" * len(rows))
        keys = self._rows(f"SELECT key FROM cell WHERE id IN ({marks})", [row[0] for row in rows])
        return [cell for cells in self.by_key(row[0] for row in keys).values() for cell in cells]

    def beginning(self, key: str, most: int) -> list[Cell]:
        """Return cells whose key begins with ``key``, the most frequent first."""
        some = "SELECT key, value, place, count FROM cell WHERE key >= ? AND key < ? LIMIT ?"
        rows = self._rows(some, [key, f"{key}\U0010ffff", _BEGIN_MOST])
        cells = [cell for cells in self._grouped(rows).values() for cell in cells]
        return sorted(cells, key=lambda cell: -cell.count)[:most]

    def samples(self, table: str, column: str, most: int) -> list[str]:
        """Return the most frequent cells of a column."""
        place = self._place(table, column)
        rows = self._rows("SELECT value FROM sample WHERE place = ? AND rank < ? ORDER BY rank", [place, most])
        return [row[0] for row in rows]

    def size(self, table: str, column: str) -> int:
        """Return how many different cells a column has, counted up to a limit for numbers; 0 if it is not there."""
        return self._sizes.get(self._place(table, column), 0)

    def _place(self, table: str, column: str) -> int:
        """Return the number of a column, of one that is called so but for case if none is to the letter; else -1."""
        return self._ids.get((table, column), self._ids.get((table.lower(), column.lower()), -1))

    def _grouped(self, rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Cell]]:
        places: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for key, value, place, count in (row for row in rows if row[2] in self._places):
            places.setdefault((key, value), []).append((place, count))
        found: dict[str, list[Cell]] = {}
        for (key, value), held in places.items():
            columns = tuple(dict.fromkeys(self._places[place] for place, _ in held))  # one may say a cell in two ways
            found.setdefault(key, []).append(Cell(value, key, columns, sum(count for _, count in held)))
        return found

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._broken(error) from error

    def _broken(self, error: object) -> RunError:
        return RunError(f"not a value index: {error}", file=self._path, hint="delete the file; it is built anew")


def _known(places: Sequence[tuple[str, str]], schema: Schema) -> set[tuple[str, str]]:
    """Return the places that are columns of a schema: those that are called so, or so but for case if none is."""
    exact, folded = set(places), {(table.lower(), column.lower()): (table, column) for table, column in places}
    columns = [(table.name, column.name) for table, column in schema.columns()]
    nearest = (one if one in exact else folded.get((one[0].lower(), one[1].lower())) for one in columns)
    return {place for place in nearest if place is not None}
