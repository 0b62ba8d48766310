"""Collections of pairs on many databases made into examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...data.domains.collection import Collection, Pair, named_as
from ...data.errors import QuerentError, QueryError
from ...encoders import Encoder
from ...meaning.profiling import open_profile
from ...ner.index import ValueIndex
from ...ner.language.question import QuestionText
from ...sampler.sampling import clock_of
from ..reader.context import DatabaseContext
from ..reader.question import QuestionWords, read_question
from .gold_query import GoldQuery
from .training_examples import TrainingExample

__all__ = ["Dataset", "contexts_of", "make_training_examples", "with_clock"]


@dataclass
class Dataset:
    """What became of pairs.

    Attributes:
        examples: of each pair, the ways to read it.
        left_out: how many pairs have no training example, by reason.
    """

    examples: list[list[TrainingExample]] = field(default_factory=list[list[TrainingExample]])
    left_out: Counter[str] = field(default_factory=Counter[str])


def contexts_of(
    collection: Collection, *, cache: Path | None = None, names: Collection | None = None
) -> dict[str, list[DatabaseContext]]:
    """Return each database named by descriptions where there are any, by identifiers alone, and in another language.

    Args:
        names: a collection that has some of the databases under names in another language.
    """
    other = {} if names is None else named_as(collection, names).schemas
    found: dict[str, list[DatabaseContext]] = {}
    for name, schema in collection.schemas.items():
        file = collection.databases.get(name)
        given: dict[str, Any] = {"dialect": "sqlite", "language": collection.language}
        index = None
        if file is not None:
            index = ValueIndex.open(file, schema, cache=cache)
            given["profile"] = open_profile(file, schema, cache=cache)
        ways = [DatabaseContext.of(schema, index, **given, described=named) for named in (True, False)]
        if name in other and other[name] is not schema:
            ways.append(DatabaseContext.of(other[name], index, **given))
        found[name] = [with_clock(one) for one in ways]
    return found


def with_clock(context: DatabaseContext) -> DatabaseContext:
    """Return a database whose «last month» is seen from a clock: where it has none, the last day that its cells tell.

    So what is learnt does not hang on the day of the training.
    """
    return replace(context, now=context.now or clock_of(context.profile))


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
    question = read_question(QuestionText(pair.question), values, encoder)
    return [_example_of(pair, context, question) for context in contexts]


def _example_of(pair: Pair, context: DatabaseContext, question: QuestionWords) -> TrainingExample:
    """Make a training example of a pair.

    Raises:
        QuerentError: the query has no normal form, or takes times apart in a way that no virtual column has.
        KeyError: it has a word that no network writes.
    """
    gold = GoldQuery.of(pair.sql, question, context)
    if not gold.meant.whole:
        raise QueryError("times are taken apart as no word of its question says")
    return gold.example(pair.id)
