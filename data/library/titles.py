"""Titles, publishers and series of made-up books, in five languages."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from .catalogue import HERE, Topic

__all__ = ["Titles", "publishers", "series", "words"]

_TRIES = 2000
_SMALL = {"and", "in", "of", "on", "the", "to", "with"}  # words of an English title without a capital
_CODES = {"中文": "zh", "英文": "en", "法文": "fr", "德文": "de", "日文": "ja"}


@cache
def words() -> dict[str, Any]:
    """Return what titles are made of, by the code of the language."""
    return tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))


class Titles:
    """Makes titles, each once.

    Args:
        taken: titles that there are already.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._used = set(taken)

    def make(self, language: str, topic: Topic, rng: random.Random) -> str:
        """Return a new title for a book on a topic, as literature or as science has it.

        Raises:
            RuntimeError: the words for such titles are used up.
        """
        code = _CODES[language]
        for _ in range(_TRIES):
            if (title := _title(code, topic, rng)) not in self._used:
                self._used.add(title)
                return title
        raise RuntimeError(f"the words for titles in {language} on {topic.en} are used up")


@cache
def publishers(language: str) -> tuple[str, ...]:
    """Return the publishers of books in a language."""
    told, code = words(), _CODES[language]
    if code not in {"zh", "en"}:
        return tuple(told["presses"][code])
    space = "" if code == "zh" else " "
    return tuple(f"{name}{space}{house}" for house in told[code]["houses"] for name in told[code]["publishers"].split())


@cache
def series(language: str) -> dict[str, tuple[str, ...]]:
    """Return the series of each publisher of books in a language; each series is of one publisher."""
    told, code = words(), _CODES[language]
    if code not in {"zh", "en"}:
        return {}
    space = "" if code == "zh" else " "
    names = [f"{name}{space}{line}" for name in told[code]["series"].split() for line in told[code]["lines"]]
    random.Random(code).shuffle(names)
    houses = publishers(language)
    found: dict[str, tuple[str, ...]] = {}
    for number, name in enumerate(names):
        house = houses[number % len(houses)]
        found[house] = (*found.get(house, ()), name)
    return found


def _title(code: str, topic: Topic, rng: random.Random) -> str:
    told = words()[code]
    if "things" in told:
        one, other = rng.sample(told["things"], 2)
        return told["linking"].format(one, other[0].lower() + other[1:])
    if topic.kind == "arts" and rng.random() < 0.9:
        first, second = (told[key] if isinstance(told[key], list) else told[key].split() for key in ("first", "second"))
        parts = [rng.choice(first), *rng.sample(second, 2)]
        if code == "en":
            parts += [rng.choice(told["places"].split()), rng.choice(first)]
        return _articles(rng.choice(told["linking"]).format(*parts))
    return _scholarly(code, topic, rng)


def _scholarly(code: str, topic: Topic, rng: random.Random) -> str:
    told = words()[code]
    manner = rng.choice(told["sciences" if topic.kind == "sciences" else "humanities"].split())
    if code == "zh":
        return f"{manner if rng.random() < 0.85 else ''}{topic.zh}{rng.choice(told['kinds'])}"
    matter = _capitals(topic.en.removeprefix("the "))
    return rng.choice(told["kinds"]).format(matter if rng.random() < 0.15 else f"{manner} {matter}")


def _capitals(text: str) -> str:
    return " ".join(w if w in _SMALL and place else w[0].upper() + w[1:] for place, w in enumerate(text.split()))


def _articles(title: str) -> str:
    """Write «An Orchard» for «A Orchard»."""
    return f"An {title[2:]}" if title.startswith("A ") and title[2] in "AEIOU" else title
