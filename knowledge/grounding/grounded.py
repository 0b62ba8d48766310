"""A formula on one database: its concepts as columns, and the SQL that comes of it."""

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
"""Names that need no quotes to be read."""


@dataclass(frozen=True)
class Place:
    """A column, or a table where ``column`` is None; ``path`` holds the names that the table is written by."""

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
    """What a concept is here: a column or table, a formula, or what is true everywhere, such as today's date.

    Attributes:
        concept: its name.
        place: the column or table, None where it is none.
        formula: that it is, grounded.
        everywhere: what it is everywhere, in MySQL.
        confidence: 0 to 1.
        values: texts that the formula compares it with and this database has, each with how it is written here.
        key: of a table, the column that counts its rows.
    """

    concept: str
    place: Place | None
    confidence: float
    formula: Grounded | None = None
    everywhere: str = ""
    values: tuple[tuple[str, str], ...] = ()
    key: str | None = None

    def taken(self) -> Iterator[tuple[str, Place]]:
        """Yield the concepts in it with their places, those of the formula that it is, too."""
        if self.formula is not None:
            for one in self.formula.concepts:
                yield from one.taken()
        elif self.place is not None:
            yield self.concept, self.place

    def __str__(self) -> str:
        return f"({self.formula})" if self.formula is not None else self.everywhere or str(self.place)


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
        return tuple(dict.fromkeys(place for one in self.concepts for _, place in one.taken()))

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the tables that it needs, in order."""
        return tuple(dict.fromkeys(place.table for place in self.places))

    @property
    def aggregate(self) -> bool:
        """Is it of many rows?"""
        return self.formula.expression.aggregate

    def __str__(self) -> str:
        return _QUOTED.sub(r"\1", ", ".join(self.sql("sqlite")))

    def sql(self, dialect: str, *, by_row: bool = False, real: bool = False) -> tuple[str, ...]:
        """Return its SQL: one expression, or of a union one for each part.

        Division is decimal, and by zero gives NULL, in every dialect.

        Args:
            by_row: what an aggregate is of one row; nothing where it is none.
            real: reckon in floating point what is added up: a sum of whole numbers could become too large.
        """
        trees = self.trees(dialect, by_row=by_row)
        return tuple(_translated((_real(tree) if real else tree).sql(dialect="mysql"), dialect) for tree in trees)

    def trees(self, dialect: str, *, by_row: bool = False) -> Iterator[exp.Expr]:
        """Yield its expressions as MySQL has them, with what ``dialect`` needs."""
        known = {one.concept: one for one in self.concepts}
        expression = self.formula.expression
        for tree in (expression.by_row or ()) if by_row else expression.trees:
            whole = exp.select(tree.copy()).transform(_compared, known).transform(_counted, dialect)
            yield whole.transform(_column, known, dialect, len(self.tables) > 1).expressions[0]


@dataclass(frozen=True)
class Grounding:
    """What came of grounding a formula.

    Attributes:
        formula: that was to be grounded.
        best: the likeliest places of its concepts, sure or not; None where a concept has no place at all.
        missing: the concepts that are not grounded, each with the nearest place and its confidence if there is one.
        problem: why it would be wrong though nothing is missing, None where it would not.
    """

    formula: Formula
    best: Grounded | None
    missing: Mapping[str, tuple[Place, float] | None] = field(default_factory=dict[str, Any], hash=False)
    problem: str | None = None

    @property
    def grounded(self) -> Grounded | None:
        """Return the formula on this database, None where a concept is missing, or a join would make it wrong."""
        return None if self.missing or self.problem else self.best

    def __str__(self) -> str:
        if not self.missing:
            return f"{self.formula.name} = {self.best}" + (f": {self.problem}" if self.problem else "")
        told = [
            f"{concept}: nothing here" + (f"; nearest {near[0]} {near[1]:.2f}" if near else "")
            for concept, near in self.missing.items()
        ]
        return f"{self.formula.name}: {', '.join(told)}"


def _real(tree: exp.Expr) -> exp.Expr:
    """Turn what is added up into floating point: the arguments of sums, or the whole where there is none."""
    sums = [node for node in tree.find_all(exp.Sum) if not isinstance(node.this, exp.Column)]
    for node in sums:
        node.set("this", exp.cast(node.this, "DOUBLE"))
    return tree if sums or tree.find(exp.Sum) else exp.cast(tree, "DOUBLE")


def _compared(node: exp.Expr, known: Mapping[str, GroundedConcept]) -> exp.Expr:
    """Compare with the texts that there are, as they are written here."""
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


def _counted(node: exp.Expr, dialect: str) -> exp.Expr:
    """Divide as MySQL does, decimal and NULL by zero, and count days between moments."""
    if isinstance(node, exp.Div):
        node.set("typed", False)
        node.set("safe", True)
    if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS:
        start, end = (one.copy() for one in node.expressions)
        if dialect == "sqlite":
            days = (exp.Anonymous(this="JULIANDAY", expressions=[one]) for one in (end, start))
            return exp.paren(exp.Sub(this=next(days), expression=next(days)))
        if dialect == "postgres":  # where the difference of two dates is a number already
            start, end = (exp.cast(one, "DATETIME") for one in (start, end))
        seconds = exp.TimestampDiff(this=end, expression=start, unit=exp.Var(this="SECOND"))
        return exp.paren(exp.Div(this=seconds, expression=exp.Literal.number(86400), typed=False, safe=True))
    return node


def _column(node: exp.Expr, known: Mapping[str, GroundedConcept], dialect: str, joined: bool) -> exp.Expr:
    told = known.get(concept_of(node)) if isinstance(node, exp.Column) else None
    if told is None:
        return node
    if told.formula is not None:
        return exp.paren(next(told.formula.trees(dialect)))
    if told.place is None:
        return exp.maybe_parse(told.everywhere, dialect="mysql")
    column = told.place.column or told.key
    if column is None:  # a table without a key is counted by its rows
        return exp.Star() if isinstance(node.parent, exp.Count) else node
    written = exp.column(column, *reversed(told.place.path or (told.place.table,)), quoted=True)
    if joined and told.place.column is None and isinstance(node.parent, exp.Count):
        return exp.Distinct(expressions=[written])  # a join may repeat the rows that are counted
    return written


def _translated(text: str, dialect: str) -> str:
    """Return an expression of MySQL in a dialect."""
    whole = translate(f"SELECT {text}", read="mysql", write=dialect).removeprefix("SELECT ")
    return re.sub(r"\bDOUBLE PRECISION\b", "NUMERIC", whole) if dialect == "postgres" else whole
