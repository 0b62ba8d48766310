"""Training examples of pairs on many databases: pairs of collections, and invented pairs and dialogues."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.domains.collection import Collection, Pair, named_as
from ...data.domains.dialogues import ALONE, Dialogue, Turn
from ...data.errors import QuerentError, QueryError
from ...data.schema.schema import Schema
from ...encoders import Encoder
from ...meaning.profiling import open_profile
from ...ner.index import ValueIndex
from ...ner.language.question import QuestionText
from ...sampler import Asked, SamplingFrame, TemplateBank, clock_of
from ..reader.context import DatabaseContext
from ..reader.question import read_question
from .training_examples import GoldQuery, TrainingExample


def contexts_of(
    collection: Collection, *, cache: Path | None = None, names: Collection | None = None
) -> dict[str, list[DatabaseContext]]:
    """Return the contexts of each database: with names from descriptions, from identifiers, and in another language.

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
    """Return a context with a clock, so that a training does not depend on its day.

    Where the database has no clock, «last month» is relative to the last day among its cells.
    """
    return replace(context, now=context.now or clock_of(context.profile))


def make_training_examples(
    pairs: Iterable[Pair],
    contexts: Mapping[str, list[DatabaseContext]],
    encoder: Encoder,
    *,
    progress: Callable[[], None] = lambda: None,
) -> tuple[list[list[TrainingExample]], Counter[str]]:
    """Return the examples of each pair, one for each context of its database, and the number of failures by reason."""
    examples, left_out = list[list[TrainingExample]](), Counter[str]()
    for pair in pairs:
        try:
            examples.append(_examples_of(pair, contexts[pair.database], encoder))
        except QuerentError as error:
            left_out[error.problem.split(" at ")[0][:60]] += 1
        except KeyError as error:
            left_out[f"no word {error}"] += 1
        progress()
    return examples, left_out


def _examples_of(pair: Pair, contexts: Sequence[DatabaseContext], encoder: Encoder) -> list[TrainingExample]:
    """Return the examples of a pair.

    Raises:
        QuerentError: the query has no normal form, or extracts a part of a time that no virtual column has.
        KeyError: it has a word that no network writes.
    """
    text = QuestionText(pair.question, contexts[0].language)
    question = read_question(text, contexts[0].values(text), encoder)
    golds = [GoldQuery.of(pair.sql, question, context) for context in contexts]
    if not all(gold.query.whole for gold in golds):
        raise QueryError("it extracts a part of a time that its question does not name")
    return [gold.example(pair.id) for gold in golds]


def invented(
    name: str,
    context: DatabaseContext,
    database: str | Path,
    bank: TemplateBank,
    *,
    count: int,
    seed: int,
    schema: Schema | None = None,
    language: str = "",
) -> list[list[Asked]]:
    """Return conversations about a database.

    Times relative to a clock take that of the context, and there are none where it has none.

    Args:
        name: of the database; few of each are not the same few everywhere.
        bank: the templates that are drawn from.
        count: the largest number.
        schema: of the database with the names that questions say, where these are other ones.
        language: of the questions, where it is another one than the context's.
    """
    known = context.profile or None
    with Database.open(database) as opened:
        said = schema or context.items.schema
        frame = SamplingFrame.of(said, opened, language or context.language, known, context.now)
        return list(bank.conversations(frame, opened, count, random.Random(f"{seed}:{name}")))


def invented_pairs(name: str, conversations: Iterable[Sequence[Asked]]) -> list[Pair]:
    """Return the first question of each conversation."""
    return [
        Pair(f"{name}-invented-{number}", name, one[0].question, one[0].sql) for number, one in enumerate(conversations)
    ]


def invented_dialogues(name: str, conversations: Sequence[Sequence[Asked]]) -> list[Dialogue]:
    """Return conversations as dialogues; every third ends with a new topic, the first turns of another one."""

    def turns(asked: Sequence[Asked], first: str) -> Iterator[Turn]:
        for number, one in enumerate(asked):
            kind = one.name if number else first
            yield Turn(one.question, one.sql, (kind,) if kind else ())

    found = list[Dialogue]()
    for number, one in enumerate(conversations):
        new = () if number % 3 else conversations[number - 1][:2]
        found.append(Dialogue(f"{name}-next-{number}", name, (*turns(one, ""), *turns(new, ALONE))))
    return found
