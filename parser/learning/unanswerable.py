"""Questions that a database cannot answer, to learn from.

They are small talk, of other databases, or ask to change this one or for what no query gives.
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
"""By kind (``small_talk``, ``requests``, ``statistics``) and language what people say; see the file."""

_STATISTICS = 0.4
"""Share of the requests that ask for one, where there are amounts."""

_ALIKE = 0.34
"""A question of whose words a greater share are names of the other database may well be answered there."""


def unanswerable_examples(
    pairs: Sequence[Pair], contexts: Mapping[str, list[DatabaseContext]], encoder: Encoder, *, count: int, seed: int
) -> list[list[TrainingExample]]:
    """Put questions to databases that they were not asked of; a quarter is small talk, a quarter asks for no rows.

    Args:
        pairs: whose questions are drawn.
        contexts: of the databases.
        count: training examples wanted; fewer where questions fit too well.
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
        question = read_question(QuestionText(text), context.values(text), encoder)
        said = match_names(question.stems, context.items.names).max(1) > NO_MATCH
        if made or (pair.database != name and said.mean() < _ALIKE):
            found.append([TrainingExample(f"strange-{number}", question, context.items, np.zeros(0, np.int64))])
    return found


def _request(context: DatabaseContext, rng: np.random.Generator) -> str:
    """Return a request in the words of a schema."""
    columns = [*context.items.schema.columns()]
    amounts = [(table, column) for table, column in columns if _is_amount(context, table.name, column.name)]
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


def _is_amount(context: DatabaseContext, table: str, column: str) -> bool:
    known = context.profile.column(table, column)
    return known is not None and known.kind == "amount"


def _one(options: Sequence[T], rng: np.random.Generator) -> T:
    return options[int(rng.integers(len(options)))]
