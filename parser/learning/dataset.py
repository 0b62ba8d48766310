"""Collections of pairs on many databases made into examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...data.domains.collection import Collection, Pair
from ...data.errors import QuerentError, QueryError
from ...data.profiles.kept import open_profile
from ...data.sampler.sampling import clock_of
from ...encoders import Encoder
from ...ner.index import ValueIndex
from ..reader.context import DatabaseContext
from ..reader.question import QuestionWords, read_question
from .meant_queries import as_the_question_says
from .training_examples import TrainingExample, training_example_of

__all__ = ["Dataset", "contexts_of", "make_training_examples"]


@dataclass
class Dataset:
    """What became of pairs.

    Attributes:
        examples: of each pair, the ways to read it.
        left_out: how many pairs have no training example, by reason.
    """

    examples: list[list[TrainingExample]] = field(default_factory=list[list[TrainingExample]])
    left_out: Counter[str] = field(default_factory=Counter[str])


def contexts_of(collection: Collection, *, cache: Path | None = None) -> dict[str, list[DatabaseContext]]:
    """Return each database twice: named by descriptions where there are any, and by identifiers alone.

    «Last month» is seen from the last day that its cells tell.
    """
    found: dict[str, list[DatabaseContext]] = {}
    for name, schema in collection.schemas.items():
        file = collection.databases.get(name)
        given: dict[str, Any] = {"dialect": "sqlite", "language": collection.language}
        index = None
        if file is not None:
            index, profile = ValueIndex.open(file, schema, cache=cache), open_profile(file, schema, cache=cache)
            given |= {"profile": profile, "now": clock_of(profile)}
        found[name] = [DatabaseContext.of(schema, index, **given, described=named) for named in (True, False)]
    return found


def make_training_examples(
    pairs: Iterable[Pair],
    contexts: Mapping[str, list[DatabaseContext]],
    encoder: Encoder,
    *,
    progress: Callable[[], None] = lambda: None,
) -> Dataset:
    """Make a training example of each pair for each way that its database is read."""
    dataset = Dataset()
    for pair in pairs:
        try:
            dataset.examples.append(_examples_of(pair, contexts[pair.database], encoder))
        except QuerentError as error:
            dataset.left_out[error.problem.split(" at ")[0][:60]] += 1
        except KeyError as error:
            dataset.left_out[f"no word {error}"] += 1
        progress()
    return dataset


def _examples_of(pair: Pair, contexts: Sequence[DatabaseContext], encoder: Encoder) -> list[TrainingExample]:
    values = contexts[0].values(pair.question)
    question = read_question(pair.question, values, encoder)
    return [_example_of(pair, context, question) for context in contexts]


def _example_of(pair: Pair, context: DatabaseContext, question: QuestionWords) -> TrainingExample:
    """Make a training example of a pair: what its query means is said in the question's values and virtual columns.

    Raises:
        QuerentError: the query has no normal form, or takes times apart in a way that no virtual column has.
        KeyError: it has a word that no network writes.
    """
    values = [node.found for node in question.values]
    meant = as_the_question_says(pair.sql, pair.question, context, values)
    if not meant.whole:
        raise QueryError("times are taken apart as no word of its question says")
    return training_example_of(pair.id, question, meant.words(), meant.context.outputs)
