"""Binds templates to databases: tables that are joined as the template's are, columns of the same kinds, their values.

A template of students in cities becomes a question about any two tables of which one refers to the other.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from sqlglot import exp

from ..data.databases.database import Database
from ..data.errors import DatabaseError, QueryError
from ..data.schema.plain_names import article
from .facts.facts import ColumnFacts, TableFacts
from .facts.joins import Join
from .facts.self_keys import SelfKey
from .facts.verbalisation import Noun, joined
from .frame import NothingToDraw, SamplingFrame
from .functions import with_functions
from .kinds import comes_after, fits, said_flag
from .spans import Span, recurring_of, span_of
from .template import AGAIN, KEY, Slot, Template, TemplateTurn, ValueSlot, Wording

_T = TypeVar("_T")
Value: TypeAlias = str | int | float | Span

_TRIES = 40
"""For each question that is wanted."""

_SPOKEN = re.compile(r"[\w.,&+-]+(?: [\w.,&+-]+){0,4}")
"""A text that people write into a question: five words at most, and no brackets or quotes."""

_LONGEST = 32
_ARTICLE = re.compile(r"\b(a|an) $", re.IGNORECASE)
_SMALL = (1, 2, 2, 3, 3, 4, 5, 10)
"""What a number of rows is compared with, or limited to."""

_PIECE = 4
"""Letters of a piece of a text, at least; Chinese texts have pieces of two signs."""

_LIKE = {"contains": "%{}%", "starts": "{}%", "ends": "%{}"}


class Asked(NamedTuple):
    """Ways to ask a question, its query, and what kind of question it is, or what it changes of the query before."""

    sayings: tuple[str, ...]
    sql: str
    name: str

    @property
    def question(self) -> str:
        """Return the first way."""
        return self.sayings[0]


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

    def conversations(
        self, frame: SamplingFrame, database: Database | None, count: int, rng: random.Random
    ) -> Iterator[list[Asked]]:
        """Yield up to ``count`` different conversations about a database, each of whose turns tells something else.

        Args:
            database: that the queries are tried on; without one they have no values.
        """
        known = set[str]()
        for _ in range(count * _TRIES):
            if len(known) == count or not frame.tables:
                return
            try:
                template = self.draw(rng)
                asked = list(_Binding(template, frame, rng).asked())
            except (NothingToDraw, QueryError):
                continue
            told = asked if database is None else list(_telling(database, asked))
            if len(told) < min(len(template.turns), 2) or told[0].question in known:
                continue
            known.add(told[0].question)
            yield told

    def questions(
        self, frame: SamplingFrame, database: Database | None, count: int, rng: random.Random
    ) -> Iterator[tuple[str, str]]:
        """Yield up to ``count`` different questions about a database with their queries, which have rows."""
        for first, *_ in self.conversations(frame, database, count, rng):
            yield first.question, first.sql


def _telling(database: Database, asked: Sequence[Asked]) -> Iterator[Asked]:
    """Yield the turns up to the first without rows that say something else than those before."""
    before: Sequence[Any] = ()
    for one in asked:
        try:
            rows = database.fetch(one.sql).rows
        except DatabaseError:
            return
        if not says_something(rows) or rows == before:
            return
        before = rows
        yield one


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
    nouns: dict[str, Noun] = field(default_factory=dict[str, Noun])
    columns: dict[str, ColumnFacts] = field(default_factory=dict[str, ColumnFacts])
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    keys: dict[tuple[str, str], ColumnFacts] = field(default_factory=dict[tuple[str, str], ColumnFacts])

    def __post_init__(self) -> None:
        for child, parent in self.template.joins:
            self._join(child, parent)
        for slot in self.template.tables:
            if slot not in self.tables:
                if self.template.joins:
                    raise NothingToDraw  # tables that nothing joins have nothing to do with one another
                self._put(slot, self._one([table for table in self.frame.tables if self._could_be(slot, table)]))
        if "who" in self.template.words and any(
            person and not self.nouns[slot].person for slot, person in self.template.tables.items()
        ):
            raise NothingToDraw
        for slot in self.template.columns:
            self.columns[slot] = self._one([one for one in self._table(slot).columns if self._fits(slot, one)])
        for slot, wanted in self.template.values.items():
            self.values[slot] = self._value(wanted)

    def _one(self, options: Sequence[_T]) -> _T:
        if not options:
            raise NothingToDraw
        return self.rng.choice(options)

    def _put(self, slot: str, table: TableFacts, noun: Noun | None = None) -> None:
        self.tables[slot], self.nouns[slot] = table, noun or table.noun

    def _could_be(self, slot: str, table: TableFacts) -> bool:
        """Does a table have a column for each of the template's columns?"""
        wanted = [one for one in self.template.columns.values() if one.table == slot]
        return all(any(fits(one.kind, table, column) for column in table.columns) for one in wanted)

    def _join(self, child: str, parent: str) -> None:
        if parent in AGAIN:
            self._join_itself(child, parent)
            return

        def possible(join: Join) -> bool:
            free = [slot for slot in (child, parent) if slot not in self.tables]
            new = [join.child if slot is child else join.parent for slot in free]
            kept = (
                self.tables.get(child, join.child) is join.child and self.tables.get(parent, join.parent) is join.parent
            )
            fresh = not any(one is other for one in new for other in self.tables.values())
            return kept and fresh and all(map(self._could_be, (child, parent), (join.child, join.parent)))

        join = self._one([join for join in self.frame.joins if possible(join)])
        known = {*self.tables}
        for slot, table, noun in ((child, join.child, join.child.noun), (parent, join.parent, join.noun)):
            if slot not in known:
                self._put(slot, table, noun)
        self.keys |= {(child, parent): join.key, (parent, child): join.target}

    def _join_itself(self, child: str, parent: str) -> None:
        def possible(key: SelfKey) -> bool:
            return self.tables.get(child, key.table) is key.table and self._could_be(child, key.table)

        key = self._one([key for key in self.frame.self_keys if possible(key)])
        self._put(child, key.table)
        self._put(parent, key.table, key.noun)
        self.keys |= {(child, parent): key.key, (parent, child): key.target}

    def _table(self, slot: str) -> TableFacts:
        return self.tables[self.template.columns[slot].table]

    def _fits(self, slot: str, column: ColumnFacts) -> bool:
        wanted, table = self.template.columns[slot], self._table(slot)
        taken = [self.columns[one] for one in self.columns if self.template.columns[one].table == wanted.table]
        return (
            bool(fits(wanted.kind, table, column))
            and wanted.several in (None, column.noun.several)
            and wanted.meaning in (None, column.kind)
            and column not in taken
            and len(column.noun.one) > 1
            and (wanted.after is None or comes_after(column, self.columns[wanted.after]))
        )

    def _value(self, wanted: ValueSlot) -> Value:
        if wanted.kind == "small":
            return self._one(_SMALL)
        column = self.columns[wanted.column]
        if wanted.kind in ("span", "recurring"):
            storage = column.profile.time
            if storage is None or not column.days:
                raise NothingToDraw
            if wanted.kind == "span":
                return span_of(column.days, storage, self.rng, self.frame.now)
            return recurring_of(column.days, storage, self.rng)
        known = [
            self.values[slot] for slot, one in self.template.values.items() if slot in self.values and one == wanted
        ]
        if wanted.kind == "number":
            return self._one([n for n in self._numbers(column) if n not in known])
        texts = [v for v in column.values if isinstance(v, str) and len(v) <= _LONGEST and _SPOKEN.fullmatch(v)]
        if wanted.kind == "text":
            return self._one([v for v in texts if v not in known])
        return self._one([piece for v in texts for piece in _pieces(v, wanted.kind) if piece not in known])

    def _numbers(self, column: ColumnFacts) -> list[int | float]:
        """Return numbers between the extremes of a column, each of them or a round one nearby."""
        cells = [v for v in column.values if isinstance(v, int | float)]
        if not cells:
            raise NothingToDraw
        near = [round(v, 1 - len(str(abs(int(v))))) if abs(v) >= 20 else round(v, 2) for v in cells]
        found = near if self.rng.random() < 0.5 else cells
        kept = [v for v in found if cells[0] <= v <= cells[-1]] or cells
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in kept]

    def asked(self) -> Iterator[Asked]:
        """Yield the turns with names and values in their slots."""
        for turn in self.template.turns:
            yield Asked(tuple(dict.fromkeys(map(self.saying, turn.wordings))), self.sql(turn), turn.name)

    def saying(self, wording: Wording) -> str:
        """Return a wording with names and values in its slots."""
        said = ""
        for part in wording:
            text = part if isinstance(part, str) else self._said(part)
            if not isinstance(part, str) and (found := _ARTICLE.search(said)):
                said = f"{said[: found.start()]}{article(text)} "
            said += text
        return said[0].upper() + said[1:]

    def _said(self, slot: Slot) -> str:
        if slot.name in self.values:
            value = self.values[slot.name]
            return value.said(self.template.language, slot.form, self.rng) if isinstance(value, Span) else str(value)
        if slot.form == "event":
            event = self.columns[slot.name].event
            return event.past if event else ""
        if slot.form == "flag":
            words = said_flag(self.columns[slot.name])
            return words.said if words else ""
        return self._noun(slot.name).form(slot.form)

    def _noun(self, slot: str) -> Noun:
        names = self._names(slot)
        if len(names) > 1:
            return joined([one.noun for one in names], self.template.language)
        return self.nouns.get(slot) or self.columns[slot].noun

    def _names(self, slot: str) -> Sequence[ColumnFacts]:
        """Return the columns that together name a row, first and last name, if the slot is one of them."""
        wanted = self.template.columns.get(slot)
        return self._table(slot).names if wanted is not None and wanted.kind == "name" else ()

    def _both(self, slot: str) -> Iterator[str]:
        """Yield slots of all columns that name a row."""
        for number, column in enumerate(self._names(slot)):
            self.columns[name := f"{slot}_{number}"] = column
            yield name

    def sql(self, turn: TemplateTurn) -> str:
        """Return the query with names and values in its slots."""
        tree = with_functions(turn.query, self.columns, self.values, self.frame.now)
        for column in [one for one in tree.find_all(exp.Column) if len(self._names(one.name)) > 1]:
            if not isinstance(column.parent, exp.Select | exp.Group):
                raise NothingToDraw  # nobody says one of two names where both are meant
            column.replace([exp.column(f"{slot}", column.table) for slot in self._both(column.name)])
        for column in tree.find_all(exp.Column):
            table, name = column.table, column.name
            if table == "t7":
                continue
            known = self.keys[table, name.removeprefix(KEY)] if name.startswith(KEY) else self.columns[name]
            column.set("this", _name(known.column.name))
            if table not in AGAIN:
                column.set("table", _name(self.tables[table].table.name))
        for table in tree.find_all(exp.Table):
            table.set("this", _name(self.tables[table.name].table.name))
        for slot in list(tree.find_all(exp.Placeholder)):
            value, kind = self.values[slot.name], self.template.values[slot.name].kind
            if isinstance(value, str):
                slot.replace(exp.Literal.string(_LIKE.get(kind, "{}").format(value)))
            elif not isinstance(value, Span):
                slot.replace(exp.Literal.number(value))
        return tree.sql("sqlite")


def _pieces(text: str, kind: str) -> list[str]:
    """Return pieces of a text that people would ask for."""
    if not text.isascii():
        return [text[:2]] if kind == "starts" else [text[-2:]] if kind == "ends" else [text[-2:], text[:2]]
    words = [word for word in text.split() if len(word) >= _PIECE and word.isalpha()]
    if kind == "starts":
        return [text[0], text[:3]] if text[:3].isalpha() else []
    if kind == "ends":
        return [text[-3:]] if text[-3:].isalpha() and len(text) > _PIECE else []
    return words if len(text.split()) > 1 else [text[1:5]] if len(text) > _PIECE + 2 and text.isalpha() else []


def _name(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
