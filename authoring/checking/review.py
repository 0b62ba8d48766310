"""What is wrong with a domain's prototypes, and whether its pairs are those that they give."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...data.domains.domain import Domain, Example
from ...data.domains.prototypes import Prototype
from ...data.errors import DomainError
from ...data.values.slots import SLOT, bind, fill_sql
from ..filling.instantiate import Maker, Pair, fill
from ..filling.near import near, same
from ..filling.writing import DomainSource, split_keys

__all__ = ["Remark", "Review", "review"]

_TRIES = 16  # queries run to find an answer of a prototype


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
        wrong: cannot be read, translated, run or read back, in any language.
        repeated: have the query of another one.
        stale: the domain's pairs are not what these give.
        empty: no answer says anything, neither of the pairs nor of a filling tried now.
        alike: nearly repeat one in another part of the query split.
        naming: have a wording that names an entity outside of its slots, which a parser takes for one more value.
    """

    prototypes: int
    wrong: tuple[Remark, ...] = ()
    repeated: tuple[Remark, ...] = ()
    stale: tuple[Remark, ...] = ()
    empty: tuple[Remark, ...] = ()
    alike: tuple[Remark, ...] = ()
    naming: tuple[Remark, ...] = ()


def review(source: DomainSource, domain: Domain, *, answered: Collection[str]) -> Review:
    """Look through the prototypes of a domain.

    Args:
        source: the domain's folder.
        domain: the domain in one language, with its pairs.
        answered: prototypes one of whose pairs has an answer.

    Raises:
        DatabaseError: the domain's database cannot be opened.
    """
    wrong = [_told(error) for error in source.problems]
    stale: list[Remark] = []
    silent: set[str] = set()
    naming: list[Remark] = []
    pairs: dict[str, list[Example]] = defaultdict(list)
    for example in domain.examples:
        pairs[example.prototype].append(example)
    queries = source.queries()
    for language in source.languages:
        with source.maker(language, queries) as maker:
            asked: list[str] = []
            naming += _naming(source, language)
            for prototype in source.prototypes:
                try:
                    stands, speaks = _tried(maker, prototype, pairs, asked, own=language == domain.language)
                except DomainError as error:
                    wrong.append(_told(error))
                    continue
                stale += stands
                silent |= set() if speaks else {prototype.id}
    known = {p.id for p in source.prototypes}
    if gone := sorted(pairs.keys() - known):
        text = ", ".join(gone[:5]) + (", …" if len(gone) > 5 else "")
        stale.append(Remark(str(source.folder), 0, f"pairs of {len(gone)} prototypes that are not there", text))
    schema = source.schema()
    dialect = source.manifest.prototype_dialect
    alike = near(source.prototypes, keys=split_keys(source.prototypes), dialect=dialect, schema=schema)
    return Review(
        prototypes=len(source.prototypes),
        wrong=tuple(dict.fromkeys(wrong)),
        repeated=tuple(_repeats(same(source.prototypes, dialect=dialect, schema=schema))),
        stale=tuple(stale),
        empty=tuple(
            _remark(p, "no answer says anything but nulls and zeros", p.sql)
            for p in source.prototypes
            if p.id in silent and p.id not in answered
        ),
        alike=tuple(
            _remark(
                pair.one,
                f"{pair.one.id!r} and {pair.other.id!r} ({pair.other.file.name}:{pair.other.line}) are alike: "
                f"queries {pair.query:.2f}, questions {pair.question:.0f}; change one, or say twin = {pair.other.id!r}",
                pair.one.sql,
            )
            for pair in alike
        ),
        naming=tuple(naming),
    )


def _tried(
    maker: Maker, prototype: Prototype, pairs: Mapping[str, Sequence[Example]], asked: list[str], *, own: bool
) -> tuple[list[Remark], bool]:
    """Fill a prototype in one language; return how its pairs differ from that, and whether its answer says something.

    ``asked`` are the questions of the prototypes before it, which it does not repeat; its own are added.
    """
    examples = pairs.get(prototype.id, ()) if own else ()
    maker.reset(asked)
    pair, speaks = maker.pair(prototype, 0, tries=_TRIES)
    unrun = replace(maker, database=None)
    for number in range(1, maker.count(prototype)):
        unrun.pair(prototype, number)
    asked += [example.question for example in examples]
    if not own or not pairs or pair is None:
        return [], speaks
    return list(_stale(prototype, examples, maker, pair)), speaks


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


def _stale(prototype: Prototype, examples: Sequence[Example], maker: Maker, first: Pair) -> Iterator[Remark]:
    if not examples or len(examples) > maker.count(prototype):
        problem = f"{prototype.id!r} has {len(examples)} pairs, not {maker.count(prototype)}"
        yield _remark(prototype, problem, prototype.sql)
        return
    wordings = [_pattern(wording) for wording in prototype.said(maker.fills.language)]
    other = next((e for e in examples if not any(w.fullmatch(e.question) for w in wordings)), None)
    if other is not None:
        yield _remark(
            prototype, f"{prototype.id!r} has no such wording as line {other.line} of its pairs", other.question
        )
        return
    text, mentions = fill(first["question"], first["values"])
    sql = fill_sql(first["sql"], bind(mentions))
    drawn = next((e for e in examples if e.id == first["id"]), examples[0])
    if (drawn.question, drawn.sql) != (text, sql):
        problem = f"line {drawn.line} of its pairs is not what {prototype.id!r} gives now"
        yield _remark(prototype, problem, f"{text}  {sql}")


def _pattern(wording: str) -> re.Pattern[str]:
    """Match the wording with anything in its slots; «on», «at» and «in» may be lost before one."""
    parts = [re.escape(part) for part in SLOT.sub("\0", wording).split("\0")]
    head = [re.sub(r"\b(on|at|in)\\ $", r"(?:\1\\ )?", part, flags=re.IGNORECASE) for part in parts[:-1]]
    return re.compile(".+".join([*head, parts[-1]]))


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
