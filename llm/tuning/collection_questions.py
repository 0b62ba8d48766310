"""Questions of collections of databases, each with what a prompt tells of its database."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...data.databases.database import Database
from ...data.domains.collection import Collection, Pair
from ...data.schema.schema import Column, Schema, Table
from ...ner.index import ValueIndex
from ...retrieval.shots import Shot
from ..executor import Outcome
from ..messages import Message
from ..named_values import named_values
from ..prompting import Prompter
from ..prompts import Cells, Prompts, example_cells, schema_text
from ..told_part import Needs, needs_of, told_part
from .retrieved_tables import TablePicker

__all__ = ["CollectionPrompts", "TuningQuestion"]

_CELLS = 3
"""Values of a text column that are told: as many as a connection tells."""

_DIALECT = "sqlite"


@dataclass(frozen=True)
class TuningQuestion:
    """One question on a database of a collection.

    Attributes:
        pair: question and gold query.
        file: the database.
        schema: all of it.
        told: what its prompt tells of it; in training tables of other databases, too.
        cells: values of what is told.
        named: what is told of the values that the question names.
    """

    pair: Pair
    file: Path
    schema: Schema
    told: Schema
    cells: Cells = field(repr=False)
    named: str = ""

    def messages(self, prompts: Prompts, failures: Sequence[Outcome] = ()) -> list[Message]:
        """Return its messages, in the form in which a connection asks."""
        return self._prompter(prompts).messages(self.pair.question, failures=failures)

    def answer(self, prompts: Prompts) -> str:
        """Return the gold answer, in the form in which a model is to write it."""
        return self._prompter(prompts).answer(Shot(self.pair.question, self.pair.sql))

    def _prompter(self, prompts: Prompts) -> Prompter:
        return Prompter(prompts, self.told, _DIALECT, cells=self.cells, named=lambda _: self.named)


class CollectionPrompts:
    """Says what the prompts of a collection's questions tell.

    Args:
        collection: the questions; those on databases without a file are left out.
        tokenizer: of transformers; counts what a table takes.
        picker: picks the tables, the most wanted first.
        tokens: that tables may take in a prompt.
        strangers: databases of other questions, of which a lesson may tell tables as well.
        seed: of what is random in lessons.
    """

    def __init__(
        self,
        collection: Collection,
        tokenizer: Any,
        picker: TablePicker,
        *,
        tokens: int,
        strangers: Sequence[str] = (),
        seed: int = 0,
    ) -> None:
        self._collection, self._picker, self._tokens, self._seed = collection, picker, tokens, seed
        self._tokenizer = tokenizer
        self._strangers = [name for name in strangers if name in collection.databases]
        self._described = lru_cache(maxsize=None)(self._read)
        self._sizes: dict[tuple[str, Table], int] = {}

    def questions(self, *, lessons: bool) -> Iterator[TuningQuestion]:
        """Yield the questions, database by database.

        Args:
            lessons: tell what the gold query needs, columns that it does not left out where they take too much, and
                beside it a random part of the budget in tables of this and of other databases, in random order; else
                what the picker says, in its order, as the model is asked later.

        Raises:
            DatabaseError: a database cannot be read.
        """
        by_database: dict[str, list[Pair]] = {}
        for pair in self._collection.pairs:
            by_database.setdefault(pair.database, []).append(pair)
        for name, pairs in by_database.items():
            if (file := self._collection.databases.get(name)) is None:
                continue
            schema, cells = self._described(name)
            with ValueIndex.open(file, schema) as index:
                named = named_values(index, self._collection.language)
                for pair in pairs:
                    told, known = self._lesson(pair, schema, cells) if lessons else (self._asked(pair, schema), cells)
                    yield TuningQuestion(pair, file, schema, told, known, named(pair.question))

    def _asked(self, pair: Pair, schema: Schema) -> Schema:
        return told_part(self._picker(pair, schema), schema, self._size(pair.database), self._tokens)

    def _lesson(self, pair: Pair, schema: Schema, cells: Cells) -> tuple[Schema, Cells]:
        drawn = random.Random(f"{self._seed} {pair.id} {pair.question}")
        needs, size = needs_of(pair.sql, schema), self._size(pair.database)
        budget = _budget(needs, schema, size, self._tokens, drawn)
        names = [*needs, *(name for name in self._picker(pair, schema) if name not in needs)]
        told = told_part(names, schema, size, budget, needs=needs, drawn=drawn)
        others, more = self._others(pair.database, told, budget - sum(map(size, told.tables)), drawn)
        tables = [*told.tables, *others]
        drawn.shuffle(tables)
        return replace(told, tables=tuple(tables)), {**more, **cells}

    def _others(self, name: str, told: Schema, left: int, drawn: random.Random) -> tuple[list[Table], Cells]:
        """Return tables of other databases that still fit, one of each, and their values."""
        found, known = list[Table](), dict[tuple[str, str], Sequence[str]]()
        names = {table.name.lower() for table in self._described(name)[0].tables}
        for other in drawn.sample(self._strangers, min(4, len(self._strangers))):
            schema, cells = self._described(other)
            table = drawn.choice(schema.tables)
            (alone,) = schema.part({table.name: [column.name for column in table.columns]}).tables
            size = self._size(other)(alone)
            if other != name and size <= left and alone.name.lower() not in names:
                names.add(alone.name.lower())
                found.append(alone)
                known |= {place: values for place, values in cells.items() if place[0] == alone.name}
                left -= size
        return found, known

    def _read(self, name: str) -> tuple[Schema, Cells]:
        schema, file = _without_echoes(self._collection.schemas[name]), self._collection.databases[name]
        with Database.open(file) as database:
            return schema, example_cells(schema, database, _CELLS)

    def _size(self, name: str) -> Callable[[Table], int]:
        cells = self._described(name)[1]

        def size(table: Table) -> int:
            if (name, table) not in self._sizes:
                text = schema_text(Schema((table,)), _DIALECT, cells)
                self._sizes[name, table] = len(self._tokenizer(text, add_special_tokens=False)["input_ids"])
            return self._sizes[name, table]

        return size


def _budget(needs: Needs, schema: Schema, size: Callable[[Table], int], most: int, drawn: random.Random) -> int:
    """Return what a lesson's tables may take, from what is needed to the most: short prompts are learnt, too."""
    least = min(most, sum(size(schema.table(name)) for name in needs))
    return drawn.randint(least, most)


def _without_echoes(schema: Schema) -> Schema:
    """Leave descriptions out that say a name again (``people_id``: people id), as lists of names in words do."""
    return replace(schema, tables=tuple(_plain(table) for table in schema.tables))


def _plain(table: Table) -> Table:
    columns = tuple(column if _tells(column) else replace(column, description="") for column in table.columns)
    return replace(table, columns=columns, description=table.description if _tells(table) else "")


def _tells(named: Table | Column) -> bool:
    return _letters(named.description) != _letters(named.name)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()
