"""What rows are that a flag says yes of: active, with a locker, on leave, or marked as something."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .facts import ColumnFacts

FlagKind: TypeAlias = Literal["adj", "in", "has", "marked"]
"""``adj``: active; ``in``: on leave, in stock; ``has``: a locker; ``marked``: whatever else the column is called."""

_ADJECTIVES = re.compile(r".{2,}(?:ed|ing|ive|able|ent|ant|ful|ous|al|ary)|open|new|late|full|free|paid|sent|sold|lost|"
                         r"male|female|taken|public|safe|main|vip")  # fmt: skip
_BEFORE = re.compile(r"^(?:is|was|are|if|has been|have been|currently|flag|whether) ")
_BEHIND = re.compile(r" (?:yn|y n|flag|ind|indicator|y or n)$")
_HAS = re.compile(r"^(?:has|have|with|had) ")
_IN = re.compile(r"^(?:in|on|at|under|out of|off) ")
_BEFORE_ZH = re.compile(r"^(?:是否|是不是|有无|有没有)")
_WORDS = {"yes", "true", "no", "false"}
_MOST = 3  # words that stand before a noun


@dataclass(frozen=True)
class FlagWords:
    """What is said of rows, and how it is put."""

    kind: FlagKind
    said: str


def flag_words(column: ColumnFacts, language: str) -> FlagWords | None:
    """Return how a flag is said, None of a column that is none.

    >>> flag_words(is_active, "en"), flag_words(has_locker, "en")
    (FlagWords('adj', 'active'), FlagWords('has', 'locker'))
    """
    flag = column.profile.flag
    if flag is None or column.profile.kind != "flag":
        return None
    if flag.form == "text" and flag.yes.isalpha() and len(flag.yes) > 1 and flag.yes.lower() not in _WORDS:
        return FlagWords("adj", flag.yes.lower())  # active and closed say themselves what they are
    said = column.noun.one
    if not said.isascii():
        return _chinese(said)
    return _english(said) if language == "en" else FlagWords("marked", _english(said).said)


def _is_adjective(word: str) -> bool:
    """Does an English word stand before a noun, as active does?"""
    return _ADJECTIVES.fullmatch(word) is not None


def _english(said: str) -> FlagWords:
    bare = _BEHIND.sub("", said)
    rest = _BEFORE.sub("", bare)
    if _HAS.match(rest):
        return FlagWords("has", _HAS.sub("", rest))
    if _IN.match(rest):
        return FlagWords("in", rest)
    words = rest.split()
    if len(words) <= _MOST and _is_adjective(words[-1]):
        return FlagWords("adj", rest)
    return FlagWords("marked", rest)


def _chinese(said: str) -> FlagWords:
    asked = _BEFORE_ZH.match(said)
    rest = _BEFORE_ZH.sub("", said).removeprefix("已")
    if said.startswith(("有无", "有没有")) or (asked and rest.startswith("有")):
        return FlagWords("has", rest.removeprefix("有"))
    known = asked is not None or said.startswith("已")
    return FlagWords("adj" if known and rest else "marked", rest or said)
