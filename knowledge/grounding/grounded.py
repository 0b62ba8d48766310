"""A formula on one database: its concepts as columns, and the SQL that comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ...data.dialects import translate
from ..formulas.bank import Formula
from ..formulas.expression import DAYS, concept_of

__all__ = ["Grounded", "GroundedConcept", "Place"]


@dataclass(frozen=True)
class Place:
    """A column, or a table where ``column`` is None."""

    table: str
    column: str | None

    def __str__(self) -> str:
        return self.table if self.column is None else f"{self.table}.{self.column}"


@dataclass(frozen=True)
class GroundedConcept:
    """What a concept is here.

    Attributes:
        concept: its name.
        place: the column or table; None where it is a formula.
        formula: that it is, grounded; None where it is a place.
        confidence: 0 to 1.
        values: texts that the formula compares it with and this database has, each with how it is written here.
        key: of a table, the column that counts its rows.
    """

    concept: str
    place: Place | None
    formula: Grounded | None
    confidence: float
    values: tuple[tuple[str, str], ...] = ()
    key: str | None = None

    def __str__(self) -> str:
        return str(self.place) if self.formula is None else f"({self.formula})"


@dataclass(frozen=True)
class Grounded:
    """A formula with a place for each of its concepts.

    Attributes:
        formula: that is grounded.
        concepts: in order, one each.
    """

    formula: Formula
    concepts: tuple[GroundedConcept, ...]

    @property
    def confidence(self) -> float:
        """Return how sure the least sure of its concepts is."""
        return min((one.confidence for one in self.concepts), default=1.0)

    @property
    def places(self) -> tuple[Place, ...]:
        """Return all columns and tables in it, in order, each once."""
        return tuple(dict.fromkeys(self._places()))

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the tables that it needs, in order."""
        return tuple(dict.fromkeys(place.table for place in self.places))

    def _places(self) -> Iterator[Place]:
        for one in self.concepts:
            if one.formula is not None:
                yield from one.formula._places()
            elif one.place is not None:
                yield one.place

    def __str__(self) -> str:
        return ", ".join(self._written("sqlite"))

    def sql(self, dialect: str) -> tuple[str, ...]:
        """Return its SQL: one expression, or of a union one for each part.

        Division is decimal, and by zero gives NULL, in every dialect.
        """
        return tuple(_translated(text, dialect) for text in self._written("mysql"))

    def _written(self, dialect: str) -> Iterator[str]:
        for tree in self._trees():
            yield tree.sql(dialect=dialect)

    def _trees(self) -> Iterator[exp.Expr]:
        known = {one.concept: one for one in self.concepts}
        for tree in self.formula.expression.trees:
            yield exp.select(tree.copy()).transform(_replaced, known).expressions[0]


def _replaced(node: exp.Expr, known: Mapping[str, GroundedConcept]) -> exp.Expr:
    if isinstance(node, exp.Div):  # MySQL's: decimal, and NULL by zero
        node.set("typed", False)
        node.set("safe", True)
    if isinstance(node, (exp.In, exp.EQ, exp.NEQ)) and isinstance(node.this, exp.Column):
        return _compared(node, dict(known[concept_of(node.this)].values))
    if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS:
        start, end = (_moment(one) for one in node.expressions)
        unit = exp.Var(this="SECOND")
        seconds = exp.TimestampDiff(this=end, expression=start, unit=unit).transform(_replaced, known)
        return exp.paren(exp.Div(this=seconds, expression=exp.Literal.number(86400), typed=False, safe=True))
    if isinstance(node, exp.Column):
        return _column(node, known[concept_of(node)]) if concept_of(node) in known else node
    return node


def _compared(node: exp.Expr, values: Mapping[str, str]) -> exp.Expr:
    """Return a comparison with the texts that there are, as they are written."""
    if isinstance(node, exp.In):
        written = dict.fromkeys(
            values.get(one.name, one.name) for one in node.expressions if one.name in values or not values
        )
        texts = [exp.Literal.string(one) for one in written]
        if len(texts) == 1 and values:
            return exp.EQ(this=node.this, expression=texts[0])
        if values:
            node.set("expressions", texts)
    elif isinstance(node.expression, exp.Literal) and node.expression.is_string:
        text = node.expression.name
        node.set("expression", exp.Literal.string(values.get(text, text)))
    return node


def _moment(node: exp.Expr) -> exp.Expr:
    return node.copy()


def _column(node: exp.Expr, told: GroundedConcept) -> exp.Expr:
    if told.formula is not None:
        return exp.paren(next(iter(told.formula._trees())))
    assert told.place is not None  # or else it is a formula
    column = told.place.column or told.key
    if column is None:  # a table without a key is counted by its rows
        return exp.Star() if isinstance(node.parent, exp.Count) else node
    return exp.column(column, told.place.table, quoted=True)


def _translated(text: str, dialect: str) -> str:
    """Return an expression of MySQL in a dialect."""
    whole = translate(f"SELECT {text}", read="mysql", write=dialect).removeprefix("SELECT ")
    return re.sub(r"\bDOUBLE PRECISION\b", "NUMERIC", whole) if dialect == "postgres" else whole
