"""The folder of a domain, opened to fill its prototypes: ``examples.LANGUAGE.jsonl``, or to look for what is wrong."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...data.databases.database import Database
from ...data.domains.domain import Entity
from ...data.domains.folder import read_entities
from ...data.domains.manifest import Manifest, schema_in
from ...data.domains.prototypes import FOLDER, Prototype, read_prototypes
from ...data.errors import DomainError
from ...data.records import file_in, hashed_part
from ...data.schema.schema import Schema
from ...data.shipped import is_shipped, shipped_folder
from .candidates import Fills
from .instantiate import Maker, Pair, QueryTranslator, wanted_pairs

__all__ = ["DomainSource", "fill_domain", "split_keys"]

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

    def wanted(self, prototype: Prototype, language: str) -> int:
        """Return how many pairs a prototype should have: one a wording where it has no slots, or wordings for tests."""
        return wanted_pairs(prototype, language, self.manifest.instances)

    def lines(self, language: str) -> dict[str, list[str]] | None:
        """Return the lines of the pairs that are there in one language, by prototype; None where there is no file."""
        file = self.folder / f"examples.{language}.jsonl"
        if not file.is_file():
            return None
        found: dict[str, list[str]] = defaultdict(list)
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                found[str(json.loads(line).get("prototype", ""))].append(line)
        return found

    def filled(
        self, language: str, queries: QueryTranslator
    ) -> Iterator[tuple[Prototype, list[str], bool, DomainError | None]]:
        """Yield each prototype with the lines of its pairs in one language.

        With them come whether the answer of a pair says something, and what is wrong with the prototype.

        Raises:
            DatabaseError: the domain's database cannot be opened.
        """
        keys = split_keys(self.prototypes)
        with self.maker(language, queries) as maker:
            for prototype in self.prototypes:
                try:
                    pairs, speaks = maker.pairs(prototype)
                except DomainError as error:
                    yield prototype, [], False, error
                else:
                    yield prototype, [line(pair, keys) for pair in pairs], speaks, None

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


@dataclass(frozen=True)
class Filled:
    """What was written.

    Attributes:
        folder: the domain's.
        prototypes: how many there are.
        pairs: by language.
        short: prototypes with fewer pairs than wanted, since nothing new was left to ask, by language.
    """

    folder: Path
    prototypes: int
    pairs: dict[str, int]
    short: dict[str, tuple[str, ...]]


def fill_domain(spec: str | Path, *, progress: Callable[[int, int], None] | None = None) -> Filled:
    """Write the pairs of a domain's prototypes in each of its languages.

    Nothing is written unless every prototype can be filled.

    Args:
        spec: a domain folder, or the name of a shipped domain.
        progress: told after each prototype how many are done, and of how many.

    Raises:
        DomainError: there are no prototypes, or some of them are wrong; the first is told.
        DatabaseError: the domain's database cannot be opened.
    """
    source = DomainSource.of(spec)
    if source is None:
        hint = f"put prototypes into {FOLDER}/*.toml"
        raise DomainError("no prototypes to fill", file=Path(spec) / FOLDER, hint=hint)
    problems = list(source.problems)
    if not source.prototypes and not problems:
        raise DomainError("no prototypes to fill", file=source.folder / FOLDER, hint="write some into *.toml")
    made: dict[str, list[str]] = {language: [] for language in source.languages}
    short: dict[str, tuple[str, ...]] = dict.fromkeys(source.languages, ())
    queries, done = source.queries(), 0
    for language in source.languages:
        for prototype, lines, _, problem in source.filled(language, queries):
            problems += [] if problem is None else [problem]
            made[language] += lines
            if len(lines) < source.wanted(prototype, language):
                short[language] += (prototype.id,)
            if progress is not None:
                progress(done := done + 1, len(source.prototypes) * len(source.languages))
    if problems:
        raise _all(problems)
    for language, lines in made.items():
        _write(source.folder / f"examples.{language}.jsonl", lines)
    return Filled(source.folder, len(source.prototypes), {x: len(lines) for x, lines in made.items()}, short)


def line(pair: Pair, keys: Mapping[str, str]) -> str:
    """Return a pair as a line of examples.jsonl; a twin's says its part of the query split."""
    key = keys[pair["prototype"]]
    split = pair.get("split", {}) | ({} if key == pair["prototype"] else {"query": hashed_part(key)})
    return json.dumps(pair | ({"split": split} if split else {}), ensure_ascii=False)


def split_keys(prototypes: Iterable[Prototype]) -> dict[str, str]:
    """Return what is hashed for each prototype's part of the query split: one id for all twins of a family."""
    keys = {p.id: p.id for p in prototypes}
    for prototype in prototypes:
        if prototype.twin in keys:
            one, other = keys[prototype.id], keys[prototype.twin]
            keys = {name: min(one, other) if key in {one, other} else key for name, key in keys.items()}
    return keys


def _all(problems: list[DomainError]) -> DomainError:
    first, more = problems[0], len({str(problem) for problem in problems}) - 1
    hints = [first.hint] if first.hint else []
    hint = "; ".join([*hints, f"{more} more, querent check lists them"] if more else hints) or None
    return DomainError(first.problem, file=first.file, line=first.line, field=first.field, hint=hint)


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write beside ``path`` and rename: nobody ever reads half a file."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
