"""The form in which cells and questions are compared: words without case, accents, punctuation and blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["IndexWord", "fold", "is_cjk", "key_of", "near_enough", "question_words", "terms_of", "words_of"]

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|\d+(?:\.\d+)*|[^\W\d_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_MARKS = re.compile("[\u0300-\u036f]")  # accents; other scripts' marks make other letters
_TYPO_FROM, _TYPO_TO = 5, 48  # letters of a key in which one typo is forgiven


@dataclass(frozen=True)
class IndexWord:
    """One word of a question: a CJK character, a run of letters or of digits.

    Attributes:
        text: as written.
        key: folded.
        start: first character in the question.
        end: one past the last character.
        opens: nothing that is part of the same word touches it on the left.
        closes: likewise on the right.
    """

    text: str
    key: str
    start: int
    end: int
    opens: bool
    closes: bool

    @property
    def capital(self) -> bool:
        """Begins with a capital letter."""
        return self.text[0].isupper()


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


def question_words(question: str) -> list[IndexWord]:
    """Cut a question into words, in order."""
    found: list[IndexWord] = []
    for match in _WORD.finditer(question):
        start, end = match.span()
        free = is_cjk(match[0])
        found.append(
            IndexWord(
                match[0],
                fold(match[0]),
                start,
                end,
                opens=free or not _joined(question, start - 1),
                closes=free or not _joined(question, end),
            )
        )
    return found


def _joined(question: str, position: int) -> bool:
    """Is there a letter or digit that makes one word with its neighbour?"""
    if not 0 <= position < len(question):
        return False
    sign = question[position]
    return (sign.isalnum() or sign == "_") and not is_cjk(sign)
