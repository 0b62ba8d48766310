"""Types that list their values: MySQL's ``enum('s','m')``; PostgreSQL's have names: ``size enum('s','m')``."""

import re
from collections.abc import Iterable

from ..values.slots import quoted

_LABEL = r"'((?:[^']|'')*)'"
_ENUMERATION = re.compile(rf"(?:(.+) )?enum\s*\(\s*({_LABEL}(?:\s*,\s*{_LABEL})*)\s*\)", re.IGNORECASE | re.DOTALL)


def enumeration(name: str, labels: Iterable[str]) -> str:
    """Return the type of a column of an enumeration, the name as SQL writes it; no name if it is empty.

    >>> enumeration("mood", ["calm", "it's"])
    "mood enum('calm','it''s')"
    """
    return f"{name} enum({','.join(map(quoted, labels))})".lstrip()


def labels_of(sql_type: str) -> tuple[str, ...]:
    """Return the labels of an enumeration, none of any other type."""
    found = _ENUMERATION.fullmatch(sql_type)
    return () if found is None else tuple(label.replace("''", "'") for label in re.findall(_LABEL, found[2]))


def name_of(sql_type: str) -> str:
    """Return what an enumeration is called; empty of one without a name, and of any other type."""
    found = _ENUMERATION.fullmatch(sql_type)
    return "" if found is None else found[1] or ""


def as_text(sql_type: str) -> str:
    """Return a type, ``text`` for an enumeration: the words in its name and labels say nothing of its values."""
    return "text" if labels_of(sql_type) else sql_type
