"""Samples of queries over one database, evenly over their structures."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache, partial
from itertools import zip_longest
from typing import TypeAlias

from ..data.databases.database import Database
from ..data.errors import DatabaseError
from ..data.schema.schema import Schema
from ..meaning.profile import DatabaseProfile
from .binding import says_something
from .parts.draws import Draft, Draw, NothingToDraw, SamplingFrame
from .parts.phrases import Language, Phrase, Templates
from .structures import ALL, KINDS, PLAIN

STRUCTURES = tuple(ALL)
"""Names of the structures; each tells what the SQL looks like."""

STRUCTURE_KINDS: Mapping[str, tuple[str, ...]] = {kind: tuple(some) for kind, some in KINDS.items()}
"""Names of structures that go together, so that a training can have more of them."""

_DRAWS = 100  # for one sample
_ASKED = 15  # of them that the database is asked for
_SAYINGS = 8
_FAR = "2100"
_RARELY = {"difference": 0.25, "filter-null": 0.5}  # share of the rounds in which they come

Look: TypeAlias = Callable[[str], tuple[int, bool, bool]]


@dataclass(frozen=True)
class Sampled:
    """A query and the ways to ask for it.

    Attributes:
        question: the first of ``sayings``.
        structure: see `STRUCTURES`.
        now: what it was seen from, None where it hangs on no clock.
    """

    question: str
    sql: str
    structure: str
    sayings: tuple[str, ...]
    now: datetime | None = None


def clock_of(profile: DatabaseProfile) -> datetime | None:
    """Return a clock from which «last month» says something of a database: noon of the last day that it tells.

    Years as 9999 are none; None if there are no times.
    """
    told = [column.time.last for column in profile.columns.values() if column.time is not None and column.time.last]
    days = sorted(day for day in told if day[:4] < _FAR)
    return datetime.combine(date.fromisoformat(days[-1]), time(12)) if days else None


def sample(
    schema: Schema,
    database: Database | None,
    *,
    language: Language,
    count: int,
    seed: int | str,
    now: datetime | None = None,
    profile: DatabaseProfile | None = None,
    structures: Sequence[str] = STRUCTURES,
    progress: Callable[[], None] = lambda: None,
) -> list[Sampled]:
    """Return queries over a schema, no two the same, each structure as often as the others, plain ones early.

    Structures that the schema or its rows leave nothing to draw for are left out, so there may be fewer than asked.

    Args:
        schema: of the database.
        database: values are drawn from it, and a query is kept only if it runs and answers something; without one,
            queries have no values of columns.
        language: of the questions.
        count: how many to return at most.
        seed: the same seed gives the same samples.
        now: what «last month» is seen from; without one no query hangs on the clock. See `clock_of`.
        profile: of the database; without one it is made.
        structures: that are drawn.
        progress: called once a query.
    """
    rng = random.Random(f"{seed}:{language}")
    frame = SamplingFrame.of(schema, database, language, profile, now)
    look = None if database is None else cache(partial(_look, database))  # other questions have the same ties
    found: dict[str, Sampled] = {}
    fitting, failed = list(structures), dict.fromkeys(structures, 0)
    while fitting and len(found) < count:
        for name in [n for n in _round(fitting, rng) if rng.random() < _RARELY.get(n, 1.0)]:
            drawn = _draw(name, frame, look, rng, found)
            if drawn is None:
                failed[name] += 1
            else:
                found[drawn.sql] = drawn
                progress()
            if len(found) == count:
                break
        fitting = [name for name in fitting if failed[name] < 2]
    return list(found.values())


def _round(names: Sequence[str], rng: random.Random) -> list[str]:
    """Return the structures in a new order: by turns a plain one and another, so that few draws have some of each.

    Plain ones come so that each of what they are about has had its turn before one of them comes again.
    """
    order = rng.sample(names, len(names))
    turns, plain = Counter[str](), list[tuple[int, str]]()
    for name in (n for n in order if n in PLAIN):
        about = name.partition("-")[0]
        plain.append((turns[about], name))
        turns[about] += 1
    two = [name for _, name in sorted(plain, key=lambda turn: turn[0])], [n for n in order if n not in PLAIN]
    return [name for turn in zip_longest(*two) for name in turn if name is not None]


def _draw(
    name: str, frame: SamplingFrame, look: Look | None, rng: random.Random, found: dict[str, Sampled]
) -> Sampled | None:
    asked = 0
    for _ in range(_DRAWS):
        try:
            draw = Draw(frame, rng)
            draft = ALL[name](draw)
        except NothingToDraw:
            continue
        if draft.sql in found:
            continue
        asked += 1
        if look is not None and not _answers(draft, look):
            if asked == _ASKED:
                break
            continue
        sayings = _sayings(draft.said, frame.language, rng)
        return Sampled(sayings[0], draft.sql, name, sayings, frame.now if draw.clocked else None)
    return None


def _sayings(said: Phrase, language: Language, rng: random.Random) -> tuple[str, ...]:
    sayings, found = Templates.of(language), dict[str, str]()
    for _ in range(3 * _SAYINGS):
        text = sayings.say(said, rng)
        found.setdefault(text.rstrip("?？.。").casefold(), text)  # another mark is no other wording
        if len(found) == _SAYINGS:
            break
    return tuple(found.values())


def _look(database: Database, sql: str) -> tuple[int, bool, bool]:
    """Return how many rows a query has, whether they say something, and whether the last two are equal."""
    rows = database.fetch(sql).rows
    return len(rows), says_something(rows), len(rows) > 1 and rows[-1] == rows[-2]


def _answers(draft: Draft, look: Look) -> bool:
    """Does the query run and say something, and the same thing each time?"""
    try:
        if draft.tied and look(draft.tied)[0]:
            return False
        most, _, tied = look(draft.ties) if draft.ties else (None, True, False)
        rows, told, _ = (0, False, False) if tied else look(draft.sql)
    except DatabaseError:
        return False
    return told and (most is None or most > rows)  # else no rows are left to come behind the first
