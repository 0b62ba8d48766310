"""Identifiers in plain words, as a person would read them out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["natural", "plain_name", "spoken", "words"]

_READ: Mapping[str, str] = {
    "acct": "account", "addr": "address", "amt": "amount", "avg": "average", "cnt": "count", "dept": "department",
    "desc": "description", "dob": "date of birth", "emp": "employee", "mgr": "manager", "num": "number",
    "pct": "percent", "qty": "quantity", "tel": "telephone",
}  # fmt: skip
"""Abbreviations that mean one thing wherever they stand; «no» and «st» do not. Networks learnt names with these."""

_SAID: Mapping[str, str] = _READ | {
    "bal": "balance", "ctry": "country", "cust": "customer", "descr": "description", "dt": "date", "loc": "location",
    "lvl": "level", "org": "organization", "prod": "product", "resv": "reservation", "supp": "supplier",
    "txn": "transaction", "yr": "year",
}  # fmt: skip
"""Those that nobody says as they are written, too."""

_WORD = re.compile(r"[^\W_]+")
_BETWEEN_WORDS = re.compile(r"[\s_\-./:]+")
_SEAM = re.compile(
    r"(?<=[a-z])(?=[A-Z])"  # home|Town
    r"|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))"  # HTTP|Server, but userIDs has IDs
    r"|(?<=[A-Za-z]{2})(?=\d)"  # Server|2, but T1
    r"|(?<=\d)(?=[A-Z][a-z])"  # line2|Text
)
_NUMBERED_IN_CHINESE = re.compile(r"列_(?=\d)")  # «column_», put before names that begin with a digit
_HAN = re.compile(r"[\u3400-\u9fff]")
_OF_SENTENCES = re.compile(r"[,;:!?=_\n。，；：！？、]|\.(?:\s|$)")
_WORDS, _CHARACTERS, _HAN_CHARACTERS = 6, 40, 16


@lru_cache(maxsize=100_000)
def plain_name(identifier: str) -> str:
    """Return an identifier in lower-case words, as networks read it; never empty unless it is.

    >>> plain_name("HTTPServer2")
    'http server 2'
    """
    return " ".join(_READ.get(part, part) for part in _parts(identifier)) or identifier


def words(identifier: str) -> list[str]:
    """Return the words of an identifier as people say them.

    >>> words("HireDate"), words("hire_dt")
    (['hire', 'date'], ['hire', 'date'])
    """
    return [_SAID.get(part, part) for part in _WORD.findall(" ".join(_parts(identifier)))]


def spoken(name: str, description: str) -> str:
    """Return the description where it is a short natural name, else ``name`` in plain words."""
    return natural(description) or plain_name(name)


def natural(description: str) -> str:
    """Return a description on one line if it is a short natural name, else nothing."""
    said = " ".join(description.split())
    longest = _HAN_CHARACTERS if _HAN.search(said) else _CHARACTERS
    short = len(said) <= longest and len(said.split()) <= _WORDS
    return said if short and not _OF_SENTENCES.search(said) else ""


def _parts(identifier: str) -> list[str]:
    text = _SEAM.sub(" ", _NUMBERED_IN_CHINESE.sub("", identifier))
    return _BETWEEN_WORDS.sub(" ", text).lower().split()
