"""Say numbers and times in Chinese or English, as people would, in several ways."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from re import sub

from ...data.values.numerals import ENGLISH_CARDINALS, plain
from ...data.values.relative_times import How, say_relative

__all__ = ["Saying", "say_number", "say_time"]


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
