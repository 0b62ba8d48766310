"""Conditions as people say them: «prepaid orders placed in March 2023», 2023年3月下的已付款订单."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from .layouts import Placed, PlacedThing

__all__ = [
    "Condition",
    "Period",
    "above",
    "draw_period",
    "flagged",
    "is_value",
    "label_words",
    "names",
    "ones",
    "period",
    "things",
]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_QUARTERS = {"en": ("first", "second", "third", "fourth"), "zh": ("一", "二", "三", "四")}


@dataclass(frozen=True)
class Condition:
    """A condition on one column, in SQL and in words.

    Attributes:
        pattern: the words; in English ``*`` stands for the things.
        value: what it compares with, as said; empty where there is none.
    """

    placed: Placed
    sql: str
    pattern: str
    kind: str
    value: str = ""


@dataclass(frozen=True)
class Period:
    """A span of days: the first, the day after the last (either may lack), and how people say it."""

    first: str
    after: str
    said: str


def names(letter: str, thing: PlacedThing) -> dict[str, str]:
    """Return a thing's words for a slot: one, many, and the Chinese classifier."""
    return {letter: thing.words[0], f"{letter}s": thing.many, "cl" if letter == "t" else f"{letter}cl": thing.words[1]}


def label_words(thing: PlacedThing) -> dict[str, str]:
    """Return what a thing's names or codes are called, one and many."""
    if thing.language == "zh":
        label = "单号" if thing.thing.code else "姓名" if thing.thing.person else "名称"
        return {"label": label, "labels": label}
    label = "reference number" if thing.thing.code else "name"
    return {"label": label, "labels": f"{label}s"}


def things(thing: PlacedThing, conditions: Sequence[Condition] = ()) -> str:
    """Return the things with their conditions, in the plural."""
    return _phrase(thing.many, conditions, thing.language)


def ones(condition: Condition) -> str:
    """Return a condition as it stands where the things are known already: «the ones from Oslo»."""
    language = condition.placed.language
    said = _phrase("ones" if language == "en" else "", [condition], language)
    return said if language == "en" or said.endswith("的") else f"{said}的"


def _phrase(noun: str, conditions: Sequence[Condition], language: str) -> str:
    """Return a noun with conditions around it."""
    if language == "zh":
        clauses = [one.pattern.removesuffix("的") for one in conditions if one.pattern.endswith("的")]
        close = "".join(one.pattern for one in conditions if not one.pattern.endswith("的"))
        return "、".join(clauses) + "的" * bool(clauses) + close + noun
    before = [one.pattern.removesuffix(" *") for one in conditions if one.pattern.endswith(" *")]
    # what has a verb comes last, so that nothing else is taken for a part of its clause
    behind = sorted((p for p in (one.pattern for one in conditions) if p.startswith("* ")), key=_has_verb)
    joined = " ".join(pattern.removeprefix("* ") for pattern in behind)
    clauses = [pattern for pattern in behind if _has_verb(pattern)]
    if len(clauses) > 1:
        joined = " and ".join(pattern.removeprefix("* ") for pattern in behind)
    return " ".join([*before, noun, joined]).strip()


def _has_verb(pattern: str) -> bool:
    return pattern.startswith(("* who ", "* that ", "* with "))


def is_value(placed: Placed, value: str) -> Condition:
    """Return the condition that a category is a value, said in the field's words."""
    cell = value.title() if placed.style == "title" else value
    pattern = placed.phrase("is").replace("{v}", value)
    return Condition(placed, f"{placed.full} = '{cell}'", pattern, "category", value)


def flagged(placed: Placed, says: bool) -> Condition:
    """Return the condition that a flag says yes, or no."""
    cell = placed.style.split("/")[0 if says else 1]
    written = cell if cell.isdigit() else f"'{cell}'"
    pattern = placed.phrase("yes" if says else "no")
    return Condition(placed, f"{placed.full} = {written}", pattern, "flag")


def above(placed: Placed, number: str, more: bool) -> Condition:
    """Return the condition that a number is above, or below, another."""
    article = "an" if placed.word[0] in "aeio" else "a"
    pattern = placed.phrase("more" if more else "less")
    pattern = pattern.replace("{x}", number).replace("{n}", placed.word).replace("{a}", article)
    return Condition(placed, f"{placed.sql} {'>' if more else '<'} {number}", pattern, "number", number)


def period(placed: Placed, span: Period) -> Condition:
    """Return the condition that a day lies in a period."""
    bounds = [(">=", span.first), ("<", span.after)]
    sql = " AND ".join(f"{placed.full} {sign} '{day}'" for sign, day in bounds if day)
    pattern = placed.phrase("did").replace("{in}", span.said)
    return Condition(placed, sql, pattern, "date", span.said)


def draw_period(placed: Placed, rng: random.Random) -> Period:
    """Draw a year, a quarter, a month, or all since or before a year."""
    years, language = placed.column.date, placed.language
    year = rng.randint(*years)
    way = rng.choice(("year", "year", "month", "quarter", "since", "before"))
    if years[1] - years[0] > 12:  # few rows fall into a year of so many
        way = rng.choice(("since", "before"))
    english = language == "en"
    if way == "year":
        return Period(f"{year}-01-01", f"{year + 1}-01-01", f"in {year}" if english else f"{year}年")
    if way == "since":
        year = max(year, years[0] + 1)
        return Period(f"{year}-01-01", "", f"since {year}" if english else f"{year}年以来")
    if way == "before":
        year = max(year, years[0] + 1)
        return Period("", f"{year}-01-01", f"before {year}" if english else f"{year}年以前")
    length = 3 if way == "quarter" else 1
    place = rng.randrange(12 // length)
    first, after = place * length + 1, place * length + 1 + length
    end = f"{year + 1}-01-01" if after > 12 else f"{year}-{after:02}-01"
    if way == "quarter":
        name = _QUARTERS[language][place]
        said = f"in the {name} quarter of {year}" if english else f"{year}年第{name}季度"
    else:
        said = f"in {_MONTHS[place]} {year}" if english else f"{year}年{place + 1}月"
    return Period(f"{year}-{first:02}-01", end, said)
