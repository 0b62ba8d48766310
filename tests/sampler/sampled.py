"""Databases from which tests sample, ``databases/NAME.sql``, and what is composed for them."""

import atexit
import random
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from databases import create

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.meaning.profiling import profile_of
from querent.sampler import Asked, SamplingFrame, Template, TemplateBank, clock_of
from querent.sampler.composing import Composer, Composition, grammar

HOME = Path(__file__).with_name("databases")
NAMES = ("clinic", "farm", "library", "museum")
"""The databases on which, together, every production can be drawn."""

KINDS = ("shown", "total", "group", "where", "having", "whole")
PRODUCTIONS = [(kind, name) for kind in KINDS for name in grammar()[kind]]

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
        atexit.register(self.database.close)

    def rows(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.database.fetch(sql).rows

    @cache  # noqa: B019, sources live as long as the process
    def frame(self, language: str = "en") -> SamplingFrame:
        """Return all that there is to draw from."""
        return SamplingFrame.of(self.schema, self.database, language, self.profile, self.clock)

    def asked(
        self, templates: Iterable[Template], count: int, *, language: str = "en", seed: int = 1
    ) -> list[list[Asked]]:
        """Return up to ``count`` conversations."""
        drawn = TemplateBank(list(templates)).conversations
        return list(drawn(self.frame(language), self.database, count, random.Random(seed)))


@cache
def source(name: str) -> Source:
    """Return one of the databases."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Source(filled(Path(folder.name, f"{name}.sqlite"), HOME.joinpath(f"{name}.sql").read_text("utf-8")))


def question_with(composer: Composer, kind: str, name: str) -> Composition:
    """Return a question that has a production, and as little as possible beside it."""
    if kind == "whole":
        return composer.whole([name])
    slots = composer.slots
    part = slots.filled(kind, name, {})
    if kind in ("shown", "total"):
        return Composition("list" if kind == "shown" else "total", [part])
    count = slots.filled("total", "count", {})
    if kind == "where":
        return Composition("how-many", [count], where=[part])
    groups = [part if kind == "group" else slots.filled("group", "column", {})]
    return Composition("how-many-grouped", [count], groups, having=part if kind == "having" else None)


def templates_with(kind: str, name: str, language: str = "en", count: int = 30) -> list[Template]:
    """Return templates of questions that have a production, each in up to three wordings."""
    composers = [Composer(language, random.Random(seed)) for seed in range(count)]
    return [one.template([one.turn(question_with(one, kind, name), 3)]) for one in composers]
