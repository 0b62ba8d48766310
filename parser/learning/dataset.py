"""Collections of pairs on many databases made into examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...data.domains.collection import Collection, Pair
from ...data.errors import QuerentError
from ...encoders import Encoder
from ...ner.index import ValueIndex
from ..normal_form import NormalForm
from ..reader.context import DatabaseContext
from ..reader.question import read_question
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
    """Return each database twice: named by descriptions where there are any, and by identifiers alone."""
    found: dict[str, list[DatabaseContext]] = {}
    for name, schema in collection.schemas.items():
        file = collection.databases.get(name)
        index = None if file is None else ValueIndex.open(file, schema, cache=cache)
        given: dict[str, Any] = {"dialect": "sqlite", "language": collection.language}
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
    forms = {name: NormalForm(several[0].grammar) for name, several in contexts.items()}
    for pair in pairs:
        try:
            dataset.examples.append(_examples_of(pair, contexts[pair.database], forms[pair.database], encoder))
        except QuerentError as error:
            dataset.left_out[error.problem.split(" at ")[0][:60]] += 1
        except KeyError as error:
            dataset.left_out[f"no word {error}"] += 1
        progress()
    return dataset


def _examples_of(
    pair: Pair, contexts: list[DatabaseContext], form: NormalForm, encoder: Encoder
) -> list[TrainingExample]:
    first = contexts[0]
    words = first.short.words(form.of(pair.sql))
    question = read_question(pair.question, first.values(pair.question), encoder)
    return [training_example_of(pair.id, question, words, context.outputs) for context in contexts]
