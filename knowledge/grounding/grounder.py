"""Finds the columns, tables and values of a database for the concepts of a formula."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ...data.schema.schema import Schema
from ...ner.index import ValueIndex
from ..formulas.bank import Bank, Formula
from ..formulas.expression import Need, concept_of
from .features import FEATURES, Features, GroundingItem, Likeness, items_of
from .grounded import Grounded, GroundedConcept, Grounding, Place
from .problems import problem_of, unlike

_TRIED = 4
"""The places of a concept that are combined with those of others."""

_OWN = 0.9
"""The least confidence of a column that is preferred to the clock for today's date."""

_AGAINST = 3.0
"""The penalty if two concepts are the same column, or a text is compared with a number."""

_CODE = re.compile(r"\b(?:id|no|nr|key|code|number)$|[号码]$", re.IGNORECASE)
"""The end of the name of a number that identifies things."""

_SAID = FEATURES.index("said")
_ALL_OF_IT = 0.8
"""The least share of the words of a text in the name of a column that has all of them, possibly abbreviated."""

_SAME_TABLE, _LINKED = 0.5, 0.15
"""The bonus if all concepts are in one table, or in two tables that a key links."""


class Grounder:
    """Grounds formulas in a database.

    Args:
        schema: its schema with foreign keys.
        bank: the bank with the formulas and the names of concepts.
        likeness: the cosines of a sentence encoder.
        kind_of: a function that returns the kind of a declared type.
        index: the index of its values, None if there is none.
        now: the time of «today», None for the clock of the database.
        language: the language of the encoder.
    """

    threshold = 0.6
    """The least confidence of a grounded concept (KnowSQL, section 3.2)."""

    def __init__(
        self,
        schema: Schema,
        bank: Bank,
        likeness: Likeness,
        *,
        kind_of: Callable[[str], str],
        index: ValueIndex | None = None,
        now: datetime | None = None,
        language: str = "en",
    ) -> None:
        self.schema = schema
        self.bank = bank
        self._index = index
        self.items = tuple(items_of(schema, kind_of))
        self._kinds = {item.place: item.kind for item in self.items}
        self.features = Features(self.items, bank, likeness, language)
        self._linked = {frozenset((t.name.lower(), key.table.lower())) for t in schema.tables for key in t.foreign_keys}
        today, year = ("CURRENT_DATE", "YEAR(CURRENT_DATE)") if now is None else (f"'{now:%Y-%m-%d}'", str(now.year))
        self._everywhere = {"today": today, "reporting date": today, "current year": year, "reporting year": year}
        self._scores: dict[str, NDArray[np.float64]] = {}

    def ground(self, formula: Formula) -> Grounding:
        """Return the likeliest places of a formula's concepts; a union prefers numbers to texts and times."""
        needs = formula.expression.needs
        if formula.kind == "union":
            amounts = self._ground(formula, dict.fromkeys(needs, "number"))
            if amounts.grounded is not None:
                return amounts
        return self._ground(formula, needs)

    def _ground(self, formula: Formula, needs: Mapping[str, Need]) -> Grounding:
        options = {name: self._options(formula, name, need) for name, need in needs.items()}
        found = self._likeliest([several for several in options.values() if several], formula.expression.alike)
        chosen = {one.concept: one for one in found}
        best = found if len(found) == len(options) else None
        missing = {
            name: next(((one.place, one.confidence) for one in several if one.place is not None), None)
            for name, several in options.items()
            if name not in chosen or chosen[name].confidence < self.threshold
        }
        grounded = None if best is None else Grounded(formula, best)
        problem = problem_of(grounded, self.schema, self._kinds) if grounded and not missing else None
        return Grounding(formula, grounded, missing, problem)

    def _options(self, formula: Formula, concept: str, need: Need) -> list[GroundedConcept]:
        """Return the candidates for a concept, the likeliest first."""
        table, dot, column = concept.partition(".")
        if dot:
            there = self.schema.by_name.get(table)
            found = there and there.by_name.get(column)
            return [GroundedConcept(concept, Place.of(there, found.name), 1.0)] if there and found else []
        found = [one for one in self._places(formula, concept, need) if one.confidence > 0.02][:_TRIED]
        for part in self.bank.parts(formula).get(concept, ()):
            if part.expression.aggregate and concept in formula.expression.added_up:
                continue
            grounding = self.ground(part)
            if grounding.best is not None:
                found.append(GroundedConcept(concept, None, grounding.best.confidence, grounding.best))
        if concept in self._everywhere and not any(one.confidence >= _OWN for one in found):
            found = [GroundedConcept(concept, None, 1.0, everywhere=self._everywhere[concept])]
        return sorted(found, key=lambda one: -one.confidence)[:_TRIED]

    def _places(self, formula: Formula, concept: str, need: Need) -> Iterator[GroundedConcept]:
        scores = self.scores(concept, need)
        literals = _compared_with(formula, concept) if need == "text" else ()
        for i in np.argsort(-scores, kind="stable")[: 3 * _TRIED].tolist():
            item = self.items[i]
            values = self._held(item, literals) if literals else ()
            sure = float(scores[i])
            if literals:  # the column must contain the value, which raises its probability
                sure = 1 - (1 - sure) ** 2 if values else 0.0
            key = self.key_of(item.place.table) if item.kind == "table" else None
            yield GroundedConcept(concept, item.place, sure, values=values, key=key)

    def scores(self, concept: str, need: Need) -> NDArray[np.float64]:
        """Return the probability that each column and table is a concept, 0 for those of an unfitting type."""
        if concept not in self._scores:
            self._scores[concept] = self.features.confidence(concept)
        return np.where(self.fits(need), self._scores[concept], 0.0)

    def called(self, text: str, need: Need) -> bool:
        """Does a column have this name, more or less? YEAR has not all words of «years to retirement»."""
        says_all = self.features.of(text)[:, _SAID] >= _ALL_OF_IT
        return bool((self.scores(text, need)[says_all] >= self.threshold).any())

    def fits(self, need: Need) -> NDArray[np.bool_]:
        """Return which columns and tables have a fitting type, shape (columns and tables,)."""
        return np.array([_fits(item, need) and (need != "truth" or self._is_flag(item)) for item in self.items])

    def _is_flag(self, item: GroundingItem) -> bool:
        """Is a number a flag, with no other values than 0 and 1?"""
        if self._index is None or item.kind != "number" or item.place.column is None:
            return True
        return set(self._index.few(item.place.table, item.place.column, 2)) in ({"0"}, {"1"}, {"0", "1"})

    def _held(self, item: GroundingItem, literals: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return the texts that a column contains with their spelling, or all of them without an index."""
        if self._index is None:
            return tuple((one, one) for one in literals)
        if item.place.column is None:
            return ()
        return tuple(self._index.held(item.place.table, item.place.column, literals).items())

    def key_of(self, table: str) -> str | None:
        """Return the only column of a table's primary key, None if there are others."""
        keys = self.schema.table(table).primary_key
        return keys[0] if len(keys) == 1 else None

    def _likeliest(
        self, options: Sequence[Sequence[GroundedConcept]], alike: Sequence[frozenset[str]]
    ) -> tuple[GroundedConcept, ...]:
        """Return the likeliest combination of options, with penalties for repeated places and mixed comparisons."""

        def weight(several: tuple[GroundedConcept, ...]) -> float:
            taken = {(name, place) for one in several for name, place in one.taken()}
            twice = len(taken) - len({place for _, place in taken})
            mixed = sum(unlike((one for one in several if one.concept in names), self._kinds) for names in alike)
            sure = sum(math.log(one.confidence) for one in several)
            return sure + self._together(several) - _AGAINST * (twice + mixed)

        return max(product(*options), key=weight)

    def _together(self, several: Iterable[GroundedConcept]) -> float:
        tables = {
            table.lower()
            for one in several
            for table in ([one.place.table] if one.place else one.formula.tables if one.formula else [])
        }
        if len(tables) < 2:
            return _SAME_TABLE
        return _LINKED if len(tables) == 2 and frozenset(tables) in self._linked else 0.0


def _fits(item: GroundingItem, need: Need) -> bool:
    """Does a column or table have a fitting type?"""
    kind = item.kind
    if need == "counted":  # amounts are not counted
        return kind != "number" or bool(_CODE.search(item.name))
    if kind in ("table", "key"):  # a number that identifies rows is no amount, but people read an ISBN
        return need == "shown" and kind == "key" and not _CODE.search(item.name)
    fitting = {
        "number": ("number", "other"),
        "time": ("time", "text", "other"),
        "text": ("text", "other", "number", "boolean"),
        "truth": ("boolean", "number", "other"),
    }
    return need in ("any", "shown") or kind in fitting[need]


def _compared_with(formula: Formula, concept: str) -> tuple[str, ...]:
    """Return the texts that a formula compares a concept with."""
    found: list[str] = []
    for tree in formula.expression.trees:
        for node in tree.find_all(exp.In, exp.EQ):
            if isinstance(node.this, exp.Column) and concept_of(node.this) == concept:
                other = node.expressions if isinstance(node, exp.In) else [node.expression]
                found += [one.name for one in other if isinstance(one, exp.Literal) and one.is_string]
    return tuple(found)
