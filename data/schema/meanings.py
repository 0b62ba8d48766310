"""What a column means, by the words of its name: price, age, a code."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from .plain_names import words

__all__ = ["adds_up", "is_code", "is_id", "is_year", "meaning_of", "without_unit"]

_YEARS = ({"year", "years", "founded", "built", "opened", "season", "established", "date", "opening", "since",
           "start", "end", "completion"}, ("年份", "年代", "年", "年度", "时间", "日期"))  # fmt: skip
_ENDING_IN_ID = {
    *(
        "acid",
        "afraid",
        "aid",
        "amid",
        "android",
        "arid",
        "asteroid",
        "avid",
        "bid",
        "braid",
        "candid",
        "covid",
        "david",
    ),
    *("did", "fluid", "forbid", "grid", "hybrid", "invalid", "kid", "laid", "lid", "liquid", "madrid", "maid", "mid"),
    *("orchid", "overpaid", "paid", "placid", "prepaid", "pyramid", "raid", "rapid", "repaid", "rid", "rigid", "said"),
    *("slid", "solid", "splendid", "squid", "steroid", "timid", "underpaid", "unpaid", "valid", "vivid", "void"),
}
"""Words that number nothing, unlike stuid and countryid."""


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("meanings.toml").read_text(encoding="utf-8"))


@cache
def meaning_of(name: str, description: str = "") -> str:
    """Return what a column means, empty if nobody knows."""
    return next((m for m in _table() if m != "codes" and _says(m, name, description)), "")


@cache
def is_code(name: str, description: str = "") -> bool:
    """Do the column's numbers name something, as an id, a phone number and a rank do?"""
    said = [*words(description), *words(name)]
    counts = ["number", "of"] in (said[:2], words(name)[:2]) or _measures(words(name)[-1:])
    if {*words(name)[-1:]} & _ENDING_IN_ID:  # paid ends as stuid does
        return not counts and bool({*said} & {*_table()["codes"]["en"]})
    return not counts and _says("codes", name, description)


def _measures(last: list[str]) -> bool:
    """Is the last word of a name that of a quantity, as in lap speed and account balance?"""
    return bool(last) and last[0] not in _table()["codes"]["en"] and meaning_of(last[0]) not in ("", "place", "kind")


def is_id(name: str, description: str = "") -> bool:
    """Does the column's name say that it numbers its rows?"""
    if {*words(name)[-1:]} & _ENDING_IN_ID:
        return False
    return "id" in (words(name) + words(description))[-1:] or name.lower().endswith(("id", "编号"))


def is_year(name: str, description: str = "") -> bool:
    """Would numbers of four digits in the column be years?"""
    english, chinese = _YEARS
    told = (without_unit(name), without_unit(description))
    return bool(english & {*words(name), *words(description)}) or any(t.endswith(chinese) for t in told)


def without_unit(name: str) -> str:
    """Return a name without the unit in brackets behind it.

    >>> without_unit("成立时间（年）"), without_unit("height (cm)")
    ('成立时间', 'height')
    """
    head, bracket, tail = name.replace("(", "（").partition("（")
    return head.rstrip() if head and bracket and tail[-1:] in (")", "）") else name


def adds_up(meaning: str) -> bool:
    """May numbers of this meaning be summed?"""
    return bool(_table().get(meaning, {}).get("sum", True))


def _says(meaning: str, name: str, description: str) -> bool:
    entry, said = _table()[meaning], {*words(name), *words(description)}
    told = [without_unit(t) for t in (name, description) if t]
    return bool(said & set(entry["en"])) or any(t.endswith(tuple(entry["zh"])) for t in told)
