"""Names that the text of an expression may be: SQLite and MySQL call an output without a name by its text."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["is_text"]

_TEXT = re.compile(
    r"""
    [-+\d].*                                                         # 1, or + 1
    | .*[^\w\s.].*                                                   # count(*), or 'x'
    | null | true | false | current_\w+ | localtime\w*
    | (?:not|case|interval)\s.*
    | .*\s(?:and|between|div|glob|in|is|like|mod|or|regexp|rlike|xor)\s.*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


@cache
def is_text(name: str) -> bool:
    """Say whether an expression may be written as a name is; an identifier of one word or several is none."""
    return _TEXT.fullmatch(name) is not None
