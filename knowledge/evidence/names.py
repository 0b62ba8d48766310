"""The names of an evidence, bound to the columns of a schema as far as it tells which these are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...data.schema.plain_names import plain_name, spoken
from ...data.schema.schema import Column, Schema, Table
from ..formulas.expression import DAYS, ExpressionError
from ..formulas.sql import column, named

__all__ = ["Around", "NameBinder", "Place"]

Place = tuple[Table, Column]

_ALIAS = re.compile(r"T\d+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_NUMERIC = re.compile(r"int|num|dec|real|float|double|serial|money", re.IGNORECASE)
_TIME = re.compile(r"date|time", re.IGNORECASE)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.In, exp.Between)
_LONGEST = 4
"""Words of a concept; what has more is a sentence."""


@dataclass(frozen=True)
class Around:
    """What the pieces of an evidence have in common.

    Attributes:
        others: by name in lower case, formulas of the same evidence, and columns that it calls so.
        text: the question, and all pieces.
    """

    others: Mapping[str, str | Place]
    text: str


class NameBinder:
    """Binds the names of evidences.

    Args:
        schema: of the database that they are about; None leaves all but ``table.column`` concepts in plain words.
    """

    def __init__(self, schema: Schema | None) -> None:
        self._tables = {table.name.lower(): table for table in (schema.tables if schema else ())}
        self._places: dict[str, list[Place]] = {}
        for table, one in schema.columns() if schema else ():
            for key in dict.fromkeys((_key(one.name), _key(spoken(one.name, one.description)))):
                self._places.setdefault(key, []).append((table, one))

    @property
    def bound(self) -> bool:
        """Is there a schema?"""
        return bool(self._tables)

    def table(self, name: str) -> bool:
        """Is this the name of a table?"""
        return name.lower() in self._tables

    def places(self, name: str, table: str = "") -> Sequence[Place]:
        """Return the columns that a name may be."""
        found = self._places.get(_key(name), [])
        exact = [one for one in found if one[1].name.lower() == name.lower()] or found
        if not table or (_ALIAS.fullmatch(table) and not self.table(table)):
            return exact
        return [one for one in exact if one[0].name.lower() == table.lower()]

    def texts(self, tree: exp.Expr) -> bool:
        """Are texts put together here, as first_name + last_name?"""
        columns = list(tree.find_all(exp.Column))
        added = all(isinstance(node, (exp.Add, exp.Column, exp.Identifier, exp.Paren)) for node in tree.walk())
        places = [self.places(one.name, one.table) for one in columns]
        return added and len(columns) > 1 and all(several and not _numeric(several) for several in places)

    def holding(self, words: str, *, name: bool = False, full: bool = False) -> exp.Expr | None:
        """Return the column of texts that such words mean, None where there is none.

        Args:
            name: were they «name of …»?
            full: was it «full name of …»?
        """
        ways = [f"{words} name", f"{words} full name" if full else words] if name else [words]
        found = next((places for way in ways if (places := self.places(way))), None)
        if name and (owner := self._tables.get(words.lower()) or self._tables.get(f"{words.lower()}s")):
            own = [place for place in self.places("full name" if full else "name") if place[0] == owner]
            found = own or found
        if not found or _numeric(found):
            return None
        return column(found[0][0].name if len(found) == 1 else "", found[0][1].name)

    def bind(self, tree: exp.Expr, piece: str, head: str, around: Around) -> exp.Expr:
        """Return an expression over columns, and over concepts where no column, or more than one, is so called.

        Args:
            piece: in which it stands.
            head: what that says the expression is called.

        Raises:
            ExpressionError: a name is a sentence.
        """
        tree = tree.copy().transform(self._compared)
        single = (self.places(one.name, one.table) for one in tree.find_all(exp.Column))
        owners = {found[0][0].name for found in single if len(found) == 1}
        said, called, every = _words(piece), _words(head), _words(around.text)
        signs: tuple[Callable[[Place], bool], ...] = (
            lambda one: _words(one[0].name) <= said,
            lambda one: not called.isdisjoint(_words(one[0].name)),
            lambda one: one[0].name in owners,
            lambda one: (one[1].name,) == one[0].primary_key,
            lambda one: _words(one[0].name) <= every,
        )

        def replaced(node: exp.Expr) -> exp.Expr:
            return self._bound(node, signs, head, around.others) if isinstance(node, exp.Column) else node

        whole = exp.select(tree.transform(replaced))
        for node in reversed(list(whole.walk())):  # what stands inside before what it stands in
            if (told := self._typed(node)) is not node:
                node.replace(told)
        return whole.expressions[0]

    def _bound(
        self, node: exp.Column, signs: Iterable[Callable[[Place], bool]], head: str, others: Mapping[str, str | Place]
    ) -> exp.Expr:
        places = self.places(node.name, node.table)
        if isinstance(node.parent, exp.Literal) or (not places and self._rows(node)):
            return node
        if place := _chosen(places, signs):
            return column(place[0].name, place[1].name)
        if not places and not node.table:
            other = others.get(node.name.casefold())
            if other is not None and other != head:
                return named(other) if isinstance(other, str) else column(other[0].name, other[1].name)
        if node.table and not _ALIAS.fullmatch(node.table):
            if self.bound:
                raise ExpressionError(f"no column {node.table}.{node.name} in the database")
            return column(node.table, node.name)
        said = plain_name(node.name)
        if len(said.split()) > _LONGEST:
            raise ExpressionError(f"words, no formula: {node.name!r}")
        return named(said)

    def _rows(self, node: exp.Column) -> bool:
        """Are the rows of a table meant, as in COUNT(orders)?"""
        return isinstance(node.parent, exp.Count) and not node.table and self.table(node.name)

    def _compared(self, node: exp.Expr) -> exp.Expr:
        """Tell names from texts in a comparison, whatever quotes they have."""
        if not isinstance(node, _COMPARED):
            return node
        left = node.this
        if isinstance(left, exp.Literal) and left.is_string and self.places(left.name):
            node.set("this", named(left.name))
        if isinstance(node, (exp.EQ, exp.NEQ)) and isinstance(right := node.expression, exp.Column):
            quoted = isinstance(right.this, exp.Identifier) and right.this.quoted
            unknown = not right.table and not self.places(right.name)
            if unknown and (quoted or self.bound) and isinstance(node.this, exp.Column) and self._known(node.this):
                node.set("expression", exp.Literal.string(right.name))
        return node

    def _known(self, node: exp.Column) -> bool:
        return not self.bound or bool(self.places(node.name, node.table))

    def _typed(self, node: exp.Expr) -> exp.Expr:
        """Write what the columns' types tell: numbers in quotes, days between dates, keys that are counted."""
        if isinstance(node, _COMPARED) and self._is(node.this, _NUMERIC):
            for one in list(node.find_all(exp.Literal)):
                if one.is_string and _NUMBER.fullmatch(one.name) and not isinstance(node, exp.Like):
                    one.replace(exp.Literal.number(one.name))
        if isinstance(node, exp.Sub) and self._is(node.this, _TIME) and self._is(node.expression, _TIME):
            return exp.Anonymous(this=DAYS, expressions=[node.expression.unnest().copy(), node.this.unnest().copy()])
        if isinstance(node, exp.Paren) and isinstance(node.this, exp.Anonymous):
            return node.this
        if isinstance(node, exp.Sum) and self._uncounted(node.this):
            return exp.Count(this=node.this)
        return node

    def _uncounted(self, value: exp.Expr) -> bool:
        """Is something to be added up that only tells rows apart?"""
        while isinstance(value, exp.Case) and not value.args.get("default"):
            value = value.args["ifs"][0].args["true"]
        if not isinstance(value, exp.Column) or not self.table(value.table):
            return False
        keys = {name.lower() for name in self._tables[value.table.lower()].primary_key}
        return value.name.lower() in keys or not self._is(value, _NUMERIC)

    def _is(self, node: object, kind: re.Pattern[str]) -> bool:
        """Is this a column of a kind?"""
        bare = node.unnest() if isinstance(node, exp.Expr) else None
        if not isinstance(bare, exp.Column) or bare.table.lower() not in self._tables:
            return False
        return any(kind.search(one.type) for _, one in self.places(bare.name, bare.table))


def _chosen(places: Sequence[Place], signs: Iterable[Callable[[Place], bool]]) -> Place | None:
    """Return the one that is meant of columns of the same name, by the first sign of one alone; None if none tells."""
    fitting = ([place for place in places if sign(place)] for sign in signs)
    return next((found[0] for found in (places, *fitting) if len(found) == 1), None)


def _numeric(places: Sequence[Place]) -> bool:
    return any(_NUMERIC.search(one.type) for _, one in places)


def _key(name: str) -> str:
    """Return what is alike in «Unit Price», unit_price and UnitPrice."""
    return re.sub(r"[\W_]+", "", name).lower() or name


def _words(text: str) -> set[str]:
    """Return the words of a text, without the s of several."""
    return {word.removesuffix("s") for word in plain_name(re.sub(r"[^\w\s]+", " ", text)).split()}
