"""Synonyms of databases («revenue», TURNOVER, 营收), and a projection of vectors that moves them close to each other.

To a sentence encoder «turnover» is as similar to «costs» as to «revenue». The projections were learnt from the word
lists and the shipped banks (the stage `projection` of `parser/base/recipe.toml`).

Names are cut into the longest pieces in the shipped word lists, and compared piece by piece: «number of employees» and
STAFF_COUNT are the same two pieces, 员工人数 and 职工数 are 员工 + 人数 and 职工 + 数. The lists, `words/*.txt`, have a
group of synonyms on each line, and the names of a concept of the shipped banks are a group, too.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import JaroWinkler
from safetensors import safe_open

from ...data.schema.plain_names import plain_name
from ...ner.language.words import fold, is_cjk, stem, words_of
from ..formulas.reading import SHIPPED

_HOME = Path(__file__).with_name("projections")


@dataclass(frozen=True)
class Projection:
    """The projection of an encoder's vectors.

    Attributes:
        matrix: the projection, shape (hidden, hidden).
        known: the vectors of the concepts of the shipped banks, which would take long to compute.
    """

    matrix: NDArray[np.float32]
    known: dict[str, NDArray[np.float32]]


@cache
def projection_of(encoder: str) -> Projection | None:
    """Return the projection of an encoder, None if it has none."""
    file = _HOME / f"{encoder}.safetensors"
    if "/" in encoder or not file.is_file():
        return None
    with safe_open(file, "numpy") as tensors:
        names = json.loads(tensors.metadata()["known"])
        known = tensors.get_tensor("known").astype(np.float32)
        return Projection(tensors.get_tensor("projection").astype(np.float32), dict(zip(names, known, strict=True)))


_SHARED = 0.9
"""The similarity of two words of a group."""

_INITIALS = 0.9
"""The similarity of words and a name of their initials."""

_WITHIN = 0.6
"""The similarity of a Chinese piece and a longer one that contains it."""


@cache
def known_concepts() -> dict[str, tuple[str, ...]]:
    """Return the concepts of the shipped banks, each with its other names in both languages."""
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted(SHIPPED.glob("*.toml")):
        for name, more in tomllib.loads(file.read_text(encoding="utf-8"))["concepts"].items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *more)))
    return found


def shipped_groups() -> list[Sequence[str]]:
    """Return the shipped groups in both languages: those of the lists, and the concepts of the banks."""
    files = sorted((Path(__file__).parent / "words").glob("*.txt"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    listed = [line.split(", ") for line in lines if line and not line.startswith("#")]
    return [*listed, *((name, *more) for name, more in known_concepts().items())]


class Synonyms:
    """Groups of synonyms.

    Args:
        groups: the groups of words and phrases; a word with two meanings is in two groups.
    """

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._groups: dict[str, list[tuple[str, ...]]] = {}
        spread: Counter[str] = Counter()
        for group in groups:
            keys = tuple(dict.fromkeys(map(self.key, group)))
            spread.update({token for key in keys for token in key.split()})
            for key in keys:
                self._groups.setdefault(key, []).append(keys)
        self._spread = {token: 1 / (1 + math.log(count)) for token, count in spread.items()}
        self._longest = max((key.count(" ") + 1 for key in self._groups), default=1)
        self.pieces = lru_cache(maxsize=50_000)(self._pieces)
        self.likeness = lru_cache(maxsize=200_000)(self._likeness)

    @classmethod
    @cache
    def shipped(cls) -> Synonyms:
        """Return the shipped synonyms in both languages."""
        return cls(shipped_groups())

    @staticmethod
    def key(word: str) -> str:
        """Return the key of a word or phrase, which is its stems."""
        return " ".join(tokens_of(word))

    def of(self, key: str) -> tuple[str, ...]:
        """Return a piece and its synonyms."""
        return tuple(dict.fromkeys((key, *(word for group in self._groups.get(key, ()) for word in group))))

    def alike(self, alias: str, name: str, owner: str = "") -> tuple[float, float]:
        """Return the share of an alias that a column's name has, and the share of the name that the alias has.

        Args:
            alias: the name that people use.
            name: the name of the column or table, an identifier or plain words.
            owner: the name of the column's table, which may have a part of the alias.
        """
        if is_cjk(alias) and not is_cjk(name):
            spelled = max((_spelled_alike(one.replace(" ", ""), name) for one in self.of(" ".join(alias))), default=0.0)
            return spelled, spelled
        if not is_cjk(alias) and _are_initials(tokens_of(alias), tokens_of(name)):
            return _INITIALS, _INITIALS
        shortest = 2 if is_cjk(alias) else 1
        ways = [self._both(alias, name, owner, most) for most in (self._longest, shortest)]
        return max(ways, key=sum)

    def _both(self, alias: str, name: str, owner: str, most: int) -> tuple[float, float]:
        words, named, beside = (self.pieces(text, most) for text in (alias, name, owner))
        if not words or not named:
            return 0.0, 0.0
        forth = [
            max(*(self.likeness(word, one) for one in named), *(0.8 * self.likeness(word, one) for one in beside), 0.0)
            for word in words
        ]
        back = [max(self.likeness(word, one) for word in words) for one in named]
        return self._mean(words, forth), self._mean(named, back)

    def _mean(self, pieces: Sequence[str], shares: Sequence[float]) -> float:
        """Return the weighted mean, in which frequent words («time», «number») have less weight."""
        weights = [max(self._spread.get(token, 1.0) for token in piece.split()) for piece in pieces]
        return sum(w * share for w, share in zip(weights, shares, strict=True)) / sum(weights)

    def _pieces(self, text: str, most: int) -> tuple[str, ...]:
        """Cut a text into pieces of the lists, of up to ``most`` words or Chinese characters, and the rest."""
        tokens, found, start = tokens_of(text), list[str](), 0
        rest: list[str] = []
        while start < len(tokens):
            ends = range(min(len(tokens), start + most), start, -1)
            end = next((end for end in ends if " ".join(tokens[start:end]) in self._groups), None)
            if end is None and is_cjk(tokens[start]):
                rest.append(tokens[start])
            else:
                found += [" ".join(rest)] if rest else []
                found.append(" ".join(tokens[start : end or start + 1]))
                rest = []
            start = end or start + 1
        return tuple([*found, " ".join(rest)] if rest else found)

    def _likeness(self, one: str, other: str) -> float:
        if one == other:
            return 1.0
        if any(other in group for group in self._groups.get(one, ())):
            return _SHARED
        if is_cjk(one) or is_cjk(other):
            short, long = sorted((one, other), key=len)
            return _WITHIN if len(short) > 1 and short in long else 0.0
        others = [word for word in self.of(one)[1:] if " " not in word]
        return max(_same_word(one, other), *(_SHARED * _same_word(word, other) for word in others), 0.0)


_SMALL = frozenset({"of", "the", "a", "an", "in", "for", "to", "and", "per", "的"})
_SPELLED = 0.92
"""The least similarity of a word and its misspelling."""


@lru_cache(maxsize=100_000)
def _same_word(word: str, other: str) -> float:
    """Return the similarity of a word and the same word, its abbreviation, or a misspelling.

    >>> _same_word("revenue", "rev"), _same_word("quantity", "qnty") > 0.5, _same_word("cost", "coast") < 1
    (0.8, True, True)
    """
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if is_cjk(word) or len(short) < 2:
        return 0.0
    if len(short) >= 3 and long.startswith(short):
        return 0.8
    if short[0] == long[0] and len(short) <= 5 and _within(short, long) and len(short) >= len(long) / 3:
        return 0.6
    return 0.7 if len(short) > 4 and JaroWinkler.similarity(short, long) >= _SPELLED else 0.0


def _within(short: str, long: str) -> bool:
    """Are the letters of a word in another one, in the same order?"""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _are_initials(words: Sequence[str], named: Sequence[str]) -> bool:
    """Is the name made of the initials of the alias, or vice versa?"""
    for several, one in ((words, named), (named, words)):
        letters = "".join(word[0] for word in several)
        if len(letters) > 1 and letters == "".join(one):
            return True
    return False


@lru_cache(maxsize=50_000)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the stems of a name's words without stop words, and its Chinese characters one by one."""
    parts = [part for word in plain_name(text).split() for part in words_of(word)]
    found = tuple(part if is_cjk(part) else stem(part) for part in parts)
    return tuple(part for part in found if part not in _SMALL) or found


def _spelled_alike(alias: str, name: str) -> float:
    """Return the similarity of a Chinese alias and a name in pinyin: 1 for whole syllables, .7 for initials."""
    letters = re.sub(r"[\W\d_]+", "", fold(name))
    whole, first = _spelled(alias)
    if len(alias) < 2 or not whole:
        return 0.0
    if letters == whole:
        return 1.0
    if letters == first:
        return 0.7 if len(first) > 2 else 0.5
    return 0.8 if len(whole) > 5 and (letters.endswith(whole) or letters.startswith(whole)) else 0.0


@lru_cache(maxsize=20_000)
def _spelled(alias: str) -> tuple[str, str]:
    """Return an alias in pinyin, and the initials of its syllables."""
    from pypinyin import lazy_pinyin  # its dictionaries are large

    syllables = lazy_pinyin(alias, errors="ignore")
    return "".join(syllables), "".join(one[0] for one in syllables)
