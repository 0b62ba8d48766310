"""Words: how texts are cut, folded and stemmed, so that cells and questions compare; words that name nothing."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese, Japanese and Korean characters, as a set of a regular expression."""

_WORD = re.compile(rf"[{CJK}]|\d+(?:\.\d+)*|[^\W\d_{CJK}]+")
_IS_CJK = re.compile(rf"[{CJK}]")
_MARKS = re.compile("[\u0300-\u036f]")  # accents; other scripts' marks make other letters
_TYPO_FROM, _TYPO_TO = 5, 48  # letters of a key in which one typo is forgiven


def fold(text: str) -> str:
    """Return ``text`` without case, accents and width.

    >>> fold("Málaga ＡＢ")
    'malaga ab'
    """
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain).casefold()


def words_of(text: str) -> list[str]:
    """Return the folded words of a cell; one of signs alone is a word by itself.

    >>> words_of("St. John's, A-320")
    ['st', 'john', 's', 'a', '320']
    """
    folded = fold(text)
    return _WORD.findall(folded) or folded.split()


def key_of(words: Sequence[str]) -> str:
    """Return what cells are looked up by, so that «U.S.A.» is «USA» and «New York» is «new-york»."""
    return "".join(words)


def terms_of(words: Sequence[str]) -> list[str]:
    """Return what a run of words inside a cell is looked up by: words, and pairs of CJK characters side by side.

    >>> terms_of(["a", "北", "京", "站"])
    ['a', '北京', '京站']
    """
    cjk = [is_cjk(word) for word in words]
    found: list[str] = []
    for n, word in enumerate(words):
        if not cjk[n]:
            found.append(word)
        elif n + 1 < len(words) and cjk[n + 1]:
            found.append(word + words[n + 1])
        elif n == 0 or not cjk[n - 1]:
            found.append(word)
    return found


def near_enough(key: str) -> bool:
    """Is a typo in this key forgiven: letters or characters alone, and enough of them?"""
    return _TYPO_FROM <= len(key) <= _TYPO_TO and key.isalpha()


def is_cjk(text: str) -> bool:
    """Does ``text`` hold Chinese, Japanese or Korean characters?"""
    return _IS_CJK.search(text) is not None


_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_CJK_LETTER = re.compile(r"[\u3400-\u9fff]")


def stem(word: str) -> str:
    """Return an English word without its commonest endings, lower-cased; other words as they are, lower-cased.

    >>> [stem(w) for w in ("Cities", "classes", "ordered", "rating", "ratings", "airlines", "gas")]
    ['city', 'class', 'order', 'rat', 'rat', 'airline', 'gas']
    """
    word = word.lower()
    if _CJK_LETTER.search(word) or len(word) < 4:
        return word
    for ending, put in _ENDINGS:
        if word.endswith(ending):
            word = word[: -len(ending)] + put
            break
    for ending in ("s", "ing", "ed"):  # of «paintings» both
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
    return word


_UNIT = re.compile(rf"[{CJK}]|\d+(?:\.\d+)*|[^\W\d_{CJK}]+|\S")


@dataclass(frozen=True)
class Unit:
    """One CJK character, word, run of digits (dots inside kept) or other sign; ``text`` as written."""

    text: str
    start: int
    end: int


def units(question: str) -> list[Unit]:
    """Cut a question into units, in order; white space is in none of them.

    >>> [u.text for u in units("患者78591362, Top10 at 7.5")]
    ['患', '者', '78591362', ',', 'Top', '10', 'at', '7.5']
    """
    return [Unit(match[0], match.start(), match.end()) for match in _UNIT.finditer(question)]


def stems_of(text: str) -> list[str]:
    """Return the stems of a text's units."""
    return [stem(unit.text) for unit in units(text)]


_WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

STOP_WORDS, STOP_CJK = frozenset(_WORDS["stop_words"].split()), frozenset(_WORDS["stop_words_zh"].split())
SCHEMA_STOP_WORDS = frozenset(_WORDS["schema_stop_words"].split())

FUNCTION_WORDS_CJK = re.compile("|".join(sorted(_WORDS["function_words"].split(), key=len, reverse=True)))
"""Function words of Chinese; of those that begin at one place it finds the longest."""


def meanings_of(folded: str) -> tuple[str, ...]:
    """Return what a cell may say for folded words.

    >>> meanings_of("french")
    ('France',)
    """
    return tuple(_WORDS["meanings"].get(folded, ()))
