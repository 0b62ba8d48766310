"""The folder of a domain, opened to fill its prototypes or to look for what is wrong with them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...data.databases.database import Database
from ...data.domains.domain import Entity
from ...data.domains.shipped import is_shipped, shipped_folder
from ...data.errors import DomainError
from ...data.formats.entities import read_entities
from ...data.formats.files import file_in
from ...data.formats.functions import schema_in
from ...data.formats.manifest import Manifest
from ...data.prototypes.reader import FOLDER, Prototype, read_prototypes
from ...data.schema.schema import Schema
from .candidates import Fills
from .instantiate import Maker
from .queries import QueryTranslator

__all__ = ["DomainSource"]

_SECONDS = 20.0  # for one query, so that a busy machine draws what an idle one does
_ROWS = 20_000


@dataclass(frozen=True)
class DomainSource:
    """A domain folder with prototypes.

    Attributes:
        folder: where it is.
        manifest: its ``domain.toml``.
        prototypes: those that can be read.
        problems: what is wrong with the others.
    """

    folder: Path
    manifest: Manifest
    prototypes: tuple[Prototype, ...]
    problems: tuple[DomainError, ...]

    @classmethod
    def of(cls, spec: str | Path) -> DomainSource | None:
        """Open the folder behind a domain's spec; None if it is no folder or holds no prototypes.

        Raises:
            DomainError: ``domain.toml`` is wrong.
        """
        shipped = is_shipped(str(spec))
        folder = shipped_folder(str(spec)) if shipped else Path(spec)
        if not str(spec) or not (folder / FOLDER).is_dir():
            return None
        manifest = Manifest.read(file_in(folder, "domain.toml"), shipped=shipped)
        prototypes, problems = read_prototypes(folder / FOLDER, manifest.languages)
        return cls(folder, manifest, prototypes, tuple(problems))

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the domain's languages, its own first."""
        return self.manifest.languages

    def queries(self) -> QueryTranslator:
        """Return what translates the prototypes' queries.

        Raises:
            SchemaError: ``schema.sql`` cannot be read.
        """
        return QueryTranslator(self.schema(), read=self.manifest.prototype_dialect, write=self.manifest.dialect)

    def schema(self) -> Schema:
        """Return the tables and functions of the folder.

        Raises:
            SchemaError: ``schema.sql`` cannot be read.
        """
        return schema_in(self.folder, self.manifest.dialect)

    def entities(self, language: str) -> tuple[Entity, ...]:
        """Return the entities with the ways one language has to say them.

        Raises:
            DomainError: an entities file cannot be read.
        """
        for name in (f"entities.{language}.jsonl", "entities.jsonl"):
            if (self.folder / name).is_file():
                return read_entities(self.folder / name, language=language)
        return ()

    @contextmanager
    def maker(self, language: str, queries: QueryTranslator) -> Generator[Maker]:
        """Yield what makes the pairs of one language; the database is open meanwhile.

        Raises:
            DomainError: the domain's database is not there.
            DatabaseError: it cannot be opened.
        """
        place = self.manifest.database()
        fills = Fills(self.manifest.fills, self.entities(language), language, self.manifest.now)
        if place is None:
            yield Maker(fills, queries, None, self.manifest.instances)
            return
        with Database.open(place, timeout=_SECONDS, max_rows=_ROWS, functions=self.schema().functions) as database:
            database.confine(self.schema())
            fills.database = database
            yield Maker(fills, queries, database, self.manifest.instances)
