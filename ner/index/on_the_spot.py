"""Columns whose cells the index leaves out: what their cells look like, and looking texts up in the database itself."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from ...data.databases.database import Database
from ...data.databases.row_counts import text_literal
from ...data.errors import DatabaseError, TimeLimitError
from ...data.profiles.cells.cell_sample import CellSample
from ...data.schema.schema import Schema

__all__ = ["Place", "SpotLookup", "is_unspoken", "may_hold", "shape_of"]

Place = tuple[str, str]
"""(table, column)."""

_UNIQUE, _LONG, _MOSTLY = 0.98, 30, 0.9

_SECONDS, _GLANCE = 2.0, 0.1
"""How long the lookups of one question may take together, and one that an index of the column may answer at once."""

_SAME_QUESTION = 5.0
"""For how long the same texts are not looked up again: reading one question asks for them several times."""

_MOST = 20


def is_unspoken(sample: CellSample) -> bool:
    """Say whether the texts of a large table's column are as good as unique, and long or codes.

    Such are notes, e-mail addresses, and numbers of orders: an index of them is as large as the column, and a question
    says one of them to the letter or not at all. Names stay in the index, since people misspell and shorten them.
    """
    texts = sample.texts
    if sum(texts.values()) < sample.rows * _MOSTLY or len(texts) < _UNIQUE * sum(texts.values()):
        return False
    codes = sum(not signs_of(text).isdisjoint("0@") for text in texts)
    return sum(map(len, texts)) > _LONG * len(texts) or codes > _MOSTLY * len(texts)


def signs_of(text: str) -> frozenset[str]:
    """Return what a text has beside letters: ``0`` for any digit, all other signs as they are."""
    return frozenset("0" if sign.isdecimal() else sign for sign in text if not sign.isalpha())


def shape_of(texts: Collection[str]) -> str:
    """Return what all texts of a column have in common: half of the least length, a blank, and their signs.

    >>> shape_of(["ann@example.org", "bob@example.com"])
    '7 .@'
    """
    shared = frozenset[str].intersection(*map(signs_of, texts)) if texts else ()
    return f"{min(map(len, texts), default=0) // 2} {''.join(sorted(shared))}"


def may_hold(shape: str, text: str) -> bool:
    """Say whether a column of a shape may hold a text."""
    least, _, signs = shape.partition(" ")
    return len(text) >= int(least) and signs_of(text) >= set(signs)


class SpotLookup:
    """Looks texts up in the columns of a database.

    Args:
        database: a SQLite file or a URL; opened for each lookup, so that any thread may ask.
        schema: whose columns are looked into.

    Attributes:
        late: columns that were not searched to their end in the time there was, since somebody last emptied it.
    """

    def __init__(self, database: str | Path, schema: Schema) -> None:
        self._database = database
        self._schema = schema
        self._last: tuple[float, object, list[tuple[Place, str]]] = (0.0, None, [])
        self.late: dict[Place, None] = {}

    def find(self, wanted: Mapping[Place, Collection[str]]) -> list[tuple[Place, str]]:
        """Return each cell that is one of the texts wanted of its column, but for case, with its column.

        A column with an index of its own is asked for the texts in the usual cases; then all are searched for those
        not found. What takes more than two seconds together is left, and kept in `late`.

        Raises:
            DatabaseError: the database cannot be opened.
        """
        left = {place: set(texts) for place, texts in wanted.items() if texts}
        if not left:
            return []
        begun, asked = time.monotonic(), str(sorted((place, sorted(texts)) for place, texts in left.items()))
        if self._last[1] != asked or begun > self._last[0] + _SAME_QUESTION:
            self._last = begun, asked, list(self._found(left, begun + _SECONDS))
        return self._last[2]

    def _found(self, left: Mapping[Place, set[str]], end: float) -> Iterator[tuple[Place, str]]:
        with Database.open(self._database, timeout=_SECONDS / 2, max_rows=_MOST) as database:
            for folded in (False, True):
                for place, texts in left.items():
                    seconds = end - time.monotonic()
                    database.timeout = seconds if folded else min(_GLANCE, seconds)
                    try:
                        cells = self._cells(database, place, texts, folded=folded) if texts and seconds > 0 else []
                    except DatabaseError as error:  # a type that is not compared with texts holds none
                        cells, seconds = [], 0.0 if isinstance(error, TimeLimitError) else seconds
                    if folded and texts and seconds <= 0:
                        self.late[place] = None
                    yield from ((place, cell) for cell in cells)
                    there = {cell.casefold() for cell in cells}
                    texts.difference_update([text for text in texts if text.casefold() in there])

    def _cells(self, database: Database, place: Place, texts: Collection[str], *, folded: bool) -> list[str]:
        table = self._schema.table(place[0])
        source, dialect = database.source(table), database.dialect
        cell = f"{source}.{database.quote(place[1])}"
        if folded:
            compared = {"sqlite": f"{cell} COLLATE NOCASE", "postgres": f"LOWER(CAST({cell} AS TEXT))"}.get(
                dialect, cell
            )
            forms = {text.lower() for text in texts}
        else:
            compared, forms = cell, {form for t in texts for form in (t, t.lower(), t.upper(), t.title())}
        listed = ", ".join(text_literal(form, dialect) for form in sorted(forms))
        sql = f"SELECT DISTINCT {cell} FROM {source} WHERE {compared} IN ({listed}) LIMIT {_MOST}"
        return [str(row[0]) for row in database.fetch(sql).rows]
