"""The library's made-up authors: names by country, lives, and who taught or married whom."""

from __future__ import annotations

import random
import tomllib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .catalogue import HERE, fields, terms

__all__ = ["THIS_YEAR", "Author", "people"]

THIS_YEAR = 2024
_DEEPEST = 6  # teachers before an author, at most
_LITERATURE = 0.3  # share of the authors who write literature
_GAP = (18, 42)  # years between a teacher and a student


@dataclass
class Author:
    """One row of ``authors``; teacher and spouse are names of others."""

    name: str
    birth: int
    death: int | None
    country: str
    field: str
    school: str | None = None
    teacher: str | None = None
    spouse: str | None = None
    awards: tuple[str, ...] = ()


def people(rng: random.Random, taken: Sequence[str]) -> list[Author]:
    """Return the made-up authors of all countries, the oldest first; nobody has a name of ``taken``."""
    used = set(taken)
    made: list[Author] = []
    for country, told in tomllib.loads((HERE / "names.toml").read_text(encoding="utf-8")).items():
        names = _names(told, rng, used)
        made += [_life(next(names), country, rng) for _ in range(told["authors"])]
    made.sort(key=lambda author: (author.birth, author.name))
    _teach(made, rng)
    _marry(made, rng)
    return made


def _names(told: dict[str, Any], rng: random.Random, used: set[str]) -> Iterator[str]:
    """Yield names that nobody has yet; Chinese given names are one or two characters, most of them two."""
    family, given = told["family"].split(), told["given"].split()
    chinese = all(len(part) == 1 for part in given)
    while True:
        first = rng.choice(given) + (rng.choice(given) if chinese and rng.random() < 0.8 else "")
        last = rng.choice(family)
        name = f"{last}{first}" if told["order"] == "family first" else f"{first} {last}"
        if name not in used:
            used.add(name)
            yield name


def _life(name: str, country: str, rng: random.Random) -> Author:
    birth = 1865 + int(131 * rng.betavariate(2.2, 1.5))
    end = birth + max(36, int(rng.gauss(77, 12)))
    others = [field for field in fields() if field != "文学"]
    field = "文学" if rng.random() < _LITERATURE else rng.choice(others)
    kind = fields()[field][0].kind
    school = rng.choice(terms("school", kind)) if rng.random() < 0.5 else None
    prizes = rng.choices((0, 1, 2, 3), (78, 14, 6, 2))[0]
    awards = tuple(rng.sample(terms("award", kind), prizes))
    return Author(name, birth, end if end < THIS_YEAR else None, country, field, school, awards=awards)


def _teach(authors: Sequence[Author], rng: random.Random) -> None:
    """Give about half of the authors a teacher of their field and country, of whose school most of them are then.

    One author in three takes students. Teachers are older than students, so no line of them is a circle.
    """
    masters: dict[tuple[str, str], list[Author]] = defaultdict(list)
    depth: dict[str, int] = {}
    for author in authors:
        group = masters[author.country, author.field]
        births = [master.birth for master in group]
        low, high = bisect_left(births, author.birth - _GAP[1]), bisect_right(births, author.birth - _GAP[0])
        teacher = rng.choice(group[low:high]) if high > low and rng.random() < 0.62 else None
        if teacher is not None and depth[teacher.name] < _DEEPEST:
            author.teacher = teacher.name
            if teacher.school is not None and rng.random() < 0.7:
                author.school = teacher.school
        depth[author.name] = 0 if author.teacher is None else depth[author.teacher] + 1
        if rng.random() < 0.33:
            group.append(author)


def _marry(authors: Sequence[Author], rng: random.Random) -> None:
    """Marry one author in seven to one of the same country and about the same age."""
    waiting: dict[str, Author] = {}
    for author in authors:
        if rng.random() > 0.14:
            continue
        other = waiting.pop(author.country, None)
        if other is None or author.birth - other.birth > 12:
            waiting[author.country] = author
        else:
            author.spouse, other.spouse = other.name, author.name
