"""Vectors of texts in the user's cache: what one process had an encoder read, no other one has it read again."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from ..data.domains.shipped import cache_folder
from .functions import Floats
from .load import Encoder

__all__ = ["VectorStore"]

_FORMAT = "vectors 2"
_MOST = 100_000
"""Texts kept of an encoder, 1.5 KB each; where they are more, those that nobody asked for the longest go."""

_DAY, _WAIT = 86_400, 2.0
_AT_ONCE = 500  # keys in one statement

_TABLE = """CREATE TABLE IF NOT EXISTS vector
(key BLOB PRIMARY KEY, vector BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"""

Compute = Callable[[Sequence[str]], Mapping[str, Floats]]
"""Returns the vectors of texts, each once."""


class VectorStore:
    """The kept vectors of one way to read texts: an encoder, as many of its layers, as many pieces.

    A file of other weights, or broken, gives way to a new one; a cache that cannot be written is done without.

    Args:
        encoder: that reads.
        layers: of it only the first ones; all if None.
        longest: word pieces of a text that are read.
        compute: reads texts that are not there.
    """

    def __init__(self, encoder: Encoder, layers: int | None, longest: int, compute: Compute) -> None:
        told = [_FORMAT, encoder.name, encoder.prefix, encoder.hidden, layers, longest]
        stem = "".join(c if c.isalnum() else "-" for c in Path(encoder.name).name)[:40]
        self._alike = f"{stem}-{_digest(repr(told)).hex()[:20]}-"
        self._file = cache_folder() / "vectors" / f"{self._alike}{encoder.model.fingerprint[:20]}.sqlite"
        self._compute = compute

    def vectors(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vector of each text; those that are new are computed, and kept."""
        wanted = list(dict.fromkeys(texts))
        for _ in range(2):
            try:
                return self._kept(wanted)
            except (OSError, sqlite3.OperationalError):  # locked, full, or not to be written
                break
            except (sqlite3.Error, ValueError):
                with suppress(OSError):
                    self._file.unlink(missing_ok=True)
        return dict(self._compute(wanted))

    def _kept(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of texts from the file, after writing those that it has not."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        for other in {*self._file.parent.glob(f"{self._alike}*.sqlite")} - {self._file}:
            other.unlink(missing_ok=True)
        with closing(sqlite3.connect(self._file, timeout=_WAIT, isolation_level=None)) as database:
            database.execute(_TABLE)
            found = self._read(database, texts)
            if missing := [text for text in texts if text not in found]:
                computed = self._compute(missing)
                self._write(database, computed)
                found.update(computed)
        return found

    def _read(self, database: sqlite3.Connection, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors that are there, and note the day: writing it each time would wake the disk."""
        keys = {_digest(text): text for text in texts}
        found: dict[str, Floats] = {}
        today, old = int(time.time() // _DAY), list[bytes]()
        for start in range(0, len(keys), _AT_ONCE):
            some = list(keys)[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            for key, vector, used in database.execute(
                f"SELECT key, vector, used FROM vector WHERE key IN ({marks})", some
            ):
                found[keys[key]] = np.frombuffer(vector, np.float32)
                old += [key] * (used < today)
        if old:
            database.execute("BEGIN IMMEDIATE")
            with database:
                database.executemany("UPDATE vector SET used = ? WHERE key = ?", ((today, key) for key in old))
        return found

    def _write(self, database: sqlite3.Connection, computed: Mapping[str, Floats]) -> None:
        database.execute("BEGIN IMMEDIATE")
        with database:
            self._insert(database, computed)
            (count,) = database.execute("SELECT COUNT(*) FROM vector").fetchone()
            database.execute(
                "DELETE FROM vector WHERE key IN (SELECT key FROM vector ORDER BY used LIMIT ?)",
                [max(count - _MOST, 0)],
            )

    def _insert(self, database: sqlite3.Connection, computed: Mapping[str, Floats]) -> None:
        today = int(time.time() // _DAY)
        database.executemany(
            "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)",
            ((_digest(text), np.asarray(one, np.float32).tobytes(), today) for text, one in computed.items()),
        )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
