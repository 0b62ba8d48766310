"""What a formula means in one database: its right side over the concepts that the structure holds.

Concepts stand in the expressions as columns without a table until a query is written. A formula that lacks a concept,
or whose name two formulas of the bank could fill, means nothing there: `meaning` returns None, and nobody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import sqlglot
from sqlglot import exp

from .content import Formula
from .layouts import Layout, Table
from .rows import coded

__all__ = ["Meaning", "meaning", "parsed"]

_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)


@dataclass(frozen=True)
class Meaning:
    """A formula in a database.

    Args:
        formula: the one that is asked for.
        parts: its expression; a union has several.
        used: the formula and all that its right side names, however deep.
        grounding: what each concept, thing and list of values is in the database.
        base: the table whose rows the formula is of.
    """

    formula: Formula
    parts: Sequence[exp.Expr]
    used: Sequence[Formula]
    grounding: dict[str, str | list[str]]
    base: Table

    @property
    def aggregate(self) -> bool:
        return any(part.find(*_AGGREGATES) for part in self.parts)

    @property
    def counts(self) -> bool:
        """Does it count, or average, so that it says nothing of a single row?"""
        return any(part.find(exp.Count, exp.Avg) for part in self.parts)

    @property
    def additive(self) -> bool:
        """May its values be summed up? Ratios may not."""
        divided = [d for part in self.parts for d in part.find_all(exp.Div) if not d.expression.is_number]
        return not self.aggregate and not divided

    def of_a_row(self) -> exp.Expr:
        """Return the expression of one row, where a sum over it is the cell itself."""
        return self.parts[0].transform(lambda node: _bracketed(node.this) if isinstance(node, exp.Sum) else node)

    def of_a_group(self) -> exp.Expr:
        """Return the expression of a group of rows: itself, or the sum of what it is row by row."""
        return self.parts[0].copy() if self.aggregate else exp.Sum(this=_bare(self.parts[0].copy()))


def _bracketed(node: exp.Expr) -> exp.Expr:
    return exp.paren(node) if isinstance(node, exp.Binary) else node


def _bare(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Paren) else node


@cache
def parsed(formula: Formula) -> list[exp.Expr]:
    """Return the parts of a formula's right side as they are written in the bank."""
    select = sqlglot.parse_one(f"SELECT {formula.right}", read="sqlite")
    assert isinstance(select, exp.Select)
    return list(select.expressions)


class _Missing(Exception):
    """A concept that the structure does not hold."""


def meaning(layout: Layout, formula: Formula) -> Meaning | None:
    """Return what a formula means in a database, None where it means nothing, two things, or rows that do not match."""
    candidates = [f for f in layout.domain.formulas if f.name == formula.name and _fits(layout, f)]
    if candidates != [formula]:
        return None
    reader = _Reader(layout)
    parts = [reader.expand(part) for part in parsed(formula)]
    base = _base(layout, parts)
    return None if base is None else Meaning(formula, parts, [formula, *reader.used], reader.grounding, base)


def _fits(layout: Layout, formula: Formula) -> bool:
    try:
        for part in parsed(formula):
            _Reader(layout).expand(part)
    except _Missing:
        return False
    return True


class _Reader:
    """Replaces names of formulas by their right sides, and notes what each concept is."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.used: list[Formula] = []
        self.grounding: dict[str, str | list[str]] = {}

    def expand(self, part: exp.Expr) -> exp.Expr:
        """Return an expression over concepts alone, every division one of real numbers."""
        return _finished(part.transform(self._replaced))

    def _replaced(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.In):
            return self._kept(node)
        return self._column(node) if isinstance(node, exp.Column) else node

    def _column(self, node: exp.Column) -> exp.Expr:
        name = node.name
        table = self._layout.holder(name)
        if table is not None:
            self.grounding[name] = f"{table.name}.{table.columns[name]}"
            return node
        if name in self._layout.tables and node.find_ancestor(exp.Count):
            self.grounding[name] = self._layout.tables[name].name
            return node
        fitting = [f for f in self._layout.domain.formulas if f.name == name and _fits(self._layout, f)]
        if len(fitting) != 1:
            raise _Missing(name)
        self.used.append(fitting[0])
        (inner,) = (part.transform(self._replaced) for part in parsed(fitting[0]))
        return exp.paren(inner)

    def _kept(self, node: exp.In) -> exp.Expr:
        """Return a list of values without those that the database codes differently."""
        concept = node.this.name
        table = self._layout.holder(concept)
        if table is None:
            raise _Missing(concept)
        codes = coded(self._layout.domain.concepts[concept], self._layout.language, self._layout.way)
        kept = [value.copy() for value in node.expressions if value.this in codes]
        if not kept:
            raise _Missing(f"values of {concept}")
        self.grounding[concept] = f"{table.name}.{table.columns[concept]}"
        self.grounding[node.sql("sqlite")] = [value.this for value in kept]
        return (
            exp.EQ(this=node.this, expression=kept[0]) if len(kept) == 1 else exp.In(this=node.this, expressions=kept)
        )


def _finished(part: exp.Expr) -> exp.Expr:
    """Return an expression whose days are SQLite's and whose quotients are real."""

    def changed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Anonymous) and node.name.upper() == "DAYS":
            start, end = (exp.func("JULIANDAY", e) for e in node.expressions)
            return exp.paren(exp.Sub(this=end, expression=start))
        return node

    part = part.transform(changed)
    for node in list(part.find_all(exp.Div)):
        if not any(n.is_number and "." in n.name for n in node.this.find_all(exp.Literal)):
            node.set("this", exp.Mul(this=exp.Literal.number("1.0"), expression=node.this.copy()))
    for node in list(part.find_all(exp.AggFunc)):
        node.set("this", _bare(node.this))
    return part


def _base(layout: Layout, parts: Sequence[exp.Expr]) -> Table | None:
    """Return the table whose rows a formula is of, None where a join would repeat cells of another table."""
    names = {node.name for part in parts for node in part.find_all(exp.Column)}
    held = [table for name in names if (table := layout.holder(name)) is not None]
    counted = [layout.tables[name] for name in names if layout.holder(name) is None]
    base = max([*held, *counted], key=lambda t: t.grain)
    rows = {t.thing for t in held if t.grain >= 0} if base.grain > 0 else {base.thing}
    if any(thing != base.thing for thing in rows):
        return None
    return layout.entity if base.grain <= 0 else base
