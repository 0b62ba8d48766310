"""The values of a database, which of them a question names, and where the index file is kept."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..data.closing import Closing
from ..data.databases.schema_watch import cache_name, fingerprint_of
from ..data.errors import RunError
from ..data.schema.schema import Schema
from ..data.shipped import cache_folder
from .cells.building import FORMAT, Building, build, opened_for_building
from .cells.cells import is_long_to_read
from .cells.found import FoundValue
from .cells.store import IndexStore
from .language.question import QuestionText
from .language.words import key_of, words_of
from .matching.literal_values import codes, numbers, quoted, uncovered_mentions, with_spans
from .matching.matching import CellMatcher, SchemaWords, drop_overlaps, ranked


def _open_or_build(
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
    path = folder / f"{cache_name(database, schema)}.sqlite"
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
    """Return whether the index lacks columns that may be readable by now: those of tables, not of failing views."""
    views = {table.name for table in schema.tables if table.behind}
    return any(table not in views for table, _ in store.unread)


def _has_large_tables(database: str | Path, schema: Schema) -> bool:
    with opened_for_building(database) as opened:
        return any(is_long_to_read(opened, table) for table in schema.tables)


class ValueIndex(Closing):
    """An index of the texts in a database, on disk; a context manager.

    Texts longer than 120 characters are left out, `skipped` counts them; bytes are no texts. While the index of a
    large database is built, one of some of its rows stands in.

    Args:
        stores: index files, the database's first; without any, only numbers, times and quoted texts are found.
        schema: of the database.
        building: the index that another process builds meanwhile.

    Attributes:
        skipped: number of different texts too long to be kept.
        unread: why the cells of a (table, column) could not be read.
    """

    def __init__(
        self, stores: Sequence[IndexStore], schema: Schema, names: Iterable[str] = (), building: Building | None = None
    ) -> None:
        self._stores, self._building = stores, building
        self._schema = SchemaWords(schema, names)
        self.skipped = sum(store.skipped for store in stores)
        self.unread = {place: why for store in stores for place, why in store.unread.items()}

    @classmethod
    def open(
        cls,
        database: str | Path | None,
        schema: Schema,
        *,
        names: Iterable[str] = (),
        known: Path | None = None,
        cache: Path | None = None,
        wait: bool = True,
    ) -> ValueIndex:
        """Open the index of a database, built now if there is none or the database has changed since.

        A change shows in the file's size and time, on a server in the tables' numbers of rows, of large tables in the
        estimates of its statistics, to two digits.

        Args:
            database: a SQLite file or a URL; None where there is none.
            schema: whose tables and columns are read.
            names: other names of them than those of the schema.
            known: an index file of further values, as `write_index` writes it.
            cache: folder of index files; None is ``values`` in the user's cache folder.
            wait: for an index that takes long to build; else another process builds it, see `is_outdated`.

        Raises:
            DatabaseError: the database is gone or locked.
            RunError: the index cannot be written.

        Warns:
            UserWarning: a broken index file is built anew.
        """
        others = [] if known is None else [IndexStore(known, schema)]
        if database is None:
            return cls(others, schema, names)
        store, building = _open_or_build(database, schema, cache, wait=wait)
        return cls([store, *others], schema, names, building)

    @property
    def is_outdated(self) -> bool:
        """Return whether another process has finished the index, so that it is to be opened again."""
        return self._building is not None and self._building.done

    def notes(self) -> tuple[str, ...]:
        """Return the progress of another process that builds the index."""
        return () if self._building is None else (str(self._building),)

    def find(
        self,
        question: str | QuestionText,
        *,
        most: int = 16,
        now: datetime | None = None,
        mentions: Iterable[tuple[int, int]] = (),
        without: Container[tuple[str, str]] = (),
        fiscal_month: int = 1,
    ) -> tuple[FoundValue, ...]:
        """Return the values a question names, the surest first.

        Args:
            most: how many.
            now: also find periods («last month», «Q3 2023»), relative to this time, and the period of each time and
                year; None finds none.
            mentions: (start, end) of values, whether or not a cell matches; see `value_mentions`.
            without: (text in lower case, cell) that are ignored in the stores.
            fiscal_month: in which fiscal years begin.

        Raises:
            RunError: the index file was damaged after it was opened.
        """
        question = QuestionText.of(question)
        if not question.words:
            return ()
        matcher = CellMatcher(question, self._schema)
        found = [value for store in self._stores for value in matcher.exact(store)]
        found = [value for value in found if (value.text.lower(), value.value) not in without]
        found += quoted(question, found)
        sure = [value for value in found if value.score >= 0.5]
        for store in self._stores:
            nearly = [*matcher.typos(store, sure), *matcher.partial(store, sure)]
            found += [value for value in nearly if (value.value.lower(), value.value) not in without]
        literals = numbers(question)
        found += [*literals, *codes(question, literals), *uncovered_mentions(question, mentions, literals)]
        if now is not None:
            found = with_spans(question, found, now, fiscal_month)
        return ranked(drop_overlaps(found), most)

    def over(self, schema: Schema, names: Iterable[str] = ()) -> ValueIndex:
        """Return the same index of some tables alone; it stands on the files of this one, and closes none.

        Args:
            schema: those tables.
            names: other names of them than those of the schema.
        """
        stores = [store.over(schema) for store in self._stores]
        return ValueIndex(stores, schema, names, self._building)

    def beginning(self, text: str, most: int = 8) -> tuple[tuple[str, str, str], ...]:
        """Return (cell, table, column) of cells that begin with a text but for case and accents, frequent ones first.

        Args:
            text: nothing is found for an empty one.
            most: how many.
        """
        key = key_of(words_of(text))
        cells = [cell for store in self._stores for cell in store.beginning(key, most)] if key else []
        return tuple((cell.value, *cell.columns[0]) for cell in cells)[:most]

    def samples(self, table: str, column: str, n: int = 4) -> tuple[str, ...]:
        """Return the ``n`` most frequent cells of a column, 32 at most, numbers as text."""
        return next((tuple(found) for s in self._stores if (found := s.samples(table, column, n))), ())

    def few(self, table: str, column: str, most: int = 6) -> tuple[str, ...]:
        """Return all different cells of a column, the most frequent first, if there are at most ``most``; else ()."""
        return self.samples(table, column, most) if self.size(table, column) <= most else ()

    def size(self, table: str, column: str) -> int:
        """Return how many different cells a column has, counted up to a limit for numbers; 0 if it is not there."""
        return max((store.size(table, column) for store in self._stores), default=0)

    def held(self, table: str, column: str, texts: Sequence[str]) -> dict[str, str]:
        """Return those of some texts that a column holds but for case and accents, each with the cell."""
        place, found = (table.lower(), column.lower()), dict[str, str]()
        for text in texts:
            key = key_of(words_of(text))
            for store in self._stores:
                for cell in store.by_key([key]).get(key, ()):
                    if place in {(t.lower(), c.lower()) for t, c in cell.columns}:
                        found.setdefault(text, cell.value)
        return found

    def close(self) -> None:
        """Let go of the files."""
        for store in self._stores:
            store.close()
