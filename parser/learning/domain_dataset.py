"""A domain made into training examples: its pairs, the values it knows, and what there is no learning of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...data.domains.domain import Domain
from ...data.domains.examples import Example
from ...data.errors import DomainError, QuerentError
from ...data.schema.keys_in_queries import with_keys_in_queries
from ...encoders import Encoder
from ...grammar import EOS, Constraint
from ...ner.index import FoundValue
from ...ner.known_values import Columns, columns_of_types, given
from ..normal_form import NormalForm, ShortConstraint
from ..normal_form.keys import Words
from ..reader.context import DatabaseContext
from ..reader.domain_profile import domain_profile
from ..reader.profile import Profile
from ..reader.question import read_question
from .training_examples import TrainingExample, gold_words, training_example_of

__all__ = ["PARTS", "DomainDataset", "Unlearnt", "read_domain"]

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Unlearnt:
    """A gold query that the parser cannot write.

    Attributes:
        part: of the pairs.
        place: file and line of the first of them.
        problem: why.
        pairs: how many have it.
    """

    part: str
    place: str
    query: str
    problem: str
    pairs: int


@dataclass(frozen=True)
class DomainDataset:
    """What there is to learn from.

    Attributes:
        parts: pairs by part.
        types: columns that values of each type are compared with.
        profile: what the trained network keeps.
        examples: of the training part, each with its ways to be read.
        unlearnt: gold queries that cannot be written, of all parts.
    """

    domain: Domain
    parts: dict[str, tuple[Example, ...]]
    types: dict[str, Columns]
    profile: Profile
    context: DatabaseContext
    examples: list[list[TrainingExample]] = field(default_factory=list[list[TrainingExample]])
    unlearnt: list[Unlearnt] = field(default_factory=list[Unlearnt])

    def counts(self) -> dict[str, dict[str, int]]:
        """Return, by part, the numbers of questions, of queries, and of questions whose query cannot be written."""
        return {
            "questions": {part: len(found) for part, found in self.parts.items()},
            "queries": {part: len({e.slotted for e in found}) for part, found in self.parts.items()},
            "unlearnt": {part: sum(u.pairs for u in self.unlearnt if u.part == part) for part in self.parts},
        }


def read_domain(
    domain: Domain,
    encoder: Encoder,
    *,
    split: str,
    values: Path,
    level: str | None = "runs",
    learn_dev: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> DomainDataset:
    """Read a domain for training.

    Args:
        encoder: that reads the questions.
        split: ``question`` or ``query``.
        values: the index file of known values, written here.
        level: of the local constraint, which says what can be written.
        learn_dev: whether the dev part is learnt as well.
        progress: called once a pair.

    Raises:
        DomainError: there is nothing to train or to choose on.
    """
    parts = {part: domain.part(part, split=split) for part in PARTS}
    for part in ("train", "dev"):
        if not parts[part]:
            hint = "give examples a split, or add more of them"
            raise DomainError(f"no {part} examples under the {split} split", file=domain.source, hint=hint)
    if learn_dev:
        parts["train"] += parts["dev"]
    queries = [example.slotted for example in parts["train"]]
    domain = replace(domain, schema=with_keys_in_queries(domain.schema, queries, dialect=domain.dialect))
    types = columns_of_types(domain, parts["train"])
    profile = domain_profile(domain, parts["train"], values)
    dataset = DomainDataset(domain, parts, types, profile, profile.context(domain.database))
    reader = _ExampleReader(dataset, encoder, level)
    for part, examples in parts.items():
        for example in examples:
            reader.read(example, part)
            progress()
    dataset.unlearnt.extend(reader.unlearnt())
    return dataset


class _ExampleReader:
    """Makes training examples of examples, and keeps what cannot be learnt."""

    def __init__(self, dataset: DomainDataset, encoder: Encoder, level: str | None) -> None:
        self.dataset = dataset
        self.encoder = encoder
        context, profile = dataset.context, dataset.profile
        self.words = lru_cache(maxsize=None)(_ShortWords(context))
        self.constraint: ShortConstraint | None = None
        if level is not None:
            bounds: dict[str, Any] = {"budget": profile.budget, "sources": profile.sources, "without": profile.without}
            self.constraint = ShortConstraint(Constraint(context.vocabulary, level=level, **bounds))
        self.said = Counter((v.mention.text.lower(), v.mention.sql) for e in dataset.parts["train"] for v in e.values)
        self.problems: dict[str, str | None] = {}
        self.places: dict[tuple[str, str], tuple[str, str]] = {}
        self.pairs: Counter[tuple[str, str]] = Counter()

    def read(self, example: Example, part: str) -> None:
        """Make a training example of an example of the training part, and note whether its query can be written."""
        try:
            self._read(example, part)
        except QuerentError as error:
            self._keep(example, part, error.problem)
        except KeyError as error:
            self._keep(example, part, f"no word {error}")

    def _read(self, example: Example, part: str) -> None:
        context, encoder = self.dataset.context, self.encoder
        own = context.values(example.question, given(example, self.dataset.types))
        question = read_question(example.question, own, encoder)
        words = self.words(example.sql)
        training_example = training_example_of(example.id, question, words, context.outputs)
        if example.slotted not in self.problems:
            found = gold_words(words, question, context.vocabulary)
            self.problems[example.slotted] = self._objection(found, words)
        if problem := self.problems[example.slotted]:
            self._keep(example, part, problem)
        elif part == "train":
            seen = read_question(example.question, context.values(example.question, self._unspoilt(example)), encoder)
            self.dataset.examples.append(
                [training_example, training_example_of(example.id, seen, words, context.outputs)]
            )

    def _unspoilt(self, example: Example) -> Sequence[FoundValue]:
        """Return what the index finds, but for values known of this example alone: of others none would be known."""
        index, domain = self.dataset.context.index, self.dataset.domain
        assert index is not None
        own = {(v.mention.text.lower(), v.mention.sql) for v in example.values}
        alone = {pair for pair in own if self.said[pair] == 1 and domain.database is None}
        return index.find(example.question, language=domain.language, now=domain.now, without=alone)

    def _objection(self, found: Sequence[int], words: Words) -> str | None:
        """Say why a gold query cannot be written, None if it can."""
        if -1 in found:
            return f"no question says {words[list(found).index(-1)][0]}"
        if self.constraint is None:
            return None
        state = self.constraint.start()
        for word in [*found, EOS]:
            if not state.allowed()[word]:
                text = self.constraint.vocabulary.words[word].text
                return f"the constraint does not allow {text}"
            state = state.advance(word)
        return None

    def _keep(self, example: Example, part: str, problem: str) -> None:
        source = self.dataset.domain.source
        place = f"{source}:{example.line}" if example.line else source
        self.places.setdefault((part, example.slotted), (place, problem))
        self.pairs[part, example.slotted] += 1

    def unlearnt(self) -> Iterable[Unlearnt]:
        for (part, query), (place, problem) in self.places.items():
            yield Unlearnt(part, place, query, problem, self.pairs[part, query])


class _ShortWords:
    """The short form of queries."""

    def __init__(self, context: DatabaseContext) -> None:
        self.form = NormalForm(context.grammar)
        self.short = context.short

    def __call__(self, sql: str) -> Words:
        return self.short.words(self.form.of(sql))
