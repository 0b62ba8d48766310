"""What is wrong with a domain's prototypes, and whether its pairs are those that they give."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data.domains.domain import Domain
from ...data.domains.prototypes import Prototype
from ...data.errors import DomainError, QueryError
from ...data.schema.schema import Schema
from ...data.values.slots import SLOT
from ..filling.instantiate import normal
from ..filling.writing import DomainSource

__all__ = ["Remark", "Review", "review", "same"]


@dataclass(frozen=True)
class Remark:
    """Something about one prototype: where it stands, and what is the matter; ``text`` shows it."""

    file: str
    line: int
    problem: str
    text: str = ""


@dataclass(frozen=True)
class Review:
    """What was found; the first three are errors.

    Attributes:
        prototypes: how many were read.
        wrong: cannot be read, translated, run or read back.
        repeated: have the query of another one.
        stale: the domain's pairs are not what these give.
        empty: no answer says anything, neither of the pairs nor of those made now.
        naming: have a wording that names an entity outside of its slots, which a parser takes for one more value.
    """

    prototypes: int
    wrong: tuple[Remark, ...] = ()
    repeated: tuple[Remark, ...] = ()
    stale: tuple[Remark, ...] = ()
    empty: tuple[Remark, ...] = ()
    naming: tuple[Remark, ...] = ()


def review(source: DomainSource, domain: Domain, *, answered: Collection[str]) -> Review:
    """Fill the prototypes of a domain in its language, and compare the pairs with those that it has.

    Args:
        source: the domain's folder.
        domain: the domain in one language, with its pairs.
        answered: prototypes one of whose pairs has an answer.

    Raises:
        DatabaseError: the domain's database cannot be opened.
    """
    language, there = domain.language, source.lines(domain.language)
    wrong, stale, empty = [_told(error) for error in source.problems], list[Remark](), list[Remark]()
    for prototype, lines, speaks, problem in source.filled(language, source.queries()):
        if problem is not None:
            wrong.append(_told(problem))
            continue
        if not speaks and prototype.id not in answered:
            empty.append(_remark(prototype, "no answer says anything but nulls and zeros", prototype.sql))
        old = None if there is None else there.pop(prototype.id, [])
        if old is not None and old != lines:
            differ = (new for new, before in zip(lines, [*old, *[""] * len(lines)], strict=False) if new != before)
            said = f"{prototype.id!r} has {len(old)} pairs that it does not give now; it gives {len(lines)}"
            stale.append(_remark(prototype, said, next(differ, "")))
    known = {prototype.id for prototype in source.prototypes}
    if gone := sorted({*(there or ())} - known):
        text = ", ".join(gone[:5]) + (", …" if len(gone) > 5 else "")
        stale.append(Remark(str(source.folder), 0, f"pairs of {len(gone)} prototypes that are not there", text))
    dialect = source.manifest.prototype_dialect
    return Review(
        prototypes=len(source.prototypes),
        wrong=tuple(dict.fromkeys(wrong)),
        repeated=tuple(_repeats(same(source.prototypes, dialect=dialect, schema=source.schema()))),
        stale=tuple(stale),
        empty=tuple(empty),
        naming=tuple(_naming(source, language)),
    )


def same(prototypes: Iterable[Prototype], *, dialect: str, schema: Schema) -> list[tuple[Prototype, ...]]:
    """Return groups of prototypes with one query; those that do not parse are left out."""
    groups: dict[str, list[Prototype]] = {}
    for prototype in prototypes:
        try:
            groups.setdefault(normal(prototype.sql, dialect=dialect, schema=schema), []).append(prototype)
        except QueryError:  # one of those that are wrong
            continue
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _naming(source: DomainSource, language: str) -> Iterator[Remark]:
    says = {say for entity in source.entities(language) for say in entity.says or (entity.sql,) if len(say) > 1}
    if not says:
        return
    any_say = "|".join(re.escape(say) for say in sorted(says, key=len, reverse=True))
    named = re.compile(rf"(?<![A-Za-z0-9])(?:{any_say})(?![A-Za-z0-9])", re.IGNORECASE)
    for prototype in source.prototypes:
        for wording in prototype.said(language):
            if found := named.search(SLOT.sub("|", wording)):
                yield _remark(prototype, f"{prototype.id!r} names {found[0]!r} outside of its slots", wording)


def _repeats(groups: Iterable[Sequence[Prototype]]) -> Iterator[Remark]:
    for first, *others in groups:
        for other in others:
            place = f"{first.file.name}:{first.line}"
            yield _remark(other, f"{other.id!r} has the query of {first.id!r} ({place})", other.sql)


def _remark(prototype: Prototype, problem: str, text: str) -> Remark:
    return Remark(str(prototype.file), prototype.line, problem, text)


def _told(error: DomainError) -> Remark:
    place = f"field {error.field!r}: " if error.field else ""
    return Remark(str(error.file or ""), error.line or 0, f"{place}{error.problem}", error.hint or "")
