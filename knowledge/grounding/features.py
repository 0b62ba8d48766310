"""Computes the confidence that a column is a concept, from features of spelling, synonyms and meaning."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...data.schema.plain_names import spoken
from ...data.schema.schema import Schema
from ...ner.language.words import is_cjk
from ..formulas.bank import Bank
from .grounded import Place
from .synonyms import Synonyms, known_concepts

FEATURES = (
    "said",  # the share of an alias's words that the name has, or a synonym of
    "named",  # the share of the name's words that the alias has
    "exact",
    "meant",  # the cosine of alias and name
    "meant with table",  # the cosine of alias and «table column»
    "stands out",  # the cosine of alias and name, in deviations from the mean of the schema
    "stands out with table",
    "among concepts",  # the cosine, in deviations from the mean of other concepts for the same name
    "before the next concept",  # the cosine minus that of the nearest other concept
)

_WEIGHTS = Path(__file__).with_name("weights.json")
"""The weights of a logistic regression on `FEATURES`, and its constant, for the encoder of each language."""

_ALL_OF_BOTH = 0.85
"""The least shares of a name and an alias that are the same."""

Likeness = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]
"""A function of texts and names that returns the cosines of a sentence encoder, shape (texts, names)."""


@dataclass(frozen=True)
class GroundingItem:
    """A column or table of the schema; ``kind`` is number, text, time, boolean, table, or key for keys of any type."""

    place: Place
    kind: str
    name: str
    identifier: str
    owner: str

    @property
    def within(self) -> str:
        return f"{self.owner} {self.name}".strip()


class Features:
    """Computes the features of each column and table of a schema for a concept.

    Args:
        items: the columns and tables.
        bank: the bank with the names of concepts.
        likeness: the cosines of a sentence encoder.
        language: the language of the encoder.
    """

    def __init__(self, items: Sequence[GroundingItem], bank: Bank, likeness: Likeness, language: str) -> None:
        self.items = items
        self._bank = bank
        self._likeness = likeness
        self._synonyms = Synonyms.shipped()
        self._names = [item.name for item in items]
        self._within = [item.within for item in items]
        self._language = language
        weights = json.loads(_WEIGHTS.read_text())[language]
        self._weights, self._constant = np.array([weights[name] for name in FEATURES]), float(weights["constant"])
        self._all: NDArray[np.float64] | None = None

    @property
    def names(self) -> list[str]:
        """Return the names that concepts are compared with: those of columns and tables, without and with the table."""
        return [*self._names, *self._within]

    @cached_property
    def _known(self) -> dict[str, set[str]]:
        """Return the keys of all names of each known concept, by its name in the language."""
        known = known_by_name(self._bank, self._language)
        return {name: set(map(self._synonyms.key, names)) for name, names in known.items()}

    def of(self, concept: str) -> NDArray[np.float64]:
        """Return the features of a concept, shape (columns and tables, `FEATURES`)."""
        aliases = self.aliases(concept)
        bare, near = (self._likeness(aliases, texts).max(0).astype(np.float64) for texts in (self._names, self._within))
        spelled = np.array([self._spelled(aliases, item) for item in self.items])
        stands_out = [_standing_out(bare), _standing_out(near)]
        among, before = self._among(aliases, bare)
        before = np.where(
            spelled[:, -1] > 0, np.maximum(before, 0), before
        )  # a column of that very name is never penalised
        return np.column_stack([spelled, bare, near, *stands_out, among, before])

    def confidence(self, concept: str) -> NDArray[np.float64]:
        """Return the probability that each column and table is a concept, regardless of its type."""
        return 1 / (1 + np.exp(-(self.of(concept) @ self._weights + self._constant)))

    def aliases(self, concept: str) -> tuple[str, ...]:
        """Return all names of a concept, its own first."""
        return tuple(dict.fromkeys((*self._bank.aliases(concept), *known_concepts().get(concept, ()))))

    def _spelled(self, aliases: Sequence[str], item: GroundingItem) -> tuple[float, ...]:
        """Return the features of spelling: the shares of alias and name, and whether they are the same."""
        pairs = [(one, name, item.owner) for one in aliases for name in {item.name, item.identifier}]
        alias_share, name_share = max((self._synonyms.alike(*pair) for pair in pairs), key=sum)
        return alias_share, name_share, float(min(alias_share, name_share) >= _ALL_OF_BOTH)

    def _among(
        self, aliases: Sequence[str], own: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the deviation of a concept's cosines from those of all other known concepts, and from the highest."""
        if self._all is None:
            self._all = self._likeness(list(self._known), self._names).astype(np.float64)
        called = {one for alias in aliases for one in self._synonyms.of(self._synonyms.key(alias))}
        others = self._all[[called.isdisjoint(names) for names in self._known.values()]]
        if not len(others):
            return np.zeros(len(own)), np.zeros(len(own))
        return (own - others.mean(0)) / (others.std(0) + 1e-6), own - others.max(0)


def known_by_name(bank: Bank, language: str) -> dict[str, tuple[str, ...]]:
    """Return the names of all known concepts, those of a bank and the shipped ones, by their name in a language."""
    every = {**dict.fromkeys((one for f in bank.formulas for one in f.expression.needs), ()), **known_concepts()}
    several = [tuple(dict.fromkeys((name, *more, *bank.aliases(name)))) for name, more in every.items()]
    chinese = language == "zh"
    return {next((one for one in names if is_cjk(one) == chinese), names[0]): names for names in several}


def items_of(schema: Schema, kind_of: Callable[[str], str]) -> Iterator[GroundingItem]:
    """Yield the tables of a schema, then its columns.

    Args:
        kind_of: a function that returns the kind of a declared type.
    """
    for table in schema.tables:
        yield GroundingItem(Place.of(table), "table", spoken(table.name, table.description), table.name, "")
    for table, column in schema.columns():
        name, owner = spoken(column.name, column.description), spoken(table.name, table.description)
        keys = {name.lower() for key in table.foreign_keys for name in key.columns}
        keys |= {name.lower() for name in table.primary_key} if len(table.primary_key) == 1 else set()
        kind = "key" if column.name.lower() in keys else kind_of(column.type)
        yield GroundingItem(Place.of(table, column.name), kind, name, column.name, owner)


def _standing_out(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard scores of cosines."""
    return (cosines - cosines.mean()) / (cosines.std() + 1e-6)
