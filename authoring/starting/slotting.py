"""Sampled queries of a domain as plain SQL, and slots in place of their values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ...data.databases.database import Database
from ...data.databases.rows import Rows
from ...data.errors import DatabaseError
from ...data.parsing import PARSE_ERRORS, read_tree, told_error
from ...data.schema.schema import Schema
from ...data.values.literals import find
from ...data.values.numerals import value_of
from ...data.values.slots import SLOT, ValueMention
from ...sampler import Sampled
from .entity_types import EntityTypes

__all__ = ["PlainSql", "PrototypeDraft", "Slotter", "Translating"]


class PlainSql:
    """Reads what `sampler` writes, and writes it in one dialect.

    Args:
        dialect: of the database.
        quote: writes a name as the dialect wants it.
        schema: whose tables may stand in a namespace.
    """

    def __init__(self, dialect: str, quote: Callable[[str], str], schema: Schema) -> None:
        self._dialect, self._quote = dialect, quote
        self._paths = {table.name: table.path for table in schema.tables}

    def tree(self, sql: str) -> exp.Expr:
        """Return a query's tree."""
        return read_tree(sql, "sqlite")

    def write(self, tree: exp.Expr) -> str:
        """Return a query in the dialect."""
        for table in tree.find_all(exp.Table):
            self._place(table, "this", "db")
        for column in tree.find_all(exp.Column):
            self._place(column, "table", "db")
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._quote(name.name) != name.name)
        return tree.sql(dialect=self._dialect, unsupported_level=ErrorLevel.RAISE)

    def column(self, name: str) -> str:
        """Return a column's name as the dialect writes it."""
        return self._quote(name)

    def has(self, name: str) -> bool:
        """Say whether a name is a table's."""
        return name in self._paths

    def table(self, name: str) -> str:
        """Return a table's name as the dialect writes it, behind its namespace where it stands in one."""
        return ".".join(map(self._quote, self._paths[name]))

    def _place(self, node: exp.Expr, name: str, namespace: str) -> None:
        """Tell a table's namespace from its name: the sampler knows one name alone, ``Sales.orders``."""
        written = node.args.get(name)
        path = self._paths.get(written.name, ()) if written is not None else ()
        if len(path) > 1:
            node.set(name, exp.to_identifier(path[-1]))
            node.set(namespace, exp.to_identifier(path[0]))


class Translating(Database):
    """A database that is asked in the sampler's SQL, whatever its own dialect."""

    def __init__(self, database: Database, plain: PlainSql) -> None:
        super().__init__(database.session, database.place, timeout=database.timeout, max_rows=database.max_rows)
        self._plain = plain

    def fetch(self, sql: str) -> Rows:
        """Run a query of the sampler's; see `Database.fetch`."""
        try:
            written = self._plain.write(self._plain.tree(sql))
        except PARSE_ERRORS as error:
            raise DatabaseError(f"cannot be written in this dialect: {told_error(error)}") from error
        return super().fetch(written)


_DATE = re.compile(r"\d{4}-\d\d-\d\d(?: [\d:.]+)?")
_MARKS = "'\"“”「」‘’"
_PAIRS = (("'", "'"), ('"', '"'), ("“", "”"), ("「", "」"), ("‘", "’"))
_TOUCHING = re.compile(r"(?<=[A-Za-z0-9])(?=\{)|(?<=\})(?=[A-Za-z0-9])")
_FIRST = 0xE000  # private signs that stand for the values of a wording


@dataclass(frozen=True)
class PrototypeDraft:
    """A prototype to be.

    Attributes:
        structure: of the sample.
        tables: that the query names.
        sql: slotted, in the domain's dialect.
        wordings: slotted, no two alike but for case and their last mark.
        fill: what fills its slots where their type does not tell, as a prototypes file says it.
    """

    structure: str
    tables: frozenset[str]
    sql: str
    wordings: tuple[str, ...]
    fill: Mapping[str, object]


@dataclass(frozen=True)
class _Value:
    """A literal that may become a slot: its type, its text in SQL, and what fills it."""

    node: exp.Literal
    type: str
    text: str
    fill: object = None

    @property
    def said_as_is(self) -> bool:
        """Does a question say it letter by letter, as it does not say numbers and times?"""
        return self.type not in {"number", "time"}

    def means(self, mention: ValueMention) -> bool:
        """Is this the number or the time of a question?"""
        if mention.type != self.type:
            return False
        return mention.sql == self.text or (self.type == "number" and value_of(mention.sql) == value_of(self.text))


