"""Questions of collections of databases, each with a prompt that tells some tables of its database."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from ...data.databases.database import Database
from ...data.domains.collection import Collection, Pair
from ...data.schema.plain_names import plain_name
from ...data.schema.schema import Column, Schema, Table
from ...ner.index import ValueIndex
from ...retrieval.shots import Shot
from ..executor import Outcome
from ..messages import Message
from ..named import named_values
from ..prompting import Prompter
from ..prompts import Cells, Prompts, example_cells, schema_text
from ..pruned_schema import needs_of, told_part

__all__ = ["TuningQuestion", "tuning_questions"]

_Named = TypeVar("_Named", Table, Column)

_CELLS = 3
"""Values of a text column in a prompt: as many as a connection tells."""


@dataclass(frozen=True)
class TuningQuestion:
    """One question on a database of a collection.

    Attributes:
        pair: question and gold query.
        file: the database.
        schema: all of it.
        prompter: writes its messages, in the form in which a connection asks.
    """

    pair: Pair
    file: Path
    schema: Schema
    prompter: Prompter

    def messages(self, failures: Sequence[Outcome] = ()) -> list[Message]:
        """Return its messages, with earlier answers that failed."""
        return self.prompter.messages(self.pair.question, failures=failures)

    @property
    def answer(self) -> str:
        """Return the gold answer, in the form in which a model is to write it."""
        return self.prompter.answer(Shot(self.pair.question, self.pair.sql))


def tuning_questions(
    collection: Collection, tokenizer: Any, prompts: Prompts, *, tokens: int, seed: int
) -> Iterator[TuningQuestion]:
    """Yield the questions of a collection, database by database; those on databases without a file are left out.

    A prompt tells what the gold query needs, columns that it does not need left out where they take too much, and in a
    random part of the budget other tables of the database, in random order: so the model learns to choose.

    Args:
        tokenizer: of transformers; counts the ``tokens`` that tables may take in a prompt.
        seed: of what is random.
    """
    for name in dict.fromkeys(pair.database for pair in collection.pairs if pair.database in collection.databases):
        schema, file = _without_echoes(collection.schemas[name]), collection.databases[name]
        with Database.open(file) as database:
            cells = example_cells(schema, database, _CELLS)

        @cache
        def size(table: Table, cells: Cells = cells) -> int:
            text = schema_text(Schema((table,)), "sqlite", cells)
            return len(tokenizer(text, add_special_tokens=False)["input_ids"])

        with ValueIndex.open(file, schema) as index:
            named = named_values(index, collection.language)
            for pair in (one for one in collection.pairs if one.database == name):
                told = _prompt_tables(pair, schema, size, tokens, random.Random(f"{seed} {pair.id} {pair.question}"))
                values = {pair.question: named(pair.question)}  # while the index is open
                prompter = Prompter(prompts, told, "sqlite", cells=cells, named=values.__getitem__)
                yield TuningQuestion(pair, file, schema, prompter)


def _prompt_tables(
    pair: Pair, schema: Schema, size: Callable[[Table], int], tokens: int, drawn: random.Random
) -> Schema:
    """Return the tables that a prompt tells."""
    needs = needs_of(pair.sql, schema)
    budget = drawn.randint(min(tokens, sum(size(schema.table(name)) for name in needs)), tokens)
    spare = [table.name for table in schema.tables if table.name not in needs]
    told = told_part([*needs, *drawn.sample(spare, len(spare))], schema, size, budget, needs=needs, drawn=drawn)
    return replace(told, tables=tuple(drawn.sample(told.tables, len(told.tables))))


def _without_echoes(schema: Schema) -> Schema:
    """Leave descriptions out that repeat a name (``people_id``: people id), as lists of names in words do."""
    tables = (replace(table, columns=tuple(map(_plain, table.columns))) for table in schema.tables)
    return replace(schema, tables=tuple(map(_plain, tables)))


def _plain(named: _Named) -> _Named:
    repeats = plain_name(named.name) == plain_name(named.description)
    return replace(named, description="") if repeats else named
