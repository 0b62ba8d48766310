"""The languages that questions are in."""

import re

LANGUAGES = ("en", "zh")

_LETTER = re.compile(r"[^\W\d_]")
_SHARE = 1 / 3
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def language_of(question: str) -> str:
    """Return which of `LANGUAGES` a question is in: Chinese if a third of its letters are, English otherwise.

    >>> language_of("哪些专辑是 AC/DC 的？"), language_of("who wrote 红楼梦?")
    ('zh', 'en')
    """
    letters = len(_LETTER.findall(question))
    return "zh" if letters and len(_CHINESE.findall(question)) / letters >= _SHARE else "en"
