"""A question as times are read from it: words, numbers, dates, and the clock."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from ...data.values.literals import narrow
from ...data.values.numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS, chinese_number
from ...data.values.times import find_times
from ..language.words import Unit, units

__all__ = ["TimedQuestion"]

# tables whose phrases may stand first in a period
_FIRST = (
    *("month", "weak_month", "weekdays", "weak_weekdays", "unit", "which", "rolling", "named_day", "named_year"),
    *(
        "named_ordinal",
        "half_a_year",
        "counts",
        "letter",
        "some_of",
        "ago_bound",
        "age_bound",
        "edge",
        "vague",
        "fiscal",
    ),
    *(
        "fiscal_behind",
        "year_before",
        "last_century",
        "to_date_letters",
        "so_far",
        "fixed_part",
        "article",
        "each",
        "day_part",
    ),
)

Phrases: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], Any]]]
"""By the first word the phrases that begin with it, the longest first, each with what it means."""


@cache
def phrases() -> Mapping[str, Phrases]:
    """Return every table of words by its name, those of both languages together, since questions mix them."""
    tables: dict[str, dict[str, list[tuple[tuple[str, ...], Any]]]] = {}
    for file in ("en.toml", "zh.toml"):
        for name, words in tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8")).items():
            table = tables.setdefault(name, {})
            for phrase, meaning in words.items() if isinstance(words, dict) else ((word, True) for word in words):
                cut = tuple(unit.text for unit in units(phrase))
                table.setdefault(cut[0], []).append((cut, meaning))
    for table in tables.values():
        for found in table.values():
            found.sort(key=lambda one: -len(one[0]))
    return tables


@cache
def beginnings() -> frozenset[str]:
    """Return the words that a period may begin with, beside numbers and dates."""
    words = {word for table in _FIRST for word in phrases()[table]}
    return frozenset({*words, *ENGLISH_CARDINALS, *ENGLISH_ORDINALS, "第", "'", "’"})


_NUMERALS = frozenset("零〇○一二两三四五六七八九十百千0123456789")
_ORDINAL_ENDS = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True)
class TimeToken:
    """One word, CJK character, number or date.

    Attributes:
        text: in lower case.
        start: its first character in the question.
        end: one past the last.
        number: of digits or numerals, None of other words.
        time: a date or time of day in ISO form, as `find_times` returns it; else empty.
    """

    text: str
    start: int
    end: int
    number: int | None = None
    time: str = ""


class TimedQuestion:
    """The tokens of a question with the clock; readers of times look at them from a position on.

    Args:
        text: the question as written.
        month_first: read ``8/12/2013`` as 12 August.
        now: the moment that «yesterday» is seen from.
        fiscal_month: in which fiscal years begin.
    """

    def __init__(self, text: str, *, month_first: bool, now: datetime, fiscal_month: int) -> None:
        self.text, self.now, self.fiscal_month = text, now, fiscal_month
        plain = narrow(text)
        self.tokens = list(_tokens(plain, find_times(plain, month_first=month_first)))
        self._tables, self._beginnings = phrases(), beginnings()

    def token(self, i: int) -> TimeToken | None:
        """Return the token at a position, None past the ends."""
        return self.tokens[i] if 0 <= i < len(self.tokens) else None

    def begins(self, i: int) -> bool:
        """May a period begin here?"""
        token = self.token(i)
        return token is not None and (token.number is not None or token.time != "" or token.text in self._beginnings)

    def match(self, i: int, table: str) -> tuple[Any, int] | None:
        """Return what the longest phrase of a table that begins here means, and the position behind it."""
        if not 0 <= i < len(self.tokens) or (self._is(i, "下") and self._is(i - 1, "一")):  # 看一下 says no «next»
            return None
        for words, meaning in self._tables[table].get(self.tokens[i].text, ()):
            end = i + len(words)
            if len(words) == 1 or (
                end <= len(self.tokens) and all(self.tokens[i + n].text == word for n, word in enumerate(words))
            ):
                return meaning, end
        return None

    def skip(self, i: int, table: str) -> int:
        """Return the position behind a phrase of a table, ``i`` itself if there is none."""
        found = self.match(i, table)
        return i if found is None else found[1]

    def follows(self, i: int, table: str) -> bool:
        """Does a phrase of the table end right before this position?"""
        return any((found := self.match(i - n, table)) is not None and found[1] == i for n in (1, 2, 3))

    def number(self, i: int) -> tuple[int, int] | None:
        """Return the number that digits, numerals or English words say here, and the position behind it."""
        token = self.token(i)
        if token is None:
            return None
        if token.number is not None:
            return token.number, i + 1
        tens = ENGLISH_CARDINALS.get(token.text)
        if tens is None:
            return None
        after = i + 1 + (self._is(i + 1, "-"))
        ones = ENGLISH_CARDINALS.get(self.tokens[after].text, 0) if after < len(self.tokens) else 0
        return (tens + ones, after + 1) if tens >= 20 and 0 < ones < 10 else (tens, i + 1)

    def ordinal(self, i: int) -> tuple[int, int] | None:
        """Return which one «third», «3rd» or 第三 says, and the position behind it; -1 for the last one."""
        token = self.token(i)
        if token is None:
            return None
        if token.text == "第":
            return self.number(i + 1)
        if (n := ENGLISH_ORDINALS.get(token.text)) is not None:
            return n, i + 1
        if token.number is not None:
            behind = self.token(i + 1)
            touches = behind is not None and behind.start == token.end and behind.text in _ORDINAL_ENDS
            return (token.number, i + 2) if touches else None
        return self.match(i, "named_ordinal")

    def touches(self, i: int, *, left: str = "", right: str = "") -> bool:
        """Does a letter, digit or one of some signs touch a token on the left or on the right?"""
        token = self.tokens[i]
        before, behind = self.text[token.start - 1 : token.start], self.text[token.end : token.end + 1]
        letter = [c.isascii() and (c.isalnum() or c == "_") for c in (before, behind) if c]
        return any(letter) or bool(before and before in left) or bool(behind and behind in right)

    def _is(self, i: int, text: str) -> bool:
        token = self.token(i)
        return token is not None and token.text == text

    def is_text(self, i: int, *texts: str) -> bool:
        """Is the token at a position one of these words?"""
        token = self.token(i)
        return token is not None and token.text in texts


def _tokens(text: str, times: list[tuple[int, int, str]]) -> Iterator[TimeToken]:
    """Yield the units of a question, dates and runs of numerals as one."""
    cut, i, rest = units(text), 0, list(times)
    while i < len(cut):
        unit = cut[i]
        while rest and rest[0][1] <= unit.start:
            rest.pop(0)
        if rest and rest[0][0] <= unit.start:
            start, end, value = rest.pop(0)
            yield TimeToken(text[start:end].lower(), start, end, time=value)
            while i < len(cut) and cut[i].start < end:
                i += 1
            continue
        if (n := _solid(cut, i)) > 0:
            yield TimeToken(text[unit.start : cut[i + n - 1].end], unit.start, cut[i + n - 1].end)
            i += n
            continue
        j = i
        while j < len(cut) and _NUMERALS.issuperset(cut[j].text) and cut[j].start == cut[i].start + _length(cut, i, j):
            j += 1
        if j == i:
            yield TimeToken(unit.text.lower(), unit.start, unit.end)
            i += 1
            continue
        start, end = unit.start, cut[j - 1].end
        yield TimeToken(text[start:end], start, end, number=_whole(text[start:end]))
        i = j


def _solid(cut: list[Unit], i: int) -> int:
    """Return how many units from here on are a word whose signs say no time: 目前."""
    for words, _ in phrases()["solid"].get(cut[i].text, ()):
        if all(i + n < len(cut) and cut[i + n].text == word for n, word in enumerate(words)):
            return len(words)
    return 0


def _length(cut: list[Unit], i: int, j: int) -> int:
    return cut[j - 1].end - cut[i].start if j > i else 0


def _whole(text: str) -> int | None:
    """Return the value of a whole number of a length that times have."""
    if text.isdigit() and text.isascii():
        return int(text) if len(text) <= 6 else None
    value = chinese_number(text)
    return int(value) if value is not None and value.denominator == 1 else None
