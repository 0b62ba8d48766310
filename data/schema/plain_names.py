"""Names in plain words, as a person would read them aloud, and the meaning of a column by the words of its name."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any


@cache
def _toml(file: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


_LISTS = _toml("words.toml")
_PLURALS: Mapping[str, str] = _LISTS["plurals"]
_SINGULARS = {many: one for one, many in _PLURALS.items()}
_SAME = frozenset(_LISTS["nouns"]["same"])
_READ: Mapping[str, str] = _LISTS["abbreviations"]
_SAID: Mapping[str, str] = _READ | _LISTS["spoken_abbreviations"]
_ENDING_IN_ID = frozenset(_LISTS["nouns"]["ending_in_id"])


def plural(phrase: str) -> str:
    """Return the plural of an English noun phrase: dates of birth, categories, people."""
    head, of, rest = phrase.partition(" of ")
    *before, last = head.split() or [head]
    return " ".join([*before, _PLURALS.get(last) or _regular(last)]) + of + rest


def singular(word: str) -> str:
    """Return the singular of an English noun."""
    if word in _SAME or word in _SINGULARS:
        return _SINGULARS.get(word, word)
    if word.endswith("ies") and len(word) > 5 and word not in {"movies", "cookies"}:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z|[^aou]us)es$", word) and word != "excuses":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def _regular(word: str) -> str:
    if word in _SAME or word in _SINGULARS:
        return word
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|sh|ch|x|z)$", word) else "s")


def article(phrase: str) -> str:
    """Return a or an, as stands before a phrase."""
    return "an" if phrase[:1] in "aeio" or re.match(r"u(?![ns]i|se|k)|hour|honou?r", phrase) else "a"


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
    text = " ".join(description.split())
    longest = _HAN_CHARACTERS if _HAN.search(text) else _CHARACTERS
    short = len(text) <= longest and len(text.split()) <= _WORDS
    return text if short and not _OF_SENTENCES.search(text) else ""


def _parts(identifier: str) -> list[str]:
    text = _SEAM.sub(" ", _NUMBERED_IN_CHINESE.sub("", identifier))
    return _BETWEEN_WORDS.sub(" ", text).lower().split()


@cache
def meaning_of(name: str, description: str = "") -> str:
    """Return the meaning of a column, empty if unknown."""
    return next((m for m in _toml("meanings.toml") if m != "codes" and _has_meaning(m, name, description)), "")


@cache
def is_code(name: str, description: str = "") -> bool:
    """Do the column's numbers name something, as an id, a phone number and a rank do?"""
    all_words = [*words(description), *words(name)]
    counts = ["number", "of"] in (all_words[:2], words(name)[:2]) or _measures(words(name)[-1:])
    if {*words(name)[-1:]} & _ENDING_IN_ID:  # paid ends as stuid does
        return not counts and bool({*all_words} & {*_toml("meanings.toml")["codes"]["en"]})
    return not counts and _has_meaning("codes", name, description)


def _measures(last: list[str]) -> bool:
    """Is the last word of a name that of a quantity, as in lap speed and account balance?"""
    return (
        bool(last)
        and last[0] not in _toml("meanings.toml")["codes"]["en"]
        and meaning_of(last[0]) not in ("", "place", "kind")
    )


def is_id(name: str, description: str = "") -> bool:
    """Does a column number its rows, by its name?"""
    if {*words(name)[-1:]} & _ENDING_IN_ID:
        return False
    return "id" in (words(name) + words(description))[-1:] or name.lower().endswith(("id", "编号"))


def is_year(name: str, description: str = "") -> bool:
    """Would numbers of four digits in the column be years?"""
    years, names = _LISTS["years"], (without_unit(name), without_unit(description))
    in_english = not {*words(name), *words(description)}.isdisjoint(years["en"])
    return in_english or any(each.endswith(tuple(years["zh"])) for each in names)


def without_unit(name: str) -> str:
    """Return a name without the unit in brackets behind it.

    >>> without_unit("成立时间（年）"), without_unit("height (cm)")
    ('成立时间', 'height')
    """
    head, bracket, tail = name.replace("(", "（").partition("（")
    return head.rstrip() if head and bracket and tail[-1:] in (")", "）") else name


def adds_up(meaning: str) -> bool:
    """May numbers of this meaning be summed?"""
    return bool(_toml("meanings.toml").get(meaning, {}).get("sum", True))


def _has_meaning(meaning: str, name: str, description: str) -> bool:
    entry, all_words = _toml("meanings.toml")[meaning], {*words(name), *words(description)}
    texts = [without_unit(t) for t in (name, description) if t]
    return bool(all_words & set(entry["en"])) or any(t.endswith(tuple(entry["zh"])) for t in texts)
