"""Candidates for slots: entities, values of the database, numbers and times of a rule, and how people say them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from re import sub

from ...data.databases.database import Database
from ...data.domains.domain import Entity
from ...data.domains.prototypes import Prototype, slots
from ...data.domains.slot_rules import NAMES, Named, Queries, Rule, Values, generic
from ...data.errors import DatabaseError, did_you_mean
from ...data.values.numerals import ENGLISH_CARDINALS, plain, value_of
from ...data.values.slots import SLOT
from ...data.values.times import How, say_relative

__all__ = ["Filling", "Fills", "NothingFits", "say_number", "say_time"]


@dataclass(frozen=True)
class Saying:
    """What a question says for a value; ``relative``: it is seen from now, so it takes no «on» or «at»."""

    text: str
    relative: bool = False


_CHINESE = "零一二三四五六七八九"
_ENGLISH = {number: word for word, number in ENGLISH_CARDINALS.items()}
_DAYPARTS = ((6, "凌晨"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))
_AS_WORD = 0.35  # how often a number that has a word is said as one
_FROM_NOW = 0.6  # how often a time that can be said from now is


def say_number(value: str, how: str, *, language: str, rng: random.Random) -> str:
    """Return a way to say a number.

    Args:
        value: as SQL has it.
        how: ``percent`` and ``share`` say 0.05 as «5%»; anything else says the number itself.
        language: zh or en.
        rng: where chance comes from.
    """
    number = Fraction(value)
    percent = how in {"percent", "share"}
    number = number * 100 if percent else number
    word = _word(number, language) if rng.random() < _AS_WORD else None
    if percent and language == "zh":
        return f"百分之{word}" if word else f"{plain(number)}%"
    if percent:
        return f"{word} percent" if word else rng.choice((f"{plain(number)}%", f"{plain(number)} percent"))
    word = "两" if word == "二" else word
    return word or plain(number)


def say_time(
    value: str, how: str, *, language: str, now: datetime | None, rng: random.Random, short: bool = False
) -> Saying:
    """Return a way to say a day, a moment, or a span that begins there.

    Args:
        value: a date or a time stamp in ISO form.
        how: ``since`` or ``week`` say the span; anything else the day or moment.
        language: zh or en.
        now: what «yesterday» is seen from; None says dates only.
        rng: where chance comes from.
        short: the year may be left out, since another time of the question has said it.

    Raises:
        ValueError: the value is no date or time, or no span that ends now.
    """
    if how in {"since", "week"}:
        said = None if now is None else _from_now(value, "since" if how == "since" else "week", now, language, rng)
        if said is None:
            raise ValueError(f"{value!r} is not the beginning of a span that people say")
        return Saying(said, relative=how == "week")
    clock = "" if len(value) == len("2024-03-01") else _say_clock(datetime.fromisoformat(value), language, rng)
    if now is not None and rng.random() < _FROM_NOW:
        said = _from_now(value[:10], "day", now, language, rng)
        if said is not None:
            at = " at" if language == "en" and clock.startswith(" ") else ""
            at = "的" if said.endswith("前") and clock[:1].isdigit() else at
            return Saying(f"{said}{at}{clock}", relative=True)
    # with a now, a day of the year so far needs no year
    short = short or (now is not None and value[:4] == str(now.year) and rng.random() < _AS_WORD)
    day = _say_day(date.fromisoformat(value[:10]), language, rng, short=short)
    if clock and language == "zh" and day.isascii():  # nobody says 2024-03-01下午3点
        clock = f" {value[11:16]}" if value.endswith(":00") else f" {value[11:]}"
    return Saying(f"{day}{clock}")


def _word(number: Fraction, language: str) -> str | None:
    if number.denominator != 1 or not 1 < number < 100:
        return None
    tens, ones = divmod(int(number), 10)
    if language == "zh":
        return ("" if tens == 0 else "十" if tens == 1 else f"{_CHINESE[tens]}十") + (_CHINESE[ones] if ones else "")
    if int(number) in _ENGLISH:
        return _ENGLISH[int(number)]
    return f"{_ENGLISH[10 * tens]} {_ENGLISH[ones]}"


def _from_now(value: str, how: How, now: datetime, language: str, rng: random.Random) -> str | None:
    said = say_relative(value, how, now=now, language=language, rng=rng)
    if said is None or rng.random() >= _AS_WORD:
        return said
    word = sub(r"\d+", lambda m: _word(Fraction(m[0]), language) or m[0], said)
    return sub("二(?=个|小|天)(?<!十二)", "两", word)


def _say_day(day: date, language: str, rng: random.Random, *, short: bool) -> str:
    iso = f"{day:%Y-%m-%d}"
    if language == "zh":
        forms = [iso, f"{day.year}年{day.month}月{day.day}日", f"{day.year % 100}年{day.month}月{day.day}号"]
        shorts = [f"{day.month}月{day.day}日", f"{day.month}月{day.day}号"]
    else:
        forms = [iso, f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}"]
        shorts = [f"{day.day} {day:%B}", f"{day:%B} {day.day}", f"{day:%b} {day.day}"]
    return rng.choice(shorts if short else forms)


def _say_clock(moment: datetime, language: str, rng: random.Random) -> str:
    hour, minute = moment.hour, moment.minute
    plain_form = f" {moment:%H:%M}"
    if moment.second or minute not in {0, 30}:
        return f" {moment:%H:%M:%S}" if moment.second else plain_form
    if language == "zh":
        part = next(name for end, name in _DAYPARTS if hour < end)
        said = f"{part}{hour - 12 if hour > 12 else hour}点{'半' if minute else ''}"
        return rng.choice((plain_form, said, f"{hour}点{'30分' if minute else '整'}"))
    return rng.choice(
        (plain_form, f", {moment:%H:%M}", f" {hour % 12 or 12}:{moment:%M} {'am' if hour < 12 else 'pm'}")
    )


_RECENT = 0.3  # how often a day or moment is drawn from the last week
_SHORT = 0.4  # how often a year is left out that another time of the question says


class NothingFits(LookupError):
    """The values drawn so far leave no candidate for a slot; other ones may."""


@dataclass(frozen=True)
class Filling:
    """A value as the question says it and as SQL has it; ``how`` it is said, see `rules.Values`."""

    say: str
    sql: str
    how: str = ""
    relative: bool = False


@dataclass
class Fills:
    """Draws values for the slots of one domain's prototypes in one language.

    Attributes:
        rules: the domain's ``[fill]`` table.
        entities: of the domain, said in this language.
        language: zh or en.
        now: of the domain.
        database: asked by rules that are queries; None if there is none.
    """

    rules: Mapping[str, Rule]
    entities: Sequence[Entity]
    language: str
    now: datetime | None = None
    database: Database | None = None
    _asked: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def __post_init__(self) -> None:
        self._orders: dict[str, list[str]] = {}
        self._says: dict[str, dict[str, tuple[str, ...]]] = {}
        for entity in self.entities:
            self._says.setdefault(entity.type, {}).setdefault(entity.sql, entity.says or (entity.sql,))

    def draw(self, prototype: Prototype, rng: random.Random) -> dict[str, Filling]:
        """Return a filling for each slot of the prototype's query.

        Values of one type differ. A time is later than the times drawn before it, a number of the same rule larger
        than those drawn before it.

        Raises:
            NothingFits: a slot has no candidate that goes with the others.
            DomainError: a rule is unknown or missing, or its query does not run.
        """
        if prototype.id not in self._orders:
            self._orders[prototype.id] = self._order(prototype)
        drawn: dict[str, Filling] = {}
        for slot in self._orders[prototype.id]:
            rule = self._rule(prototype, slot)
            choices = [c for c in self._choices(prototype, slot, drawn) if _follows(c, prototype, slot, drawn)]
            if not choices:
                raise NothingFits(slot)
            how = rule.how if isinstance(rule, Values) else ""
            choices = self._recent(choices, how, rng) if type_of(slot) == "time" else choices
            try:
                drawn[slot] = self._said(slot, rng.choice(choices), how, drawn, rng)
            except ValueError as error:
                raise prototype.error(str(error), field=f"fill.{slot}") from error
        return drawn

    def _order(self, prototype: Prototype) -> list[str]:
        """Slots that a rule's query mentions come before the slot it fills."""
        left = sorted(slots(prototype.sql), key=lambda s: (s.startswith("number"), s))
        order: list[str] = []
        while left:
            for slot in left:
                rule = self._rule(prototype, slot)
                needs = set(slots(_query(prototype, slot, rule))) if isinstance(rule, Queries) else set[str]()
                if not needs & set(left):
                    break
            else:
                raise prototype.error("the queries that fill its slots wait for one another", field="fill")
            left.remove(slot)
            order.append(slot)
        return order

    def _rule(self, prototype: Prototype, slot: str) -> Queries | Values | None:
        """Return what fills a slot, None for any entity of its type."""
        kind, rule = type_of(slot), prototype.fill.get(slot)
        if rule is None and kind in NAMES:
            known = ", ".join((*NAMES[kind], *self.rules))
            raise prototype.error("nothing tells how to fill it", field=f"fill.{slot}", hint=f"use one of {known}")
        if not isinstance(rule, Named):
            return rule
        found = self.rules.get(rule.name) or generic(kind, rule.name, self.now)
        if found is None or isinstance(found, Named):
            known = (*NAMES.get(kind, ()), *self.rules)
            hint = did_you_mean(rule.name, known) or f"known: {', '.join(known) or 'none'}"
            hint = "say now = … in domain.toml" if rule.name in NAMES.get(kind, ()) else hint
            raise prototype.error(f"no way {rule.name!r} to fill it", field=f"fill.{slot}", hint=hint)
        return found

    def _choices(self, prototype: Prototype, slot: str, drawn: Mapping[str, Filling]) -> Sequence[str]:
        rule = self._rule(prototype, slot)
        if isinstance(rule, Values):
            return rule.values
        if isinstance(rule, Queries):
            return self._ask(prototype, slot, _query(prototype, slot, rule), drawn)
        kind = type_of(slot)
        if kind not in self._says:
            hint = did_you_mean(kind, self._says) or "see the entities"
            raise prototype.error(f"there are no entities of type {kind!r}", field=f"fill.{slot}", hint=hint)
        return tuple(self._says[kind])

    def _recent(self, times: Sequence[str], how: str, rng: random.Random) -> Sequence[str]:
        """Keep the days that are said from now, every now and then: people ask for them most."""
        if self.now is None or how or rng.random() >= _RECENT:
            return times
        first = str(self.now.date() - timedelta(days=6))
        return [time for time in times if first <= time <= str(self.now)] or times

    def _said(self, slot: str, value: str, how: str, drawn: Mapping[str, Filling], rng: random.Random) -> Filling:
        kind = type_of(slot)
        if kind == "number":
            return Filling(say_number(value, how, language=self.language, rng=rng), value, how)
        if kind != "time":
            return Filling(rng.choice(self._says.get(kind, {}).get(value, (value,))), value)
        others = [other for name, other in drawn.items() if type_of(name) == kind]
        year_said = any(other.sql[:4] == value[:4] and not other.relative and not other.how for other in others)
        short = year_said and rng.random() < _SHORT
        said = say_time(value, how, language=self.language, now=self.now, rng=rng, short=short)
        return Filling(said.text, value, how, said.relative)

    def _ask(self, prototype: Prototype, slot: str, text: str, drawn: Mapping[str, Filling]) -> tuple[str, ...]:
        sql = SLOT.sub(lambda m: drawn[m[1] + m[2]].sql.replace("'", "''"), text)
        if sql not in self._asked:
            field = f"fill.{slot}"
            if self.database is None:
                raise prototype.error("a query fills it, and the domain has no database", field=field)
            try:
                found = self.database.query(sql)
            except DatabaseError as error:
                raise prototype.error(f"its query does not run: {error.problem}", field=field) from error
            if found.truncated:
                raise prototype.error("its query finds too many values", field=field, hint="narrow it, write DISTINCT")
            self._asked[sql] = tuple(sorted({_text(row[0]) for row in found.rows if row[0] is not None}))
        return self._asked[sql]


