"""Draw a value for a slot, with one of the ways to say it.

Entities come from the catalogue; a number or a time is drawn as the prototype's ``fill`` says:

    number   top (2 to 10)   few (4 to 8)   percent (80 % to 95 %)   reading (a value the tag or kind may have)
    time     day, moment, inference (of the week)   past (a day of the months before)
    tag      watched (by a model)   paired (others are alike)   alike (comparable with tag0)
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..errors import DomainError
from .catalogue import Entity, Tag, entities, models, tags
from .generate import NOW, START, STEP

__all__ = ["Filling", "draw"]


@dataclass(frozen=True)
class Filling:
    """A value as the question says it and as SQL has it."""

    say: str
    sql: str


_WAYS = {
    "number": {"top", "few", "percent", "reading"},
    "time": {"day", "moment", "inference", "past"},
    "tag": {"watched", "paired", "alike", None},
}
_CHINESE = "零一二三四五六七八九十"
_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TENS = {80: ("八十", "eighty"), 85: ("八十五", "eighty five"), 90: ("九十", "ninety"), 95: ("九十五", "ninety five")}
_DAYPARTS = ((6, "凌晨"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))


def draw(kind: str, how: str | None, *, language: str, drawn: Mapping[str, Filling], rng: random.Random) -> Filling:
    """Return a value of type ``kind`` that differs from those in ``drawn``.

    Numbers and times do not come before those drawn, so a second time is a later one; a later day
    may leave its year out.

    Args:
        kind: type of the slot: ``number``, ``time`` or an entity type.
        how: the prototype's ``fill`` for this slot.
        language: zh or en.
        drawn: what the slots before this one in the question hold, by slot.
        rng: where chance comes from.

    Raises:
        DomainError: ``how`` is unknown, or nothing is left to draw.
    """
    if how not in _WAYS.get(kind, {None}):
        known = ", ".join(sorted(way for way in _WAYS.get(kind, ()) if way))
        raise DomainError(f"no way {how!r} to fill a slot of type {kind!r}", hint=f"known: {known or 'none'}")
    if kind == "number":
        return _number(how, language, drawn, rng)
    if kind == "time":
        return _time(how, language, drawn, rng)
    taken = {value.sql for value in drawn.values()}
    choices = [e for e in entities() if e.type == kind and e.sql not in taken and _fits(e, how, drawn)]
    if not choices:
        raise DomainError(f"nothing of type {kind!r} is left to fill a slot with", hint="see the entities")
    entity = rng.choice(choices)
    return Filling(rng.choice(entity.says[language]), entity.sql)


def _fits(entity: Entity, how: str | None, drawn: Mapping[str, Filling]) -> bool:
    if how == "watched":
        return any(model.target == entity.sql for model in models())
    if how == "alike":
        return _alike(_tag(entity.sql), _tag(drawn["tag0"].sql))
    if how == "paired":
        return any(_alike(_tag(entity.sql), tag) for tag in tags() if tag.code != entity.sql)
    return True


def _alike(one: Tag, other: Tag) -> bool:
    """Tell whether two tags are worth comparing: same kind and unit of measure, limits that overlap."""
    same = (one.kind, one.measure_unit) == (other.kind, other.measure_unit)
    return same and one.low < other.high and other.low < one.high


def _tag(code: str) -> Tag:
    return next(tag for tag in tags() if tag.code == code)


def _number(how: str | None, language: str, drawn: Mapping[str, Filling], rng: random.Random) -> Filling:
    if how == "reading":
        tag = _tag(drawn["tag0"].sql) if "tag0" in drawn else rng.choice(_like(drawn))
        value = round(tag.normal + tag.noise * rng.uniform(-1.0, 1.5), max(0, tag.digits - 1))
        return Filling(f"{value:g}", f"{value:g}")
    if how == "percent":
        value = rng.choice(tuple(_TENS))
        said = (f"百分之{_TENS[value][0]}", f"{value}%") if language == "zh" else (f"{value} percent", f"{value}%")
        return Filling(rng.choice(said), f"{value / 100:g}")
    low, high = (2, 10) if how == "top" else (4, 8)
    value = rng.randint(low, high)
    word = _CHINESE[value] if language == "zh" else _ENGLISH[value]
    word = "两" if word == "二" else word
    return Filling(rng.choice((str(value), word)), str(value))


def _like(drawn: Mapping[str, Filling]) -> list[Tag]:
    kind = drawn["kind0"].sql if "kind0" in drawn else None
    return [tag for tag in tags() if kind is None or tag.kind == kind]


def _time(how: str | None, language: str, drawn: Mapping[str, Filling], rng: random.Random) -> Filling:
    before = max((datetime.fromisoformat(v.sql) for slot, v in drawn.items() if slot.startswith("time")), default=None)
    if how in {"moment", "inference"}:
        step = STEP * (4 if how == "inference" else 1)
        earliest = START + step if before is None else before + step
        # leave room behind, so that a second time can be drawn
        latest = NOW - (3 * step if before is None else timedelta())
        moment = earliest + step * rng.randint(0, (latest - earliest) // step)
        return Filling(f"{_say_day(moment, language, before, rng)}{_say_clock(moment, language, rng)}", str(moment))
    if how == "past":
        day = date(2023, 9, 1) + timedelta(days=rng.randrange(200))
    else:
        first = START.date() if before is None else before.date() + timedelta(days=1)
        last = NOW.date() - timedelta(days=2 if before is None else 1)
        day = first + timedelta(days=rng.randint(0, max(0, (last - first).days)))
    return Filling(_say_day(day, language, before, rng), str(day))


def _say_day(day: date, language: str, before: datetime | None, rng: random.Random) -> str:
    iso = f"{day:%Y-%m-%d}"
    if language == "zh":
        forms = [iso, f"{day.year}年{day.month}月{day.day}日", f"{day.year % 100}年{day.month}月{day.day}号"]
        short = f"{day.month}月{day.day}日"
    else:
        forms = [iso, f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}"]
        short = f"{day.day} {day:%B}"
    return rng.choice(forms if before is None else [*forms, short, short])


def _say_clock(moment: datetime, language: str, rng: random.Random) -> str:
    hour, half = moment.hour, moment.minute == 30
    plain = f" {moment:%H:%M}"
    if language == "zh":
        part = next(name for end, name in _DAYPARTS if hour < end)
        said = f"{part}{hour - 12 if hour > 12 else hour}点{'半' if half else ''}"
        return rng.choice((plain, said, f"{hour}点{'30分' if half else '整'}"))
    return rng.choice((plain, f", {moment:%H:%M}", f" {hour % 12 or 12}:{moment:%M} {'am' if hour < 12 else 'pm'}"))
