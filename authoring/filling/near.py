"""Prototypes that repeat one another: the same query, or so nearly the same that a test of new queries is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel

from ...data.domains.prototypes import Prototype, numbered
from ...data.errors import QueryError
from ...data.records import hashed_part
from ...data.schema.schema import Schema
from ...data.sql.sources import with_canonical_aliases
from ...data.values.slots import SLOT
from .instantiate import renamed

__all__ = ["PrototypePair", "near", "normal", "same"]

# Found by reading the pairs of the shipped plant. Long queries share their joins, so a part of the words says little
# below 0.95; one changed word is told apart in short ones.
_SQL, _WORDS = 0.95, 2
_QUESTION = 90.0
_BOTH = (0.85, 80.0)

_TOKEN = re.compile(r"\{\w+\}|\w+(?:\.\w+)*|[^\s\w]+")
_Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class PrototypePair:
    """Two prototypes that are nearly alike: how much their queries are (0 to 1), and their questions (0 to 100)."""

    one: Prototype
    other: Prototype
    query: float
    question: float


def normal(sql: str, *, dialect: str, schema: Schema) -> str:
    """Return a slotted query in the form in which two that mean the same are the same text.

    Aliases are written one way and slots counted from the left.

    Raises:
        QueryError: it does not parse.
    """
    text = with_canonical_aliases(sql, dialect=dialect, schema=schema)
    return renamed(text, numbered(text))


def same(prototypes: Iterable[Prototype], *, dialect: str, schema: Schema) -> list[tuple[Prototype, ...]]:
    """Return groups of prototypes with one query; those that do not parse are left out."""
    groups: dict[str, list[Prototype]] = {}
    for prototype, text in zip(*_normals(prototypes, dialect, schema), strict=True):
        groups.setdefault(text, []).append(prototype)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def near(
    prototypes: Iterable[Prototype], *, keys: Mapping[str, str], dialect: str, schema: Schema
) -> list[PrototypePair]:
    """Return pairs that are nearly alike though they fall into different parts of the query split, nearest first.

    They differ in one word of the query, or in 5 % of its words; or two of their questions are 90 % alike; or
    both are a little less so.

    Args:
        prototypes: of one domain.
        keys: what is hashed for each one's part, see `writing.split_keys`.
        dialect: of the prototypes' queries.
        schema: of the domain.
    """
    kept, texts = _normals(prototypes, dialect, schema)
    words = [_TOKEN.findall(text) for text in texts]
    if len(kept) < 2:
        return []
    queries: _Matrix = process.cdist(words, words, scorer=Indel.normalized_similarity, dtype=np.float32)
    apart: _Matrix = process.cdist(words, words, scorer=Indel.distance, dtype=np.float32)
    questions = np.maximum.reduce([_questions(kept, language) for language in kept[0].wordings])
    parts = np.array([hashed_part(keys[p.id]) for p in kept])
    alike = (queries >= _SQL) | (apart <= _WORDS) | (questions >= _QUESTION)
    alike |= (queries >= _BOTH[0]) & (questions >= _BOTH[1])
    rows, columns = np.nonzero(np.triu(alike & (parts[:, None] != parts[None, :]), 1))
    found = [
        PrototypePair(kept[i], kept[j], round(float(queries[i, j]), 3), round(float(questions[i, j]), 1))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    return sorted(found, key=lambda pair: -(pair.query + pair.question / 100))


def _normals(prototypes: Iterable[Prototype], dialect: str, schema: Schema) -> tuple[list[Prototype], list[str]]:
    kept: list[Prototype] = []
    texts: list[str] = []
    for prototype in prototypes:
        try:
            texts.append(normal(prototype.sql, dialect=dialect, schema=schema))
        except QueryError:  # told by the review of each
            continue
        kept.append(prototype)
    return kept, texts


def _questions(prototypes: Sequence[Prototype], language: str) -> _Matrix:
    """Return how alike the questions of each two prototypes are in one language, for their most alike wordings."""
    owners = np.array([i for i, p in enumerate(prototypes) for _ in p.wordings[language]])
    said = [_bare(wording) for p in prototypes for wording in p.wordings[language]]
    scorer: Any = fuzz.ratio if language == "zh" else fuzz.token_sort_ratio
    scores: _Matrix = process.cdist(said, said, scorer=scorer, dtype=np.float32)
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return np.maximum.reduceat(np.maximum.reduceat(scores, starts, axis=0), starts, axis=1)


def _bare(wording: str) -> str:
    """Return a wording with one sign for each slot, so that long names of slots do not make wordings alike."""
    kinds: dict[str, str] = {}
    return SLOT.sub(lambda m: kinds.setdefault(m[1], chr(0xE000 + sum(map(ord, m[1])) % 0x1000)), wording).lower()
