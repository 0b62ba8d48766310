"""The form in which cells and questions are compared: words without case, accents, punctuation and blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["CJK", "fold", "is_cjk", "key_of", "near_enough", "terms_of", "words_of"]

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
