"""The folder of a domain, whose prototypes are filled into ``examples.LANGUAGE.jsonl``."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..data.databases.database import Database
from ..data.domains.domain import Entity
from ..data.domains.folder import read_entities
from ..data.domains.manifest import Manifest, schema_in
from ..data.domains.prototypes import FOLDER, Prototype, read_prototypes
from ..data.errors import DomainError
from ..data.records import file_in, hashed_part
from ..data.schema.schema import Schema
from ..data.shipped import is_shipped, shipped_folder
from ..data.whole_files import write_text
from .pairs import Maker, Pair, PrototypeQueries, wanted_pairs
from .values import Fills

_SECONDS = 20.0  # the time of one query, so that a busy machine draws the same pairs as an idle one
_ROWS = 20_000


@dataclass(frozen=True)
class DomainSource:
    """A domain folder with prototypes.

    Attributes:
        folder: the folder.
        manifest: its ``domain.toml``.
        prototypes: the prototypes that can be read.
        problems: the errors in the others.
    """

    folder: Path
    manifest: Manifest
    prototypes: tuple[Prototype, ...]
    problems: tuple[DomainError, ...]

    @classmethod
    def of(cls, spec: str | Path) -> DomainSource | None:
        """Return the folder of a domain's spec; None if it is no folder or holds no prototypes.

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

    @cached_property
    def schema(self) -> Schema:
        """Return the schema of the folder with its functions; a SchemaError if ``schema.sql`` cannot be read."""
        return schema_in(self.folder, self.manifest.dialect)

    @cached_property
    def _queries(self) -> PrototypeQueries:
        return PrototypeQueries(self.schema, self.manifest.dialect)

    def entities(self, language: str) -> tuple[Entity, ...]:
        """Return the entities with their names in a language.

        Raises:
            DomainError: an entities file cannot be read.
        """
        files = [self.folder / name for name in (f"entities.{language}.jsonl", "entities.jsonl")]
        return next((read_entities(file, language=language) for file in files if file.is_file()), ())

    def lines(self, language: str) -> dict[str, list[str]] | None:
        """Return the lines of the existing pairs in a language, by prototype; None if there is no file."""
        file = self.folder / f"examples.{language}.jsonl"
        if not file.is_file():
            return None
        found: dict[str, list[str]] = defaultdict(list)
        for text in file.read_text(encoding="utf-8").split("\n"):
            if text.strip():
                found[str(json.loads(text).get("prototype", ""))].append(text)
        return found

    def filled(self, language: str) -> Iterator[tuple[Prototype, list[str], bool, DomainError | None]]:
        """Yield each prototype, the lines of its pairs in a language, whether an answer is not empty, and its error.

        Raises:
            DomainError: the domain's database is not there.
            DatabaseError: it cannot be opened.
            SchemaError: ``schema.sql`` cannot be read.
        """
        keys, place = split_keys(self.prototypes), self.manifest.database()
        fills = Fills(self.manifest.fills, self.entities(language), language, self.manifest.now)
        maker = Maker(fills, self._queries, self.manifest.instances)
        with ExitStack() as stack:
            if place is not None:
                opened = Database.open(place, timeout=_SECONDS, max_rows=_ROWS, functions=self.schema.functions)
                fills.database = stack.enter_context(opened)
                fills.database.confine(self.schema)
            for prototype in self.prototypes:
                try:
                    pairs, answers = maker.pairs(prototype)
                except DomainError as error:
                    yield prototype, [], False, error
                else:
                    yield prototype, [_line(pair, keys) for pair in pairs], answers, None


@dataclass(frozen=True)
class Filled:
    """The result of `fill_domain`.

    Attributes:
        folder: the folder of the domain.
        prototypes: the number of prototypes.
        pairs: the number of pairs by language.
        short: by language, the prototypes with fewer pairs than wanted, as no new question was left.
    """

    folder: Path
    prototypes: int
    pairs: dict[str, int]
    short: dict[str, tuple[str, ...]]


def fill_domain(spec: str | Path, *, progress: Callable[[int, int], None] = lambda done, total: None) -> Filled:
    """Write the pairs of a domain's prototypes in each of its languages.

    Nothing is written unless every prototype can be filled.

    Args:
        spec: a domain folder, or the name of a shipped domain.
        progress: a callback for the number of prototypes that are filled, and of all.

    Raises:
        DomainError: there are no prototypes, or some of them are wrong; the error is that of the first.
        DatabaseError: the domain's database cannot be opened.
    """
    source = DomainSource.of(spec)
    if source is None or not (source.prototypes or source.problems):
        raise DomainError("no prototypes to fill", file=Path(spec) / FOLDER, hint=f"put some into {FOLDER}/*.toml")
    problems, languages, done = list(source.problems), source.manifest.languages, 0
    made: dict[str, list[str]] = {language: [] for language in languages}
    short: dict[str, tuple[str, ...]] = dict.fromkeys(languages, ())
    for language in languages:
        for prototype, lines, _, problem in source.filled(language):
            problems += [] if problem is None else [problem]
            made[language] += lines
            if len(lines) < wanted_pairs(prototype, language, source.manifest.instances):
                short[language] += (prototype.id,)
            progress(done := done + 1, len(source.prototypes) * len(languages))
    if problems:
        first, more = problems[0], len({*map(str, problems)}) - 1
        hints = [first.hint or "", f"{more} more, querent check lists them" if more else ""]
        hint = "; ".join(filter(None, hints)) or None
        raise DomainError(first.problem, file=first.file, line=first.line, field=first.field, hint=hint)
    for language, lines in made.items():
        write_text(source.folder / f"examples.{language}.jsonl", "".join(f"{text}\n" for text in lines))
    return Filled(source.folder, len(source.prototypes), {name: len(lines) for name, lines in made.items()}, short)


def _line(pair: Pair, keys: Mapping[str, str]) -> str:
    """Return a pair as a line of examples.jsonl; that of a twin has its part of the query split."""
    key = keys[pair["prototype"]]
    split = pair.get("split", {}) | ({} if key == pair["prototype"] else {"query": hashed_part(key)})
    return json.dumps(pair | ({"split": split} if split else {}), ensure_ascii=False)


def split_keys(prototypes: Iterable[Prototype]) -> dict[str, str]:
    """Return the id that is hashed for each prototype's part of the query split, the same for all twins."""
    keys = {one.id: one.id for one in prototypes}
    for prototype in prototypes:
        if prototype.twin in keys:
            one, other = keys[prototype.id], keys[prototype.twin]
            keys = {name: min(one, other) if key in {one, other} else key for name, key in keys.items()}
    return keys
