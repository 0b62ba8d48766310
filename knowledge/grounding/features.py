"""How sure a column is a concept, and what speaks for it: letters, exchangeable words, meaning, what else it may be."""

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
    "said",  # share of an alias's words that the name has, exchangeable ones too
    "named",  # share of the name's words that the alias has
    "exact",
    "meant",  # cosine of alias and name
    "meant with table",  # of alias and «table column»
    "stands out",  # the former in deviations from the mean of the schema
    "stands out with table",
    "among concepts",  # in deviations from the mean of other concepts for the same name
    "before the next concept",  # cosine above that of the likest other concept
)

_WEIGHTS = Path(__file__).with_name("weights.json")
"""Of a logistic regression on `FEATURES`, and its constant, for the encoder of each language."""

_ALL_OF_BOTH = 0.85
"""Shares from which a name and an alias say the same."""

Likeness = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]
"""(texts, names) -> cosines of a sentence encoder, shape (texts, names)."""


@dataclass(frozen=True)
class GroundingItem:
    """A column or table of the schema; ``kind`` is number, text, time, boolean, table, or key of any type."""

    place: Place
    kind: str
    name: str
    identifier: str
    owner: str

    @property
    def within(self) -> str:
        return f"{self.owner} {self.name}".strip()


class Features:
    """Tells what each column and table of a schema has in common with a concept.

    Args:
        items: the columns and tables.
        bank: knows what concepts are called.
        likeness: of a sentence encoder.
        language: that the encoder is for.
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
        """Return what concepts are likened to: names of columns and tables, alone and with their table."""
        return [*self._names, *self._within]

    @cached_property
    def _sayings(self) -> dict[str, set[str]]:
        """What all known concepts are called, by their name in the language."""
        known = known_by_name(self._bank, self._language)
        return {name: set(map(self._synonyms.key, says)) for name, says in known.items()}

    def of(self, concept: str) -> NDArray[np.float64]:
        """Return the features of a concept, (columns and tables, `FEATURES`)."""
        aliases = self.aliases(concept)
        bare, near = (self._likeness(aliases, texts).max(0).astype(np.float64) for texts in (self._names, self._within))
        spelled = np.array([self._spelled(aliases, item) for item in self.items])
        # what stands out in this schema counts beside what is alike
        stands_out = [_standing_out(bare), _standing_out(near)]
        among, before = self._among(aliases, bare)
        before = np.where(spelled[:, -1] > 0, np.maximum(before, 0), before)  # what is called so is it, whatever else
        return np.column_stack([spelled, bare, near, *stands_out, among, before])

    def confidence(self, concept: str) -> NDArray[np.float64]:
        """Return how sure each column and table is to be a concept, were it to fit, (columns and tables,)."""
        return 1 / (1 + np.exp(-(self.of(concept) @ self._weights + self._constant)))

    def aliases(self, concept: str) -> tuple[str, ...]:
        """Return all that a concept is called, its name first."""
        return tuple(dict.fromkeys((*self._bank.aliases(concept), *known_concepts().get(concept, ()))))

    def _spelled(self, aliases: Sequence[str], item: GroundingItem) -> tuple[float, ...]:
        """Return the features that letters tell: share of the alias, share of the name, all of both."""
        pairs = [(one, name, item.owner) for one in aliases for name in {item.name, item.identifier}]
        said, named = max((self._synonyms.alike(*pair) for pair in pairs), key=sum)
        return said, named, float(min(said, named) >= _ALL_OF_BOTH)

    def _among(
        self, aliases: Sequence[str], own: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how far a concept stands out among all that are known and are not it: a column may be those, too."""
        if self._all is None:
            self._all = self._likeness(list(self._sayings), self._names).astype(np.float64)
        called = {one for alias in aliases for one in self._synonyms.of(self._synonyms.key(alias))}
        others = self._all[[called.isdisjoint(says) for says in self._sayings.values()]]
        if not len(others):
            return np.zeros(len(own)), np.zeros(len(own))
        return (own - others.mean(0)) / (others.std(0) + 1e-6), own - others.max(0)


def known_by_name(bank: Bank, language: str) -> dict[str, tuple[str, ...]]:
    """Return what all known concepts are called, a bank's and the shipped ones, by their name in a language."""
    every = {**dict.fromkeys((one for f in bank.formulas for one in f.expression.needs), ()), **known_concepts()}
    said = [tuple(dict.fromkeys((name, *says, *bank.aliases(name)))) for name, says in every.items()]
    return {_called(says, language): says for says in said}


def items_of(schema: Schema, kind_of: Callable[[str], str]) -> Iterator[GroundingItem]:
    """Yield the tables of a schema, then its columns.

    Args:
        kind_of: the kind of a column's declared type.
    """
    for table in schema.tables:
        said = spoken(table.name, table.description)
        yield GroundingItem(Place.of(table), "table", said, table.name, "")
    for table, column in schema.columns():
        said, owner = spoken(column.name, column.description), spoken(table.name, table.description)
        keys = {name.lower() for key in table.foreign_keys for name in key.columns}
        keys |= {name.lower() for name in table.primary_key} if len(table.primary_key) == 1 else set()
        kind = "key" if column.name.lower() in keys else kind_of(column.type)
        yield GroundingItem(Place.of(table, column.name), kind, said, column.name, owner)


def _called(says: Sequence[str], language: str) -> str:
    return next((one for one in says if is_cjk(one) == (language == "zh")), says[0])


def _standing_out(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each is above the mean, in standard deviations."""
    return (cosines - cosines.mean()) / (cosines.std() + 1e-6)
