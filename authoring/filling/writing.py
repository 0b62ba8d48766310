"""Fill a domain's prototypes and write what its folder holds of them: ``examples.LANGUAGE.jsonl``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...data.domains.splits import hashed_part
from ...data.errors import DomainError
from ...data.prototypes.reader import FOLDER, Prototype
from .instantiate import Maker, Pair
from .source import DomainSource

__all__ = ["Filled", "fill_domain", "line", "split_keys"]


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
    keys = split_keys(source.prototypes)
    made: dict[str, list[Pair]] = {}
    short: dict[str, tuple[str, ...]] = {}
    queries, total = source.queries(), len(source.prototypes) * len(source.languages)
    for number, language in enumerate(source.languages):
        with source.maker(language, queries) as maker:
            made[language], fewer = [], []
            for i, prototype in enumerate(source.prototypes, start=1):
                pairs = _pairs(maker, prototype, problems)
                made[language] += pairs
                fewer += [prototype.id] if len(pairs) < maker.count(prototype) else []
                if progress is not None:
                    progress(number * len(source.prototypes) + i, total)
            short[language] = tuple(fewer)
    if problems:
        raise _all(problems)
    for language, pairs in made.items():
        _write(source.folder / f"examples.{language}.jsonl", (line(pair, keys) for pair in pairs))
    return Filled(source.folder, len(source.prototypes), {x: len(pairs) for x, pairs in made.items()}, short)


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


def _pairs(maker: Maker, prototype: Prototype, problems: list[DomainError]) -> list[Pair]:
    try:
        return list(maker.pairs(prototype))
    except DomainError as error:
        problems.append(error)
        return []


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
