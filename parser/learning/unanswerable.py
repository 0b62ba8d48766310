"""Training examples of questions that a database cannot answer.

They are small talk, questions about other databases, requests to change data, and statistics that no query computes.
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from ...data.domains.collection import Pair
from ...data.schema.plain_names import plural
from ...encoders import Encoder
from ...ner.language.question import QuestionText
from ..reader.context import DatabaseContext
from ..reader.question import read_question
from ..reader.relations import NO_MATCH, match_names
from .training_examples import TrainingExample

T = TypeVar("T")

TEXTS: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""The texts by kind (``small_talk``, ``requests``, ``statistics``) and language."""

_STATISTICS = 0.4
"""The share of requests for statistics, in a database with amounts."""

_ALIKE = 0.34
"""The share of words that are names of another database from which it may be able to answer the question."""


def unanswerable_examples(
    pairs: Sequence[Pair], contexts: Mapping[str, list[DatabaseContext]], encoder: Encoder, *, count: int, seed: int
) -> list[list[TrainingExample]]:
    """Return examples without a query: half questions about other databases, a quarter small talk, a quarter requests.

    Args:
        pairs: the pairs whose questions are drawn.
        contexts: the contexts of the databases.
        count: the number of draws; questions that the database may be able to answer are dropped.
    """
    rng = np.random.default_rng(seed)
    names, language = sorted(contexts), next(iter(contexts.values()))[0].language
    found: list[list[TrainingExample]] = []
    for number in range(count):
        name, pair = names[int(rng.integers(len(names)))], pairs[int(rng.integers(len(pairs)))]
        context = contexts[name][int(rng.integers(len(contexts[name])))]
        made = number % 4 < 2
        text = pair.question
        if made:
            text = _one(TEXTS["small_talk"][language], rng) if number % 4 == 0 else _request(context, rng)
        drawn = QuestionText(text, context.language)
        question = read_question(drawn, context.values(drawn), encoder)
        named = match_names(question.stems, context.items.names).max(1) > NO_MATCH
        if made or (pair.database != name and named.mean() < _ALIKE):
            found.append([TrainingExample(f"strange-{number}", question, context.items, np.zeros(0, np.int64))])
    return found


def _request(context: DatabaseContext, rng: np.random.Generator) -> str:
    """Return a request about a random table and column."""
    columns = [*context.items.schema.columns()]
    profiled = ((table, column, context.profile.column(table.name, column.name)) for table, column in columns)
    amounts = [(table, column) for table, column, one in profiled if one is not None and one.kind == "amount"]
    kind = "statistics" if amounts and rng.random() < _STATISTICS else "requests"
    table, column = _one(columns if kind == "requests" else amounts, rng)
    others = [other.name for of, other in amounts if of is table and other is not column]
    text = _one([text for text in TEXTS[kind][context.language] if others or "{d}" not in text], rng)
    items = context.items
    other = _one(others, rng) if others else column.name
    names = [items.items[items.find(table.name, name)].name for name in (None, column.name, other)]
    cells = context.index.samples(table.name, column.name) if context.index else ()
    many = plural(names[0]) if names[0].isascii() and not names[0].endswith("s") else names[0]
    return text.format(t=many, c=names[1], d=names[2], v=_one(cells, rng) if cells else names[1])


def _one(options: Sequence[T], rng: np.random.Generator) -> T:
    return options[int(rng.integers(len(options)))]
