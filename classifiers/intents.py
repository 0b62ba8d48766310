"""What a question asks for in words that stand for no column: one typed object, read once.

So far that is a share («what percentage of the nurses work at night»): of all that was read off a question's words in
two languages it alone gave right answers to questions that nobody of this project wrote (docs/results.md, «Rules on
words»). The words are data, a TOML file a language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Intents", "ShareAsked", "read_intents"]

_HAN = r"[\u3400-\u9fff]"
_TOUCHING = re.compile(r"[\s-]*")
"""What may stand between a part and the word that asks for its share right behind it."""


@dataclass(frozen=True)
class ShareAsked:
    """A word that asks for a share.

    Attributes:
        start, end: where it stands in the question.
        word: the word.
        percent: is it one of a hundred?
        ratio: is it of one part to another?
        leading: is its part said behind it?
        whole: what the question says where the whole may be named, in small letters; empty where it names none.
    """

    start: int
    end: int
    word: str
    percent: bool
    ratio: bool
    leading: bool
    whole: str


@dataclass(frozen=True)
class Intents:
    """What a question asks for.

    Attributes:
        text: of the question.
        language: of it.
        shares: words that may ask for a share, in their order.
        grouped: may a value for each of several be asked for?
    """

    text: str
    language: str
    shares: tuple[ShareAsked, ...]
    grouped: bool

    def asks_share(self, values: Iterable[tuple[int, int]]) -> bool:
        """Is a share asked for by a word that belongs to no value of the question, each a (start, end)?"""
        spans = list(values)
        return any(all(one.end <= start or end <= one.start for start, end in spans) for one in self.shares)

    def names_share(self, name: str) -> bool:
        """Is something called a share by its name, in plain words?"""
        asks = _cues(self.language).asks
        return asks.search(name) is not None

    def narrows(self, start: int) -> bool:
        """Does what begins there say which rows the whole is, as «in Oslo»?"""
        return _cues(self.language).narrowing.search(self.text, 0, start) is not None

    def against(self, end: int, start: int) -> bool:
        """Are what ends and what begins there held against each other, as «women to men»?"""
        return _cues(self.language).against.fullmatch(self.text, end, start) is not None

    def meets(self, end: int, share: ShareAsked) -> bool:
        """Is what ends there the part of a share that is asked for behind it, as «churn rate»?"""
        cues = _cues(self.language)
        between = _TOUCHING if share.word in cues.touched else cues.before
        return between.fullmatch(self.text, end, share.start) is not None


def read_intents(question: str, language: str) -> Intents:
    """Read a question in one of `LANGUAGES`."""
    cues = _cues(language)
    shares = tuple(
        ShareAsked(
            found.start(),
            found.end(),
            word := found[0].lower(),
            word in cues.percent,
            word in cues.ratio,
            cues.leading is not None and cues.leading.match(question, found.start()) is not None,
            cues.whole_of(question, found).casefold(),
        )
        for found in cues.asks.finditer(question)
    )
    return Intents(question, language, shares, cues.grouped.search(question) is not None)


@dataclass(frozen=True)
class _Cues:
    """The cues of one language, compiled."""

    grouped: re.Pattern[str]
    asks: re.Pattern[str]
    percent: frozenset[str]
    ratio: frozenset[str]
    touched: frozenset[str]
    leading: re.Pattern[str] | None
    whole: re.Pattern[str]
    narrowing: re.Pattern[str]
    against: re.Pattern[str]
    before: re.Pattern[str]
    behind: bool

    def whole_of(self, question: str, asked: re.Match[str]) -> str:
        """Return what a question says where the whole of a share may be named."""
        if self.behind:
            found = self.whole.match(question, asked.end())
            return question[found.end() :] if found else ""
        found = self.whole.search(question, 0, asked.start())
        return question[found.end() : asked.start()].removesuffix("的") if found else ""


@cache
def _cues(language: str) -> _Cues:
    file = resources.files(__package__ or __name__) / f"cues_{language}.toml"
    told = tomllib.loads(file.read_text("utf-8"))
    return (_chinese if language == "zh" else _english)(told["share"], told["grouped"]["asks"])


def _english(share: dict[str, list[str]], grouped: list[str]) -> _Cues:
    filling = rf"(?:{_any(share['filling'])})\s+"
    return _Cues(
        grouped=_pattern(rf"\b(?:{_any(grouped)})\b"),
        asks=_pattern(rf"\b(?:{_any(share['asks'])})\b"),
        leading=_pattern(rf"(?:{_any(share['leading'])})\b"),
        whole=_pattern(rf"\s{{0,9}}(?:{_any(share['whole'])})\s+(?:{filling}){{0,2}}"),
        narrowing=_pattern(rf"\b(?:{_any(share['narrowing'])})\s+(?:{filling})?$"),
        against=_pattern(rf"\s*(?:\w{{1,30}}\s+)?(?:{_any(share['against'])})\s+(?:{filling})?"),
        before=_TOUCHING,
        behind=True,
        **_words(share),
    )


def _chinese(share: dict[str, list[str]], grouped: list[str]) -> _Cues:
    never = "".join(share["never_behind"])
    return _Cues(
        grouped=_pattern(_any(grouped)),
        asks=_pattern(rf"(?<![{never}])(?:{_any(share['asks'])})"),
        leading=None,
        whole=_pattern(rf"(?:{_any(share['whole'])})(?:{_any(share['filling'])}){{0,2}}"),
        narrowing=_pattern(rf"(?:{_any(share['narrowing'])})$"),
        against=_pattern(rf"\s*\w{{0,2}}(?:{_any(share['against'])})?"),
        before=_pattern(rf"[\s-]*|{_HAN}{{0,4}}|{_HAN}{{0,4}}(?:{_any(share['whole'])}){_HAN}+"),
        behind=False,
        **_words(share),
    )


def _words(share: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    return {
        "percent": frozenset(share["percent"]),
        "ratio": frozenset(share["ratio"]),
        "touched": frozenset(share["touching"]),
    }


def _any(words: Iterable[str]) -> str:
    """Return an alternation, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
