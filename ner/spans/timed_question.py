"""A question as times are read from it: words, numbers, dates, and the clock."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from ...data.values.literals import narrow
from ...data.values.numerals import ENGLISH_CARDINALS, ENGLISH_ORDINALS, chinese_number
from ..language.question import QuestionText
from ..language.words import Unit, units

_FIRST = (
    "month weak_month weekdays weak_weekdays unit which rolling named_day named_year named_ordinal half_a_year counts "
    "letter some_of ago_bound age_bound edge vague fiscal fiscal_behind year_before last_century to_date_letters "
    "so_far fixed_part article each day_part"
)
"""The tables whose phrases a period may begin with."""

Phrases: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], Any]]]
"""By the first word the phrases that begin with it, the longest first, each with what it means."""

Matched: TypeAlias = tuple[Any, ...] | None
"""What the parts of a pattern mean, then the position behind it; None where the pattern does not match."""


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
def _beginnings() -> frozenset[str]:
    """Return the words that a period may begin with, beside numbers and dates."""
    words = {word for table in _FIRST.split() for word in phrases()[table]}
    return frozenset({*words, *ENGLISH_CARDINALS, *ENGLISH_ORDINALS, "第", "'", "’"})


@cache
def _parts(pattern: str) -> tuple[tuple[bool, bool, tuple[str, ...]], ...]:
    """Return the parts of a pattern: is it literal words, may it be left out, its words or tables."""
    bare_parts = (part.removesuffix("?") for part in pattern.split())
    return tuple(
        (bare.startswith("="), part.endswith("?"), tuple(bare.removeprefix("=").split("|")))
        for part, bare in zip(pattern.split(), bare_parts, strict=True)
    )


_NUMERALS = frozenset("零〇○一二两三四五六七八九十百千0123456789")
_ORDINAL_ENDS = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True)
class TimeToken:
    """One word, CJK character, number or date.

    Attributes:
        text: in lower case; empty of the token that stands for what is past the ends of a question.
        start: its first character in the question.
        end: one past the last.
        number: of digits or numerals, None of other words.
        time: a date or time of day in ISO form, as `literals.find` returns it; else empty.
    """

    text: str
    start: int
    end: int
    number: int | None = None
    time: str = ""

    @property
    def chinese(self) -> bool:
        """Is it written in other letters than English ones?"""
        return not self.text.isascii()

    @property
    def is_date(self) -> bool:
        """Is it a date, and no time of day?"""
        return self.time != "" and self.time[2:3] != ":"


_NOTHING = TimeToken("", -1, -2)


class TimedQuestion:
    """The tokens of a question with the clock; readers of times look at them from a position on.

    Args:
        question: what is read.
        now: the time that «yesterday» is relative to.
        fiscal_month: in which fiscal years begin.
    """

    def __init__(self, question: QuestionText, *, now: datetime, fiscal_month: int) -> None:
        self.text, self.now, self.fiscal_month = question.text, now, fiscal_month
        self.tokens = list(_tokens(question))
        self._tables, self._beginnings = phrases(), _beginnings()

    def token(self, i: int) -> TimeToken:
        """Return the token at a position, an empty one past the ends."""
        return self.tokens[i] if 0 <= i < len(self.tokens) else _NOTHING

    def written(self, i: int, behind: int) -> str:
        """Return the characters from one token up to another, as the question has them."""
        return self.text[self.tokens[i].start : self.tokens[behind - 1].end]

    def begins(self, i: int) -> bool:
        """May a period begin here?"""
        token = self.token(i)
        return token.number is not None or token.time != "" or token.text in self._beginnings

    def match(self, i: int, table: str) -> tuple[Any, int] | None:
        """Return what the longest phrase of a table that begins here means, and the position behind it."""
        first = self.token(i).text
        if first == "下" and self.is_text(i - 1, "一"):  # 看一下 means no «next»
            return None
        for words, meaning in self._tables[table].get(first, ()):
            end = i + len(words)
            if len(words) == 1 or (
                end <= len(self.tokens) and all(self.tokens[i + n].text == word for n, word in enumerate(words))
            ):
                return meaning, end
        return None

    def seq(self, i: int, pattern: str) -> Matched:
        """Match parts one behind the other, and return what each table and number means, then the position behind.

        A part is the name of a table, ``#`` for a number, ``nth`` for an ordinal, ``year`` for a number of four digits,
        or behind ``=`` a word as it stands; ``|`` parts alternatives, of which the first that matches counts. A word,
        and a part with ``?`` behind it, which may be missing, returns nothing.

        >>> timed = TimedQuestion(QuestionText("two days before"), now=datetime(2024, 3, 31), fiscal_month=1)
        >>> timed.seq(0, "# unit =before")
        (2, 'day', 3)
        """
        found: list[Any] = []
        for literal, optional, names in _parts(pattern):
            if literal:
                one = (True, i + 1) if self.token(i).text in names and i < len(self.tokens) else None
            else:
                one = None
                for name in names:
                    if one := self._one(i, name):
                        break
            if one is None:
                if optional:
                    continue
                return None
            if not literal and not optional:
                found.append(one[0])
            i = one[1]
        return (*found, i)

    def _one(self, i: int, name: str) -> tuple[Any, int] | None:
        if name == "year":
            token = self.token(i)
            return (token.number, i + 1) if token.number and len(token.text) == 4 else None
        return self.number(i) if name == "#" else self.ordinal(i) if name == "nth" else self.match(i, name)

    def skip(self, i: int, *tables: str) -> int:
        """Return the position behind a phrase of each table in turn, ``i`` itself if there is none."""
        for table in tables:
            i = found[1] if (found := self.match(i, table)) else i
        return i

    def follows(self, i: int, *tables: str) -> bool:
        """Does a phrase of one of the tables end right before this position?"""
        return any(
            (found := self.match(i - n, table)) is not None and found[1] == i for table in tables for n in (1, 2, 3)
        )

    def number(self, i: int) -> tuple[int, int] | None:
        """Return the number in digits, numerals or English words here, and the position behind it."""
        token = self.token(i)
        if token.number is not None:
            return token.number, i + 1
        tens = ENGLISH_CARDINALS.get(token.text)
        if tens is None:
            return None
        after = i + 1 + self.is_text(i + 1, "-")
        ones = ENGLISH_CARDINALS.get(self.token(after).text, 0)
        return (tens + ones, after + 1) if tens >= 20 and 0 < ones < 10 else (tens, i + 1)

    def ordinal(self, i: int) -> tuple[int, int] | None:
        """Return the number of an ordinal, «third», «3rd», 第三, and the position behind it; -1 for the last one."""
        token, behind = self.token(i), self.token(i + 1)
        if token.text == "第":
            return self.number(i + 1)
        if (n := ENGLISH_ORDINALS.get(token.text)) is not None:
            return n, i + 1
        if token.number is not None:
            return (token.number, i + 2) if behind.start == token.end and behind.text in _ORDINAL_ENDS else None
        return self.match(i, "named_ordinal")

    def touches(self, i: int, *, left: str = "", right: str = "") -> bool:
        """Does a letter, digit or one of some signs touch a token on the left or on the right?"""
        token = self.tokens[i]
        before, behind = self.text[token.start - 1 : token.start], self.text[token.end : token.end + 1]
        letter = any(c.isascii() and (c.isalnum() or c == "_") for c in (before, behind) if c)
        return letter or bool(before and before in left) or bool(behind and behind in right)

    def is_text(self, i: int, *texts: str) -> bool:
        """Is the token at a position one of these words?"""
        return self.token(i).text in texts


def _tokens(question: QuestionText) -> Iterator[TimeToken]:
    """Yield the units of a question, dates and runs of numerals as one."""
    text, i = narrow(question.text), 0
    cut = question.units if text == question.text else units(text)
    rest = [(one.start, one.end, one.sql) for one in question.literals if one.type == "time"]
    while i < len(cut):
        unit, j = cut[i], i
        while rest and rest[0][1] <= unit.start:
            rest.pop(0)
        if rest and rest[0][0] <= unit.start:
            start, end, value = rest.pop(0)
            yield TimeToken(text[start:end].lower(), start, end, time=value)
            while i < len(cut) and cut[i].start < end:
                i += 1
            continue
        j += _solid(cut, i)
        solid = j > i
        while (
            not solid
            and j < len(cut)
            and _NUMERALS.issuperset(cut[j].text)
            and (j == i or cut[j].start == cut[j - 1].end)
        ):
            j += 1
        word = text[unit.start : cut[max(j, i + 1) - 1].end]
        number = _whole(word) if j > i and not solid else None
        yield TimeToken(word if j > i else word.lower(), unit.start, unit.start + len(word), number)
        i = max(j, i + 1)


def _solid(cut: list[Unit], i: int) -> int:
    """Return how many units from here on are a word whose characters are no time: 目前."""
    for words, _ in phrases()["solid"].get(cut[i].text, ()):
        if all(i + n < len(cut) and cut[i + n].text == word for n, word in enumerate(words)):
            return len(words)
    return 0


def _whole(text: str) -> int | None:
    """Return the value of a whole number of a length that times have."""
    if text.isdigit() and text.isascii():
        return int(text) if len(text) <= 6 else None
    value = chinese_number(text)
    return int(value) if value is not None and value.denominator == 1 else None
