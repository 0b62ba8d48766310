"""The vectors of whole texts (names, values, questions) by a frozen encoder, kept by text.

The vectors of texts that other processes will need are kept in a file of the user's cache, too.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

import numpy as np

from ..data.shipped import cache_folder
from .functions import Floats
from .load import Encoder

_FORMAT = "vectors 4"
_MOST_STORED = 100_000
"""The greatest number of texts in the file of an encoder, 1.5 KB each; the oldest are deleted."""

_WAIT = 2.0  # seconds, for another process that writes
_TABLE = "CREATE TABLE IF NOT EXISTS vector (id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, vector BLOB NOT NULL)"
_KNOWN = "SELECT key, vector FROM vector WHERE key IN (SELECT value FROM json_each(?))"
_NEW = "INSERT OR REPLACE INTO vector (key, vector) VALUES (?, ?)"

_BATCH = 64
_MOST = 20_000
"""The greatest number of texts in memory, 1.5 KB each; beyond it the older half is dropped."""


class TextVectors(Mapping[str, Floats]):
    """Mean states of texts at unit length, computed when they are first prepared.

    Args:
        encoder: computes the states.
        longest: how many word pieces of a text are read.
        layers: how many of the encoder's first layers are used; all if None.
    """

    def __init__(self, encoder: Encoder, *, longest: int = 48, layers: int | None = None) -> None:
        self._encoder = encoder
        self._longest = longest
        self._layers = layers
        self._kept: dict[str, Floats] = {}

    @property
    def encoder(self) -> str:
        """Return the name of the encoder."""
        return self._encoder.name

    def __getitem__(self, text: str) -> Floats:
        return self._kept[text]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the vectors of texts that are not there yet."""
        if len(self._kept) > _MOST:
            self._kept = dict(islice(self._kept.items(), len(self._kept) // 2, None))
        self._kept.update(self._computed(sorted({text for text in texts if text not in self._kept})))

    def _computed(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of different texts."""
        cut = {text: self._encoder.cut(self._encoder.prefix + text, self._longest)[0] for text in texts}
        ordered, found = sorted(texts, key=lambda text: len(cut[text])), dict[str, Floats]()
        for start in range(0, len(ordered), _BATCH):
            some = ordered[start : start + _BATCH]
            states = self._encoder.model.padded([cut[text] for text in some], self._layers)
            means = np.array([own.mean(0) for own in states])
            found.update(zip(some, means / np.linalg.norm(means, axis=-1, keepdims=True), strict=True))
        return found

    def lend(self, vectors: Mapping[str, Floats]) -> None:
        """Add vectors that this encoder computed before."""
        for text in vectors.keys() - self._kept.keys():
            self._kept[text] = vectors[text]

    def prepare_kept(self, texts: Iterable[str]) -> None:
        """Prepare texts that will be needed again in other processes: their vectors are kept in the user's cache.

        A file of other weights, or a broken one, is replaced; a cache that cannot be written is not used.
        """
        if not (wanted := sorted({text for text in texts if text not in self._kept})):
            return
        file = self._file()
        for _ in range(2):
            try:
                self._kept.update(self._stored(file, wanted))
                return
            except (OSError, sqlite3.OperationalError):  # locked, full, or not to be written
                break
            except (sqlite3.Error, ValueError):
                with suppress(OSError):
                    file.unlink(missing_ok=True)
        self._kept.update(self._computed(wanted))

    def _file(self) -> Path:
        """Return the file for these weights, numbers of layers and of pieces."""
        name = self._encoder.name
        key = [_FORMAT, name, self._encoder.prefix, self._encoder.hidden, self._layers, self._longest]
        stem = "".join(c if c.isalnum() else "-" for c in Path(name).name)[:40]
        alike = f"{stem}-{_digest(repr(key))[:20]}"
        return cache_folder() / "vectors" / f"{alike}-{self._encoder.model.fingerprint[:20]}.sqlite"

    def _stored(self, file: Path, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors of texts from the file, after adding the missing ones."""
        file.parent.mkdir(parents=True, exist_ok=True)
        for other in {*file.parent.glob(f"{file.stem.rpartition('-')[0]}-*.sqlite")} - {file}:
            other.unlink(missing_ok=True)
        keys, found = {_digest(text): text for text in texts}, dict[str, Floats]()
        with closing(sqlite3.connect(file, timeout=_WAIT, isolation_level=None)) as database:
            database.execute(_TABLE)
            for key, vector in database.execute(_KNOWN, [json.dumps(list(keys))]):
                found[keys[key]] = np.frombuffer(vector, np.float32)
            if missing := [text for text in texts if text not in found]:
                found |= (computed := self._computed(missing))
                database.execute("BEGIN IMMEDIATE")
                with database:
                    rows = ((_digest(text), np.asarray(one, np.float32).tobytes()) for text, one in computed.items())
                    database.executemany(_NEW, rows)
                    database.execute("DELETE FROM vector WHERE id <= (SELECT MAX(id) FROM vector) - ?", [_MOST_STORED])
        return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
