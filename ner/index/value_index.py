"""The values of a database, and which of them a question names."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from ...data.schema import Schema
from .cached import open_or_build
from .chinese import Pieces
from .found import FoundValue
from .literal_values import capitals, codes, months, numbers, quoted
from .matching import same, typos
from .parts import parts
from .question import Question
from .scoring import ranked, settled
from .spoken import SchemaWords
from .store import Store

__all__ = ["ValueIndex"]


class ValueIndex:
    """An index of every text in a database, on disk; a context manager.

    Texts longer than 120 characters are left out, `skipped` counts them; bytes are no texts.

    Attributes:
        skipped: number of different texts too long to be kept.
        missing: (table, column) that the schema has and the database has not.
    """

    def __init__(self, store: Store, schema: Schema) -> None:
        self._store = store
        self._schema = SchemaWords(schema)
        self._pieces = Pieces(self._schema.cjk_names)
        self.skipped = store.skipped
        self.missing = tuple(store.missing)

    @classmethod
    def open(
        cls, database: str | Path, schema: Schema, *, cache: Path | None = None, rebuild: bool = False
    ) -> ValueIndex:
        """Open the index of a database, built now if there is none or the database has changed since.

        A change is seen by the file's size and time, on a server by the tables' numbers of rows.

        Args:
            database: a SQLite file or a URL.
            schema: whose tables and columns are read.
            cache: folder of index files; None is ``values`` in the user's cache folder.
            rebuild: build it even if nothing seems changed.

        Raises:
            DatabaseError: the database is gone or locked, or a column takes more than ten minutes.
            RunError: the index cannot be written.

        Warns:
            UserWarning: a broken index file is built anew, or the database lacks columns of the schema.
        """
        return cls(open_or_build(database, schema, cache, rebuild=rebuild), schema)

    def find(self, question: str, *, language: str = "en", most: int = 16) -> tuple[FoundValue, ...]:
        """Return the values a question names, the surest first.

        Raises:
            RunError: the index file was damaged after it was opened.
        """
        asked = Question(question, self._schema)
        if not asked.words:
            return ()
        found = same(asked, self._store)
        found += quoted(asked, found)
        sure = [value for value in found if value.score >= 0.5]
        found += typos(asked, self._store, sure)
        found += parts(asked, self._store, sure)
        found += numbers(asked, language)
        found += months(asked, language)
        found += capitals(asked)
        found += codes(asked)
        found += self._pieces.find(asked)
        return ranked(settled(found), most)

    def samples(self, table: str, column: str, n: int = 4) -> tuple[str, ...]:
        """Return the ``n`` most frequent cells of a column, 32 at most, numbers as text."""
        return tuple(self._store.samples(table, column, n))

    def few(self, table: str, column: str, most: int = 6) -> tuple[str, ...]:
        """Return all different cells of a column, the most frequent first, if there are at most ``most``; else ()."""
        if self._store.size(table, column) > most:
            return ()
        return tuple(self._store.samples(table, column, most))

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