class Slotter:
    """Puts slots into samples of one database.

    Args:
        types: of the database's entities.
        plain: writes queries in its dialect.
        language: of the questions.
    """

    def __init__(self, types: EntityTypes, plain: PlainSql, language: str) -> None:
        self._types, self._plain, self._language = types, plain, language
        self._known = {kind: {e.sql.lower() for e in entities} for kind, entities in types.entities.items()}

    def slotted(self, sample: Sampled) -> PrototypeDraft | None:
        """Return a sample with slots; None if no wording says just its values."""
        tree = self._plain.tree(sample.sql)
        tables = frozenset(table.name for table in tree.find_all(exp.Table))
        values = [v for v in self._values(tree) if any(_places(v, w, self._language) for w in sample.sayings)]
        slots = _named(values)
        said = [self._worded(wording, slots) for wording in sample.sayings]
        wordings = {_bare(wording): wording for wording in said if wording is not None}
        if not wordings:
            return None
        for slot, value in slots.items():
            put = exp.Literal.string(f"{{{slot}}}") if value.node.is_string else exp.var(f"{{{slot}}}")
            value.node.replace(put)
        fill = {slot: value.fill for slot, value in slots.items() if value.fill is not None}
        return PrototypeDraft(sample.structure, tables, self._plain.write(tree), tuple(wordings.values()), fill)

    def _values(self, tree: exp.Expr) -> list[_Value]:
        """Return the literals that could be slots, none of which the query has twice."""
        literals = list(tree.find_all(exp.Literal, bfs=False))
        counts = Counter((literal.is_string, literal.name) for literal in literals)
        found = (self._value(literal) for literal in literals if counts[literal.is_string, literal.name] == 1)
        return [value for value in found if value is not None]

    def _value(self, literal: exp.Literal) -> _Value | None:
        column = _compared(literal)
        place = None if column is None else _place(column)
        if place is not None and not self._plain.has(place[0]):
            return None  # what a derived table shows, as the number of a row
        if literal.is_string:
            return None if place is None else self._text(literal, place)
        if isinstance(literal.parent, exp.Limit):
            return _Value(literal, "number", literal.name, "few") if literal.name != "1" else None
        if place is not None:
            return _Value(literal, "number", literal.name, self._candidates(place))
        if isinstance(literal.parent, exp.Binary) and isinstance(literal.parent.this, exp.Count):
            return _Value(literal, "number", literal.name, {"from": 2, "to": 5})
        return None

    def _text(self, literal: exp.Literal, place: tuple[str, str]) -> _Value | None:
        kind = self._types.columns.get(place)
        if kind is not None and isinstance(literal.parent, exp.EQ | exp.NEQ | exp.In):
            fill = None if place == self._types.own[kind] else self._candidates(place)
            return _Value(literal, kind, literal.name, fill) if literal.name.lower() in self._known[kind] else None
        if isinstance(literal.parent, exp.GT | exp.LT) and _DATE.fullmatch(literal.name):
            # «before 1 May» means the day, also where the column has moments
            day = isinstance(literal.parent, exp.LT)
            return _Value(literal, "time", literal.name, self._candidates(place, day=day))
        return None

    def _candidates(self, place: tuple[str, str], *, day: bool = False) -> str:
        table, column = self._plain.table(place[0]), self._plain.column(place[1])
        cell = f"DATE({column})" if day else column
        return f"SELECT DISTINCT {cell} FROM {table} WHERE {column} IS NOT NULL"

    def _worded(self, wording: str, slots: Mapping[str, _Value]) -> str | None:
        """Return a wording with its slots; None if it says one of them not at all or twice, or any other number."""
        signs = {slot: chr(_FIRST + index) for index, slot in enumerate(slots)}
        text = wording
        texts = [(slot, value) for slot, value in slots.items() if value.said_as_is]
        for slot, value in sorted(texts, key=lambda item: -len(item[1].text)):
            text, count = _as_said(value.text).subn(signs[slot], text)
            if count != 1:
                return None
        left = {slot: value for slot, value in slots.items() if not value.said_as_is}
        for mention in reversed(find(text, language=self._language)):
            meant = [slot for slot, value in left.items() if value.means(mention)]
            if len(meant) != 1:
                return None
            del left[meant[0]]
            text = text[: mention.start] + signs[meant[0]] + text[mention.end :]
        if left or SLOT.search(text):
            return None
        for slot, sign in signs.items():
            text = text.replace(sign, f"{{{slot}}}")
        # any value may come there, and in Chinese no space tells a Latin one from a Latin word beside it
        return _TOUCHING.sub(" ", text) if self._language == "zh" else text


def _places(value: _Value, wording: str, language: str) -> int:
    if value.said_as_is:
        return len(_as_said(value.text).findall(wording))
    return sum(value.means(mention) for mention in find(wording, language=language))


def _named(values: Sequence[_Value]) -> dict[str, _Value]:
    counts: Counter[str] = Counter()
    named: dict[str, _Value] = {}
    for value in values:
        named[f"{value.type}{counts[value.type]}"] = value
        counts[value.type] += 1
    return named


def _as_said(text: str) -> re.Pattern[str]:
    """Match a value whatever its case, with the quotes around it, and not inside a longer word."""
    body = re.escape(text)
    left = r"(?<![A-Za-z0-9])" if text[0].isascii() and text[0].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if text[-1].isascii() and text[-1].isalnum() else ""
    quoted = "|".join(f"{opening}{body}{closing}" for opening, closing in _PAIRS)
    return re.compile(f"{quoted}|{left}{body}{right}", re.IGNORECASE)


def _bare(wording: str) -> str:
    return wording.rstrip("?？.。 ").casefold().strip(_MARKS)


def _compared(literal: exp.Literal) -> exp.Column | None:
    """Return the column that a literal is compared with, also inside a function; None if there is none."""
    above = literal.parent
    if not isinstance(above, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE | exp.In | exp.Between):
        return None
    return above.this.find(exp.Column)


def _place(column: exp.Column) -> tuple[str, str] | None:
    """Return the table and name of a column; one that names no table is of the only one of its SELECT."""
    if column.table:
        return column.table, column.name
    select = column.find_ancestor(exp.Select)
    if select is None or select.args.get("joins"):
        return None
    return select.args["from_"].this.name, column.name
