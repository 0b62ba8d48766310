"""Binds templates to databases: tables that are joined as the template's are, columns of the same roles, their values.

A template of students in cities becomes a question about any two tables of which one refers to the other.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlglot import exp

from ..data.databases.database import Database
from ..data.errors import DatabaseError
from ..data.parsing import read_tree
from ..data.schema.plain_names import article
from ..meaning.sql import TimePart, part_of
from .facts.facts import ColumnFacts, TableFacts
from .facts.joins import Join
from .facts.writing import quoted
from .mining import KEY, Slot, Template, ValueSlot
from .parts.draws import NothingToDraw, SamplingFrame

_T = TypeVar("_T")

_TRIES = 12
"""For each question that is wanted."""

_SPOKEN = re.compile(r"[\w.,&+-]+(?: [\w.,&+-]+){0,4}")
"""A text that people write into a question: five words at most, and no brackets or quotes."""

_LONGEST = 32
_ARTICLE = re.compile(r"\b(a|an) $", re.IGNORECASE)
_SMALL = (1, 2, 2, 3, 4, 5)
"""What a number of rows is compared with."""


class TemplateBank:
    """Templates by the shape of their query, so that rare shapes are drawn as well as frequent ones.

    Args:
        templates: to draw from.
    """

    def __init__(self, templates: Sequence[Template]) -> None:
        self._every = list(templates)
        shapes = defaultdict[str, list[Template]](list)
        for one in templates:
            shapes[re.sub(r"\d+", "", one.shape)].append(one)
        self._shapes = list(shapes.values())

    def draw(self, rng: random.Random) -> Template:
        """Return one: every other time each shape is as likely as another, else each template."""
        return rng.choice(rng.choice(self._shapes) if rng.random() < 0.5 else self._every)

    def questions(
        self, frame: SamplingFrame, database: Database, count: int, rng: random.Random
    ) -> Iterator[tuple[str, str]]:
        """Yield up to ``count`` different questions about a database with their queries, which have rows."""
        known = set[str]()
        for _ in range(count * _TRIES):
            if len(known) == count or not frame.tables:
                return
            try:
                bound = _Binding(self.draw(rng), frame, rng)
                question, sql = bound.question(), bound.sql()
            except NothingToDraw:
                continue
            if question not in known and _has_rows(database, sql):
                known.add(question)
                yield question, sql


def _has_rows(database: Database, sql: str) -> bool:
    try:
        rows = database.fetch(sql).rows
    except DatabaseError:
        return False
    return says_something(rows)


def says_something(rows: Sequence[Sequence[Any]]) -> bool:
    """Do rows have a cell that is not NULL, and more than a single zero?"""
    none = len(rows) == 1 == len(rows[0]) and rows[0][0] == 0
    return not none and any(cell is not None for row in rows for cell in row)


@dataclass
class _Binding:
    """One draw of tables, columns and values for the slots of a template.

    Raises:
        NothingToDraw: the database has nothing that fits.
    """

    template: Template
    frame: SamplingFrame
    rng: random.Random
    tables: dict[str, TableFacts] = field(default_factory=dict[str, TableFacts])
    columns: dict[str, ColumnFacts] = field(default_factory=dict[str, ColumnFacts])
    values: dict[str, str | int | float] = field(default_factory=dict[str, str | int | float])
    keys: dict[frozenset[str], Mapping[str, ColumnFacts]] = field(
        default_factory=dict[frozenset[str], Mapping[str, ColumnFacts]]
    )

    def __post_init__(self) -> None:
        for child, parent in self.template.joins:
            self._join(child, parent)
        for slot in self.template.tables:
            if slot not in self.tables:
                if self.template.joins:
                    raise NothingToDraw  # tables that nothing joins have nothing to do with one another
                self.tables[slot] = self._one(self.frame.tables)
        if any(person and not self.tables[slot].noun.person for slot, person in self._who()):
            raise NothingToDraw
        for slot in self.template.columns:
            self.columns[slot] = self._one([one for one in self._table(slot).columns if self._fits(slot, one)])
        for slot, wanted in self.template.values.items():
            self.values[slot] = self._one(self._cells(wanted) if wanted.column else _SMALL)

    def _who(self) -> list[tuple[str, bool]]:
        """Return which tables must be of persons: those of «who»."""
        return [*self.template.tables.items()] if "who" in self.template.words else []

    def _one(self, options: Sequence[_T]) -> _T:
        if not options:
            raise NothingToDraw
        return self.rng.choice(options)

    def _join(self, child: str, parent: str) -> None:
        def fits(join: Join) -> bool:
            free = [slot for slot in (child, parent) if slot not in self.tables]
            new = [join.child if slot is child else join.parent for slot in free]
            kept = (
                self.tables.get(child, join.child) is join.child and self.tables.get(parent, join.parent) is join.parent
            )
            return join.plain and kept and not any(one is other for one in new for other in self.tables.values())

        join = self._one([join for join in self.frame.joins if fits(join)])
        self.tables |= {child: join.child, parent: join.parent}
        self.keys[frozenset((child, parent))] = {child: join.key, parent: join.target}

    def _table(self, slot: str) -> TableFacts:
        return self.tables[self.template.columns[slot].table]

    def _fits(self, slot: str, column: ColumnFacts) -> bool:
        wanted, table = self.template.columns[slot], self._table(slot)
        return (
            wanted.role in (None, column.role)
            and (column in table.names) == wanted.named
            and wanted.several in (None, column.noun.several)
            and (column.sums or not wanted.summed)
            and wanted.meaning in (None, column.kind)
            and column not in self.columns.values()
            and len(column.noun.one) > 1
        )

    def _cells(self, wanted: ValueSlot) -> list[str | int | float]:
        """Return the cells of a column that people would say, and that no other slot has."""
        kind = str if wanted.text else (int, float)
        given = {
            self.values[slot] for slot, one in self.template.values.items() if slot in self.values and one == wanted
        }
        found = [v for v in self.columns[wanted.column].values if isinstance(v, kind) and v not in given]
        return [v for v in found if not isinstance(v, str) or (len(v) <= _LONGEST and _SPOKEN.fullmatch(v))]

    def question(self) -> str:
        """Return the wording with names and values in its slots."""
        said = ""
        for part in self.template.wording:
            text = part if isinstance(part, str) else self._said(part)
            if not isinstance(part, str) and (found := _ARTICLE.search(said)):
                said = f"{said[: found.start()]}{article(text)} "
            said += text
        return said[0].upper() + said[1:]

    def _said(self, slot: Slot) -> str:
        if slot.name in self.values:
            return str(self.values[slot.name])
        noun = (self.tables.get(slot.name) or self.columns[slot.name]).noun
        return noun.many if slot.many else noun.one

    def sql(self) -> str:
        """Return the query with names and values in its slots."""
        tree = self.template.query.copy()
        self._put_parts(tree)
        for on in tree.find_all(exp.EQ):
            ends = [end for end in (on.this, on.expression) if isinstance(end, exp.Column) and end.name == KEY]
            if ends:
                keys = self.keys[frozenset(end.table for end in ends)]
                for end in ends:
                    end.set("this", _name(keys[end.table].column.name))
        for column in tree.find_all(exp.Column):
            if column.name in self.columns:
                column.set("this", _name(self.columns[column.name].column.name))
            column.set("table", _name(self.tables[column.table].table.name))
        for table in tree.find_all(exp.Table):
            table.set("this", _name(self.tables[table.name].table.name))
        for slot in list(tree.find_all(exp.Placeholder)):
            value = self.values[slot.name]
            slot.replace(exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value))
        return tree.sql("sqlite")

    def _put_parts(self, tree: exp.Expr) -> None:
        """Write year and month of a column as its times are stored."""
        for part in list(tree.find_all(exp.Year, exp.Month)):
            unit: TimePart = "year" if isinstance(part, exp.Year) else "month"
            slot = part.find(exp.Column)
            storage = self.columns[slot.name].profile.time if slot is not None else None
            if slot is None or storage is None:
                raise NothingToDraw
            written = part_of(f"{slot.table}.{slot.name}", storage, "sqlite", unit)
            part.replace(read_tree(written, "sqlite"))


def _name(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=quoted(name) != name)