def type_of(slot: str) -> str:
    """Return the type of a slot: ``tag`` of ``tag0``."""
    return slot.rstrip("0123456789")


def _query(prototype: Prototype, slot: str, rule: Queries) -> str:
    there = set(slots(prototype.sql)) - {slot}
    for text in rule.texts:
        if set(slots(text)) <= there:
            return text
    missing = sorted(set(slots(rule.texts[-1])) - there)
    raise prototype.error(f"its query needs {missing[0]}, which the prototype has not", field=f"fill.{slot}")


def _follows(value: str, prototype: Prototype, slot: str, drawn: Mapping[str, Filling]) -> bool:
    """May this value come after those drawn?"""
    kind = type_of(slot)
    before = {name: other.sql for name, other in drawn.items() if type_of(name) == kind}
    if kind == "time":
        return all(value > other for other in before.values())
    if value in before.values():
        return False
    rule = prototype.fill.get(slot)
    alike = [other for name, other in before.items() if kind == "number" and prototype.fill.get(name) == rule]
    return all((value_of(value) or 0) > (value_of(other) or 0) for other in alike)


def _text(cell: object) -> str:
    """Return a cell as SQL text: 420.0 is 420."""
    if isinstance(cell, str):
        return cell
    number = value_of(str(cell))
    return str(cell) if number is None else plain(number)
