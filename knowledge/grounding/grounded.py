"""A grounded formula: the columns of its concepts on a database, and its SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sqlglot import exp

from ...data.schema.schema import Table
from ...data.sql.dialects import translate
from ..formulas.bank import Formula
from ..formulas.expression import DAYS, concept_of

_QUOTED = re.compile(r'"([A-Za-z_]\w*)"')
"""Quoted names that need no quotes."""


@dataclass(frozen=True)
class Place:
    """A column, or a table if ``column`` is None; ``path`` has the qualified name of the table."""

    table: str
    column: str | None
    path: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, table: Table, column: str | None = None) -> Self:
        """Return the place of a table, or of a column of it."""
        return cls(table.name, column, table.path)

    def __str__(self) -> str:
        return self.table if self.column is None else f"{self.table}.{self.column}"


@dataclass(frozen=True)
class GroundedConcept:
    """A concept on a database: a column or table, a formula, or an expression such as today's date.

    Attributes:
        concept: its name.
        place: the column or table, None if it is none.
        formula: the grounded formula, None if it is none.
        everywhere: the expression that it is on every database, in MySQL.
        confidence: the probability that it is right, 0 to 1.
        values: the texts that the formula compares it with, each with its spelling in the database.
        key: the column that counts the rows of a table.
    """

    concept: str
    place: Place | None
    confidence: float
    formula: Grounded | None = None
    everywhere: str = ""
    values: tuple[tuple[str, str], ...] = ()
    key: str | None = None

    def taken(self) -> Iterator[tuple[str, Place]]:
        """Yield its concepts with their places, those of its formula included."""
        if self.formula is not None:
            for one in self.formula.concepts:
                yield from one.taken()
        elif self.place is not None:
            yield self.concept, self.place

    def __str__(self) -> str:
        return f"({self.formula})" if self.formula is not None else self.everywhere or str(self.place)


@dataclass(frozen=True)
class Grounded:
    """A formula with the places of its concepts.

    Attributes:
        formula: the formula.
        concepts: its concepts in order.
    """

    formula: Formula
    concepts: tuple[GroundedConcept, ...]

    @property
    def confidence(self) -> float:
        """Return the lowest confidence of its concepts."""
        return min((one.confidence for one in self.concepts), default=1.0)

    @property
    def places(self) -> tuple[Place, ...]:
        """Return its columns and tables in order."""
        return tuple(dict.fromkeys(place for one in self.concepts for _, place in one.taken()))

    @property
    def tables(self) -> tuple[str, ...]:
        """Return its tables in order."""
        return tuple(dict.fromkeys(place.table for place in self.places))

    @property
    def aggregate(self) -> bool:
        """Does it aggregate rows?"""
        return self.formula.expression.aggregate

    def __str__(self) -> str:
        return _QUOTED.sub(r"\1", ", ".join(self.sql("sqlite")))

    def sql(self, dialect: str, *, by_row: bool = False, real: bool = False) -> tuple[str, ...]:
        """Return its SQL: one expression, or those of the parts of a union.

        Division is decimal, and NULL by zero, in every dialect.

        Args:
            by_row: whether to return the value for one row, see `Expression.by_row`.
            real: whether to add up in floating point, as a sum of whole numbers could become too large.
        """
        trees = self.trees(dialect, by_row=by_row)
        return tuple(_translated((_floating(tree) if real else tree).sql(dialect="mysql"), dialect) for tree in trees)

    def trees(self, dialect: str, *, by_row: bool = False) -> Iterator[exp.Expr]:
        """Yield its expressions in MySQL, with functions that ``dialect`` supports."""
        known = {one.concept: one for one in self.concepts}
        expression = self.formula.expression
        for tree in (expression.by_row or ()) if by_row else expression.trees:
            whole = exp.select(tree.copy()).transform(_with_stored_texts, known).transform(_portable, dialect)
            yield whole.transform(_column, known, dialect, len(self.tables) > 1).expressions[0]


@dataclass(frozen=True)
class Grounding:
    """The result of grounding a formula.

    Attributes:
        formula: the formula.
        best: the formula with the likeliest places of its concepts; None if a concept has no place at all.
        missing: the concepts without a confident place, each with the nearest place and its confidence if there is one.
        problem: the reason why it would be wrong though nothing is missing, or None.
    """

    formula: Formula
    best: Grounded | None
    missing: Mapping[str, tuple[Place, float] | None] = field(default_factory=dict[str, Any], hash=False)
    problem: str | None = None

    @property
    def grounded(self) -> Grounded | None:
        """Return the grounded formula, None if a concept is missing or it would be wrong."""
        return None if self.missing or self.problem else self.best

    def __str__(self) -> str:
        if not self.missing:
            return f"{self.formula.name} = {self.best}" + (f": {self.problem}" if self.problem else "")
        missing = [
            f"{concept}: nothing here" + (f"; nearest {near[0]} {near[1]:.2f}" if near else "")
            for concept, near in self.missing.items()
        ]
        return f"{self.formula.name}: {', '.join(missing)}"


def _floating(tree: exp.Expr) -> exp.Expr:
    """Cast the arguments of sums to floating point, or the whole expression if there are none."""
    sums = [node for node in tree.find_all(exp.Sum) if not isinstance(node.this, exp.Column)]
    for node in sums:
        node.set("this", exp.cast(node.this, "DOUBLE"))
    return tree if sums or tree.find(exp.Sum) else exp.cast(tree, "DOUBLE")


def _with_stored_texts(node: exp.Expr, known: Mapping[str, GroundedConcept]) -> exp.Expr:
    """Replace the texts of a comparison by their spelling in the database."""
    if not isinstance(node, (exp.In, exp.EQ, exp.NEQ)) or not isinstance(node.this, exp.Column):
        return node
    values = dict(known[concept_of(node.this)].values)
    if not values:
        return node
    if isinstance(node, exp.In):
        written = list(dict.fromkeys(values[one.name] for one in node.expressions if one.name in values))
        texts = [exp.Literal.string(one) for one in written]
        if len(texts) == 1:
            return exp.EQ(this=node.this.copy(), expression=texts[0])
        node.set("expressions", texts)
    elif isinstance(node.expression, exp.Literal) and node.expression.name in values:
        node.set("expression", exp.Literal.string(values[node.expression.name]))
    return node


def _portable(node: exp.Expr, dialect: str) -> exp.Expr:
    """Make a division decimal and NULL by zero, and replace DAYS by functions of the dialect."""
    if isinstance(node, exp.Div):
        node.set("typed", False)
        node.set("safe", True)
    if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS:
        start, end = (one.copy() for one in node.expressions)
        if dialect == "sqlite":
            days = (exp.Anonymous(this="JULIANDAY", expressions=[one]) for one in (end, start))
            return exp.paren(exp.Sub(this=next(days), expression=next(days)))
        if dialect == "postgres":  # the difference of two dates is a number
            start, end = (exp.cast(one, "DATETIME") for one in (start, end))
        seconds = exp.TimestampDiff(this=end, expression=start, unit=exp.Var(this="SECOND"))
        return exp.paren(exp.Div(this=seconds, expression=exp.Literal.number(86400), typed=False, safe=True))
    return node


def _column(node: exp.Expr, known: Mapping[str, GroundedConcept], dialect: str, joined: bool) -> exp.Expr:
    concept = known.get(concept_of(node)) if isinstance(node, exp.Column) else None
    if concept is None:
        return node
    if concept.formula is not None:
        return exp.paren(next(concept.formula.trees(dialect)))
    if concept.place is None:
        return exp.maybe_parse(concept.everywhere, dialect="mysql")
    column = concept.place.column or concept.key
    if column is None:  # a table without a key is counted by its rows
        return exp.Star() if isinstance(node.parent, exp.Count) else node
    written = exp.column(column, *reversed(concept.place.path or (concept.place.table,)), quoted=True)
    if joined and concept.place.column is None and isinstance(node.parent, exp.Count):
        return exp.Distinct(expressions=[written])  # a join may repeat rows
    return written


def _translated(text: str, dialect: str) -> str:
    """Return an expression of MySQL in a dialect."""
    whole = translate(f"SELECT {text}", read="mysql", write=dialect).removeprefix("SELECT ")
    return re.sub(r"\bDOUBLE PRECISION\b", "NUMERIC", whole) if dialect == "postgres" else whole
