"""Databases from which tests sample, ``databases/NAME.sql``, and what is sampled of them."""

import atexit
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from databases import create

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.meaning.profiling import profile_of
from querent.sampler import STRUCTURES, Sampled, clock_of, sample
from querent.sampler.parts.draws import SamplingFrame

HOME = Path(__file__).with_name("databases")
NAMES = ("clinic", "farm", "library", "museum")
"""The databases on which, together, every structure can be drawn."""

NUMBER = """
CREATE TEMP TABLE word AS SELECT key AS n, value AS word
FROM json_each('["Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper"]');
CREATE TEMP TABLE number (n INTEGER PRIMARY KEY, word TEXT, day DATE);
WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 360)
INSERT INTO number SELECT counted.n, word, date('2021-01-01', (counted.n * 37 % 1000) || ' days')
FROM counted JOIN word ON word.n = counted.n % 10;
"""
"""The numbers from 0 on, each with one of ten words and a day: scripts make rows of them."""


def filled(file: Path, script: str) -> Path:
    """Write a SQLite file by a script that may read the table ``number``, and return its path."""
    return create(file, NUMBER + script)


class Source:
    """A database to sample from, with all that is known of it; it stays open until the process ends."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.schema = from_sqlite(file)
        self.database = Database.open(file, timeout=2.0)
        self.profile = profile_of(self.database, self.schema)
        self.clock = clock_of(self.profile)
        self._samples: dict[tuple[object, ...], list[Sampled]] = {}
        atexit.register(self.database.close)

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.database.fetch(sql).rows

    def frame(self, language: str) -> SamplingFrame:
        """Return all that there is to draw from."""
        return SamplingFrame.of(self.schema, self.database, language, self.profile, self.clock)

    def samples(self, language: str, *structures: str, count: int = 25, seed: int = 1) -> list[Sampled]:
        """Return what is sampled of these structures, or of all; it is drawn once."""
        key = (language, structures, count, seed)
        if key not in self._samples:
            self._samples[key] = sample(
                self.schema, self.database, language=language, count=count, seed=seed, now=self.clock,
                profile=self.profile, structures=structures or STRUCTURES,
            )  # fmt: skip
        return self._samples[key]


@cache
def source(name: str) -> Source:
    """Return one of the databases."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Source(filled(Path(folder.name, f"{name}.sqlite"), HOME.joinpath(f"{name}.sql").read_text("utf-8")))
