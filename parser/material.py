"""What a domain gives to one training run: grammar, vocabulary, covered examples, and counts of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp, parse_one

from ..data.aliases import sources
from ..data.check_rules import objection
from ..data.domain import Domain
from ..data.errors import DomainError, QueryError
from ..data.examples import Example
from ..data.findings import grouped
from ..grammar import MOST_WORDS, Constraint, Grammar, Vocabulary
from .options import DataOptions

__all__ = ["PARTS", "Material", "Refused", "Uncovered"]

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Uncovered:
    """A gold query that the grammar does not read; ``place`` is its file and line."""

    id: str
    part: str
    place: str
    problem: str


@dataclass(frozen=True)
class Refused:
    """A gold query that the local constraint refuses; ``pairs`` of the part have it, ``place`` is that of the first."""

    query: str
    part: str
    place: str
    problem: str
    pairs: int


@dataclass(frozen=True)
class Material:
    """What there is to learn from.

    Attributes:
        train: training examples whose gold query the grammar covers; the vocabulary is theirs alone.
        dev: every dev example; gold queries outside grammar or vocabulary count as misses.
        parts: every example by part.
        left_out: pairs whose query is longer than `DataOptions.longest`.
        uncovered: gold queries outside the grammar, of all parts.
        counts: by name, then by part: ``questions``, ``queries``, ``outside`` the grammar, and ``unseen``:
            inside it with words that no training query has.
    """

    domain: Domain
    grammar: Grammar
    vocabulary: Vocabulary
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    parts: dict[str, tuple[Example, ...]]
    uncovered: tuple[Uncovered, ...]
    counts: dict[str, dict[str, int]]
    left_out: int = 0

    @classmethod
    def of(cls, domain: Domain, options: DataOptions) -> Material:
        """Read the domain through the grammar.

        Raises:
            DomainError: no training example is covered, or there is nothing to measure on.
        """
        grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
        pairs = len(domain.examples)
        if options.longest is not None:
            short = tuple(e for e in domain.examples if _length(e, grammar) <= options.longest)
            domain = replace(domain, examples=short)
        parts = {part: domain.part(part, split=options.split) for part in PARTS}
        uncovered = [u for part in PARTS for u in _uncovered(parts[part], part, grammar=grammar, source=domain.source)]
        outside = {u.id for u in uncovered}
        train = tuple(e for e in parts["train"] if e.id not in outside)
        for part, found in (("train", train), ("dev", parts["dev"])):
            if not found:
                hint = "give examples a split, or add more of them"
                raise DomainError(f"no {part} examples under the {options.split} split", file=domain.source, hint=hint)
        slots = sorted({value.slot for e in train for value in e.values})
        vocabulary = Vocabulary.build(grammar, [e.slotted for e in train], slots=slots, functions=options.functions)
        counts = {
            "questions": {part: len(found) for part, found in parts.items()},
            "queries": {part: len({e.slotted for e in found}) for part, found in parts.items()},
            "outside": {part: sum(u.part == part for u in uncovered) for part in PARTS},
            "unseen": {
                part: sum(e.id not in outside and not _writable(e, vocabulary) for e in found)
                for part, found in parts.items()
            },
        }
        left_out = pairs - len(domain.examples)
        return cls(domain, grammar, vocabulary, train, parts["dev"], parts, tuple(uncovered), counts, left_out)

    @property
    def longest(self) -> int:
        """Return the words of the longest training query."""
        return max(len(self.vocabulary.encode(e.slotted)) for e in self.train)

    @property
    def widest(self) -> int:
        """Return the sources of the widest FROM of a training query, 1 at least."""
        queries = {e.slotted: e.sql for e in self.train}.values()
        trees = (parse_one(query, dialect=self.domain.dialect) for query in queries)
        return max(1, *(len(list(sources(select))) for tree in trees for select in tree.find_all(exp.Select)))

    @property
    def along_keys(self) -> bool:
        """Say whether the schema has foreign keys, and training queries join along them wherever they join at all."""
        if not any(table.foreign_keys for table in self.domain.schema.tables):
            return False
        queries = {e.slotted for e in self.train}
        free, bound = (
            self.grammar.constraint(self.vocabulary, budget=min(self.longest, MOST_WORDS), level="scope", joins=joins)
            for joins in ("any", "keys")
        )
        return all(self._objection(bound, q) is None or self._objection(free, q) is not None for q in queries)

    def refused(self, constraint: Constraint) -> list[Refused]:
        """Return the gold queries of each part that a constraint on the vocabulary refuses, budget included.

        Those outside the grammar, and those with words that no training query has, are counted elsewhere.
        """
        found: list[Refused] = []
        told: dict[str, str | None] = {}
        for part, examples in self.parts.items():
            for group in grouped(examples, lambda e: e.slotted).values():
                query = group[0].slotted
                if query not in told:
                    told[query] = self._objection(constraint, query)
                if (problem := told[query]) is not None:
                    place = _place(group[0], self.domain.source)
                    found.append(Refused(query, part, place, problem, len(group)))
        return found

    def _objection(self, constraint: Constraint, query: str) -> str | None:
        try:
            ids = self.vocabulary.encode(query)
        except QueryError:
            return None
        problem = objection(constraint, ids)
        return None if problem is None else problem[1]

    def to_json(self) -> dict[str, Any]:
        """Return the counts and the uncovered queries as plain dicts."""
        return {**self.counts, "words": len(self.vocabulary), "uncovered": [vars(u) for u in self.uncovered]}


def _uncovered(examples: Sequence[Example], part: str, *, grammar: Grammar, source: str) -> list[Uncovered]:
    found: list[Uncovered] = []
    for example in examples:
        try:
            grammar.tokenize(example.slotted)
        except QueryError as error:
            found.append(Uncovered(example.id, part, _place(example, source), str(error)))
    return found


def _place(example: Example, source: str) -> str:
    return f"{source}:{example.line}" if example.line else source


def _length(example: Example, grammar: Grammar) -> int:
    """Return the words of a gold query; one outside the grammar is short, so that it is still told of."""
    try:
        return len(grammar.tokenize(example.slotted))
    except QueryError:
        return 0


def _writable(example: Example, vocabulary: Vocabulary) -> bool:
    try:
        vocabulary.encode(example.slotted)
    except QueryError:
        return False
    return True
