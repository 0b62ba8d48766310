"""The training examples of a domain, and the gold queries that the parser cannot write."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...data.domains.domain import Domain, Example
from ...data.errors import DomainError, QuerentError
from ...encoders import Encoder
from ...grammar import Constraint
from ...ner.index import FoundValue
from ...ner.known_values import Columns, columns_of_types
from ...ner.language.question import QuestionText
from ..normal_form import ShortConstraint
from ..reader.context import DatabaseContext
from ..reader.profile import Profile, domain_profile
from ..reader.question import read_question
from ..reader.value_mentions import read_mentions
from .dataset import with_clock
from .training_examples import GoldQuery, TrainingExample, gold_values

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Unlearnt:
    """A gold query that the parser cannot write.

    Attributes:
        part: the part of its pairs.
        place: the file and line of the first pair.
        problem: the reason.
        pairs: the number of its pairs.
    """

    part: str
    place: str
    query: str
    problem: str
    pairs: int


@dataclass(frozen=True)
class DomainDataset:
    """A domain with its training examples.

    Attributes:
        parts: the pairs by part.
        types: the columns that values of each type are compared with.
        profile: the profile that is saved with the network.
        context: the context of the database, with a clock.
        examples: the alternative examples of each pair of the training part.
        judged: the examples of the dev part by id, with the values that the parser finds.
        unlearnt: the gold queries of all parts that cannot be written.
    """

    domain: Domain
    parts: dict[str, tuple[Example, ...]]
    types: dict[str, Columns]
    profile: Profile
    context: DatabaseContext
    examples: list[list[TrainingExample]] = field(default_factory=list[list[TrainingExample]])
    judged: dict[str, TrainingExample] = field(default_factory=dict[str, TrainingExample])
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
    progress: Callable[[], None] = lambda: None,
) -> DomainDataset:
    """Read a domain for training.

    Args:
        encoder: the encoder of the network.
        split: ``question`` or ``query``.
        values: the file that the index of the domain's values is written to.
        level: the level of the local constraint, which decides which queries can be written.
        progress: a callback for each pair.

    Raises:
        DomainError: the training part or the dev part is empty.
    """
    parts = {part: domain.part(part, split=split) for part in PARTS}
    for part in ("train", "dev"):
        if not parts[part]:
            hint = "give examples a split, or add more of them"
            raise DomainError(f"no {part} examples under the {split} split", file=domain.source, hint=hint)
    types = columns_of_types(domain, parts["train"])
    profile = domain_profile(domain, parts["train"], values)
    dataset = DomainDataset(domain, parts, types, profile, with_clock(profile.catalogue(domain.database).whole))
    reader = _ExampleReader(dataset, encoder, level)
    read_mentions(example.question for part in PARTS for example in parts[part])
    for part in PARTS:
        for example in parts[part]:
            reader.read(example, part)
            progress()
    dataset.unlearnt.extend(reader.unlearnt.values())
    return dataset


class _ExampleReader:
    """Makes the training examples of pairs, and collects the queries that cannot be written."""

    def __init__(self, dataset: DomainDataset, encoder: Encoder, level: str | None) -> None:
        self.dataset = dataset
        self.encoder = encoder
        words, bounds = dataset.context.vocabulary, dataset.profile.bounds
        self.constraint = None if level is None else ShortConstraint(Constraint(words, level=level, **bounds))
        values = (value for example in dataset.parts["train"] for value in example.values)
        self.times = Counter((value.mention.text.lower(), value.mention.sql) for value in values)
        self.objections: dict[tuple[object, ...], str | None] = {}
        self.unlearnt: dict[tuple[str, str], Unlearnt] = {}

    def read(self, example: Example, part: str) -> None:
        """Make a training example of an example of the training part, and note whether its query can be written."""
        try:
            problem = self._read(example, part)
        except QuerentError as error:
            problem = error.problem
        except KeyError as error:
            problem = f"no word {error}"
        if problem:
            source, key = self.dataset.domain.source, (part, example.slotted)
            place = f"{source}:{example.line}" if example.line else source
            known = self.unlearnt.get(key) or Unlearnt(part, place, example.slotted, problem, 0)
            self.unlearnt[key] = replace(known, pairs=known.pairs + 1)

    def _read(self, example: Example, part: str) -> str | None:
        """Read an example, and say why its query cannot be written, None if it can."""
        found = self.dataset.context.values(self._text(example))
        gold = self._gold(example, gold_values(example, self.dataset.types, found))
        learnt = gold.example(example.id)
        virtual = () if gold.query.items is None else gold.query.items.virtual
        key = (example.slotted, tuple(gold.ids), virtual)
        if key not in self.objections:
            self.objections[key] = gold.objection(self.constraint)
        if self.objections[key]:
            return self.objections[key]
        if part == "train":
            self.dataset.examples.append([learnt, *self._as_found(example, found)])
        elif part == "dev":
            with suppress(QuerentError, KeyError):
                self.dataset.judged[example.id] = self._gold(example, found).example(example.id)
        return None

    def _text(self, example: Example) -> QuestionText:
        return QuestionText(example.question, self.dataset.context.language)

    def _gold(self, example: Example, values: Sequence[FoundValue]) -> GoldQuery:
        context, text = self.dataset.context, self._text(example)
        values = context.values(text, [one for one in values if one.how != "constant"])
        return GoldQuery.of(example.sql, read_question(text, values, self.encoder), context)

    def _as_found(self, example: Example, found: Sequence[FoundValue]) -> Iterator[TrainingExample]:
        """Yield the example with the values that the parser finds, if they suffice to write the query.

        Without a database, the values of this example alone are left out, as the parser would not know new ones.
        """
        own = {(v.mention.text.lower(), v.mention.sql) for v in example.values}
        alone = {pair for pair in own if self.times[pair] == 1 and self.dataset.domain.database is None}
        if alone:
            found = self.dataset.context.values(self._text(example), without=alone)
        with suppress(QuerentError, KeyError):
            yield self._gold(example, found).example(example.id)
