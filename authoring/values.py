"""Draws values for the slots of prototypes, and words for them as people say entities, numbers and times."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction

from ..data.databases.database import Database
from ..data.domains.domain import Entity
from ..data.domains.prototypes import Prototype, slots
from ..data.domains.slot_rules import NAMES, Named, Queries, Rule, Values, generic
from ..data.errors import DatabaseError, did_you_mean
from ..data.values.numerals import ENGLISH_CARDINALS, plain, value_of
from ..data.values.slots import SLOT
from ..data.values.times import How, say_relative

_CHINESE = "零一二三四五六七八九"
_ENGLISH = {number: word for word, number in ENGLISH_CARDINALS.items()}
_DAYPARTS = ((6, "凌晨"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))
_AS_WORD = 0.35  # the share of numbers that become words
_FROM_NOW = 0.6  # the share of times that become relative ones
_RECENT = 0.3  # the share of days and moments that are drawn from the last week
_SHORT = 0.4  # the share of years that are left out if another time of the question has them


class NothingFits(LookupError):
    """No candidate for a slot fits the values drawn so far."""


@dataclass(frozen=True)
class Filling:
    """A value in the words of the question and in SQL.

    Attributes:
        how: the form of its words, see `Values`.
        relative: whether its words are relative to now, and need no «on» or «at» before them.
    """

    say: str
    sql: str
    how: str = ""
    relative: bool = False


def say_number(value: str, how: str, *, language: str, rng: random.Random) -> Filling:
    """Return a number in digits or as a word; for ``percent`` and ``share`` 0.05 is «5%»."""
    percent = how in {"percent", "share"}
    number = Fraction(value) * (100 if percent else 1)
    word = _word(number, language) if rng.random() < _AS_WORD else None
    if not percent:
        text = ("两" if word == "二" else word) or plain(number)
    elif language == "zh":
        text = f"百分之{word}" if word else f"{plain(number)}%"
    else:
        text = f"{word} percent" if word else rng.choice((f"{plain(number)}%", f"{plain(number)} percent"))
    return Filling(text, value, how)


def say_time(
    value: str, how: str, *, language: str, now: datetime | None, rng: random.Random, short: bool = False
) -> Filling:
    """Return the words for a day, a moment, or a span that begins there.

    Args:
        value: a date or a time stamp in ISO form.
        how: ``since`` or ``week`` for the span; anything else for the day or moment.
        language: zh or en.
        now: the moment of the question; None for dates without relative times.
        rng: the random numbers.
        short: whether the year may be left out, as another time of the question has it.

    Raises:
        ValueError: the value is no date or time, or no span that ends now.
    """
    if how in {"since", "week"}:
        text = None if now is None else _from_now(value, "since" if how == "since" else "week", now, language, rng)
        if text is None:
            raise ValueError(f"{value!r} is not the beginning of a span that people say")
        return Filling(text, value, how, relative=how == "week")
    clock = "" if len(value) == len("2024-03-01") else _say_clock(datetime.fromisoformat(value), language, rng)
    if now is not None and rng.random() < _FROM_NOW:
        text = _from_now(value[:10], "day", now, language, rng)
        if text is not None:
            at = " at" if language == "en" and clock.startswith(" ") else ""
            at = "的" if text.endswith("前") and clock[:1].isdigit() else at
            return Filling(f"{text}{at}{clock}", value, how, relative=True)
    # a day of the current year needs no year
    short = short or (now is not None and value[:4] == str(now.year) and rng.random() < _AS_WORD)
    day = _say_day(date.fromisoformat(value[:10]), language, rng, short=short)
    if clock and language == "zh" and day.isascii():  # nobody says 2024-03-01下午3点
        clock = f" {value[11:16]}" if value.endswith(":00") else f" {value[11:]}"
    return Filling(f"{day}{clock}", value, how)


def _word(number: Fraction, language: str) -> str | None:
    """Return the word for a whole number of 2 to 99."""
    if number.denominator != 1 or not 1 < number < 100:
        return None
    tens, ones = divmod(int(number), 10)
    if language == "zh":
        return ("" if tens == 0 else "十" if tens == 1 else f"{_CHINESE[tens]}十") + (_CHINESE[ones] if ones else "")
    return _ENGLISH.get(int(number)) or f"{_ENGLISH[10 * tens]} {_ENGLISH[ones]}"


def _from_now(value: str, how: How, now: datetime, language: str, rng: random.Random) -> str | None:
    text = say_relative(value, how, now=now, language=language, rng=rng)
    if text is None or rng.random() >= _AS_WORD:
        return text
    word = re.sub(r"\d+", lambda m: _word(Fraction(m[0]), language) or m[0], text)
    return re.sub("二(?=个|小|天)(?<!十二)", "两", word)


def _say_day(day: date, language: str, rng: random.Random, *, short: bool) -> str:
    if language == "zh":
        forms = [f"{day.year}年{day.month}月{day.day}日", f"{day.year % 100}年{day.month}月{day.day}号"]
        shorts = [f"{day.month}月{day.day}日", f"{day.month}月{day.day}号"]
    else:
        forms = [f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}"]
        shorts = [f"{day.day} {day:%B}", f"{day:%B} {day.day}", f"{day:%b} {day.day}"]
    return rng.choice(shorts if short else [f"{day:%Y-%m-%d}", *forms])


def _say_clock(moment: datetime, language: str, rng: random.Random) -> str:
    hour, minute = moment.hour, moment.minute
    if moment.second or minute not in {0, 30}:
        return f" {moment:%H:%M:%S}" if moment.second else f" {moment:%H:%M}"
    if language == "zh":
        part = next(name for end, name in _DAYPARTS if hour < end)
        text = f"{part}{hour - 12 if hour > 12 else hour}点{'半' if minute else ''}"
        return rng.choice((f" {moment:%H:%M}", text, f"{hour}点{'30分' if minute else '整'}"))
    twelve = f" {hour % 12 or 12}:{moment:%M} {'am' if hour < 12 else 'pm'}"
    return rng.choice((f" {moment:%H:%M}", f", {moment:%H:%M}", twelve))


@dataclass
class Fills:
    """Draws values for the slots of one domain's prototypes in one language.

    Attributes:
        rules: the ``[fill]`` table of the domain.
        entities: the entities of the domain, with their names in the language.
        language: zh or en.
        now: the ``now`` of the domain.
        database: the database that runs the rules that are queries, None if there is none.
    """

    rules: Mapping[str, Rule]
    entities: Sequence[Entity]
    language: str
    now: datetime | None = None
    database: Database | None = None
    _found: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def __post_init__(self) -> None:
        self._names: dict[str, dict[str, tuple[str, ...]]] = {}
        for entity in self.entities:
            self._names.setdefault(entity.type, {}).setdefault(entity.sql, entity.says or (entity.sql,))

    def draw(self, prototype: Prototype, rng: random.Random) -> dict[str, Filling]:
        """Return a filling for each slot of the prototype's query.

        Values of one type differ. A time is later than the times drawn before it, a number of the same rule larger
        than those drawn before it.

        Raises:
            NothingFits: a slot has no candidate that fits the others.
            DomainError: a rule is unknown or missing, or its query does not run.
        """
        drawn: dict[str, Filling] = {}
        for slot, rule in self._rules_in_order(prototype).items():
            choices = self._choices(prototype, slot, rule, drawn)
            choices = [one for one in choices if _follows(one, prototype, slot, drawn)]
            if not choices:
                raise NothingFits(slot)
            how = rule.how if isinstance(rule, Values) else ""
            try:
                drawn[slot] = self._chosen(slot, choices, how, drawn, rng)
            except ValueError as error:
                raise prototype.error(str(error), field=f"fill.{slot}") from error
        return drawn

    def _rules_in_order(self, prototype: Prototype) -> dict[str, str | Values | None]:
        """Return the rule of each slot: a query, values, or None for any entity of its type.

        The slots in a query come before the slot that the query fills.
        """
        left = sorted(slots(prototype.sql), key=lambda slot: (slot.startswith("number"), slot))
        rules = {slot: self._rule(prototype, slot) for slot in left}
        ordered: dict[str, str | Values | None] = {}
        while left:
            ready = (slot for slot in left if not (isinstance(rule := rules[slot], str) and {*slots(rule)} & {*left}))
            if (slot := next(ready, None)) is None:
                raise prototype.error("the queries that fill its slots wait for one another", field="fill")
            left.remove(slot)
            ordered[slot] = rules[slot]
        return ordered

    def _rule(self, prototype: Prototype, slot: str) -> str | Values | None:
        kind, rule = type_of(slot), prototype.fill.get(slot)
        place, names = f"fill.{slot}", (*NAMES.get(kind, ()), *self.rules)
        if rule is None and kind in NAMES:
            raise prototype.error("nothing tells how to fill it", field=place, hint=f"use one of {', '.join(names)}")
        if isinstance(rule, Named):
            found = self.rules.get(rule.name) or generic(kind, rule.name, self.now)
            if found is None or isinstance(found, Named):
                hint = did_you_mean(rule.name, names) or f"known: {', '.join(names) or 'none'}"
                hint = "say now = … in domain.toml" if rule.name in NAMES.get(kind, ()) else hint
                raise prototype.error(f"no way {rule.name!r} to fill it", field=place, hint=hint)
            rule = found
        if not isinstance(rule, Queries):
            return rule
        there = {*slots(prototype.sql)} - {slot}
        query = next((text for text in rule.texts if {*slots(text)} <= there), None)
        if query is None:
            missing = min({*slots(rule.texts[-1])} - there)
            raise prototype.error(f"its query needs {missing}, which the prototype has not", field=place)
        return query

    def _choices(
        self, prototype: Prototype, slot: str, rule: str | Values | None, drawn: Mapping[str, Filling]
    ) -> Sequence[str]:
        if isinstance(rule, Values):
            return rule.values
        kind, place = type_of(slot), f"fill.{slot}"
        if rule is None:
            if kind not in self._names:
                hint = did_you_mean(kind, self._names) or "see the entities"
                raise prototype.error(f"there are no entities of type {kind!r}", field=place, hint=hint)
            return tuple(self._names[kind])
        sql = SLOT.sub(lambda m: drawn[m[1] + m[2]].sql.replace("'", "''"), rule)
        if sql not in self._found:
            if self.database is None:
                raise prototype.error("a query fills it, and the domain has no database", field=place)
            try:
                found = self.database.query(sql)
            except DatabaseError as error:
                raise prototype.error(f"its query does not run: {error.problem}", field=place) from error
            if found.truncated:
                raise prototype.error("its query finds too many values", field=place, hint="narrow it, write DISTINCT")
            self._found[sql] = tuple(sorted({_text(row[0]) for row in found.rows if row[0] is not None}))
        return self._found[sql]

    def _chosen(
        self, slot: str, choices: Sequence[str], how: str, drawn: Mapping[str, Filling], rng: random.Random
    ) -> Filling:
        """Return a value with words for it; days of the last week are the most frequent."""
        kind = type_of(slot)
        if kind == "number":
            return say_number(rng.choice(choices), how, language=self.language, rng=rng)
        if kind != "time":
            value = rng.choice(choices)
            return Filling(rng.choice(self._names.get(kind, {}).get(value, (value,))), value)
        if self.now is not None and not how and rng.random() < _RECENT:
            first = str(self.now.date() - timedelta(days=6))
            choices = [time for time in choices if first <= time <= str(self.now)] or choices
        value = rng.choice(choices)
        others = [other for name, other in drawn.items() if type_of(name) == kind]
        same_year = any(other.sql[:4] == value[:4] and not other.relative and not other.how for other in others)
        short = same_year and rng.random() < _SHORT
        return say_time(value, how, language=self.language, now=self.now, rng=rng, short=short)


def type_of(slot: str) -> str:
    """Return the type of a slot, for instance ``tag`` of ``tag0``."""
    return slot.rstrip("0123456789")


def _follows(value: str, prototype: Prototype, slot: str, drawn: Mapping[str, Filling]) -> bool:
    """Check whether a value may follow those drawn before, see `Fills.draw`."""
    kind = type_of(slot)
    before = {name: other.sql for name, other in drawn.items() if type_of(name) == kind}
    if kind == "time":
        return all(value > other for other in before.values())
    rule = prototype.fill.get(slot)
    alike = [other for name, other in before.items() if kind == "number" and prototype.fill.get(name) == rule]
    return value not in before.values() and all((value_of(value) or 0) > (value_of(other) or 0) for other in alike)


def _text(cell: object) -> str:
    """Return a cell as the text of a value, for instance 420 for 420.0."""
    number = None if isinstance(cell, str) else value_of(str(cell))
    return str(cell) if number is None else plain(number)
